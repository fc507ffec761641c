"""A run never spends more than its budget, by a real server's own count of tokens, and says why it pauses."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from benchmarks.hashed_judge.running import RunningJudge
from judging.models import JudgeCall, JudgeConfig, JudgingRun
from judging.services.running.budget import PricesUnknown
from judging.services.running.runs import run_finish, run_resume
from studies.models import Study
from tests.judging.budget.budget_runs import charged, cost_on_record, judge_of, started, worked
from tests.support.judging_workers import judging_workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
MakeStudy = Callable[..., Study]


def resumed(run: JudgingRun, budget: str | None) -> None:
    amount = None if budget is None else Decimal(budget)
    run_resume(run=run, budget=amount, actor=None, now=timezone.now())


def test_every_token_the_server_counted_is_accounted_for_exactly(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server)
    run = worked(started(judged_study(4), judge, budget="10"))
    assert run.rows.filter(state="scored").count() == 48
    assert cost_on_record(run) == charged(server, judge) > 0
    assert not JudgeCall.everything.exclude(due_at=None).exists()
    assert run_finish(run=run, now=timezone.now())


def test_many_calls_at_a_time_never_pass_the_budget_and_the_run_says_why_it_pauses(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server, concurrency=32)
    run = worked(started(judged_study(10), judge, budget="0.06"))
    assert (run.state, run.pause_reason) == ("paused", "budget")
    spent = charged(server, judge)
    assert spent == cost_on_record(run) <= Decimal("0.06")
    # It is used as far as a request's worst case allows: no worst case here is above 0.01.
    assert spent > Decimal("0.05")
    left = run.rows.filter(state="open").count()
    assert 0 < left < 120
    said = re.fullmatch(
        r'([\d.]+) of 0\.06 is spent; the next request to the judge "judge" could cost ([\d.]+)\. '
        r"Verdicts left: (\d+) of 120\. Resume the run with a higher budget to go on\.",
        run.pause_detail,
    )
    assert said is not None, run.pause_detail
    assert (Decimal(said[1]), int(said[3])) == (cost_on_record(run), left)
    assert cost_on_record(run) + Decimal(said[2]) > Decimal("0.06")


def test_workers_at_two_judges_together_never_pass_the_budget(
    server: RunningJudge, judged_study: MakeStudy, child_environment: dict[str, str]
) -> None:
    # A worst case close to what replies take, so that setting aside too little would show.
    tight: dict[str, Any] = {"input_price": Decimal(0), "max_output_tokens": 40}
    judges = [judge_of(server, slug, concurrency=32, **tight) for slug in ("one", "two")]
    run = started(judged_study(6), *judges, budget="0.025")
    with judging_workers(child_environment, [run], [run], [run]) as workers:
        assert workers.wait(60) == 0
    run.refresh_from_db()
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert Decimal("0.02") < charged(server, *judges) == cost_on_record(run) <= Decimal("0.025")
    assert not JudgeCall.everything.exclude(due_at=None).exists()


def test_two_judges_of_different_prices_share_one_budget(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    cheap = judge_of(server, "cheap", input_price=Decimal("0.1"), output_price=Decimal("0.4"))
    dear = judge_of(server, "dear", input_price=Decimal(5), output_price=Decimal(20))
    run = worked(started(judged_study(6), cheap, dear, budget="0.1"))
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert 'the judge "dear"' in run.pause_detail
    assert run.rows.filter(state="scored", run__config=cheap).count() == 72
    assert cost_on_record(run) == charged(server, cheap, dear) <= Decimal("0.1")
    cost = {
        judge.slug: sum(call.cost or 0 for call in JudgeCall.objects.filter(run__config=judge))
        for judge in (cheap, dear)
    }
    assert cost == {"cheap": charged(server, cheap), "dear": charged(server, dear)}


def test_a_higher_budget_goes_on_and_one_below_what_is_spent_pauses_before_anything_is_sent(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server)
    run = worked(started(judged_study(4), judge, budget="0.03"))
    sent = len(server.arrivals())
    resumed(run, "0.001")
    run = worked(run)
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert "of 0.001 is spent" in run.pause_detail
    assert len(server.arrivals()) == sent
    resumed(run, "5")
    run = worked(run)
    assert run.rows.filter(state="scored").count() == 48
    assert cost_on_record(run) == charged(server, judge)


def test_without_a_budget_costs_are_on_record_all_the_same(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server)
    run = worked(started(judged_study(1), judge, budget=None))
    assert run.rows.filter(state="scored").count() == 12
    assert cost_on_record(run) == charged(server, judge)
    assert not JudgeCall.everything.exclude(due_at=None).exists()


def test_a_budget_of_zero_asks_nothing_and_is_enough_where_everything_is_known(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge, study = judge_of(server), judged_study(2)
    run = worked(started(study, judge, budget="0"))
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert server.arrivals() == []
    resumed(run, None)
    worked(run)
    assert run_finish(run=run, now=timezone.now())
    # The same answers in another study of the same bank, under an equal protocol.
    other = judged_study(2)
    again = worked(started(other, judge, budget="0"))
    assert again.rows.filter(state="scored", origin="cached").count() == again.planned == 24
    assert run_finish(run=again, now=timezone.now())
    assert len(server.arrivals()) == 24


def test_a_budget_without_prices_is_refused_at_the_start_and_when_a_run_resumes(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    free = judge_of(server, input_price=None, output_price=None)
    study = judged_study(1)
    with pytest.raises(PricesUnknown, match='these judges have none: "judge"'):
        started(study, free, budget="1")
    assert JudgingRun.objects.count() == 0
    run = started(study, free, budget=None)
    JudgingRun.objects.update(state="paused", pause_reason="by_hand")
    with pytest.raises(PricesUnknown):
        resumed(run, "1")
    assert JudgingRun.objects.get().state == "paused"


def test_prices_that_are_taken_away_pause_the_run(server: RunningJudge, judged_study: MakeStudy) -> None:
    judge = judge_of(server)
    run = started(judged_study(1), judge, budget="1")
    JudgeConfig.objects.update(input_price=None, output_price=None)
    run = worked(run)
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert "A budget needs prices" in run.pause_detail
    assert server.arrivals() == []
