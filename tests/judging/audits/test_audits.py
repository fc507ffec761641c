"""An audit from draw to ratings: what is drawn, what raters get, what comes back, and what is kept."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Answer, Session
from batches.services.ending import session_withdraw
from judging.models import AuditItem, AuditSample, CriterionScore, JudgingRun, RunState
from judging.selectors.audits import private_items
from judging.services.audit_asking import DrawRefused
from judging.services.audit_ratings import RatingsImport, RatingsRefused, ratings_import
from judging.services.audits import audit_draw
from reporting.forms.audit_file import read_ratings
from scoring.coordinator import Scoring
from scoring.selectors.audit_results import audit_result
from screening.models import Verdict, VerdictDecision
from studies.models import Participant, Study, StudyEvent, User
from tests.support.audit_sheets import draw, filled, rate, sheet

pytestmark = pytest.mark.django_db
FORMULA = '=HYPERLINK("http://example.org")'


def kept(sample: AuditSample) -> list[tuple[int, float | None, str, str]]:
    return list(sample.items.values_list("number", "human_score", "comment", "rater"))


def test_a_sample_holds_what_it_was_drawn_by(run: JudgingRun, now: datetime, lead: User) -> None:
    sample = audit_draw(run=run, size=30, seed=5, public_only=False, actor=lead, now=now)
    items = list(sample.items.select_related("row"))
    assert [item.number for item in items] == list(range(1, 31))
    assert {item.row.run.config.slug for item in items if item.row.run.config} == {"first"}
    strata = sample.strata["strata"]
    assert sum(one["verdicts"] for one in strata) == 60
    assert {one["name"]: one["drawn"] for one in strata} == {
        name: sum(item.stratum == name for item in items) for name in {item.stratum for item in items}
    }
    assert {name.partition("/")[2] for name in {item.stratum for item in items}} <= {
        "agree",
        "near",
        "differ",
    }
    event = StudyEvent.objects.get(kind="audit_drawn")
    assert (event.actor, event.happened_at) == (lead, now)
    assert event.details == {
        "sample": sample.pk, "judging_run": run.pk, "size": 30, "seed": 5, "public_only": False,
    }  # fmt: skip


def test_the_same_seed_draws_the_same_for_a_second_rater(run: JudgingRun, now: datetime) -> None:
    first, again, other = draw(run, now), draw(run, now), draw(run, now, seed=2)
    rows = [list(sample.items.values_list("number", "row")) for sample in (first, again, other)]
    assert rows[0] == rows[1] != rows[2]


def test_a_sample_larger_than_what_there_is_is_refused(run: JudgingRun, now: datetime) -> None:
    with pytest.raises(DrawRefused, match="61 cannot be drawn: there are 60 verdicts"):
        draw(run, now, size=61)
    assert not AuditSample.objects.exists()
    assert not StudyEvent.objects.filter(kind="audit_drawn").exists()
    assert draw(run, now, size=60).items.count() == 60


def test_nothing_is_drawn_while_the_run_goes_on(run: JudgingRun, now: datetime) -> None:
    JudgingRun.objects.update(state=RunState.RUNNING, ended_at=None)
    with pytest.raises(DrawRefused, match="when it is over"):
        draw(JudgingRun.objects.get(), now)


def test_only_what_counts_is_drawn(
    run: JudgingRun, people: list[Participant], now: datetime, lead: User
) -> None:
    leave_and_exclude(people, lead, now)
    with pytest.raises(DrawRefused, match="there are 40 verdicts"):
        draw(run, now, size=41)
    sample = draw(run, now, size=40)
    codes = set(sample.items.values_list("row__answer__session__participant__code", flat=True))
    assert codes == {person.code for person in people[2:]}


def leave_and_exclude(people: list[Participant], lead: User, now: datetime) -> None:
    """The first withdraws, the second is excluded."""
    session_withdraw(participant=people[0], now=now + timedelta(hours=2))
    Verdict.objects.create(
        participant=people[1], rules_version="1", decision=VerdictDecision.CONFIRM, reason="r",
        decided_by=lead, decided_at=now + timedelta(hours=2),
    )  # fmt: skip


def test_whoever_leaves_after_the_draw_is_in_no_sheet_and_no_number(
    run: JudgingRun, people: list[Participant], now: datetime, lead: User
) -> None:
    sample = draw(run, now, size=60)
    before = sheet(sample)
    leave_and_exclude(people, lead, now)
    after = sheet(sample)
    assert (len(before), len(after)) == (60, 40)
    assert not [row for row in after if row["answer"].startswith(("Answer 0", "Answer 1", "Hidden 0"))]
    taken = rate(sample, [row | {"human_score": "1"} for row in before], now)
    assert taken == RatingsImport(added=40, replaced=0, unchanged=0, gone=20)
    result = audit_result(sample)
    assert (result.drawn, result.gone, result.asked, result.rated) == (60, 20, 40, 40)
    assert sum(one.gone for one in result.strata) == 20


def test_private_prompts_can_be_left_out(run: JudgingRun, now: datetime) -> None:
    assert private_items(draw(run, now, size=60)) == 6
    with pytest.raises(DrawRefused, match="there are 54 verdicts"):
        draw(run, now, size=55, public_only=True)
    sample = draw(run, now, size=54, public_only=True)
    assert private_items(sample) == 0
    assert "hidden" not in json.dumps(sheet(sample)).lower()


def test_raters_see_no_word_of_a_judge(run: JudgingRun, now: datetime) -> None:
    CriterionScore.objects.update(explanation="the judge's own words")
    rows = sheet(draw(run, now, size=60))
    assert list(rows[0]) == [
        "sample", "number", "prompt", "attachments", "gold_answer", "criterion", "answer", "human_score",
        "comment", "notice",
    ]  # fmt: skip
    assert {(row["human_score"], row["comment"]) for row in rows} == {("", "")}
    assert "judge" not in json.dumps(rows)
    assert all("canary-1" in row["notice"] for row in rows)
    exact = [row for row in rows if row["gold_answer"] == "a hidden answer"]
    assert {row["criterion"] for row in exact} == {"The answer is the gold answer."}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_sheet_comes_back_as_it_was_filled_in(run: JudgingRun, now: datetime, delimiter: str) -> None:
    sample = draw(run, now, size=20)
    rows = sheet(sample)
    marks = {row["number"]: ("0,5", FORMULA) if int(row["number"]) % 2 else ("", "") for row in rows}
    back = [
        row | {"human_score": marks[row["number"]][0], "comment": marks[row["number"]][1]} for row in rows
    ]
    reading = read_ratings(filled(sorted(back, key=lambda row: row["answer"]), delimiter))
    ratings_import(sample=sample, reading=reading, rater=" Ada ", actor=None, now=now)
    assert kept(sample) == [
        (number, 0.5, FORMULA, "Ada") if number % 2 else (number, None, "", "") for number in range(1, 21)
    ]
    assert {item.rated_at for item in sample.items.exclude(human_score=None)} == {now}


def test_texts_of_the_sheet_never_change_what_people_wrote(run: JudgingRun, now: datetime) -> None:
    Answer.objects.filter(prompt__prompt_id="p1").update(text=FORMULA)
    texts = dict(Answer.objects.values_list("pk", "text"))
    sample = draw(run, now, size=60)
    rows = sheet(sample)
    assert "'" + FORMULA in {row["answer"] for row in rows}
    rate(sample, [row | {"human_score": "1", "answer": "=1+1", "prompt": ""} for row in rows], now)
    assert dict(Answer.objects.values_list("pk", "text")) == texts


def test_the_same_rater_replaces_and_nothing_is_lost(run: JudgingRun, now: datetime) -> None:
    sample = draw(run, now, size=20)
    rows = sheet(sample)
    first = [row | {"human_score": "1", "comment": "clear"} for row in rows[:3]] + rows[3:]
    assert rate(sample, first, now) == RatingsImport(added=3, replaced=0, unchanged=0, gone=0)
    later = now + timedelta(days=1)
    second = [
        rows[0] | {"human_score": "0.5", "comment": "not so clear"},
        rows[1] | {"human_score": "1"},
        rows[2],
        rows[3] | {"human_score": "0"},
        *rows[4:],
    ]
    assert rate(sample, second, later) == RatingsImport(added=1, replaced=1, unchanged=1, gone=0)
    assert kept(sample)[:4] == [
        (1, 0.5, "not so clear\n[earlier] clear", "Ada"),
        (2, 1.0, "clear", "Ada"),
        (3, 1.0, "clear", "Ada"),
        (4, 0.0, "", "Ada"),
    ]
    assert list(sample.items.values_list("rated_at", flat=True))[:4] == [later, now, now, later]
    assert rate(sample, second, later) == RatingsImport(added=0, replaced=0, unchanged=3, gone=0)
    events = StudyEvent.objects.filter(kind="audit_imported").order_by("pk")
    assert [event.details["earlier_scores"] for event in events] == [[], [[1, 1.0]], []]
    assert "Ada" not in json.dumps([event.details for event in events])


def test_an_item_has_one_rater(run: JudgingRun, now: datetime) -> None:
    sample = draw(run, now, size=20)
    rows = sheet(sample)
    rate(sample, [rows[0] | {"human_score": "1"}, *rows[1:]], now)
    before = kept(sample)
    with pytest.raises(RatingsRefused, match=r"number 1 \(line 2\): somebody else rated this one"):
        rate(sample, [row | {"human_score": "0"} for row in rows], now, rater="Grace")
    assert kept(sample) == before
    rate(sample, [rows[0], *(row | {"human_score": "0"} for row in rows[1:])], now, rater="Grace")
    assert {rater for *_, rater in kept(sample)} == {"Ada", "Grace"}
    assert audit_result(sample).raters == 2


def refused(sample: AuditSample, rows: list[dict[str, str]], now: datetime, rater: str = "Ada") -> list[str]:
    with pytest.raises(RatingsRefused) as refusal:
        rate(sample, rows, now, rater)
    assert {score for _number, score, *_ in kept(sample)} == {None}
    assert not StudyEvent.objects.filter(kind="audit_imported").exists()
    return [str(problem) for problem in refusal.value.problems]


def test_a_sheet_with_any_problem_changes_nothing_and_lists_them_all(run: JudgingRun, now: datetime) -> None:
    sample, other = draw(run, now, size=20), draw(run, now, size=20)
    rows = [row | {"human_score": "1"} for row in sheet(sample)]
    assert refused(sample, [rows[0], *rows[0:18], rows[18] | {"number": "21"}], now) == [
        "number 1 (line 3): the number is there twice; keep one of its lines",
        "number 21 (line 21): this sample has no such number; they go from 1 to 20",
        "numbers are missing: 19, 20; keep every line, and leave human_score empty where nothing is rated",
    ]
    assert refused(other, rows, now) == [f"the sheet is of sample {sample.pk}, and this is sample {other.pk}"]
    assert refused(sample, [rows[0] | {"human_score": "2"}, *rows[1:19], rows[0]], now)[0].startswith(
        "line 2"
    )
    assert refused(sample, rows, now, rater="  ") == ["say who rated: a name or a pseudonym"]
    assert len(refused(sample, rows, now, rater="a" * 101)) == 1
    assert len(refused(sample, rows, now, rater="a\0")) == 1


def test_a_sample_of_one_judge_is_drawn_by_how_sure_it_is(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> None:
    study = make_study(prompts=4, judge_kind="checks", replicates_per_profile=50)
    for number in range(3):
        work(make_person(study), {f"p{n:03d}": str(n if number else 0) for n in range(1, 5)})
    score(study)
    sample = draw(JudgingRun.objects.get(study=study), now, size=12)
    assert sample.strata["strata"] == [
        {"name": "none/sure", "verdicts": 4, "drawn": 4, "public_verdicts": 4, "public_drawn": 4},
        {"name": "full/sure", "verdicts": 8, "drawn": 8, "public_verdicts": 8, "public_drawn": 8},
    ]
    assert AuditItem.objects.count() == 12
