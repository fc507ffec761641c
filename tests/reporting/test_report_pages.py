"""The report of a study: its page, its files, its checklist and its command."""

import inspect
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse

from batches.models import Session
from batches.rules.statuses import AnswerState
from presentation.drawings.shapes import Text
from presentation.measures import why_absent
from presentation.numbers import decimals, percent
from presentation.tables import Dash, Table
from reporting.models import ChecklistAnswer
from reporting.report.html import document_html
from reporting.report.parts import Beside, Figure, Numbers, Paragraph, Part, Tone
from reporting.selectors.checklist_items import ITEMS
from reporting.selectors.report_records import study_records
from reporting.views.report import checklist_design, checklist_results, parts as study_report_parts
from reporting.views.report.front import reported_headline
from reporting.views.report.methods import methods_texts
from reporting.views.report.parts import filled, shortened, study_document
from scoring.coordinator import Scoring
from scoring.models import Measurement, ResultSet
from scoring.selectors.measures import BlockMeasures
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.bank.records import PromptRecord
from studies.models import Participant, Prompt, Study, StudyEvent

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_results(
    kept: None, study_of_pages: Callable[..., Study], measured_results: Callable[[Study], ResultSet]
) -> ResultSet:
    return measured_results(study_of_pages())


@pytest.fixture
def results(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


@pytest.fixture
def study(results: ResultSet) -> Study:
    """Scored and measured."""
    return results.run.study


@pytest.fixture
def unscored(study: Study) -> Study:
    """The same study before anything was computed, which makes its report short."""
    ResultSet.objects.all().delete()
    return study


@pytest.fixture(scope="module")
def report(kept_results: ResultSet) -> str:
    """The report as HTML, which several tests read."""
    return document_html(study_document(kept_results.run.study))


def address(name: str, **place: str) -> str:
    return reverse(name, kwargs={"slug": "pages", **place})


def answer(client: Client, item: str, text: str) -> int:
    return client.post(address("staff_checklist"), {"item": item, "text": text}).status_code


def test_people_who_are_not_staff_learn_nothing(
    client: Client, study: Study, make_person: Callable[..., Participant]
) -> None:
    places = [address("staff_report"), address("staff_report_file", extension="html")]
    assert [client.get(place).status_code for place in places] == [302, 302]
    client.force_login(make_person(study).user)
    assert [client.get(place).status_code for place in places] == [404, 404]
    assert answer(client, "2.4", "Nobody.") == 404
    assert not ChecklistAnswer.objects.exists()


def test_a_study_without_results_has_a_report_that_says_so(staff: Client, unscored: Study) -> None:
    sentence = "No results have been computed yet, so there are no estimates in this report."
    for place in (address("staff_report"), address("staff_report_file", extension="html")):
        assert staff.get(place).content.decode().count(sentence) == 1


def test_results_that_are_not_measured_are_reported_up_to_the_estimates(
    staff: Client, study: Study, results: ResultSet
) -> None:
    Measurement.objects.filter(result_set=results).delete()
    content = staff.get(address("staff_report_file", extension="html")).content.decode()
    assert "These results are not measured yet, so the report ends with the estimates." in content
    assert "Ability in logits" in content


def test_the_report_holds_protocol_flow_estimates_blocks_and_provenance(
    report: str, study: Study, results: ResultSet
) -> None:
    for text in (
        study.protocol_hash,
        results.inputs_sha256,
        "Top (in-sample)",
        "Retained",
        ">Top as picked</abbr>",
        ">Counted</abbr>",
    ):
        assert text in report
    assert "data:image/svg+xml;base64," in report
    assert "example.org" not in report


def test_the_report_says_what_it_is_of_where_its_methods_come_from_and_what_choices_change(
    report: str, study: Study, results: ResultSet
) -> None:
    assert f"protocol {study.protocol_hash[:8]} · data {results.inputs_sha256[:8]}" in report
    assert "Patel, Rezende and McClain. GIM" in report
    choices = dict(results.measures.filter(name="multiverse", group="average").values_list("subset", "value"))
    told = report.rpartition("What other analysis choices would have given")[2].partition("</table>")[0]
    reported, as_zero = (
        choices[f"verdicts;{missing};pooled"] or 0.0 for missing in ("as_missing", "as_zero")
    )
    assert "Missing answers: as zero" in told
    assert f">{decimals(reported)}</td>" in told
    assert f">{decimals(as_zero - reported)}</td>" in told


def test_no_report_names_a_single_person(report: str, results: ResultSet) -> None:
    measurement = Measurement.objects.get(result_set=results)
    named = set(measurement.result_set.measures.exclude(participant="").values_list("block", flat=True))
    assert {"exclusions", "judge"} <= named
    codes = list(Participant.objects.values_list("code", flat=True))
    assert len(codes) == 2
    assert not [code for code in codes if code in report]
    assert "Tables about single people stay on the site." in report


def test_rows_about_a_private_prompt_do_not_leave_with_a_report(
    study: Study, results: ResultSet, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    Prompt.objects.update(split="private")
    measurement_compute(results=results_compute(run=results.run, now=now), now=now, resamples=20)
    reported: list[BlockMeasures] = []

    def block_parts(found: BlockMeasures, *_rest: object) -> Iterator[Part]:
        reported.append(found)
        return iter(())

    monkeypatch.setattr(study_report_parts, "block_parts", block_parts)
    study_document(study)
    assert reported
    assert not [row for found in reported for row in found.rows if row.prompt_id]


def test_a_simulated_study_says_so_before_everything_else(staff: Client, unscored: Study) -> None:
    place = address("staff_report_file", extension="html")
    assert "SIMULATED" not in staff.get(place).content.decode()
    Study.objects.update(is_simulated=True)
    report = staff.get(place).content.decode()
    assert report.count("SIMULATED") >= 1
    assert report.index("SIMULATED") < report.index("<h1>") < report.index("<nav")


def test_states_of_answers_are_in_words_and_no_name_of_a_row_or_column_is_empty(
    report: str,
) -> None:
    assert not [state for state in AnswerState if f'<th scope="row">{state.value}</th>' in report]
    assert not re.search(r"<th[^>]*>\s*</th>", report)


def test_a_long_table_is_cut_and_says_how_much_of_it_is_left_out() -> None:
    for rows, note in (
        (100, []),
        (101, ["1 more row is left out of this report."]),
        (1234, ["1,134 more rows are left out of this report."]),
    ):
        part = shortened(Table("Theta", ["Prompt", "θ"], [[f"p{n}", "0.11"] for n in range(rows)]))
        assert isinstance(part, Table)
        assert len(part.rows) == 100
        assert part.rows[-1][0] == "p99"
        assert list(part.notes) == note


def test_a_report_is_no_other_kind_of_file(staff: Client, study: Study) -> None:
    for extension in ("exe", "pdf"):  # no server sets pages: a job does
        assert staff.get(address("staff_report_file", extension=extension)).status_code == 404


def test_an_answer_of_the_lead_is_kept_shown_and_in_the_trail(staff: Client, unscored: Study) -> None:
    assert answer(staff, "2.4", "Nobody did.") == 302
    assert answer(staff, "2.4", "Two did; they are named.") == 302
    assert answer(staff, "2.4", "Two did; they are named.") == 302
    assert ChecklistAnswer.objects.get().text == "Two did; they are named."
    trail = StudyEvent.objects.filter(study=unscored, kind="checklist_answered").values_list(
        "details", flat=True
    )
    assert [one["text"] for one in trail] == ["Nobody did.", "Two did; they are named."]
    content = staff.get(address("staff_report_file", extension="html")).content.decode()
    assert "Two did; they are named." in content
    assert "Nobody did." not in content


def test_a_refused_answer_is_shown_again_with_what_is_wrong(staff: Client, unscored: Study) -> None:
    response = staff.post(address("staff_checklist"), {"item": "2.4", "text": "x" * 5001})
    assert response.status_code == 422
    assert "x" * 5001 in response.content.decode()
    assert "5,001 characters long" in response.content.decode()
    assert answer(staff, "2.4", " ") == 422
    assert answer(staff, "9.9", "There is no such item.") == 422
    assert not ChecklistAnswer.objects.exists()


def test_what_only_the_lead_knows_is_missing_until_it_is_answered(
    staff: Client, study: Study, results: ResultSet
) -> None:
    entries = {
        entry.number: entry for part in study_document(study).parts for entry in getattr(part, "entries", ())
    }
    assert set(entries) == set(ITEMS)
    written = "".join(map(inspect.getsource, (checklist_design, checklist_results)))
    recorded = set(re.findall(r'yield "([0-9.]+)", ', written))
    assert len(recorded) == 37
    assert recorded <= set(ITEMS)
    assert entries["1.9"].state == "missing"
    assert (entries["1.1"].state, entries["1.1"].record) == (
        "automatic", "Recruited: 2. Sessions started: 2. Counted for the estimates: 2.",
    )  # fmt: skip


def test_the_page_needs_no_inline_style_or_script(staff: Client, study: Study, results: ResultSet) -> None:
    content = staff.get(address("staff_report")).content.decode()
    assert not re.findall(r"style=|<style|<script(?! (?:type=\"module\" )?src=)|onclick", content)


def test_the_command_writes_both_files_or_none_and_the_same_records_give_the_same_files(
    staff: Client, study: Study, results: ResultSet, tmp_path: Path
) -> None:
    folder, said = tmp_path / "out" / "report", StringIO()

    def written_files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    with transaction.atomic():  # an earlier report, which is short
        ResultSet.objects.all().delete()
        call_command("report_study", "pages", "--out", str(folder), stdout=said)
        transaction.set_rollback(True)
    earlier = written_files()
    assert sorted(earlier) == ["report.html", "report.pdf"]
    with pytest.raises(CommandError, match="holds an earlier report"):
        call_command("report_study", "pages", "--out", str(folder))
    assert written_files() == earlier
    call_command("report_study", "pages", "--out", str(folder), "--replace", stdout=said)
    written = written_files()
    assert sorted(written) == ["report.html", "report.pdf"]
    assert not [name for name in written if written[name] == earlier[name]]
    response = staff.get(address("staff_report_file", extension="html"))
    assert response.content == written["report.html"]
    assert "img-src data:" in response["Content-Security-Policy"]
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match="is not an earlier report"):
        call_command("report_study", "pages", "--out", str(folder), "--replace")
    assert (folder / "notes.txt").read_text() == "mine"
    assert [path.name for path in folder.parent.iterdir()] == ["report"]


def test_a_table_of_the_report_leaves_out_what_has_no_number_and_says_so() -> None:
    table = Table("Parts", ["Part", "Average", "Top", "People"], [["a", "1", "–", "3"], ["b", "–", "–", "–"]])
    told = shortened(table)
    assert isinstance(told, Table)
    assert (told.head, told.rows) == (["Part", "Average", "People"], [["a", "1", "3"]])
    assert told.notes == [
        "Left out, as no row has a value: Top.",
        "1 row without a number is left out.",
    ]


def test_why_numbers_are_absent_is_said_once_for_all_rows() -> None:
    untold, silent = str(why_absent("too_few_people")), Dash(why_absent("too_few_prompts"))
    rows = [
        ["a", "1", "3"],
        ["b", untold, "–"],
        ["c", untold, "–"],
        ["d", silent, "–"],
        ["e", "2", untold],
        ["f", "3", untold],
    ]
    told = shortened(Table("Parts", ["Part", "Average", "People"], rows))
    assert isinstance(told, Table)
    assert told.rows == [["a", "1", "3"], ["e", "2", "–"], ["f", "3", "–"]]
    assert told.notes == [
        "3 rows without a number are left out (too few people; too few questions).",
        "Why numbers are absent: too few people.",
    ]
    told = shortened(Table("Parts.", ["Part", "Average", "People"], rows[1:3]))
    assert told == Paragraph("No number in “Parts”: too few people.", Tone.NOTE)
    nothing = Table("Parts", ["Part", "Average"], [], ["A note."])
    assert shortened(nothing) == nothing


def test_several_reasons_stay_with_their_numbers() -> None:
    untold, silent = str(why_absent("too_few_people")), Dash(why_absent("too_few_prompts"))
    several = [["a", "1", untold], ["b", "2", untold], ["c", "3", silent], ["d", "4", "5"]]
    told = filled(Table("Parts", ["Part", "Average", "Top"], several))
    assert isinstance(told, Table)
    assert told.rows == several
    assert told.notes == ["Why numbers are absent: too few questions."]
    unknown = [["a", "1", "–"], ["b", "2", "3"], ["c", untold, "–"]]  # why a has no Top nobody knows
    told = filled(Table("Parts", ["Part", "Average", "Top"], unknown))
    assert isinstance(told, Table)
    assert told.notes == ["1 row without a number is left out (too few people)."]


def test_heads_begin_with_a_capital_but_for_signs_and_terms() -> None:
    heads = ["group", "answers off the item bank", "n", "θ", "theta.pool", "95 % interval"]
    told = shortened(Table("Parts", heads, [["model-1", "1", "2", "3", "4", "5"]]))
    assert isinstance(told, Table)
    assert told.head == ["Group", "Answers off the item bank", "n", "θ", "theta.pool", "95 % interval"]
    assert told.rows[0][0] == "model-1"


@pytest.fixture
def of_tasks(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    """Measured results of a benchmark with tasks of two and of four prompts, without an item bank."""
    prompts = [
        PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(40 + n), task=TASKS[n > 2])
        for n in range(1, 7)
    ]
    study = make_study(
        prompts=prompts,
        slug="tasks",
        batch_size=6,
        judge_kind="match",
        match_rules="bbeh",
        top_size=2,
        replicates_per_profile=5,
    )
    for right in (6, 5, 3, 2, 1):
        work(make_person(study), {f"p{n}": str(40 + n) if n <= right else "no" for n in range(1, 7)})
    found = score_at(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results
    measurement_compute(results=found, now=now + timedelta(days=1), resamples=50)
    return found


TASKS = ("web of lies", "object counting")


def test_without_an_ability_the_first_page_is_as_full(of_tasks: ResultSet) -> None:
    document = study_document(of_tasks.run.study)
    lead, figure, numbers, beside = document.first_page
    assert isinstance(lead, Paragraph)
    assert "People got 65 % right on average over 2 tasks" in lead.text
    assert isinstance(figure, Figure)
    assert {*TASKS} <= {mark.text for mark in figure.drawing.marks if isinstance(mark, Text)}
    assert isinstance(numbers, Numbers)
    best = of_tasks.measures.get(name="human.top_crossfit")
    macro = of_tasks.measures.get(name="benchmark.macro", group="average")
    assert [one.value for one in numbers.numbers] == [f"{macro.value:.0f} %", f"{best.value:.0f} %"]
    # Of tasks that differ in size, only what is over all answers stands beside each other.
    rows = of_tasks.measures.filter(name="raw_mean", subset="")
    over_all = {row.group: percent(row.value, 0) for row in rows}
    assert over_all["average"] != f"{macro.value:.0f} %"
    assert numbers.numbers[1].note == (
        f"Over all answers, too: picked by these same scores {over_all['top']}, "
        f"Average {over_all['average']}."
    )
    assert all(re.fullmatch(r"\d+ % to \d+ %", one.ends) for one in numbers.numbers)
    assert isinstance(beside, Beside)
    told = [str(part) for part in document.parts if part not in document.first_page]
    assert not any("People got 65 % right" in part for part in told)
    assert any("Per task, the highest first" in part for part in told)


def test_the_methods_quote_the_share_that_stands_first(of_tasks: ResultSet) -> None:
    records = study_records(of_tasks.run.study)
    macro = of_tasks.measures.get(name="benchmark.macro", group="average")
    told = " ".join(methods_texts(records, reported_headline(records)))
    assert f"Average: mean accuracy over tasks {macro.value:.1f} % (" in told
    assert "Top as picked: mean accuracy over tasks" in told
    assert "no interval: chosen on the outcome" in told
    of_tasks.measures.filter(name="benchmark.macro").update(
        value=None, low=None, high=None, se=None, reason="too_few_people"
    )  # then another number leads
    told = " ".join(methods_texts(records, reported_headline(records)))
    assert "mean accuracy over tasks" not in told
    assert "Average: mean score 56.7 %" in told
