"""Who may ask about a row, and whose word counts."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.db import connection

from batches.models import Answer, Session
from batches.services.ending import session_withdraw
from judging.judges.interface import CriterionVerdict, JudgeResult, JudgeTask
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun, WorkerLease
from judging.selectors.progress import run_counts
from judging.services.running import counting
from judging.services.running.claims import (
    MAX_STARTS,
    BegunTooOften,
    Claims,
    fair_share,
    lease_begin,
    lease_renew,
)
from judging.services.running.counting import run_count, run_differs
from judging.services.running.runs import run_cancel
from judging.services.running.storing import result_store
from llm.attempts import Attempt
from scoring.tasks import judging_coordinate
from screening.models import VerdictDecision
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.records import PromptRecord
from studies.models import Criterion, Participant, Study, User
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
LEASE = timedelta(seconds=settings.JUDGING_LEASE_SECONDS)
PROMPTS = [PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n)) for n in (1, 2)]
Work = Callable[..., Session]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, batch_size=2, replicates_per_profile=50)


@pytest.fixture
def scripted(
    study: Study, make_judge: Callable[..., JudgeConfig], running_clock: Callable[[], datetime]
) -> ScriptedRun:
    return ScriptedRun(study, make_judge("http://127.0.0.1:9/v1"), running_clock)


@pytest.fixture
def people(study: Study, make_person: Callable[..., Participant], work: Work) -> list[Participant]:
    """The first two say the same about p1."""
    people = [make_person(study) for _ in range(3)]
    for person, text in zip(people, ("the same", "the same", "another"), strict=True):
        work(person, {"p1": text})
    return people


@pytest.fixture
def run(scripted: ScriptedRun, people: list[Participant]) -> JudgingRun:
    run = scripted.start()
    assert run is not None
    return run


@pytest.fixture
def begin(scripted: ScriptedRun, run: JudgingRun) -> Callable[[datetime], WorkerLease]:
    def make(at: datetime) -> WorkerLease:
        lease = lease_begin(judging_run=run, run=scripted.scoring_run, wanted=2, now=at)
        assert lease is not None
        lease.run, lease.judge = scripted.scoring_run, scripted.config
        return lease

    return make


def said(score: float) -> JudgeResult:
    call = Attempt("a" * 64, "model-1", "ok", "raw", 10, 5, 1.5)
    return JudgeResult((CriterionVerdict(None, score, 1.0, "So it is."),), (call,))


def scored() -> dict[str, float | None]:
    rows = CriterionScore.objects.filter(state="scored")
    return dict(rows.values_list("answer__text", "score"))


def test_a_result_that_is_stored_again_leaves_one_verdict_and_one_request(
    begin: Callable[[datetime], WorkerLease], now: datetime
) -> None:
    """A database may go away after it has stored a result and before it says so."""
    at = now + timedelta(minutes=1)
    lease = begin(at)
    for call in Claims(lease, ScriptedJudge()).more(2, now=at):
        result = said(0.5)
        assert result_store(lease, call, result, now=at) is True
        assert result_store(lease, call, result, now=at) is False
    assert scored() == {"the same": 0.5, "another": 0.5}
    assert JudgeCall.objects.count() == 2


def test_a_row_that_never_comes_to_an_end_is_not_begun_for_ever(
    begin: Callable[[datetime], WorkerLease], run: JudgingRun, now: datetime
) -> None:
    at = now + timedelta(minutes=1)
    lease = begin(at)
    CriterionScore.objects.filter(judging_run=run).update(starts=MAX_STARTS)
    with pytest.raises(BegunTooOften):
        Claims(lease, ScriptedJudge()).more(1, now=at)


def test_a_row_is_claimed_by_one_slice_only_while_its_lease_lasts(
    begin: Callable[[datetime], WorkerLease], now: datetime
) -> None:
    at = now + timedelta(minutes=1)
    first, second = begin(at), begin(at)
    assert len(Claims(first, ScriptedJudge()).more(10, now=at)) == 2
    assert Claims(second, ScriptedJudge()).more(10, now=at + LEASE - timedelta(seconds=1)) == []


def test_towards_the_end_a_slice_leaves_the_others_as_much_as_it_takes(
    begin: Callable[[datetime], WorkerLease], run: JudgingRun, now: datetime
) -> None:
    at = now + timedelta(minutes=1)
    alone = begin(at)
    [answer, *_] = Answer.objects.all()
    criteria = [
        Criterion.objects.create(prompt=answer.prompt, position=place, text="Is it so?")
        for place in range(1, 39)
    ]
    CriterionScore.objects.bulk_create(
        CriterionScore(
            judging_run=run, run=alone.run, answer=answer, revision=1, criterion=one, available_at=now
        )
        for one in criteria
    )
    left = CriterionScore.objects.filter(judging_run=run, asked_with=None).count()
    assert fair_share(alone, 30, at) == 30
    begin(at)
    assert fair_share(alone, 30, at) == left // 4
    assert fair_share(alone, 5, at) == 5
    CriterionScore.objects.filter(judging_run=run).update(available_at=at + LEASE)
    assert fair_share(alone, 30, at) == alone.slots


def test_what_a_slice_renews_stays_its_own(begin: Callable[[datetime], WorkerLease], now: datetime) -> None:
    at = now + timedelta(minutes=1)
    first, second = begin(at), begin(at)
    Claims(first, ScriptedJudge()).more(10, now=at)
    assert lease_renew(first, clock=lambda: at + LEASE / 2)
    assert Claims(second, ScriptedJudge()).more(10, now=at + LEASE) == []


def test_the_rows_of_a_dead_worker_are_taken_up_and_its_late_word_is_refused_but_on_record(
    begin: Callable[[datetime], WorkerLease], now: datetime
) -> None:
    at = now + timedelta(minutes=1)
    dead = begin(at)
    lost = Claims(dead, ScriptedJudge()).more(1, now=at)[0]
    later = at + LEASE + timedelta(seconds=1)
    other = begin(later)
    taken = {call.leader: call for call in Claims(other, ScriptedJudge()).more(10, now=later)}
    assert lost.leader in taken
    assert result_store(dead, lost, said(0.0), now=later) is False
    assert scored() == {}
    assert JudgeCall.objects.count() == 1
    assert result_store(other, taken[lost.leader], said(1.0), now=later) is True
    assert result_store(dead, lost, said(0.0), now=later) is False
    assert set(scored().values()) == {1.0}
    assert JudgeCall.objects.count() == 3
    assert set(CriterionScore.objects.filter(state="scored").values_list("starts", flat=True)) <= {0, 2}


def test_a_late_word_for_a_cancelled_run_decides_nothing_and_the_next_run_asks(
    begin: Callable[[datetime], WorkerLease], run: JudgingRun, scripted: ScriptedRun, now: datetime
) -> None:
    at = now + timedelta(minutes=1)
    lease = begin(at)
    under_way = Claims(lease, ScriptedJudge()).more(1, now=at)[0]
    run_cancel(run=run, actor=None, now=at)
    judge = ScriptedJudge()
    scripted.judge(judge)
    assert result_store(lease, under_way, said(0.0), now=at) is False
    assert sorted(text for _, _, text in judge.asked) == ["another", "the same"]
    assert set(scored().values()) == {1.0}
    assert JudgeCall.objects.count() == 3


def test_a_request_that_comes_on_record_once_its_run_was_counted_is_counted_too(
    begin: Callable[[datetime], WorkerLease], run: JudgingRun, now: datetime
) -> None:
    """A machine may sleep for hours in the middle of a request."""
    at, later = now + timedelta(minutes=1), now + timedelta(hours=3)
    lease = begin(at)
    under_way = Claims(lease, ScriptedJudge()).more(1, now=at)[0]
    run_cancel(run=run, actor=None, now=at)
    assert run_count(now=later) == run
    assert result_store(lease, under_way, said(0.0), now=later) is False
    counted = JudgingRun.objects.filter(counts__isnull=False)
    assert not counted.exists()
    assert run_count(now=later) == run
    assert not run_differs(counted.get(), later)


def test_a_request_that_comes_on_record_while_its_run_is_counted_is_counted_too(
    begin: Callable[[datetime], WorkerLease], run: JudgingRun, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, later = now + timedelta(minutes=1), now + timedelta(hours=3)
    lease = begin(at)
    under_way = Claims(lease, ScriptedJudge()).more(1, now=at)[0]
    run_cancel(run=run, actor=None, now=at)
    coming: list[Future[None]] = []

    def store() -> None:
        try:
            result_store(lease, under_way, said(0.0), now=later)
        finally:
            connection.close()

    def store_after_counting(run: JudgingRun, now: datetime) -> object:
        found = run_counts(run, now)
        coming.append(pool.submit(store))
        wait(coming, timeout=1)
        return found

    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as patched:
        patched.setattr(counting, "run_counts", store_after_counting)
        run_count(now=later)
        coming[0].result(timeout=30)
    run_count(now=later)
    run.refresh_from_db()
    assert not run_differs(run, later)


def test_runs_go_on_where_one_that_is_over_cannot_be_counted(
    run: JudgingRun, now: datetime, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    long_ago = now - timedelta(days=9_000)
    JudgingRun.objects.create(
        study=run.study, state="cancelled", planned=1, estimate=[], plan_sha256="0" * 64, started_at=long_ago,
        resumed_at=long_ago, ended_at=long_ago,
    )  # fmt: skip
    rows = CriterionScore.objects.filter(judging_run=run)
    rows.update(state="unscored", unscored_reason="timed_out", origin="asked", decided_at=now)

    def fail(*_: object) -> None:
        raise RuntimeError("of a later version")

    monkeypatch.setattr(counting, "run_counts", fail)
    judging_coordinate()
    run.refresh_from_db()
    assert run.state == "finished"
    assert "a judging run that is over could not be counted" in caplog.text


def test_who_withdrew_after_the_plan_is_never_sent_and_who_said_the_same_is_asked_instead(
    run: JudgingRun, people: list[Participant], scripted: ScriptedRun, now: datetime
) -> None:
    leader = CriterionScore.objects.get(answer__session__participant=people[0])
    assert leader.has_followers
    session_withdraw(participant=people[0], now=now + timedelta(hours=2))
    judge = ScriptedJudge()
    scripted.judge(judge)
    assert sorted(text for _, _, text in judge.asked) == ["another", "the same"]
    assert not JudgeCall.objects.filter(answer=leader.answer).exists()
    leader.refresh_from_db()
    assert (leader.state, leader.unscored_reason) == ("unscored", "no_longer_counts")
    follower = CriterionScore.objects.get(answer__session__participant=people[1])
    assert (follower.state, follower.origin, follower.asked_with) == ("scored", "asked", None)
    run.refresh_from_db()
    assert run.state == "finished"


def test_who_is_excluded_after_the_plan_is_never_sent(
    study: Study, make_person: Callable[..., Participant], work: Work, scripted: ScriptedRun, now: datetime
) -> None:
    study.settings["judge_excluded"] = False
    study.save()
    person = make_person(study)
    work(person, {"p1": "idk", "p2": "idk"})
    run = scripted.start()
    assert run is not None
    study_screen(study=study, now=now)
    lead = User.objects.create_superuser("lead@example.org")
    verdict_record(
        participant=person, decision=VerdictDecision.CONFIRM, reason="Off-task.", actor=lead, now=now
    )
    judge = ScriptedJudge()
    scripted.judge(judge)
    run.refresh_from_db()
    assert (judge.asked, run.state) == ([], "finished")
    assert set(CriterionScore.objects.values_list("unscored_reason", flat=True)) == {"no_longer_counts"}


def test_a_text_that_changed_after_the_plan_is_not_sent(
    run: JudgingRun, people: list[Participant], scripted: ScriptedRun
) -> None:
    Answer.objects.filter(session__participant=people[2], revision=1).update(text="newer", revision=2)
    judge = ScriptedJudge()
    scripted.judge(judge)
    assert [text for _, _, text in judge.asked] == ["the same"]
    second = ScriptedJudge()
    scripted.judge(second)
    assert [text for _, _, text in second.asked] == ["newer"]


def test_an_unexpected_error_ends_the_slice_loudly_and_gives_the_rows_back(
    run: JudgingRun, scripted: ScriptedRun
) -> None:
    def broken(task: JudgeTask, position: int | None) -> None:
        raise ZeroDivisionError("a fault in the program")

    with pytest.raises(ZeroDivisionError):
        scripted.work(run, ScriptedJudge(broken), threads=2)
    assert CriterionScore.objects.filter(state="open", lease=None).count() == 3
    assert not WorkerLease.objects.filter(ended_at=None).exists()
    assert scripted.judge(ScriptedJudge()).scored == 3
