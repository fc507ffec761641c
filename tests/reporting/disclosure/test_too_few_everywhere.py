"""What one surface withholds no other shows, and all say the same reason; a perfect score has a bound.

Nine people, the best three are Top. Of category LN Top has one person, LR rests on one private question, GK
has three, and in QR every score is 1.
"""

import csv
import json
import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from html import unescape
from io import StringIO
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore
from presentation.drawings.shapes import Drawing
from presentation.drawn import drawing_file
from presentation.measures import WHY_ABSENT
from psychometrics.inference.estimates import WITHHELD
from psychometrics.inference.measure import Scope
from psychometrics.irt.quasi_likelihood import bounds_ql
from psychometrics.measures.catalogue import CATALOGUE
from psychometrics.measures.disclosure import COUNTED
from reporting.management.result_lines import estimate_lines, result_lines
from reporting.report.html import document_html
from reporting.selectors.reports import report_of
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.report.parts import study_document
from scoring.coordinator import Scoring
from scoring.export.rows.base import Audience
from scoring.models import MeasureRow, ModelConfiguration, ResultSet
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.selectors.measures import block_measures
from scoring.services.exports import study_export
from scoring.services.leaderboards import leaderboard_import
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Study
from studies.services.banks import item_bank_import
from tests.scoring.independent.independent_exports import independently_computed
from tests.support.computed_again import computed_again
from tests.support.set_lines import set_lines

pytestmark = pytest.mark.django_db
CATEGORIES = ("QR", "LR", "LN", "GK")
NAMES = [f"p{n:02d}" for n in range(1, 21)]
CATEGORY_OF = {name: CATEGORIES[place // 5] for place, name in enumerate(NAMES)}
PRIVATE = {"p06", "p16", "p17", "p18"}
NUMBER_OF_A_CATEGORY = rf"\b({'|'.join(CATEGORIES)})\b((?:,[^:<\n]*)?): (?:above |below )?[−\d]"
HIDDEN = {  # over all questions, and over the public ones
    Scope.ALL: {
        ("average", "LR"): "too_few_private", ("average", "GK"): "complement",
        ("top", "LR"): "too_few_private", ("top", "LN"): "too_few_people", ("top", "GK"): "complement",
    },
    Scope.PUBLIC: {("top", "LN"): "too_few_people", ("top", "GK"): "complement"},
}  # fmt: skip


@pytest.fixture(scope="module")
def kept_results(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    items = tuple(ItemParameter(name, 0.6 + 0.05 * (n % 7), 0.2 * (n % 5)) for n, name in enumerate(NAMES))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    prompts = [
        PromptRecord(
            prompt_id=name, text=f"Question {name}?", gold_answer=name, category=category,
            split="private" if name in PRIVATE else "public",
        )
        for name, category in CATEGORY_OF.items()
    ]  # fmt: skip
    chance = random.Random(5)
    responses = tuple(
        ModelResponse(model, name, epoch, 1.0 if model == "Perfect" else chance.random())
        for model in ("Perfect", "Other") for name in NAMES for epoch in (1, 2)
    )  # fmt: skip
    found = ModelResults(responses=responses)
    leaderboard_import(item_bank=bank, results=found, source="A test", replace=False, now=now)
    study = make_study(
        prompts=prompts, slug="few", batch_size=20, replicates_per_profile=50, item_bank=bank, top_size=3,
        judge_kind="checks",
    )  # fmt: skip
    people = [make_person(study) for _ in range(9)]
    for place, person in enumerate(people):
        left_out = {"LN"} if place in (1, 2) else set()
        work(person, {name: "an answer of words" for name in NAMES if CATEGORY_OF[name] not in left_out})
    run = score_at(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results.run
    best = {person.code for person in people[:3]}
    for one in AnswerScore.objects.filter(run=run).select_related(
        "answer__session__participant", "answer__prompt"
    ):
        able = one.answer.session.participant.code in best
        score = 1.0 if CATEGORY_OF[one.answer.prompt.prompt_id] == "QR" else chance.uniform(0.6 * able, 0.9)
        AnswerScore.objects.filter(pk=one.pk).update(score=score)
    results = results_compute(run=run, now=now + timedelta(days=2))
    measurement_compute(results=results, now=now + timedelta(days=2), resamples=60)
    return results


@pytest.fixture
def results(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


def of_part(results: ResultSet, scope: Scope, group: str, category: str) -> Iterator[MeasureRow]:
    """Every stored row about scores of a group in a category, models on the same questions included."""
    for row in results.measures.filter(scope=scope, group=group):
        subset, _, _ = row.subset.partition(";")
        if subset == f"category:{category}" and CATALOGUE[row.name].unit not in COUNTED:
            yield row
    if group == "average":
        rows = results.measures.filter(scope=scope, block="dif", name="dif.group")
        yield from rows.filter(subset=f"category:{category}")


@pytest.mark.parametrize("scope", list(Scope))
def test_a_stored_row_of_what_is_too_few_has_no_value_and_the_reason_of_its_part(
    results: ResultSet, scope: Scope
) -> None:
    for category in CATEGORIES:
        for group in ("average", "top"):
            rows = list(of_part(results, scope, group, category))
            assert len(rows) > 5
            if why := HIDDEN[scope].get((group, category)):
                assert {(row.value, row.low, row.high, row.reason) for row in rows} == {
                    (None, None, None, why)
                }
            else:
                assert not {row.reason for row in rows} & WITHHELD


def rows_with(content: str, *words: str) -> list[str]:
    """The rows of tables, and the lines of a terminal, that begin with these words."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", content, flags=re.S) or content.splitlines()
    texts = [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in rows]
    return [text for text in texts if re.match(r"[\s:,]*".join(map(re.escape, words)) + r"\b", text)]


def reasons_in(rows: list[str]) -> set[str]:
    """Why numbers are withheld."""
    return {why for why in WITHHELD if any(str(WHY_ABSENT[why]) in row for row in rows)}


def get(staff: Client, name: str, *args: object, scope: Scope) -> str:
    response = staff.get(reverse(name, args=["few", *args]) + f"?prompts={scope}")
    assert response.status_code == 200
    content = getattr(response, "streaming_content", None) or [response.content]
    return b"".join(content).decode()


def cells_of_breakdowns(staff: Client, results: ResultSet, scope: Scope) -> dict[tuple[str, str], str]:
    """Of the file of the table by category: what stands for each group in each category."""
    file = get(staff, "staff_measurement_table", results.pk, "slices", 1, scope=scope)
    head, *rows = csv.reader(StringIO(file))
    places = {"average": head.index("Average"), "top": head.index("Top")}
    return {(group, row[0]): row[place] for row in rows for group, place in places.items()}


@pytest.mark.parametrize("scope", list(Scope))
def test_front_page_breakdowns_and_terminal_say_the_same_reason(
    results: ResultSet, staff: Client, scope: Scope
) -> None:
    surfaces = {
        "results": get(staff, "staff_results", scope=scope),
        "terminal": "\n".join(estimate_lines(report_of(results, scope))),
    }
    page = get(staff, "staff_measurement", "slices", scope=scope)
    breakdowns = cells_of_breakdowns(staff, results, scope)
    for category in CATEGORIES:
        for group, named in (("average", "Average"), ("top", "Top")):
            why = HIDDEN[scope].get((group, category))
            cell = breakdowns[group, category]
            assert reasons_in([cell]) == ({why} if why else set()), (category, named, cell)
            assert reasons_in([page]) >= ({why} if why else set())
            for place, content in surfaces.items():
                rows = rows_with(content, category, named)
                assert rows, (place, category, named)
                assert reasons_in(rows) == ({why} if why else set()), (place, category, named, rows)


@pytest.mark.parametrize("kind", ["html", "pdf"])
def test_the_report_and_its_scope_say_it_too(results: ResultSet, kind: str) -> None:
    document = study_document(results.run.study)
    report = document_html(document) if kind == "html" else "\n".join(set_lines(document))
    for (_group, category), why in HIDDEN[Scope.PUBLIC].items():
        rows = [row for row in rows_with(report, "Top") if f", {category} " in f"{row} "]
        assert reasons_in(rows) == {why}, rows


def secrets(results: ResultSet) -> set[str]:
    """What the withheld numbers would be, to six digits: means of the scores of each hidden part."""
    top = set(
        Participant.objects.filter(study=results.run.study).order_by("pk").values_list("code", flat=True)[:3]
    )
    scores = AnswerScore.objects.filter(run=results.run).values_list(
        "answer__session__participant__code", "answer__prompt__prompt_id", "score"
    )
    found = set()
    for scope, hidden in HIDDEN.items():
        for group, category in hidden:
            own = [
                score or 0.0
                for code, name, score in scores
                if CATEGORY_OF[name] == category
                and (group == "average" or code in top)
                and (scope == Scope.ALL or name not in PRIVATE)
            ]
            found.add(f"{sum(own) / len(own):.6f}"[:-1])
    return found


def test_no_file_that_is_taken_away_has_a_number_that_is_withheld(
    results: ResultSet, tmp_path: Path, now: datetime
) -> None:
    hidden = secrets(results)
    assert len(hidden) == 6
    for audience in Audience:
        folder = tmp_path / audience
        study_export(
            study=results.run.study, target=folder, replace=False, software="chiron test", now=now,
            audience=audience,
        )  # fmt: skip
        for table in ("estimates", "measures"):
            text = (folder / f"{table}.jsonl").read_text() + (folder / f"{table}.csv").read_text()
            assert not [number for number in hidden if number in text], table
        for line in (folder / "estimates.jsonl").read_text().splitlines():
            row = json.loads(line)
            why = HIDDEN[Scope(row["scope"])].get((row["group"], row["category"]))
            if why:
                assert row["reason_pool"] == row["reason_ql"] == why
                assert {row[name] for name in ("theta", "theta_pool", "theta_ql", "raw_mean")} == {None}
        code, said = computed_again(folder)
        assert code == 0, said
        differing = re.findall(r"^(\S.*): \d+ agree, [1-9]", independently_computed(folder)[1], flags=re.M)
        assert differing == ["scores"]  # they were set here without their criteria


@pytest.mark.parametrize("scope", list(Scope))
def test_no_table_of_a_page_that_is_taken_away_has_one(
    results: ResultSet, staff: Client, scope: Scope
) -> None:
    cells = cells_of_breakdowns(staff, results, scope)
    assert {one: reasons_in([cells[one]]) for one in HIDDEN[scope]} == {
        one: {why} for one, why in HIDDEN[scope].items()
    }
    for block, page in PAGES.items():
        for number, _ in enumerate(page.tables(block_measures(results.measurement, block, scope)), start=1):
            table = get(staff, "staff_measurement_table", results.pk, block, number, scope=scope)
            for group, category in HIDDEN[scope]:
                named = {"average": "Average", "top": "Top"}[group]
                for row in rows_with(table.replace('"', ""), category, named):
                    assert reasons_in([row]) == {HIDDEN[scope][group, category]}, (block, row)


@pytest.mark.parametrize("scope", list(Scope))
@pytest.mark.parametrize("extension", ["svg", "png", "pdf"])
def test_no_figure_has_a_number_that_is_withheld(
    results: ResultSet, staff: Client, scope: Scope, extension: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PNG and PDF have no text to read back: what is told of each mark that they are drawn of is."""
    drawn: list[str] = []

    def printed(drawing: Drawing, extension: str, words: str = "") -> bytes:
        file = drawing_file(drawing, extension, words)
        drawn[:] = drawing.told if extension != "svg" else [file.decode()]
        return file

    monkeypatch.setattr("reporting.views.figures.drawing_file", printed)
    shown = set()
    for block, page in PAGES.items():
        for name in page.figures:
            drawn.clear()
            address = reverse("staff_measurement_figure", args=["few", results.pk, block, name, extension])
            assert staff.get(f"{address}?prompts={scope}").status_code == (200 if drawn else 404), name
            for category, of in re.findall(NUMBER_OF_A_CATEGORY, "\n".join(drawn)):
                shown.add(("top" if of.startswith(", Top") else "average", category))
    assert shown
    assert not shown & HIDDEN[scope].keys()


@pytest.mark.parametrize("scope", list(Scope))
def test_a_category_that_everybody_got_right_has_a_bound_on_every_surface(
    results: ResultSet, staff: Client, scope: Scope
) -> None:
    items = [(0.6 + 0.05 * (n % 7), 0.2 * (n % 5)) for n in range(5)]
    a, b = (list(column) * 9 for column in zip(*items, strict=True))
    bounds = bounds_ql(a, b, [1.0] * len(a))
    assert bounds is not None
    row = results.measures.get(scope=scope, block="results", name="theta.pool", group="average",
                               subset="category:QR")  # fmt: skip
    assert (row.value, row.high, row.reason) == (None, None, "no_finite_solution")
    assert row.low == pytest.approx(bounds[0], abs=1e-9)
    bound = f"above {row.low:.2f}".replace("-", "−")
    for content in (
        get(staff, "staff_results", scope=scope),
        "\n".join(estimate_lines(report_of(results, scope))),
    ):
        assert any(bound in text for text in rows_with(content, "QR", "Average"))
    breakdowns = get(staff, "staff_measurement", "slices", scope=scope)
    assert any(bound in text for text in rows_with(breakdowns, "QR"))
    of_models = results.measures.filter(scope=scope, name="models.category.theta.pool", value=None)
    assert {one.details["model"] for one in of_models.filter(subset__startswith="category:QR")} == {"Perfect"}
    everywhere = results.measures.get(scope=scope, name="theta.epochs", subset="model:Perfect")
    assert (everywhere.value, everywhere.reason) == (None, "no_finite_solution")
    assert re.search(r"Not on the axis, as all their scores are alike: Perfect \(above −?\d",
                     get(staff, "staff_results", scope=scope))  # fmt: skip
    assert "10.3" not in "\n".join(result_lines(results))


def test_models_stand_beside_people_on_what_is_told_alone(results: ResultSet) -> None:
    assert ModelConfiguration.objects.count() == 2
    rows = results.measures.filter(scope=Scope.ALL, name="models.category.raw_mean")
    assert {(row.details["category"], row.reason) for row in rows} == {
        ("QR", ""), ("LN", ""), ("LR", "too_few_private"), ("GK", "complement"),
    }  # fmt: skip
