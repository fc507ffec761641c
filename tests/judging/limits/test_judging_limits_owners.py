"""Owners of a judge keep its limits, its waits and its ways, by a clock that the test moves."""

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from batches.models import Answer
from benchmarks.hashed_judge.running import RunningJudge
from judging.judges.interface import FIRST_ASKING, Asking, JudgeResult, JudgeTask
from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgeCall, JudgeConfig, JudgingRun, PauseReason, ScoringRun
from judging.services.running import claim as claiming, work as working
from judging.services.running.counting import calls_expire
from judging.services.running.limits import Window
from judging.services.running.own import others_wait
from judging.services.running.process_slots import process_slot
from judging.services.running.runs import run_pause, run_resume
from llm.requests import Attempt, ChatRequest, SchemaUse
from tests.judging.limits.limited_runs import judge_of
from tests.support.scripted_judge import AtOnce, ScriptedJudge
from tests.support.stepped_judge import Owner, SteppedClock, owner_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
WINDOW = Window(length=60.0, margin=3.0)
MakeRun = Callable[..., JudgingRun]


def owning(config: JudgeConfig, clock: SteppedClock, judge: ScriptedJudge | None = None) -> Owner:
    owner = owner_of(config, judge or ScriptedJudge(), clock, window=WINDOW)
    assert owner is not None
    return owner


def by_run() -> Counter[int]:
    return Counter(JudgeCall.everything.values_list("judging_run", flat=True))


def test_runs_share_a_judge_and_one_has_it_all_where_the_other_waits(
    server: RunningJudge, make_run: MakeRun
) -> None:
    judge = judge_of(server, concurrency=9)
    one, other = make_run(judge, people=2), make_run(judge, people=2)
    clock = SteppedClock(timezone.now())
    owner = owning(judge, clock)
    owner.turn()
    assert sorted(by_run().values()) == [4, 5]
    owner.answered()
    assert by_run()[one.pk] == by_run()[other.pk] == 9
    other.rows.filter(state="open", lease=None).update(available_at=clock() + timedelta(minutes=1))
    owner.answered()
    owner.turn()
    assert by_run() == {one.pk: 18, other.pk: 9}


def test_a_run_of_many_calls_does_not_starve_one_that_comes_later(
    server: RunningJudge, make_run: MakeRun
) -> None:
    judge = judge_of(server, concurrency=1)
    one = make_run(judge, people=2)
    clock = SteppedClock(timezone.now())
    owner = owning(judge, clock)
    owner.turn()
    other = make_run(judge, people=1)
    clock.now = timezone.now() + timedelta(seconds=2)
    for _ in range(12):
        owner.answered()
    assert by_run()[one.pk] == 7
    assert by_run()[other.pk] == 6


def test_what_somebody_sets_is_kept_from_the_next_look_on(server: RunningJudge, make_run: MakeRun) -> None:
    judge = judge_of(server, concurrency=2)
    make_run(judge, people=1)
    clock = SteppedClock(timezone.now())
    owner = owning(judge, clock)
    owner.turn()
    assert owner.under_way == 2
    JudgeConfig.objects.update(concurrency=5)
    clock.step(1.3)
    owner.turn()
    assert owner.under_way == 5
    JudgeConfig.objects.update(concurrency=5, requests_per_minute=6)
    clock.step(1.3)
    owner.turn()
    owner.answered()
    assert (owner.under_way, JudgeCall.everything.count()) == (1, 6)


def test_where_a_judge_moves_its_owner_gives_it_to_the_next(server: RunningJudge, make_run: MakeRun) -> None:
    judge = judge_of(server, concurrency=2)
    make_run(judge, people=1)
    clock = SteppedClock(timezone.now())
    owner = owning(judge, clock)
    owner.turn()
    JudgeConfig.objects.update(base_url="http://127.0.0.1:9/v1")
    clock.step(1)
    owner.turn()
    owning(judge, clock)
    assert (owner.answered(), owner.loop.stored, JudgeCall.everything.count()) == (False, 2, 2)


@pytest.mark.parametrize("seed", range(3))
def test_no_window_holds_more_than_the_limit_while_owners_come_and_die(
    server: RunningJudge, make_run: MakeRun, seed: int, settings: Settings
) -> None:
    settings.JUDGING_LEASE_SECONDS = 10.0
    rng = random.Random(seed)
    judge = judge_of(server, requests_per_minute=7, concurrency=4, timeout_seconds=20.0)
    run = make_run(judge, people=2)
    clock = SteppedClock(timezone.now())
    owner = owning(judge, clock)
    while run.rows.filter(state="open").exists():
        if rng.random() < 0.1:
            # Killed, with what it had under way.
            clock.step(10.0)
            owner = owning(judge, clock)
        owner.turn()
        under_way = JudgeCall.everything.filter(due_at__gt=clock()).count()
        assert under_way <= 4
        owner.pool.finish(rng.randint(0, owner.under_way))
        clock.step(rng.uniform(1.0, 6.0))
    sent = sorted(JudgeCall.everything.values_list("called_at", flat=True))
    assert len(sent) >= 24
    for number, moment in enumerate(sent):
        assert bisect_right(sent, moment + timedelta(seconds=59.9)) - number <= 7


def waits_of(judge: ScriptedJudge, config: JudgeConfig, clock: SteppedClock, seconds: float) -> list[float]:
    """The seconds between the requests about the only row, until it is decided or so long."""
    until = clock.now + timedelta(seconds=seconds)
    owner = owning(config, clock, judge)
    while clock.now < until and CriterionScore.objects.filter(state="open").exists():
        owner.turn()
        owner.pool.finish()
        clock.step(0.5)
    moments = JudgeCall.everything.order_by("pk").values_list("called_at", flat=True)
    return [(after - before).total_seconds() for before, after in pairwise(moments)]


@pytest.fixture
def one_row(server: RunningJudge, make_run: MakeRun) -> JudgeConfig:
    judge = judge_of(server)
    run = make_run(judge, people=1)
    run.rows.exclude(pk=run.rows.order_by("pk")[0].pk).delete()
    return judge


def test_a_request_that_failed_goes_out_again_after_its_wait_and_later_in_another_round(
    one_row: JudgeConfig, settings: Settings
) -> None:
    settings.JUDGING_ROUND_WAIT_SECONDS = 15.0
    judge = ScriptedJudge(lambda task, position: UnscoredReason.SERVER_FAILED)
    waits = waits_of(judge, one_row, SteppedClock(timezone.now()), 150)
    assert len(waits) == 11
    # Half to all of 1 and 2 s within a round, and 15, 30, 60 s between rounds; looks come each half second.
    for start, between in ((0, 15), (3, 30), (6, 60)):
        assert 0.5 <= waits[start] <= 2.0
        assert 1.0 <= waits[start + 1] <= 3.0
        assert between <= waits[start + 2] <= between + 1.5
    assert JudgingRun.objects.get().rows.get().unscored_reason == "server_failed"


def test_an_endpoint_is_left_alone_for_as_long_as_it_asks(one_row: JudgeConfig) -> None:
    judge = ScriptedJudge(lambda task, position: UnscoredReason.RATE_LIMITED, retry_after=40.0)
    waits = waits_of(judge, one_row, SteppedClock(timezone.now()), 100)
    assert len(waits) == 2
    assert all(40.0 <= wait <= 41.5 for wait in waits)


class Schemas(ScriptedJudge):
    """A judge whose replies show in turn how the endpoint takes schemas; it notes how it is asked."""

    def __init__(self, *uses: SchemaUse) -> None:
        super().__init__()
        self.uses = list(uses)
        self.plain: list[bool] = []

    def ask(
        self, task: JudgeTask, positions: tuple[int | None, ...], how: Asking = FIRST_ASKING
    ) -> JudgeResult:
        self.plain.append(how.plain)
        result = super().ask(task, positions, how)
        use = SchemaUse.IN_WORDS if how.plain else self.uses.pop(0)
        call = Attempt("a" * 64, "model-1", "ok", "raw", 10, 5, 1.5, schema_use=use)
        return JudgeResult(result.verdicts, call)


HELD, SLIPPED, UNHELD = SchemaUse.HELD, SchemaUse.SLIPPED, SchemaUse.UNHELD


@pytest.mark.parametrize(
    ("uses", "until_plain"),
    [
        ([UNHELD], 1),
        ([HELD, UNHELD], 2),
        ([SLIPPED, SLIPPED], 2),
        ([SLIPPED, HELD, SLIPPED, SLIPPED], 4),
        ([SLIPPED, HELD] * 6, 12),
    ],
)
def test_that_no_schema_holds_is_learned_once_and_the_judge_remembered(
    server: RunningJudge, make_run: MakeRun, uses: list[SchemaUse], until_plain: int
) -> None:
    config, clock = judge_of(server, concurrency=1), SteppedClock(timezone.now())
    make_run(config, people=1)
    clock.now = timezone.now()
    judge = Schemas(*uses)
    owner = owning(config, clock, judge)
    while owner.answered():
        clock.step(0.3)
    assert judge.plain == [False] * until_plain + [True] * (12 - until_plain)
    config.refresh_from_db()
    assert (config.plain_json_at is None) == (until_plain == 12)
    if config.plain_json_at is not None:
        make_run(config, people=1)
        clock.now = timezone.now() + timedelta(hours=1)
        later = Schemas()
        again = owning(config, clock, later)
        while again.answered():
            clock.step(0.3)
        assert set(later.plain) == {True}


class Sized(ScriptedJudge):
    """A judge whose requests about an answer are as large as its text says behind the last blank."""

    def request(self, task: JudgeTask, positions: tuple[int | None, ...]) -> ChatRequest | None:
        tokens = int(task.text_to_judge.split()[-1])
        return ChatRequest("model-1", "[]", None, "a" * 64, tokens)


def sized(run: JudgingRun, *tokens: int) -> None:
    """The run's first rows ask for so many tokens, and no other is left."""
    rows = list(run.rows.order_by("pk"))
    run.rows.filter(pk__in=[row.pk for row in rows[len(tokens) :]]).delete()
    for row, count in zip(rows, tokens, strict=False):
        Answer.objects.filter(pk=row.answer_id).update(text=f"It is {count}")


def test_a_request_that_is_too_large_takes_no_place_from_other_studies(
    server: RunningJudge, make_run: MakeRun
) -> None:
    judge = judge_of(server, concurrency=4, tokens_per_minute=5000, max_output_tokens=100)
    large, other = make_run(judge, people=1), make_run(judge, people=3)
    sized(large, *[10, 10, 10, 6000])
    Answer.objects.filter(criterion_scores__judging_run=other).update(text="It is 10")
    CriterionScore.objects.filter(judging_run=large).update(available_at=timezone.now())
    clock = SteppedClock(timezone.now())
    owner = owning(judge, clock, Sized())
    for _ in range(6):
        owner.answered()
        clock.step(1)
    large.refresh_from_db()
    assert (large.pause_reason, "6,100 tokens" in large.pause_detail) == ("unusable", True)
    assert owner.under_way == 4
    assert by_run()[other.pk] > 4


def test_a_large_request_is_not_overtaken_by_small_ones_of_another_run(
    server: RunningJudge, make_run: MakeRun
) -> None:
    judge = judge_of(server, concurrency=4, tokens_per_minute=2000, max_output_tokens=100)
    large, small = make_run(judge, people=1), make_run(judge, people=3)
    sized(large, 1500)
    Answer.objects.filter(criterion_scores__judging_run=small).update(text="It is 100")
    clock = SteppedClock(timezone.now())
    scripted = Sized()
    first = owning(judge, clock, scripted)
    first.loop.limits.note(clock.now, 800)
    while not by_run()[large.pk]:
        before = clock.now
        first.turn()
        first.pool.under_way.clear()  # the tokens are what counts here
        clock.step(5)
        assert clock.now - before < timedelta(minutes=2)
    # It waited for the window to pass, and nobody used what became free meanwhile.
    assert JudgeCall.everything.filter(judging_run=small).count() <= 6


def test_a_study_whose_judge_cannot_be_made_keeps_no_other_waiting(
    server: RunningJudge, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = judge_of(server)
    broken, other = make_run(config, people=1), make_run(config, people=1)
    clock = SteppedClock(timezone.now())
    owner = owning(config, clock)

    def judge(run: ScoringRun) -> ScriptedJudge:
        if run.study_id == broken.study_id:
            raise ValueError("no such text")
        return ScriptedJudge()

    monkeypatch.setattr(owner.loop, "_judge_of", judge)
    owner.turn()
    broken.refresh_from_db()
    assert (broken.pause_reason, owner.under_way) == ("error", by_run()[other.pk])
    assert by_run()[other.pk] > 0


def test_a_result_that_cannot_be_stored_takes_no_other_along_and_the_owner_ends(
    server: RunningJudge, make_run: MakeRun
) -> None:
    class Boundless(ScriptedJudge):
        def ask(
            self, task: JudgeTask, positions: tuple[int | None, ...], how: Asking = FIRST_ASKING
        ) -> JudgeResult:
            result = super().ask(task, positions, how)
            if len(self.asked) != 5 or result.attempt is None:
                return result
            return JudgeResult(result.verdicts, replace(result.attempt, completion_tokens=10**20))

    config = judge_of(server, concurrency=12)
    run, other = make_run(config, people=1), make_run(config, people=1)
    owner = owning(config, SteppedClock(timezone.now()), Boundless())
    owner.loop.work(AtOnce())
    run.refresh_from_db()
    other.refresh_from_db()
    assert sorted([run.state, other.state]) == ["paused", "running"]
    assert {run.pause_reason, other.pause_reason} == {"error", ""}
    # The one stays as it was sent until it is due.
    assert JudgeCall.everything.filter(outcome="").count() == 1
    assert JudgeCall.objects.filter(outcome="ok").count() >= 12
    running = run if run.state == "running" else other
    assert set(running.rows.values_list("state", flat=True)) == {"scored"}


def test_whoever_asks_is_gone_again_and_again_about_whatever_row(
    server: RunningJudge, make_run: MakeRun
) -> None:
    config = judge_of(server, concurrency=2, timeout_seconds=30.0)
    run = make_run(config, people=1)
    clock = SteppedClock(timezone.now())
    deaths = 0
    while run.state == "running" and deaths < 12:
        killed = owning(config, clock)
        killed.turn()
        run.refresh_from_db()
        if run.state == "running":
            deaths += 1
            run.rows.filter(lease__isnull=False).update(available_at=clock() + timedelta(days=1))
            clock.step(30 + 60 + 1)
    assert (deaths, run.pause_reason) == (5, "error")
    assert "were lost 5 times" in run.pause_detail


def test_a_judge_is_handed_over_where_a_run_waits_to_be_computed(
    server: RunningJudge, make_run: MakeRun
) -> None:
    config, now = judge_of(server), timezone.now() + timedelta(hours=1)
    make_run(config, people=1)
    assert not others_wait(config, now)
    run = make_run(judge_of(server, slug="other"), people=1)
    # As the rows of a judge that asks no model.
    ScoringRun.objects.filter(study=run.study).update(config=None)
    assert others_wait(config, now)
    with process_slot("run", 1):
        assert not others_wait(config, now)


def test_replies_that_came_back_are_not_asked_for_again_however_long_the_owner_was_asleep(
    server: RunningJudge, make_run: MakeRun
) -> None:
    config = judge_of(server, concurrency=72, timeout_seconds=30.0)
    make_run(config, people=6)
    clock = SteppedClock(timezone.now())
    owner = owning(config, clock)
    for _ in range(3):
        owner.turn()
    assert owner.under_way == 72
    owner.pool.finish()
    clock.step(500)
    owner.turn()
    assert Counter(JudgeCall.everything.values_list("outcome", flat=True)) == {"ok": 72}


@dataclass
class PoolOfFew(AtOnce):
    """Can start no thread for a request after the first ones."""

    left: int

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("can't start new thread")
        return super().submit(fn, *args, **kwargs)


def test_what_no_thread_can_be_started_for_is_given_back(server: RunningJudge, make_run: MakeRun) -> None:
    config = judge_of(server, concurrency=8)
    run = make_run(config, people=1)
    clock = SteppedClock(timezone.now())
    owner = owning(config, clock)
    pool = PoolOfFew(3)
    owner.loop.turn(pool)
    owner.loop.turn(pool)
    assert (JudgeCall.everything.count(), run.rows.filter(lease=None, state="open").count()) == (3, 9)
    run.refresh_from_db()
    assert (run.state, owner.loop.limits.room(clock())) == ("running", 8)


@pytest.mark.parametrize(("seconds", "sent"), [(5, 4), (40, 0)])
def test_a_claim_that_takes_long_is_sent_unless_it_would_outlive_its_time(
    server: RunningJudge, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, seconds: int, sent: int
) -> None:
    config = judge_of(server, concurrency=4)
    make_run(config, people=1)
    clock, claim = SteppedClock(timezone.now()), claiming.calls_claim

    def slow(*arguments: Any, **named: Any) -> Any:
        claimed = claim(*arguments, **named)
        clock.step(seconds)
        return claimed

    monkeypatch.setattr(working, "calls_claim", slow)
    owner = owning(config, clock)
    owner.turn()
    assert owner.under_way == sent
    monkeypatch.undo()
    owner.pool.finish()
    owner.loop.store()
    assert JudgeCall.everything.count() == sent


def test_a_request_that_is_given_back_after_a_resumption_begins_anew(
    server: RunningJudge, make_run: MakeRun
) -> None:
    config = judge_of(server, concurrency=4)
    run = make_run(config, people=1)
    clock = SteppedClock(timezone.now())
    owner = owning(config, clock)
    owner.turn()
    clock.step(400)  # asleep, past the time of its calls
    run_pause(run=run, reason=PauseReason.BY_HAND, detail="", now=clock())
    run_resume(run=run, budget=None, actor=None, now=clock())
    owner.pool.wake()
    owner.loop.store()
    assert set(run.rows.values_list("starts", flat=True)) == {0}


def test_a_judge_is_not_handed_over_to_one_whose_rows_all_wait(
    server: RunningJudge, make_run: MakeRun
) -> None:
    config, other = judge_of(server), judge_of(server, slug="other")
    make_run(config, people=1)
    run = make_run(other, people=1)
    now = timezone.now() + timedelta(hours=1)
    assert others_wait(config, now)
    run.rows.update(available_at=now + timedelta(minutes=1))
    assert not others_wait(config, now)
    run.rows.update(available_at=now)
    JudgeConfig.objects.filter(pk=other.pk).update(held_until=now + timedelta(minutes=1))
    assert not others_wait(config, now)


def slow_to_store(monkeypatch: pytest.MonkeyPatch, clock: SteppedClock, seconds: float) -> None:
    """Each claim takes so long to be stored."""
    claimed = claiming.calls_claim

    def calls_claim(*args: Any, **kwargs: Any) -> Any:
        calls = claimed(*args, **kwargs)
        clock.step(seconds)
        return calls

    monkeypatch.setattr(working, "calls_claim", calls_claim)


def test_what_took_long_to_claim_counts_from_when_it_can_have_been_sent(
    server: RunningJudge, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of(server, requests_per_minute=4, concurrency=4, timeout_seconds=5.0)
    make_run(judge, people=1)
    clock = SteppedClock(timezone.now())
    with monkeypatch.context() as slow:
        slow_to_store(slow, clock, 12.0)
        first = owning(judge, clock)
        first.turn()
    sent_at = clock.now
    assert first.under_way == 4
    # It is killed, and its calls are lost before the next owner begins.
    clock.step(45)
    assert calls_expire(clock()) == 4
    second = owning(judge, clock)
    while not second.under_way:
        clock.step(0.5)
        second.turn()
    assert WINDOW.length <= (clock.now - sent_at).total_seconds() <= WINDOW.length + 10


def test_a_call_on_record_says_when_it_was_sent(
    server: RunningJudge, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of(server, concurrency=4)
    make_run(judge, people=1)
    clock = SteppedClock(timezone.now())
    slow_to_store(monkeypatch, clock, 12.0)
    owner = owning(judge, clock)
    owner.turn()
    sent_at = clock.now
    clock.step(1)
    owner.answered()
    assert set(JudgeCall.objects.values_list("called_at", flat=True)) == {sent_at}


@pytest.mark.parametrize("gives_back", [False, True])
def test_who_lost_the_judge_says_nothing_more_about_it_and_makes_room_for_others(
    server: RunningJudge, make_run: MakeRun, *, gives_back: bool
) -> None:
    config, closed = judge_of(server, concurrency=4), []
    make_run(config, people=1)
    clock = SteppedClock(timezone.now())
    busy = ScriptedJudge(lambda task, position: UnscoredReason.RATE_LIMITED, retry_after=600.0)
    first = owner_of(config, busy, clock, window=WINDOW, on_close=lambda: closed.append(clock.now))
    assert first is not None
    first.turn()
    clock.step(31)
    second = owning(config, clock)
    # The other one leaves the endpoint alone for longer, and gives the judge back.
    until = second.loop.limits.held_until = clock.now + timedelta(seconds=900)
    if gives_back:
        second.loop.close()
    first.pool.finish()
    assert first.turn() is False
    assert (closed, first.loop.stored) == ([clock.now], 4)
    config.refresh_from_db()
    assert (config.held_until, config.pace) == (until if gives_back else None, None)


def test_what_an_endpoint_shows_of_schemas_says_nothing_of_the_one_that_took_its_place(
    server: RunningJudge, make_run: MakeRun
) -> None:
    config = judge_of(server, concurrency=1)
    make_run(config, people=1)
    clock = SteppedClock(timezone.now())
    owner = owning(config, clock, Schemas(UNHELD))
    owner.turn()
    JudgeConfig.objects.update(base_url="http://127.0.0.1:9/v1")
    clock.step(1)
    owner.turn()
    owner.answered()
    config.refresh_from_db()
    assert (owner.loop.stored, config.plain_json_at) == (1, None)


def test_what_would_go_out_when_the_lease_is_over_is_not_sent(
    server: RunningJudge, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = judge_of(server, concurrency=4)
    make_run(config, people=1)
    clock = SteppedClock(timezone.now())
    owner = owning(config, clock)
    # Looking up what is left takes nearly as long as the lease; the claim itself is in time.
    waiting = owner.loop._waiting

    def slow() -> list[tuple[JudgingRun, ScoringRun]]:
        clock.step(27)
        return list(waiting())

    monkeypatch.setattr(owner.loop, "_waiting", slow)
    slow_to_store(monkeypatch, clock, 4.0)
    owner.turn()
    assert owner.under_way == 0
    owner.turn()
    assert not JudgeCall.everything.exists()


def test_what_comes_back_after_the_judge_was_given_back_counts_for_the_next_owner(
    server: RunningJudge, make_run: MakeRun
) -> None:
    config = judge_of(server, concurrency=4)
    make_run(config, people=1)
    clock = SteppedClock(timezone.now())
    owner = owning(
        config, clock, ScriptedJudge(lambda task, position: UnscoredReason.RATE_LIMITED, retry_after=600.0)
    )
    owner.turn()
    owner.loop.close()
    owner.answered()
    config.refresh_from_db()
    assert (config.held_until, config.pace) == (clock.now + timedelta(seconds=600), 2)
