"""One scope leads wherever a study's results are told: page, figure, terminal, report and bundle."""

import json
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
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from scoring.selectors.export_results import estimate_rows, measure_rows
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.services.amendments import study_amend
from studies.services.banks import item_bank_import
from tests.support.measuring import measure_blocks
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db
NAMES = [f"p{n}" for n in range(1, 9)]
RIGHT = ({1, 3, 5, 7}, {1, 2, 4, 6}, {1, 3, 8}, {5, 6}, {2, 8})
Made = Callable[..., ResultSet]


@pytest.fixture
def made(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> Made:
    """Five people answer eight questions, the first so many of them private."""

    def make(private: int, **settings: object) -> ResultSet:
        prompts = [
            PromptRecord(
                prompt_id=name, text=f"Question {name}?", gold_answer=f"It is {name}.",
                split="private" if place < private else "public",
            )
            for place, name in enumerate(NAMES)
        ]  # fmt: skip
        items = tuple(ItemParameter(name, a=1.0, b=n / 5) for n, name in enumerate(NAMES))
        bank, _ = item_bank_import(
            slug="items", parameters=ItemParameters(items, 0.998, 0.001, sigma_hat=2.5), now=now
        )
        study = make_study(
            prompts=prompts, slug="led", batch_size=8, judge_kind="checks", top_size=1, item_bank=bank,
            replicates_per_profile=5, **settings,
        )  # fmt: skip
        for right in RIGHT:
            texts = {f"p{n}": f"It is p{n}." if n in right else "No." for n in range(1, 9)}
            work(make_person(study), texts)
        results: ResultSet = score_at(study, clock=lambda: now, measures=False).judges[0].results
        measure_blocks(results, Block.COHORT, Block.TOP, Block.UNCERTAINTY, now=now, resamples=50)
        return results

    return make


def average(results: ResultSet, scope: str) -> str:
    return decimals(results.measures.get(scope=scope, name="theta.pool", group="average", subset="").value)


def page(client: Client, name: str = "staff_results", query: str = "", **place: object) -> str:
    response = client.get(reverse(name, kwargs={"slug": "led", **place}) + query)
    assert response.status_code == 200, name
    return read(response.content.decode())


@pytest.mark.parametrize(
    ("private", "options", "leads", "words"),
    [
        (3, {}, "all", "All questions"),
        (3, {"headline_scope": "public"}, "public", "Public questions only"),
        (1, {}, "public", "Public questions only"),
        (2, {"headline_scope": "all"}, "public", "Public questions only"),
        (8, {"headline_scope": "public"}, "all", "All questions"),
    ],
)
def test_every_surface_leads_with_the_same_scope_and_says_which(
    made: Made, staff: Client, tmp_path: Path, private: int, options: dict[str, str], leads: str, words: str
) -> None:
    results = made(private, **options)
    value = average(results, leads)
    first = page(staff).partition("Parts of the results")[0]
    assert f"{words}:" in first
    assert f"{value}" in page(staff)
    assert f"{words}. " in page(staff, "staff_report_file", extension="html")
    methods = page(staff, "staff_report")
    assert f"= {value} (" in methods
    whole = "all questions, private ones included" if leads == "all" else "public questions alone"
    assert f"The results rest on the answers to {whole}." in methods
    lines = result_lines(results)
    assert [line for line in lines if line.startswith(f"{words}: ")]
    assert next(line for line in lines if line.startswith("Average")).split()[2] == value
    call_command("export_study", "led", tmp_path / "out", stdout=StringIO())
    [run] = json.loads((tmp_path / "out" / "manifest.json").read_text())["runs"]
    assert run["headline_scope"] == leads
    assert next(iter(estimate_rows(results.run.study))).scope == leads
    assert next(iter(measure_rows(results.run.study))).scope == leads


@pytest.mark.parametrize(
    ("options", "other", "words"),
    [({}, "public", "Public questions only"), ({"headline_scope": "public"}, "all", "All questions")],
)
def test_the_other_scope_is_a_switch_that_links_and_figures_keep(
    made: Made, staff: Client, options: dict[str, str], other: str, words: str
) -> None:
    results = made(3, **options)
    address = reverse("staff_results", args=["led"])
    content = staff.get(address, {"prompts": other}).content.decode()
    assert f'href="{address}?prompts={other}"' in staff.get(address).content.decode()
    for shown in (content, staff.get(address).content.decode()):
        assert read(shown).count("Top is chosen as well") <= 1
    assert f'results/uncertainty/?prompts={other}"' in content
    assert average(results, other) in read(content)
    figure = reverse(
        "staff_results_figure", kwargs={"slug": "led", "results_id": results.pk, "extension": "svg"}
    )
    assert f">{words}</text>" in staff.get(figure, {"prompts": other}).content.decode()


def test_what_would_tell_of_a_few_private_questions_is_no_switch_and_the_page_says_why(
    made: Made, staff: Client
) -> None:
    results = made(1)
    for query in ("", "?prompts=all", "?prompts=public"):
        content = page(staff, query=query)
        assert "Those of all questions are withheld" in content
        assert average(results, "public") in content
        assert "All questions:" not in content
        assert "Those of all questions are withheld" in page(staff, "staff_measurement", query, block="top")


def test_where_neither_may_be_told_every_surface_says_so_and_has_no_number(
    made: Made, staff: Client, tmp_path: Path
) -> None:
    results = made(8)
    results.measures.filter(scope="all").update(may_leave=False)  # as where one or two alone have a score
    sentence = "There is no number to show: no public question was asked"
    told = [page(staff), page(staff, "staff_measurement", block="top"), "\n".join(result_lines(results))]
    told += [page(staff, "staff_report_file", extension="html")]
    for text in told:
        assert sentence in text
        assert average(results, "all") not in text
    table = reverse("staff_results_table", args=["led", results.pk])
    assert staff.get(table).status_code == 404


def test_what_stands_first_is_amended_at_once_and_asks_for_no_new_judging(
    made: Made, staff: Client, now: datetime
) -> None:
    results = made(3)
    study = results.run.study
    design, before = study.design_hash, study.protocol_hash
    amended = study_amend(study=study, changes={"headline_scope": "public"}, reason="Asked.", now=now)
    study.refresh_from_db()
    assert study.design_hash == design
    assert before == amended.protocol_hash_before != amended.protocol_hash == study.protocol_hash
    content = page(staff)
    assert average(results, "public") in content
    assert "Public questions only:" in content
    assert "Judge again" not in content
