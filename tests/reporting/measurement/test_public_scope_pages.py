"""A study with private prompts: pages over all answers or over public ones, and what its report tells."""

from collections.abc import Callable
from datetime import datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from presentation.numbers import decimals
from psychometrics.inference.measure import Block
from reporting.management.result_lines import result_lines
from reporting.selectors.report_records import study_records
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.report.sections import flow_parts
from scoring.coordinator import Scoring
from scoring.models import Measurement, ResultSet
from scoring.selectors.export_results import estimate_rows
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Prompt, Study
from studies.services.banks import item_bank_import
from tests.support.headlines import estimates
from tests.support.read_pages import every_part
from tests.support.report_parts import tables_of

pytestmark = pytest.mark.django_db
NUMBERS = range(1, 9)
PRIVATE = (2, 4, 6)
RIGHT = ({1, 3, 5, 7}, {1, 2, 4, 6}, {1, 3, 8}, {5, 6})


@pytest.fixture(scope="module")
def kept_measurement(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Measurement:
    prompts = [
        PromptRecord(
            prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(40 + n), category=("QR", "LR")[n % 2],
            split="private" if n in PRIVATE else "public",
        )
        for n in NUMBERS
    ]  # fmt: skip
    items = tuple(ItemParameter(f"p{n}", a=1.0, b=0.2 * n) for n in NUMBERS)
    bank, _ = item_bank_import(
        slug="items", parameters=ItemParameters(items, 0.998, 0.001, sigma_hat=2.5), now=now
    )
    study = make_study(
        prompts=prompts, slug="split", batch_size=8, judge_kind="checks", top_size=2, item_bank=bank,
        replicates_per_profile=4,
    )  # fmt: skip
    for right in RIGHT:
        work(make_person(study), {f"p{n}": str(40 + n if n in right else 0) for n in NUMBERS})
    results = score_at(study, clock=lambda: now, measures=False).judges[0].results
    return measurement_compute(results=results, now=now, resamples=50)


@pytest.fixture
def measurement(kept_measurement: Measurement, db: None) -> Measurement:
    return Measurement.objects.get(pk=kept_measurement.pk)


@pytest.fixture
def results(measurement: Measurement) -> ResultSet:
    return measurement.result_set


@pytest.fixture
def study(results: ResultSet) -> Study:
    return results.run.study


def page(client: Client, block: str = "", prompts: str = "") -> str:
    place = {"slug": "split", "block": block} if block else {"slug": "split"}
    address = reverse("staff_measurement" if block else "staff_results", kwargs=place)
    return every_part(client, address + (f"?prompts={prompts}" if prompts else ""))


def test_top_of_the_public_prompts_is_chosen_by_them(results: ResultSet) -> None:
    top = {one.scope: one for one in estimates(results, group="top", category="")}
    # Of all eight, the first two people have four right; of the public five, the first and the third.
    assert top["all"].raw_mean == pytest.approx(8 / 16)
    assert top["public"].raw_mean == pytest.approx(7 / 10)
    assert (top["all"].private_prompts, top["public"].private_prompts) == (3, 0)
    assert (top["public"].expected, top["public"].prompts) == (10, 5)


def test_a_figure_that_is_saved_alone_says_which_prompts_it_rests_on(
    staff: Client, measurement: Measurement
) -> None:
    whole = {"slug": "split", "results_id": measurement.result_set_id}
    addresses = [
        reverse("staff_results_figure", kwargs={**whole, "extension": "svg"}),
        *(
            reverse(
                "staff_measurement_figure",
                kwargs={**whole, "block": block, "figure": figure, "extension": "svg"},
            )
            for block, page in PAGES.items()
            for figure in page.figures
        ),
    ]
    told = 0
    for address in addresses:
        for query, words in (("", "All questions"), ("?prompts=public", "Public questions only")):
            response = staff.get(address + query)
            if response.status_code == 200:
                told += 1
                assert f">{words}</text>" in response.content.decode(), address
    assert told >= 6


def test_a_switch_shows_the_numbers_of_the_public_prompts(staff: Client, measurement: Measurement) -> None:
    rows = measurement.result_set.measures.filter(
        block=Block.UNCERTAINTY, name="uncertainty.theta.pool", subset="se.participant"
    )
    shown = {row.scope: decimals(row.value, 2) for row in rows.filter(group="average")}
    assert shown["all"] != shown["public"]
    address = reverse("staff_measurement", kwargs={"slug": "split", "block": "uncertainty"})
    for prompts, scope in (("", "all"), ("public", "public"), ("private", "all")):
        content = page(staff, "uncertainty", prompts)
        assert shown[scope] in content
        assert f'<a href="{address}?prompts=public"' in content
        assert ('aria-current="true">Public questions only<' in content) == (scope == "public")
        assert ('aria-current="true">All questions<' in content) == (scope == "all")


def test_pages_and_commands_say_over_which_prompts_their_numbers_are(
    staff: Client, measurement: Measurement, tmp_path: Path
) -> None:
    assert "All questions together." in page(staff)
    assert "All public questions together." in page(staff, prompts="public")
    lines = "\n".join(result_lines(measurement.result_set))
    assert "All questions: The protocol has the numbers of all questions stand first" in lines
    said = StringIO()
    call_command("report_study", "split", out=tmp_path / "report", stdout=said)
    assert "The protocol has the numbers of all questions stand first" in said.getvalue()
    call_command("export_study", "split", tmp_path / "export", stdout=said)
    assert "scope public rest on the public prompts alone" in said.getvalue()
    assert ".svg?prompts=public" in page(staff, "uncertainty", "public")
    assert "?prompts=public" in page(staff, prompts="public")


def test_without_private_prompts_there_is_nothing_to_switch(
    staff: Client, results: ResultSet, now: datetime
) -> None:
    Prompt.objects.update(split="public")
    again = results_compute(run=results.run, now=now)
    assert not again.measures.filter(scope="public").exists()
    assert "Public questions only" not in page(staff, prompts="public")


def test_what_is_counted_for_the_report_is_of_the_public_prompts(study: Study) -> None:
    records = study_records(study)
    [flow] = [table for table in tables_of(flow_parts(records)) if table.head[1] == "Answers"]
    assert sum(int(row[1]) for row in flow.rows) == 20  # four people, five public prompts


def test_a_category_that_would_tell_of_one_private_prompt_is_exported_without_its_numbers(
    study: Study, results: ResultSet, now: datetime
) -> None:
    Prompt.objects.filter(prompt_id="p1").update(split="private")  # the only one of LR; QR has three
    results_compute(run=results.run, now=now)
    rows = {(row.scope, row.group, row.category): row for row in estimate_rows(study)}
    for group in ("average", "top"):
        # QR rests on three; with it, all less QR would give LR away.
        for category in ("LR", "QR"):
            hidden = rows["all", group, category]
            assert (hidden.theta, hidden.se_pool, hidden.raw_mean) == (None, None, None)
            why = "too_few_private" if category == "LR" else "complement"
            assert (hidden.theta_ql, hidden.se_ql, hidden.reason_ql, hidden.reason_pool) == (
                None,
                None,
                why,
                why,
            )
            assert hidden.pairs
            public = rows["public", group, category]  # of QR one prompt is public
            assert public.reason_pool == ("complement" if category == "LR" else "too_few_prompts")
        assert rows["all", group, ""].theta is not None
