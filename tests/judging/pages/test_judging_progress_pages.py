"""The page of a run while it goes on, and when it is over."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from benchmarks.hashed_judge.running import RunningJudge, judge_server
from judging.judges.course import LOST
from judging.judges.reasons import UnscoredReason
from judging.models import (
    CriterionScore,
    JudgeCall,
    JudgeConfig,
    JudgingRun,
    PauseReason,
    RowState,
    ScoringRun,
)
from judging.selectors.progress import judging_progress
from judging.services.running.counting import calls_expire
from judging.views.reason_texts import REASON_TEXTS, WAYS_ON
from scoring.coordinator import judging_coordinate
from studies.models import Study
from tests.judging.pages.judging_pages import ROWS, action, ask_judge, finish, page, plan, start, words
from tests.support.scripted_judge import ScriptedJudge
from tests.support.stepped_judge import SteppedClock, owner_of

# Workers store over connections of their own: what a test makes has to be committed.
pytestmark = pytest.mark.django_db(transaction=True)


# --- while it goes on --------------------------------------------------------------------------------


def test_the_numbers_of_a_finished_run_are_those_of_its_rows_and_calls(
    staff: Client, study: Study, judge: JudgeConfig, server: RunningJudge
) -> None:
    run = start(staff, judge, budget="5")
    finish(run)
    one = judging_progress(run, timezone.now()).judges[0]
    assert (one.planned, one.open, one.being_asked) == (24, 0, 0)
    assert (one.asked, one.shared, one.cached, one.scored) == (18, 6, 0, 24)
    assert (one.calls, server.stats()["requests"]) == ({"ok": 18}, 18)
    assert (one.unscored, one.waiting_again, one.calls_under_way, one.is_asked) == ({}, {}, 0, False)
    calls = JudgeCall.objects.all()
    assert one.prompt_tokens == sum(call.prompt_tokens or 0 for call in calls)
    assert one.completion_tokens == sum(call.completion_tokens or 0 for call in calls)
    assert one.cost == (one.prompt_tokens * Decimal("0.5") + one.completion_tokens * 2) / 1_000_000
    assert (one.unknown_costs, one.possibly_spent) == (0, Decimal(0))
    text = words(staff.get(page(number=run.pk)).content.decode())
    assert "verdicts decided, of 24 (100 %) 24 " in text
    assert f"Spent {one.cost:.4f} Limit 5 Tokens" in text


def test_a_second_replicate_shows_that_nothing_is_known_and_a_second_study_run_that_everything_is(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    finish(start(staff, judge))
    content = staff.post(page(), {**plan(judge, replicates="2"), "action": "estimate"}).content.decode()
    rows = re.findall(r"<tbody>(.*?)</tbody>", content, re.DOTALL)[0].split("</tr>")
    assert words(rows[0]).split()[:5] == ["one", "0", "0", "0", "0"]
    assert words(rows[1]).split()[:7] == ["one", "replicate", "2", "24", "18", "6", "0"]


def test_without_prices_the_cost_is_unknown_and_not_nothing(
    staff: Client, study: Study, unpriced: JudgeConfig
) -> None:
    run = start(staff, unpriced)
    finish(run)
    progress = judging_progress(run, timezone.now())
    assert (progress.cost, progress.judges[0].cost, progress.known_cost) == (None, None, None)
    assert "Spent price unknown Limit none" in words(staff.get(page(number=run.pk)).content.decode())


def test_calls_under_way_are_told_until_their_worker_dies_and_they_are_lost(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run, clock = start(staff, judge), SteppedClock(timezone.now())
    owner = owner_of(judge, ScriptedJudge(), clock)
    assert owner is not None
    owner.turn()
    one = judging_progress(run, clock()).judges[0]
    assert (one.open, one.being_asked, one.is_asked, one.calls_under_way) == (24, 2, True, 2)
    under_way = JudgeCall.everything.all()
    set_aside = sum(call.cost or 0 for call in under_way)
    assert (one.possibly_spent, one.set_aside) == (Decimal(0), set_aside)
    assert one.set_aside_until == under_way[0].due_at
    text = words(staff.get(action("live", run)).content.decode())
    assert "2 calls under way" in text
    amount = f"{set_aside:.4f}"
    assert f"{amount} is set aside for calls under way and is free again as they end." in text
    clock.step(3600)
    one = judging_progress(run, clock()).judges[0]
    assert (one.open, one.being_asked, one.is_asked) == (24, 0, False)
    calls_expire(clock())
    one = judging_progress(run, clock()).judges[0]
    assert (one.possibly_spent, one.set_aside, one.calls_under_way) == (set_aside, Decimal(0), 0)
    text = words(staff.get(action("live", run)).content.decode())
    assert f"{amount} was set aside for calls that were lost with the worker that made them" in text


def test_unscored_rows_show_their_reason_in_words(
    staff: Client, study: Study, judge: JudgeConfig, tmp_path: Path
) -> None:
    with judge_server(log=tmp_path / "other.log", permanent=1.0) as server:
        JudgeConfig.objects.update(base_url=server.url)
        run = start(staff, judge)
        for _ in range(20):
            judging_coordinate(clock=timezone.now)
            run.refresh_from_db()
            if run.state != "running":
                break
            CriterionScore.objects.filter(state="open", lease=None).update(available_at=timezone.now())
            ask_judge()
    one = judging_progress(run, timezone.now()).judges[0]
    stored = CriterionScore.objects.filter(state=RowState.UNSCORED)
    assert one.unscored_number == stored.count() > 0
    text = words(staff.get(page(number=run.pk)).content.decode())
    for code, number in one.unscored.items():
        assert f"{REASON_TEXTS[code]} {number} " in text.replace("&#x27;", "'")


def test_every_reason_and_every_pause_has_its_sentence() -> None:
    assert REASON_TEXTS.keys() == {reason.value for reason in UnscoredReason} | {LOST}
    assert WAYS_ON.keys() == set(PauseReason.values)


def test_when_nothing_moves_for_half_a_minute_the_page_says_that_no_worker_is_there(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    begun = run.resumed_at
    assert not judging_progress(run, begun + timedelta(seconds=29)).nobody_works
    assert judging_progress(run, begun + timedelta(seconds=31)).nobody_works
    assert "No worker is taking this work" not in staff.get(page(number=run.pk)).content.decode()
    JudgingRun.objects.update(resumed_at=begun - timedelta(minutes=5))
    CriterionScore.objects.update(available_at=begun - timedelta(minutes=5))
    assert "No worker is taking this work" in staff.get(page(number=run.pk)).content.decode()


def test_rows_that_wait_for_another_round_are_no_missing_worker(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    later = run.resumed_at + timedelta(minutes=3)
    CriterionScore.objects.update(available_at=later + timedelta(seconds=20), unscored_reason="rate_limited")
    progress = judging_progress(run, later)
    assert (progress.waits_for_next_round, progress.nobody_works) == (True, False)
    assert progress.judges[0].waiting_again == {"rate_limited": 24}


def test_speed_and_expected_end_follow_from_the_last_two_minutes(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    assert judging_progress(run, run.resumed_at + timedelta(seconds=5)).expected_end is None
    now = run.resumed_at + timedelta(minutes=10)
    pks = list(CriterionScore.objects.order_by("pk").values_list("pk", flat=True)[:8])
    CriterionScore.objects.filter(pk__in=pks).update(
        state="scored", origin="asked", score=1, confidence=1, decided_at=now - timedelta(seconds=30)
    )
    assert owner_of(judge, ScriptedJudge(), SteppedClock(now)) is not None
    progress = judging_progress(run, now)
    assert progress.judges[0].rows_per_minute == 4.0
    assert progress.expected_end == now + timedelta(minutes=4)


def test_without_a_worker_no_end_is_expected_and_nothing_is_said_to_be_asked(
    staff: Client, study: Study, judge: JudgeConfig
) -> None:
    run = start(staff, judge)
    begun = timezone.now() - timedelta(minutes=5)
    JudgingRun.objects.update(resumed_at=begun)
    CriterionScore.objects.update(available_at=begun)
    decided = CriterionScore.objects.order_by("pk").values_list("pk", flat=True)[:8]
    CriterionScore.objects.filter(pk__in=list(decided)).update(
        state="scored",
        origin="asked",
        score=1,
        confidence=1,
        decided_at=timezone.now() - timedelta(seconds=50),
    )
    run.refresh_from_db()
    progress = judging_progress(run, timezone.now())
    assert (progress.nobody_works, progress.expected_end) == (True, None)
    text = words(staff.get(page(number=run.pk)).content.decode())
    assert "No worker is taking this work" in text
    assert "what is left is being asked" not in text


def test_a_run_takes_as_many_queries_whatever_its_size(
    staff: Client,
    study: Study,
    judge: JudgeConfig,
    unpriced: JudgeConfig,
    django_assert_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    run = start(staff, judge, unpriced, replicates="2")
    scored, answer = list(ScoringRun.objects.all()), run.rows.order_by("pk")[0].answer
    JudgeCall.objects.bulk_create(
        JudgeCall(
            run=scored[number % 4],
            judging_run=run,
            answer=answer,
            latency_ms=0.0,
            outcome="",
            called_at=run.started_at,
            due_at=run.started_at,
        )
        for number in range(30)
    )
    with django_assert_num_queries(3):
        progress = judging_progress(run, timezone.now())
    assert (len(progress.judges), progress.planned) == (4, 4 * ROWS)
    staff.get(action("live", run))
    with django_assert_num_queries(7):  # session, person, study, run, and the three
        staff.get(action("live", run))
