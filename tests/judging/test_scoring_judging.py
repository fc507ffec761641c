"""Judging stored answers: what is asked, what is kept, and how it continues after a stop."""

from collections.abc import Callable
from datetime import datetime

import numpy as np
import pytest
from pytest_django import Settings

from batches.models import Answer, Session
from judging.judges.interface import JudgeTask
from judging.judges.reasons import UnscoredReason
from judging.models import AnswerScore, CriterionScore, JudgeCall, JudgeConfig, JudgingRun, ScoringRun
from judging.selectors.judging import counted_rows
from judging.services.running.breaker import AGAINST_ENDPOINT
from judging.services.running.continuing import require_same_judges
from judging.services.running.judge_specs import JudgeSpec, StudyNotFrozen, scoring_run_open
from judging.services.running.planning import PromptsNotScorable
from judging.services.running.storing import ROUNDS
from scoring.coordinator import Scoring
from scoring.selectors.cohorts import study_cohort
from scoring.selectors.runs import changes_since
from scoring.services.results import results_compute
from screening.models import VerdictDecision
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.records import ContainsCheck, CriterionRecord, PromptRecord
from studies.models import Criterion, Participant, Study, User
from studies.services.amendments import study_amend
from studies.services.studies import study_create
from tests.support.headlines import estimate
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Work = Callable[..., Session]
Person = Callable[..., Participant]


def prompt(number: int, *words: str) -> PromptRecord:
    criteria = [CriterionRecord(text=f"Says {word}.", check=ContainsCheck(any_of=(word,))) for word in words]
    return PromptRecord(
        prompt_id=f"p{number}", text=f"Question {number}?", criteria=tuple(criteria), gold_answer="42"
    )


PROMPTS = [prompt(1, "red", "blue"), prompt(2, "red", "blue", "green", "white"), prompt(3, "red"), prompt(4)]
ANSWERS = {"p1": "red and blue", "p2": "red", "p3": "blue", "p4": "42"}


def answers(number: int) -> dict[str, str]:
    """Texts that nobody else gives: equal ones are asked about once."""
    return {prompt_id: f"{text} {number}" for prompt_id, text in ANSWERS.items()}


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, replicates_per_profile=50)


@pytest.fixture
def person(study: Study, make_person: Person) -> Person:
    return lambda **how: make_person(study, **how)


@pytest.fixture
def config(make_judge: Callable[..., JudgeConfig]) -> JudgeConfig:
    return make_judge("http://127.0.0.1:9/v1")


@pytest.fixture
def run(
    study: Study, config: JudgeConfig, settings: Settings, running_clock: Callable[[], datetime]
) -> ScriptedRun:
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    return ScriptedRun(study, config, running_clock)


@pytest.fixture
def checked(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, replicates_per_profile=50, judge_kind="checks", top_size=1)


def fails(reason: UnscoredReason, *where: tuple[str, int | None]) -> ScriptedJudge:
    """A judge that fails in this way, everywhere or there only."""
    return ScriptedJudge(
        lambda task, position: reason if not where or (task.prompt_id, position) in where else None
    )


def scores() -> dict[str, float | str]:
    rows = AnswerScore.objects.values_list("answer__prompt__prompt_id", "score", "unscored_reason")
    return {prompt_id: reason if score is None else score for prompt_id, score, reason in rows}


def test_machine_checks_score_every_answer_that_is_there(
    checked: Study, make_person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    work(make_person(checked), ANSWERS)
    state = score(checked).judges[0].judging
    assert scores() == {"p1": 1.0, "p2": 0.25, "p3": 0.0, "p4": 1.0}
    assert (state.answers, state.scored, state.unscored) == (4, 4, {})
    assert CriterionScore.objects.count() == 8
    assert CriterionScore.objects.get(criterion=None).explanation == "The answer equals the gold answer '42'."
    assert not JudgeCall.objects.exists()


def test_an_answer_that_is_not_there_is_never_judged(person: Person, work: Work, run: ScriptedRun) -> None:
    work(person(), {"p1": "red", "p2": "", "p3": " \u200b \n"})
    judge = ScriptedJudge()
    assert run.judge(judge).answers == 1
    assert {prompt_id for prompt_id, _, _ in judge.asked} == {"p1"}


def test_nobody_withdrawn_running_excluded_or_for_test_is_judged(
    study: Study, person: Person, work: Work, run: ScriptedRun, now: datetime
) -> None:
    study.settings["judge_excluded"] = False
    study.save()
    off_task = person()
    work(off_task, {"p1": "idk", "p2": "idk", "p3": "idk", "p4": "idk"})
    work(person(), ANSWERS, end="withdrawn")
    work(person(), ANSWERS, end="active")
    work(person(is_test=True), ANSWERS)
    study_screen(study=study, now=now)
    lead = User.objects.create_superuser("lead@example.org")
    confirm = VerdictDecision.CONFIRM
    verdict_record(participant=off_task, decision=confirm, reason="Off-task.", actor=lead, now=now)
    judge = ScriptedJudge()
    assert run.judge(judge).answers == 0
    assert judge.asked == []
    assert not JudgingRun.objects.exists()
    assert not AnswerScore.objects.exists()


def test_answers_of_excluded_people_are_judged_and_in_no_estimate_but_that_without_exclusions(
    checked: Study, make_person: Person, work: Work, score: Callable[..., Scoring], now: datetime
) -> None:
    off_task = make_person(checked)
    work(off_task, {"p1": "idk", "p2": "idk", "p3": "idk", "p4": "idk"})
    work(make_person(checked), ANSWERS)
    study_screen(study=checked, now=now)
    lead = User.objects.create_superuser("lead@example.org")
    confirm = VerdictDecision.CONFIRM
    verdict_record(participant=off_task, decision=confirm, reason="Off-task.", actor=lead, now=now)
    results = score(checked).judges[0].results
    assert AnswerScore.objects.filter(answer__session__participant=off_task, score__isnull=False).count() == 4
    average = estimate(results, "average")
    assert (average.participants, average.expected, average.pairs + average.unknown_items) == (1, 4, 4)
    cohort = study_cohort(results.run)
    assert (int((~np.isnan(cohort.p)).sum()), int((~np.isnan(cohort.retained.p)).sum())) == (8, 4)


@pytest.mark.parametrize(("rule", "counted"), [("saved_counts", 4), ("submitted_only", 0)])
def test_the_overdue_rule_decides_about_what_was_saved_when_time_ran_out(
    rule: str,
    counted: int,
    make_study: Callable[..., Study],
    make_person: Person,
    work: Work,
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS, overdue_rule=rule, judge_kind="checks")
    work(make_person(study), ANSWERS, end="expired")
    run = scoring_run_open(study=study, spec=JudgeSpec(), now=now)
    assert len(list(counted_rows(run))) == counted


def test_a_judge_that_fails_leaves_the_answer_unscored_and_the_next_run_asks_only_for_that(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), ANSWERS)
    first = fails(UnscoredReason.TIMED_OUT, ("p2", 3))
    state = run.judge(first)
    assert first.asked.count(("p2", 3, "red")) == ROUNDS
    assert len(first.asked) == 7 + ROUNDS
    assert scores() == {"p1": 0.5, "p2": "timed_out", "p3": 0.5, "p4": 0.5}
    assert (state.scored, state.unscored) == (3, {"timed_out": 1})
    failed = CriterionScore.objects.get(unscored_reason="timed_out")
    assert (failed.state, failed.score, failed.rounds) == ("unscored", None, ROUNDS)
    assert ScoringRun.objects.get().finished_at is None

    second = ScriptedJudge()
    state = run.judge(second)
    assert second.asked == [("p2", 3, "red")]
    assert scores()["p2"] == 0.5
    assert (state.scored, state.unscored) == (4, {})
    assert CriterionScore.objects.filter(state="scored").count() == 8
    assert ScoringRun.objects.get().finished_at is not None
    assert run.start() is None


def test_a_failure_that_passes_is_asked_again_in_the_same_run(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p4": "42"})
    judge = ScriptedJudge()
    judge.says = lambda task, position: UnscoredReason.SERVER_FAILED if len(judge.asked) < 3 else None
    assert run.judge(judge).scored == 1
    assert len(judge.asked) == 3
    row = CriterionScore.objects.get()
    assert (row.state, row.rounds, row.starts, row.unscored_reason) == ("scored", 2, 3, "")


def test_every_call_is_on_record_and_a_retry_forgets_none(
    study: Study, person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p4": "42"})
    run.judge(fails(UnscoredReason.REPLY_REFUSED))
    run.judge(ScriptedJudge())
    calls = JudgeCall.objects.order_by("pk")
    assert [(call.outcome, call.model, call.raw_reply) for call in calls] == [
        ("reply_refused", "model-1", "raw"),
        ("ok", "model-1", "raw"),
    ]
    assert study.judge_protocol is not None
    assert set(JudgeCall.objects.values_list("judge_protocol_sha256", flat=True)) == {
        study.judge_protocol.sha256
    }


@pytest.mark.parametrize("stops_after", range(8))
def test_a_stop_at_any_moment_keeps_every_verdict_and_what_follows_asks_for_the_rest(
    stops_after: int, person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), ANSWERS)
    first = ScriptedJudge(stops_after=stops_after)
    run.judge(first)
    assert CriterionScore.objects.filter(state="scored").count() == stops_after
    assert CriterionScore.objects.filter(state="open", lease=None).count() == 8 - stops_after
    assert set(scores().values()) <= {0.5}

    second = ScriptedJudge()
    run.judge(second)
    assert len(second.asked) == 8 - stops_after
    assert not set(second.asked) & set(first.asked)
    assert scores() == {"p1": 0.5, "p2": 0.5, "p3": 0.5, "p4": 0.5}
    assert JudgingRun.objects.get().state == "finished"


def test_an_answer_with_criteria_left_to_ask_has_no_score(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p2": "red"})
    state = run.judge(ScriptedJudge(stops_after=3))
    assert scores() == {}
    assert state.unscored == {"not_judged": 1}


def test_a_dead_judge_is_not_asked_thousands_of_times(person: Person, work: Work, run: ScriptedRun) -> None:
    for number in range(5):
        work(person(), answers(number))
    dead = fails(UnscoredReason.SERVER_FAILED)
    run.judge(dead)
    paused = JudgingRun.objects.get()
    assert (paused.state, paused.pause_reason) == ("paused", "judge_failing")
    assert paused.pause_detail == "The judge gave no verdict 16 times in a row. It failed."
    assert len(dead.asked) == AGAINST_ENDPOINT.failures == 16
    run.judge(ScriptedJudge())
    assert set(AnswerScore.objects.values_list("score", flat=True)) == {0.5}
    assert AnswerScore.objects.count() == 20


def test_a_wrong_key_is_believed_of_three_answers(person: Person, work: Work, run: ScriptedRun) -> None:
    for number in range(5):
        work(person(), {"p4": f"42 {number}"})
    judge = fails(UnscoredReason.ACCESS_DENIED)
    run.judge(judge)
    assert JudgingRun.objects.get().state == "paused"
    assert len(judge.asked) == 3


def test_a_judge_that_is_down_is_noticed_with_a_single_answer(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p4": "42"})
    judge = fails(UnscoredReason.ACCESS_DENIED)
    run.judge(judge)
    assert len(judge.asked) == 1
    assert (JudgingRun.objects.get().state, scores()) == ("paused", {})


@pytest.mark.parametrize("reason", [UnscoredReason.REQUEST_REJECTED, UnscoredReason.TIMED_OUT])
def test_an_answer_that_fails_every_time_keeps_nobody_from_the_results(
    reason: UnscoredReason, person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), ANSWERS)
    for _ in range(3):
        state = run.judge(fails(reason, ("p4", None)))
        assert (state.scored, state.unscored) == (3, {reason.value: 1})
    assert set(JudgingRun.objects.values_list("state", flat=True)) == {"finished"}


@pytest.mark.parametrize("reason", sorted(set(UnscoredReason) - {UnscoredReason.NO_LONGER_COUNTS}))
def test_only_a_failure_that_fails_all_makes_a_dead_judge_of_an_answer_that_failed_before(
    reason: UnscoredReason, person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p3": "red", "p4": "42"})
    run.judge(fails(UnscoredReason.REPLY_REFUSED, ("p4", None)))
    second = fails(reason)
    run.judge(second)
    newest = JudgingRun.objects.latest("pk")
    assert set(second.asked) == {("p4", None, "42")}
    if reason.fails_all:
        assert (newest.state, len(second.asked)) == ("paused", 1)
    else:
        assert (newest.state, scores()["p4"]) == ("finished", reason.value)
        assert len(second.asked) == (ROUNDS if reason.worth_another_round else 1)


def test_a_person_whose_every_answer_fails_is_no_dead_judge(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p3": "too much for the judge", "p4": "too much for it"})
    for number in range(5):
        work(person(), answers(number))

    def overwhelmed(task: JudgeTask, position: int | None) -> UnscoredReason | None:
        return UnscoredReason.TIMED_OUT if "too much" in task.answer else None

    assert run.judge(ScriptedJudge(overwhelmed)).unscored == {"timed_out": 2}
    assert JudgingRun.objects.get().state == "finished"


def test_an_answer_with_many_criteria_is_no_dead_judge(
    make_study: Callable[..., Study],
    make_person: Person,
    work: Work,
    config: JudgeConfig,
    settings: Settings,
    running_clock: Callable[[], datetime],
) -> None:
    settings.JUDGING_ROUND_WAIT_SECONDS = 0
    words = [f"word{n}" for n in range(40)]
    study = make_study(prompts=[prompt(1, *words), prompt(2, "red")])
    work(make_person(study), {"p1": "red", "p2": "red"})
    many = ScriptedJudge(lambda task, position: UnscoredReason.TIMED_OUT if task.prompt_id == "p1" else None)
    state = ScriptedRun(study, config, running_clock).judge(many)
    assert (state.scored, state.unscored) == (1, {"timed_out": 1})


def test_bad_replies_in_a_row_are_no_dead_judge(person: Person, work: Work, run: ScriptedRun) -> None:
    for number in range(5):
        work(person(), answers(number))
    assert run.judge(fails(UnscoredReason.REPLY_OFF_SCHEMA)).unscored == {"reply_off_schema": 20}


def test_a_text_that_changed_since_is_judged_again_from_the_start(
    person: Person, work: Work, run: ScriptedRun
) -> None:
    work(person(), {"p2": "red"})
    run.judge(fails(UnscoredReason.REPLY_REFUSED, ("p2", 4)))
    Answer.objects.filter(prompt__prompt_id="p2").update(text="white", revision=2)
    second = ScriptedJudge()
    run.judge(second)
    assert second.asked == [("p2", position, "white") for position in (1, 2, 3, 4)]
    assert AnswerScore.objects.get().revision == 2
    assert scores() == {"p2": 0.5}


def test_an_answer_whose_verdicts_are_all_there_is_scored_without_asking(
    checked: Study, make_person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    work(make_person(checked), {"p2": "red"})
    score(checked)
    AnswerScore.objects.all().delete()
    state = score(checked).judges[0].judging
    assert (state.scored, scores()) == (1, {"p2": 0.25})
    assert JudgingRun.objects.count() == 1


def test_the_same_judge_continues_its_run_and_an_amended_protocol_starts_another(
    checked: Study, make_person: Person, work: Work, score: Callable[..., Scoring], now: datetime
) -> None:
    work(make_person(checked), {"p4": "42"})
    score(checked)
    score(checked)
    assert (ScoringRun.objects.count(), JudgingRun.objects.count()) == (1, 1)
    study_amend(study=checked, changes={"top_size": 3}, reason="Fewer people came.", now=now)
    score(checked)
    assert ScoringRun.objects.values("design_hash").distinct().count() == 2


def test_moving_the_closing_time_asks_no_judge_again_and_stops_no_open_run(
    study: Study, person: Person, work: Work, run: ScriptedRun, config: JudgeConfig, now: datetime
) -> None:
    work(person(), answers(1))
    run.judge(ScriptedJudge())
    work(person(), answers(2))
    stopped = ScriptedJudge(stops_after=1)
    run.judge(stopped)
    under_way = JudgingRun.objects.get(state="running")
    study_amend(study=study, changes={"closes_at": "2031-01-01T00:00:00Z"}, reason="Later.", now=now)
    under_way.refresh_from_db()
    require_same_judges(under_way, [JudgeSpec(config)])
    second = ScriptedJudge()
    run.judge(second)
    assert len(stopped.asked) + len(second.asked) == 8
    assert ScoringRun.objects.count() == 1
    assert not any(
        "protocol" in said for said in changes_since(results_compute(run=run.scoring_run, now=now))
    )


def test_threads_judge_everything_exactly_once(person: Person, work: Work, run: ScriptedRun) -> None:
    for number in range(10):
        work(person(), answers(number))
    judge = ScriptedJudge()
    state = run.judge(judge, threads=8)
    assert (state.scored, len(judge.asked), CriterionScore.objects.count()) == (40, 80, 80)


def test_a_draft_is_not_scored(study: Study, config: JudgeConfig, now: datetime) -> None:
    draft = study_create(
        slug="draft",
        name="Draft",
        bank_version=study.bank_version,
        item_bank=None,
        judge_protocol=None,
        settings=study.protocol,
        now=now,
    )
    with pytest.raises(StudyNotFrozen, match='The study "draft" is a draft; freeze it before it is scored'):
        scoring_run_open(study=draft, spec=JudgeSpec(config), now=now)
    assert not ScoringRun.objects.exists()


def test_prompts_the_judge_cannot_score_are_named_before_anything_is_judged(
    make_study: Callable[..., Study], make_person: Person, work: Work, score: Callable[..., Scoring]
) -> None:
    study = make_study(prompts=[prompt(1, "red"), prompt(2, "red")], judge_kind="checks")
    work(make_person(study), {"p1": "red", "p2": "because"})
    Criterion.objects.filter(prompt__prompt_id="p2").update(check_rule=None)
    with pytest.raises(PromptsNotScorable, match="Prompt p2: no machine check on criterion 1"):
        score(study)
    assert not AnswerScore.objects.exists()
    assert not JudgingRun.objects.exists()


def test_more_verdicts_take_few_more_queries(
    checked: Study,
    make_person: Person,
    work: Work,
    score: Callable[..., Scoring],
    django_assert_max_num_queries: Callable[[int], object],
) -> None:
    for _ in range(5):
        work(make_person(checked), ANSWERS)
    # 40 to judge, the rest for results and their measurement, whatever their size.
    with django_assert_max_num_queries(40 + 160):  # type: ignore[attr-defined]
        score(checked)
    assert AnswerScore.objects.count() == 20
