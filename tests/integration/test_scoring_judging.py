"""Judging stored answers: what is asked, what is kept, and how it continues after a stop."""

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest

from batches.models import Answer, Session
from llm.attempts import Attempt
from scoring.judge.checks_judge import ChecksJudge
from scoring.judge.interface import CriterionVerdict, Judge, JudgeTask
from scoring.judge.reasons import UnscoredReason
from scoring.models import AnswerScore, CriterionScore, JudgeCall, ScoringRun, VerdictDecision
from scoring.selectors.judging import JudgingState, judging_plan, tasks
from scoring.services.judge_pool import Question
from scoring.services.judging import (
    FAILURES_IN_A_ROW,
    JudgeUnavailable,
    PromptsNotScorable,
    StudyNotFrozen,
    answers_judge,
    run_open,
)
from scoring.services.screening import study_screen
from scoring.services.verdict_rows import VerdictStore
from scoring.services.verdicts import verdict_record
from studies.bank.records import ContainsCheck, CriterionRecord, PromptRecord
from studies.models import Participant, Study, User
from studies.services.amendments import study_amend
from studies.services.studies import study_create

pytestmark = pytest.mark.django_db
Work = Callable[..., Session]
Asked = tuple[str, int | None, str]


def prompt(number: int, *words: str) -> PromptRecord:
    criteria = [CriterionRecord(text=f"Says {word}.", check=ContainsCheck(any_of=(word,))) for word in words]
    gold = None if criteria else "42"
    return PromptRecord(
        prompt_id=f"p{number}", text=f"Question {number}?", criteria=tuple(criteria), gold_answer=gold
    )


PROMPTS = [prompt(1, "red", "blue"), prompt(2, "red", "blue", "green", "white"), prompt(3, "red"), prompt(4)]
ANSWERS = {"p1": "red and blue", "p2": "red", "p3": "blue", "p4": "42"}


class ScriptedJudge:
    """A judge that says what it is told, notes what it is asked, and may stop or fail on the way."""

    kind = "llm"

    def __init__(
        self, answer: Callable[[str, int | None], UnscoredReason | None] = lambda prompt_id, position: None
    ) -> None:
        self._answer = answer
        self.asked: list[Asked] = []

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind}

    def check(self, task: JudgeTask) -> None:
        """Any prompt will do."""

    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        self.asked.append((task.prompt_id, position, task.text_to_judge))
        reason = self._answer(task.prompt_id, position)
        outcome = reason.value if reason else "ok"
        call = Attempt("a" * 64, "model-1", outcome, "raw", 10, 5, 1.5)
        if reason:
            return CriterionVerdict(position, None, None, "It failed.", reason, (call,))
        return CriterionVerdict(position, 1.0, 0.5, "It is good.", None, (call,))


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, replicates_per_profile=50)


@pytest.fixture
def person(study: Study, make_person: Callable[..., Participant]) -> Callable[..., Participant]:
    return lambda **how: make_person(study, **how)


@pytest.fixture
def judge_all(study: Study, now: datetime) -> Callable[..., JudgingState]:
    def judge(judge: object, *, concurrency: int = 1) -> JudgingState:
        study.refresh_from_db()
        judges: Sequence[Judge] = [judge]  # type: ignore[list-item]
        run = run_open(study=study, judge=judges[0], now=now)
        return answers_judge(
            run=run,
            judges=judges,
            concurrency=concurrency,
            clock=lambda: now,
            progress=lambda done, total: None,
        )

    return judge


def scores() -> dict[str, float | str]:
    rows = AnswerScore.objects.values_list("answer__prompt__prompt_id", "score", "unscored_reason")
    return {prompt_id: reason if score is None else score for prompt_id, score, reason in rows}


def test_machine_checks_score_every_answer_that_is_there(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), ANSWERS)
    state = judge_all(ChecksJudge())
    assert scores() == {"p1": 1.0, "p2": 0.25, "p3": 0.0, "p4": 1.0}
    assert (state.answers, state.scored, state.unscored) == (4, 4, {})
    assert CriterionScore.objects.count() == 8
    assert CriterionScore.objects.get(criterion=None).explanation == "The answer equals the gold answer '42'."
    assert not JudgeCall.objects.exists()


def test_an_answer_that_is_not_there_is_never_judged(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), {"p1": "red", "p2": "", "p3": " \u200b \n"})
    judge = ScriptedJudge()
    assert judge_all(judge).answers == 1
    assert {prompt_id for prompt_id, _, _ in judge.asked} == {"p1"}


def test_nobody_withdrawn_running_excluded_or_for_test_is_judged(
    study: Study,
    person: Callable[..., Participant],
    work: Work,
    judge_all: Callable[..., JudgingState],
    now: datetime,
) -> None:
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
    assert judge_all(judge).answers == 0
    assert judge.asked == []
    assert not AnswerScore.objects.exists()


@pytest.mark.parametrize(("rule", "counted"), [("saved_counts", 4), ("submitted_only", 0)])
def test_the_overdue_rule_decides_about_what_was_saved_when_time_ran_out(
    rule: str,
    counted: int,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Work,
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS, overdue_rule=rule)
    work(make_person(study), ANSWERS, end="expired")
    run = run_open(study=study, judge=ChecksJudge(), now=now)
    assert len(judging_plan(run).answers) == counted


def test_a_judge_that_fails_leaves_the_answer_unscored_and_a_second_pass_asks_only_for_that(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), ANSWERS)
    timed_out = {("p2", 3): UnscoredReason.TIMED_OUT}
    state = judge_all(ScriptedJudge(lambda *asked: timed_out.get(asked)))
    assert scores() == {"p1": 0.5, "p2": "timed_out", "p3": 0.5, "p4": 0.5}
    assert (state.scored, state.unscored) == (3, {"timed_out": 1})
    assert CriterionScore.objects.get(unscored_reason="timed_out").score is None
    assert ScoringRun.objects.get().finished_at is None

    second = ScriptedJudge()
    state = judge_all(second)
    assert second.asked == [("p2", 3, "red")]
    assert scores()["p2"] == 0.5
    assert (state.scored, state.unscored) == (4, {})
    assert list(CriterionScore.objects.filter(score=None)) == []
    assert CriterionScore.objects.count() == 8
    assert ScoringRun.objects.get().finished_at is not None


def test_every_call_is_on_record_and_a_retry_forgets_none(
    study: Study, person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), {"p4": "42"})
    judge_all(ScriptedJudge(lambda *asked: UnscoredReason.REPLY_REFUSED))
    judge_all(ScriptedJudge())
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
def test_a_stop_at_any_moment_keeps_every_verdict_and_the_next_run_asks_for_the_rest(
    stops_after: int, person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), ANSWERS)
    first = ScriptedJudge()

    def stop(prompt_id: str, position: int | None) -> None:
        if len(first.asked) > stops_after:
            raise KeyboardInterrupt

    first._answer = stop
    with pytest.raises(KeyboardInterrupt):
        judge_all(first)
    stored = CriterionScore.objects.count()
    assert stored == stops_after
    assert all(score in (0.5, "unfinished") for score in scores().values())

    second = ScriptedJudge()
    judge_all(second)
    assert len(second.asked) == 8 - stored
    assert not set(second.asked) & set(first.asked[:stops_after])
    assert scores() == {"p1": 0.5, "p2": 0.5, "p3": 0.5, "p4": 0.5}


def test_an_answer_with_criteria_left_to_ask_is_unfinished_and_not_scored(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), {"p2": "red"})
    judge = ScriptedJudge()

    def stop(prompt_id: str, position: int | None) -> None:
        if position == 3:
            raise KeyboardInterrupt

    judge._answer = stop
    with pytest.raises(KeyboardInterrupt):
        judge_all(judge)
    assert scores() == {"p2": "unfinished"}


def test_a_dead_judge_is_not_asked_thousands_of_times(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    for _ in range(5):
        work(person(), ANSWERS)
    dead = ScriptedJudge(lambda *asked: UnscoredReason.CONNECTION_FAILED)
    with pytest.raises(
        JudgeUnavailable, match=r"no verdict 1[67] times in a row\. It failed\. Everything judged before"
    ):
        judge_all(dead)
    assert FAILURES_IN_A_ROW == 16
    assert len(dead.asked) <= FAILURES_IN_A_ROW + 4
    judge_all(ScriptedJudge())
    assert set(AnswerScore.objects.values_list("score", flat=True)) == {0.5}
    assert AnswerScore.objects.count() == 20


def test_a_judge_that_is_down_is_noticed_with_a_single_answer(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), {"p4": "42"})
    with pytest.raises(JudgeUnavailable):
        judge_all(ScriptedJudge(lambda *asked: UnscoredReason.ACCESS_DENIED))
    assert scores() == {"p4": "access_denied"}


@pytest.mark.parametrize("reason", [UnscoredReason.REQUEST_REJECTED, UnscoredReason.TIMED_OUT])
def test_an_answer_that_fails_every_time_keeps_nobody_from_the_results(
    reason: UnscoredReason,
    person: Callable[..., Participant],
    work: Work,
    judge_all: Callable[..., JudgingState],
) -> None:
    work(person(), ANSWERS)
    judge = ScriptedJudge(lambda prompt_id, position: reason if prompt_id == "p4" else None)
    for _ in range(3):
        state = judge_all(judge)
        assert (state.scored, state.unscored) == (3, {reason.value: 1})


@pytest.mark.parametrize("reason", UnscoredReason)
def test_only_a_failure_that_fails_all_makes_a_dead_judge_of_an_answer_that_failed_before(
    reason: UnscoredReason,
    person: Callable[..., Participant],
    work: Work,
    judge_all: Callable[..., JudgingState],
) -> None:
    work(person(), {"p3": "red", "p4": "42"})
    judge_all(ScriptedJudge(lambda prompt_id, _: UnscoredReason.TIMED_OUT if prompt_id == "p4" else None))
    second = ScriptedJudge(lambda *asked: reason)
    if reason in {UnscoredReason.CONNECTION_FAILED, UnscoredReason.ACCESS_DENIED}:
        with pytest.raises(JudgeUnavailable):
            judge_all(second)
    else:
        judge_all(second)
    assert second.asked == [("p4", None, "42")]
    assert scores() == {"p3": 0.5, "p4": reason.value}


def test_a_person_whose_every_answer_fails_is_no_dead_judge(
    study: Study, person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), dict.fromkeys(ANSWERS, "too much for the judge"))
    for _ in range(5):
        work(person(), ANSWERS)

    class Overwhelmed(ScriptedJudge):
        def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
            judge = ScriptedJudge(
                lambda *asked: UnscoredReason.TIMED_OUT if "too much" in task.answer else None
            )
            return judge.verdict(task, position)

    assert judge_all(Overwhelmed()).unscored == {"timed_out": 4}


def test_an_answer_with_many_criteria_is_no_dead_judge(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Work, now: datetime
) -> None:
    words = [f"word{n}" for n in range(40)]
    study = make_study(prompts=[prompt(1, *words), prompt(2, "red")])
    work(make_person(study), {"p1": "red", "p2": "red"})
    judge = ScriptedJudge(lambda prompt_id, _: UnscoredReason.TIMED_OUT if prompt_id == "p1" else None)
    run = run_open(study=study, judge=judge, now=now)  # type: ignore[arg-type]
    state = answers_judge(
        run=run,
        judges=[judge],  # type: ignore[list-item]
        concurrency=1,
        clock=lambda: now,
        progress=lambda done, total: None,
    )
    assert (state.scored, state.unscored) == (1, {"timed_out": 1})


def test_bad_replies_in_a_row_are_no_dead_judge(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    for _ in range(5):
        work(person(), ANSWERS)
    state = judge_all(ScriptedJudge(lambda *asked: UnscoredReason.REPLY_OFF_SCHEMA))
    assert state.unscored == {"reply_off_schema": 20}


def test_a_text_that_changed_since_is_judged_again_from_the_start(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), {"p2": "red"})
    judge_all(ScriptedJudge(lambda prompt_id, position: UnscoredReason.TIMED_OUT if position == 4 else None))
    Answer.objects.filter(prompt__prompt_id="p2").update(text="white", revision=2)
    second = ScriptedJudge()
    judge_all(second)
    assert second.asked == [("p2", position, "white") for position in (1, 2, 3, 4)]
    assert AnswerScore.objects.get().revision == 2
    assert CriterionScore.objects.count() == 4


def test_an_answer_whose_verdicts_are_all_there_is_scored_without_asking(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    work(person(), {"p2": "red"})
    judge_all(ScriptedJudge())
    AnswerScore.objects.update(score=None, unscored_reason="unfinished")
    second = ScriptedJudge()
    assert judge_all(second).scored == 1
    assert (second.asked, scores()) == ([], {"p2": 0.5})


def test_the_score_follows_from_the_stored_verdicts_where_two_processes_judge_the_same(
    study: Study,
    person: Callable[..., Participant],
    work: Work,
    judge_all: Callable[..., JudgingState],
    now: datetime,
) -> None:
    work(person(), {"p1": "red"})
    judge = ScriptedJudge()
    run = run_open(study=study, judge=judge, now=now)  # type: ignore[arg-type]
    plan = judging_plan(run)
    judge_all(judge)
    ((pending, task),) = tasks(plan)
    late = CriterionVerdict(1, 0.0, 1.0, "Asked by another process.")
    VerdictStore(run, plan).add([(Question(pending, task, 1), late)], now)
    assert list(
        CriterionScore.objects.order_by("criterion__position").values_list("score", "confidence")
    ) == [
        (0.0, 1.0),
        (1.0, 0.5),
    ]
    assert scores() == {"p1": 0.25}


def test_a_failure_never_replaces_the_verdict_of_another_process(
    study: Study,
    person: Callable[..., Participant],
    work: Work,
    judge_all: Callable[..., JudgingState],
    now: datetime,
) -> None:
    work(person(), {"p1": "red"})
    judge = ScriptedJudge()
    run = run_open(study=study, judge=judge, now=now)  # type: ignore[arg-type]
    plan = judging_plan(run)
    judge_all(judge)
    ((pending, task),) = tasks(plan)
    late = CriterionVerdict(1, None, None, "It failed.", UnscoredReason.TIMED_OUT)
    VerdictStore(run, plan).add([(Question(pending, task, 1), late)], now)
    assert scores() == {"p1": 0.5}
    assert CriterionScore.objects.filter(score=None).count() == 0


def test_the_same_judge_continues_its_run_and_an_amended_protocol_starts_another(
    study: Study,
    person: Callable[..., Participant],
    work: Work,
    judge_all: Callable[..., JudgingState],
    now: datetime,
) -> None:
    work(person(), {"p4": "42"})
    judge_all(ChecksJudge())
    judge_all(ChecksJudge())
    assert ScoringRun.objects.count() == 1
    study_amend(study=study, changes={"top_size": 3}, reason="Fewer people came.", now=now)
    judge_all(ChecksJudge())
    assert ScoringRun.objects.values("protocol_hash").distinct().count() == 2


def test_threads_judge_everything_exactly_once(
    person: Callable[..., Participant], work: Work, judge_all: Callable[..., JudgingState]
) -> None:
    for _ in range(10):
        work(person(), ANSWERS)
    judge = ScriptedJudge()
    state = judge_all(judge, concurrency=8)
    assert (state.scored, len(judge.asked), CriterionScore.objects.count()) == (40, 80, 80)


def test_a_draft_is_not_scored(study: Study, now: datetime) -> None:
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
        run_open(study=draft, judge=ChecksJudge(), now=now)


def test_prompts_the_judge_cannot_score_are_named_before_anything_is_judged(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Work, now: datetime
) -> None:
    by_hand = PromptRecord(prompt_id="p2", text="Why?", criteria=(CriterionRecord(text="It is kind."),))
    study = make_study(prompts=[prompt(1, "red"), by_hand])
    work(make_person(study), {"p1": "red", "p2": "because"})
    run = run_open(study=study, judge=ChecksJudge(), now=now)
    with pytest.raises(PromptsNotScorable, match="Prompt p2: no machine check on criterion 1"):
        answers_judge(
            run=run,
            judges=[ChecksJudge()],
            concurrency=1,
            clock=lambda: now,
            progress=lambda done, total: None,
        )
    assert not AnswerScore.objects.exists()


def test_a_verdict_takes_at_most_eight_queries(
    person: Callable[..., Participant],
    work: Work,
    judge_all: Callable[..., JudgingState],
    django_assert_max_num_queries: Callable[[int], object],
) -> None:
    for _ in range(5):
        work(person(), ANSWERS)
    with django_assert_max_num_queries(5 * 8 * 8 + 20):  # type: ignore[attr-defined]
        judge_all(ChecksJudge())
