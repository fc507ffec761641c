"""Who may ask about a row, and whose word counts."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection, transaction

from batches.models import Answer, Session
from batches.services.ending import session_withdraw
from judging.judges.course import MAX_LOST
from judging.judges.interface import JudgeTask
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun, PauseReason, ScoringRun
from judging.selectors.progress import run_counts
from judging.services.running import claim as claiming, counting, deciding, work as working
from judging.services.running.claim import SEND_WITHIN, CallReader, LostTooOften, rows_claim
from judging.services.running.compute import local_work
from judging.services.running.counting import calls_expire, run_count, run_differs
from judging.services.running.deciding import runs_lock
from judging.services.running.judge_specs import JudgeSpec
from judging.services.running.runs import run_cancel, run_pause, run_plan, run_resume, run_start
from scoring.tasks import judging_coordinate
from screening.models import VerdictDecision
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.records import PromptRecord
from studies.models import Participant, Study, User
from tests.support.scripted_judge import ScriptedJudge, ScriptedRun
from tests.support.stepped_judge import Owner, SteppedClock, owner_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
LEASE = settings.JUDGING_LEASE_SECONDS
# A call is lost so long after it was sent.
LOST_AFTER = 120.0 + LEASE
PROMPTS = [PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n)) for n in (1, 2)]
Work = Callable[..., Session]


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(prompts=PROMPTS, batch_size=2, replicates_per_profile=50)


@pytest.fixture
def scripted(
    study: Study, make_judge: Callable[..., JudgeConfig], running_clock: Callable[[], datetime]
) -> ScriptedRun:
    return ScriptedRun(study, make_judge("http://127.0.0.1:9/v1", timeout_seconds=120.0), running_clock)


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
def clock(now: datetime) -> SteppedClock:
    return SteppedClock(now + timedelta(minutes=1))


@pytest.fixture
def owner(scripted: ScriptedRun, run: JudgingRun, clock: SteppedClock) -> Callable[..., Owner]:
    """The judge's owner from now on; its judge gives this score."""

    def make(judge: ScriptedJudge | None = None) -> Owner:
        owner = owner_of(scripted.config, judge or ScriptedJudge(), clock)
        assert owner is not None
        return owner

    return make


def scored() -> dict[str, float | None]:
    rows = CriterionScore.objects.filter(state="scored")
    return dict(rows.values_list("answer__text", "score"))


def outcomes() -> list[str]:
    return list(JudgeCall.everything.order_by("pk").values_list("outcome", flat=True))


def test_one_process_asks_a_judge_until_it_is_done_or_its_lease_ran_out(
    owner: Callable[..., Owner], scripted: ScriptedRun, clock: SteppedClock
) -> None:
    first = owner()
    clock.step(LEASE - 1)
    assert owner_of(scripted.config, ScriptedJudge(), clock) is None
    clock.step(1)
    second = owner()
    second.loop.close()
    assert owner_of(scripted.config, ScriptedJudge(), clock) is not None
    # The first one's word about the lease is nobody's any more.
    first.loop.close()
    assert owner_of(scripted.config, ScriptedJudge(), clock) is None


def test_who_turns_in_time_keeps_the_judge(
    owner: Callable[..., Owner], scripted: ScriptedRun, clock: SteppedClock
) -> None:
    first = owner()
    for _ in range(40):
        assert first.turn()
        clock.step(LEASE / 5)
        assert owner_of(scripted.config, ScriptedJudge(), clock) is None


def test_an_owner_whose_lease_another_took_sends_nothing_more_and_loses_no_verdict(
    owner: Callable[..., Owner], scripted: ScriptedRun, clock: SteppedClock
) -> None:
    JudgeConfig.objects.update(concurrency=1)
    first = owner()
    first.turn()
    assert first.under_way == 1
    clock.step(LEASE + 1)
    second = owner()
    first.answered()
    assert first.under_way == 0
    assert list(scored().values()) == [1.0]
    # The place that it left is the second one's, who looks again after a moment.
    clock.step(1)
    second.turn()
    assert (first.turn(), first.under_way, second.under_way) == (False, 0, 1)
    second.answered()
    assert len(scored()) == 2


def test_an_owner_that_slept_past_its_lease_claims_nothing_before_it_renewed_it(
    owner: Callable[..., Owner], clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = owner()
    monkeypatch.setattr(working, "lease_renew", lambda *_, **__: True)
    clock.step(LEASE + 1)
    first.turn()
    assert (first.under_way, outcomes()) == (0, [])
    monkeypatch.undo()
    clock.step(LEASE / 2)
    first.turn()
    assert first.under_way == 2


def test_a_request_that_cannot_go_out_at_once_is_not_sent_and_leaves_no_trace(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock
) -> None:
    """The machine slept between the claim and the request: others may have claimed what it asks about."""
    JudgeConfig.objects.update(input_price=2, output_price=8)
    judge = ScriptedJudge()
    first = owner(judge)
    first.turn()
    run.refresh_from_db()
    assert (first.under_way, run.committed > 0) == (2, True)
    clock.step(SEND_WITHIN.total_seconds() + 0.1)
    first.pool.wake()
    first.loop.store()
    run.refresh_from_db()
    assert (judge.asked, outcomes()) == ([], [])
    assert run.committed == 0
    rows = CriterionScore.objects.filter(asked_with=None)
    assert set(rows.values_list("lease", "starts", "available_at")) == {(None, 0, clock())}
    first.turn()
    first.answered()
    assert sorted(scored()) == ["another", "the same"]


def test_a_machine_that_slept_longer_than_a_window_gives_everything_back(
    owner: Callable[..., Owner], clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    JudgeConfig.objects.update(requests_per_minute=100)
    monkeypatch.setattr(working, "BATCH", 1)
    first = owner()
    first.turn()
    clock.step(0.3)
    first.turn()
    assert first.under_way == 2
    clock.step(600)
    first.pool.wake()
    while first.answered():
        clock.step(0.3)
    assert outcomes() == ["ok", "ok"]


def test_what_the_database_stored_and_could_not_say_is_stored_once(
    owner: Callable[..., Owner], run: JudgingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database may go away after a transaction and before it says so: then it is asked again."""
    JudgeConfig.objects.update(input_price=2, output_price=8)
    for name in ("calls_claim", "results_store"):
        once = getattr(working, name)

        def twice(*arguments: Any, once: Callable[..., Any] = once, **named: Any) -> Any:
            once(*arguments, **named)
            return once(*arguments, **named)

        monkeypatch.setattr(working, name, twice)
    first = owner()
    first.turn()
    assert (first.under_way, outcomes()) == (2, ["", ""])
    first.answered()
    assert (outcomes(), scored()) == (["ok", "ok"], {"the same": 1.0, "another": 1.0})
    run.refresh_from_db()
    assert run.committed == sum(call.cost or 0 for call in JudgeCall.objects.all())
    assert set(CriterionScore.objects.values_list("starts", flat=True)) == {0, 1}


def test_the_next_owner_counts_what_the_one_before_has_under_way_until_it_is_due(
    owner: Callable[..., Owner], clock: SteppedClock
) -> None:
    JudgeConfig.objects.update(concurrency=2)
    dead = owner()
    dead.turn()
    assert dead.under_way == 2
    clock.step(LEASE + 1)
    other = owner()
    assert (other.loop.limits.elsewhere, other.loop.limits.room(clock())) == (2, 0)
    other.turn()
    assert other.under_way == 0
    # Its time-out is over, and nothing of it can be under way at the endpoint any more.
    clock.step(LOST_AFTER - LEASE)
    for _ in range(3):
        other.turn()
        clock.step(1)
    assert other.under_way == 2


def test_the_next_owner_counts_what_the_one_before_sent_within_the_window(
    owner: Callable[..., Owner], clock: SteppedClock
) -> None:
    JudgeConfig.objects.update(concurrency=10, requests_per_minute=2, tokens_per_minute=10_000)
    first = owner()
    first.turn()
    first.answered()
    assert len(scored()) == 2
    first.loop.close()
    CriterionScore.objects.update(
        state="open", score=None, confidence=None, decided_at=None, origin="", available_at=clock()
    )
    clock.step(62)
    other = owner()
    assert (other.loop.limits.room(clock()), other.loop.limits.elsewhere) == (0, 0)
    clock.step(1)
    assert other.loop.limits.room(clock()) == 2


def test_the_rows_of_a_dead_worker_are_taken_up_and_its_late_word_is_refused_but_on_record(
    owner: Callable[..., Owner], clock: SteppedClock
) -> None:
    late = ScriptedJudge(score=0.0)
    dead = owner(late)
    dead.turn()
    lost = set(JudgeCall.everything.values_list("uid", flat=True))
    clock.step(LOST_AFTER + 1)
    assert calls_expire(clock()) == 2
    assert outcomes() == ["lost", "lost"]
    other = owner()
    other.turn()
    assert other.under_way == 2
    dead.pool.finish()
    dead.loop.store()
    assert (scored(), outcomes()) == ({}, ["ok", "ok", "", ""])
    other.answered()
    assert set(scored().values()) == {1.0}
    assert set(JudgeCall.objects.values_list("uid", flat=True)) >= lost
    assert JudgeCall.objects.filter(outcome="ok").count() == 4
    assert set(CriterionScore.objects.filter(asked_with=None).values_list("starts", flat=True)) == {2}


def test_a_late_word_counts_where_nobody_asked_again(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock
) -> None:
    JudgeConfig.objects.update(input_price=2, output_price=8)
    first = owner()
    first.turn()
    clock.step(LOST_AFTER + 1)
    calls_expire(clock())
    first.pool.finish()
    first.loop.store()
    assert (outcomes(), set(scored().values())) == (["ok", "ok"], {1.0})
    run.refresh_from_db()
    assert run.committed == sum(call.cost or 0 for call in JudgeCall.objects.all())


def test_a_row_about_which_requests_are_lost_again_and_again_pauses_the_run(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock, scripted: ScriptedRun
) -> None:
    for _ in range(MAX_LOST):
        killed = owner()
        killed.turn()
        assert killed.under_way == 2
        clock.step(LOST_AFTER + 1)
    judge = ScriptedJudge()
    last = owner(judge)
    last.turn()
    run.refresh_from_db()
    assert (run.state, run.pause_reason, last.under_way) == ("paused", "error", 0)
    assert f"were lost {MAX_LOST} times" in run.pause_detail
    # Whoever resumes it has looked at the log: they are asked about from the start.
    last.loop.close()
    run_resume(run=run, budget=None, actor=None, now=clock())
    again = owner(judge)
    again.turn()
    again.answered()
    assert set(scored().values()) == {1.0}


def test_a_row_that_never_comes_to_an_end_is_not_computed_for_ever(
    run: JudgingRun, scripted: ScriptedRun, clock: SteppedClock
) -> None:
    reader = CallReader(run, scripted.scoring_run, ScriptedJudge())
    CriterionScore.objects.filter(judging_run=run).update(starts=MAX_LOST)
    with pytest.raises(LostTooOften):
        rows_claim(reader, limit=1, claim=uuid4(), now=clock())


def test_a_run_that_paused_for_it_computes_again_once_it_is_resumed(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], work: Work, now: datetime
) -> None:
    prompts = [prompt.model_copy(update={"task": "object_counting"}) for prompt in PROMPTS]
    study = make_study(prompts=prompts, batch_size=2, judge_kind="match", match_rules="bbh")
    work(make_person(study), {"p1": "1", "p2": "2"})
    plan = run_plan(study=study, specs=[JudgeSpec(None)], now=now, progress=lambda done, total: None)
    run = run_start(plan=plan, budget=None, actor=None, now=now)
    scoring_run = ScoringRun.objects.get(study=study)
    # Claimed by processes that were gone before the end, the last one with its lease.
    run.rows.update(starts=MAX_LOST, lease=uuid4(), available_at=now)
    clock = SteppedClock(now + timedelta(seconds=1))

    def compute() -> bool:
        return local_work(
            judging_run=run, run=scoring_run, seconds=60, stopping=threading.Event(), clock=clock
        )

    compute()
    run.refresh_from_db()
    assert run.pause_reason == "error"
    run_resume(run=run, budget=None, actor=None, now=clock())
    assert compute()
    assert set(run.rows.values_list("state", flat=True)) == {"scored"}


def test_a_claim_of_which_nobody_heard_is_taken_back_where_the_run_pauses_meanwhile(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    JudgeConfig.objects.update(input_price=2, output_price=8)
    claim = claiming.calls_claim

    def unheard(*arguments: Any, **named: Any) -> Any:
        claim(*arguments, **named)
        run_pause(run=run, reason=PauseReason.BY_HAND, detail="", now=clock())
        return claim(*arguments, **named)

    monkeypatch.setattr(working, "calls_claim", unheard)
    first = owner()
    first.turn()
    assert (first.under_way, outcomes()) == (0, [])
    run.refresh_from_db()
    assert run.committed == 0
    assert set(CriterionScore.objects.values_list("lease", "starts")) == {(None, 0)}


def test_rows_whose_verdicts_came_to_be_known_are_left_alone_once_the_run_is_over(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at what is known and the decision, the run is cancelled: the next one may ask."""
    known = deciding.known_verdicts

    def cancelled(*arguments: Any) -> Any:
        if run.is_open:
            run_cancel(run=run, actor=None, now=clock())
            run.refresh_from_db()
        known(*arguments)
        return {request: {0: (1.0, 1.0, "known")} for request in arguments[1]}

    monkeypatch.setattr(claiming, "known_verdicts", cancelled)
    first = owner()
    first.turn()
    assert (first.under_way, scored()) == (0, {})


def test_rows_to_compute_are_claimed_by_one_only_while_the_lease_lasts(
    run: JudgingRun, scripted: ScriptedRun, clock: SteppedClock
) -> None:
    reader = CallReader(run, scripted.scoring_run, ScriptedJudge())

    def claimed() -> int:
        return len(rows_claim(reader, limit=10, claim=uuid4(), now=clock()))

    assert claimed() == 2
    clock.step(LEASE - 1)
    assert claimed() == 0
    clock.step(1)
    assert claimed() == 2


def test_a_late_word_for_a_cancelled_run_decides_nothing_and_the_next_run_asks(
    owner: Callable[..., Owner], run: JudgingRun, scripted: ScriptedRun, clock: SteppedClock
) -> None:
    JudgeConfig.objects.update(concurrency=1)
    first = owner(ScriptedJudge(score=0.0))
    first.turn()
    assert first.under_way == 1
    run_cancel(run=run, actor=None, now=clock())
    first.answered()
    first.loop.close()
    assert (outcomes(), scored()) == (["ok"], {})
    judge = ScriptedJudge()
    scripted.judge(judge)
    assert sorted(text for _, _, text in judge.asked) == ["another", "the same"]
    assert set(scored().values()) == {1.0}
    assert JudgeCall.objects.count() == 3


def test_a_run_that_pauses_sends_nothing_more_and_stores_what_is_under_way(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock
) -> None:
    JudgeConfig.objects.update(concurrency=1)
    first = owner()
    first.turn()
    JudgingRun.objects.filter(pk=run.pk).update(state="paused", pause_reason="by_hand")
    first.answered()
    clock.step(1)
    assert (first.turn(), first.under_way, len(scored())) == (False, 0, 1)


def test_a_request_that_comes_on_record_once_its_run_was_counted_is_counted_too(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock
) -> None:
    """A machine may sleep for hours in the middle of a request."""
    first = owner()
    first.turn()
    run_cancel(run=run, actor=None, now=clock())
    clock.step(3 * 3600)
    calls_expire(clock())
    assert run_count(now=clock()) == run
    first.pool.finish()
    first.loop.store()
    counted = JudgingRun.objects.filter(counts__isnull=False)
    assert (outcomes(), counted.exists()) == (["ok", "ok"], False)
    assert run_count(now=clock()) == run
    assert not run_differs(counted.get(), clock())


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks no rows")
def test_nobody_waits_for_a_run_that_is_being_deleted(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock
) -> None:
    owner().turn()
    run_cancel(run=run, actor=None, now=clock())
    clock.step(LOST_AFTER + 1)
    locked, done = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                runs_lock({run.pk})
                locked.set()
                done.wait(60)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        locked.wait(60)
        try:
            assert calls_expire(clock()) == 0
        finally:
            done.set()
        holding.result()
    calls_expire(clock())
    assert outcomes() == ["lost", "lost"]


def test_a_request_that_comes_on_record_while_its_run_is_counted_is_counted_too(
    owner: Callable[..., Owner], run: JudgingRun, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = owner()
    first.turn()
    run_cancel(run=run, actor=None, now=clock())
    first.pool.finish()
    clock.step(3 * 3600)
    coming: list[Future[None]] = []

    def store() -> None:
        try:
            first.loop.store()
        finally:
            connection.close()

    def store_after_counting(run: JudgingRun, now: datetime) -> object:
        counts = run_counts(run, now)
        coming.append(pool.submit(store))
        wait(coming, timeout=1)
        return counts

    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as patched:
        patched.setattr(counting, "run_counts", store_after_counting)
        run_count(now=clock())
        coming[0].result(timeout=30)
    run_count(now=clock())
    run.refresh_from_db()
    assert not run_differs(run, clock())


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


def test_an_unexpected_error_is_in_the_log_and_pauses_the_run(
    run: JudgingRun, scripted: ScriptedRun, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(task: JudgeTask, position: int | None) -> None:
        raise ZeroDivisionError("a fault in the program")

    scripted.work(run, ScriptedJudge(broken), at_once=2)
    run.refresh_from_db()
    assert "ZeroDivisionError" in caplog.text
    assert (run.state, run.pause_reason) == ("paused", "error")
    assert "ZeroDivisionError" in run.pause_detail
    assert "a fault in the program" not in run.pause_detail
    assert not JudgeConfig.objects.exclude(lease=None).exists()
