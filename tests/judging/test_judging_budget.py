"""A run never spends more than its budget, by a real server's own count of tokens, and says why it pauses."""

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from hashed_judge.log import Arrival
from hashed_judge.running import RunningJudge, judge_server
from pytest_django import Settings

from batches.models import Session
from judging.models import JudgeCall, JudgeConfig, JudgingRun, ScoringRun, WorkerLease
from judging.services.running.budget import PricesUnknown, cost_of, set_aside, spent_of, worst_cost
from judging.services.running.claims import lease_begin
from judging.services.running.judge_specs import study_judge_specs
from judging.services.running.runs import run_finish, run_plan, run_resume, run_start
from judging.services.running.working import lease_work
from llm.attempts import Attempt
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
PRICES = {"input_price": Decimal(2), "output_price": Decimal(8), "max_output_tokens": 400}
MakeStudy = Callable[..., Study]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningJudge]:
    with judge_server(log=tmp_path / "log", latency_ms=10, jitter_ms=20) as running:
        yield running


@pytest.fixture
def judged_study(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
) -> MakeStudy:
    """A study with `people` x 12 verdicts to give."""

    def make(people: int) -> Study:
        prompts = [
            PromptRecord(
                prompt_id=f"p{n:03d}",
                text=f"Question {n}?",
                gold_answer=str(n),
                criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(3)),
            )
            for n in range(1, 5)
        ]
        study = make_study(prompts=prompts, replicates_per_profile=people)
        for number in range(people):
            texts = {f"p{n:03d}": f"Answer {number} to {n}. " * (1 + number) for n in range(1, 5)}
            work(make_person(study), texts)
        return study

    return make


def judge_of(server: RunningJudge, slug: str = "judge", **fields: object) -> JudgeConfig:
    told = {"slug": slug, "model": slug, "provider": "generic", **PRICES, **fields}
    return JudgeConfig.objects.create(base_url=server.url, created_at=timezone.now(), **told)


def started(study: Study, *judges: JudgeConfig, budget: str | None) -> JudgingRun:
    plan = run_plan(
        study=study,
        specs=study_judge_specs(study=study, configs=judges),
        now=timezone.now(),
        progress=lambda done, total: None,
    )
    amount = None if budget is None else Decimal(budget)
    return run_start(plan=plan, budget=amount, actor=None, now=timezone.now())


def resumed(run: JudgingRun, budget: str | None) -> None:
    amount = None if budget is None else Decimal(budget)
    run_resume(run=run, budget=amount, actor=None, now=timezone.now())


def scoring_runs(run: JudgingRun) -> list[ScoringRun]:
    pks = run.rows.values("run").distinct()
    return list(ScoringRun.objects.filter(pk__in=pks).select_related("study", "config").order_by("pk"))


def worked(run: JudgingRun, *, threads: int = 32, seconds: float = 30.0) -> JudgingRun:
    """A lease for each judge, one after the other."""
    for scored in scoring_runs(run):
        lease_work(
            judging_run=JudgingRun.objects.select_related("study").get(pk=run.pk),
            run=scored,
            seconds=seconds,
            stopping=threading.Event(),
            clock=timezone.now,
            wanted=threads,
        )
    return JudgingRun.objects.get(pk=run.pk)


def charged(server: RunningJudge, *judges: JudgeConfig) -> Decimal:
    """What the server's own count of tokens comes to at the judges' prices."""
    arrivals = server.settled()
    return sum((paid(arrivals, judge) for judge in judges), Decimal(0))


def paid(arrivals: Iterable[Arrival], judge: JudgeConfig) -> Decimal:
    own = [one for one in arrivals if one.model == judge.model and one.status == 200]
    prompts, replies = sum(one.prompt_tokens for one in own), sum(one.completion_tokens for one in own)
    return ((judge.input_price or 0) * prompts + (judge.output_price or 0) * replies) / Decimal(1_000_000)


def test_every_token_the_server_counted_is_accounted_for_exactly(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server)
    run = worked(started(judged_study(4), judge, budget="10"))
    assert run.rows.filter(state="scored").count() == 48
    assert spent_of(run) == charged(server, judge) > 0
    assert WorkerLease.objects.get().reserved == 0
    assert run_finish(run=run, now=timezone.now())


def test_thirty_two_threads_never_pass_the_budget_and_the_run_says_why_it_pauses(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    judge = judge_of(server)
    run = worked(started(judged_study(10), judge, budget="0.06"))
    assert (run.state, run.pause_reason) == ("paused", "budget")
    spent = charged(server, judge)
    assert spent == spent_of(run) <= Decimal("0.06")
    # It is used as far as a request's worst case allows: no worst case here is above 0.01.
    assert spent > Decimal("0.05")
    left = run.rows.filter(state="open").count()
    assert 0 < left < 120
    said = re.fullmatch(
        r'([\d.]+) of 0\.06 is spent; the next request to the judge "judge" could cost ([\d.]+)\. '
        r"(\d+) of 120 verdicts are left\. Resume the run with a higher budget to go on\.",
        run.pause_detail,
    )
    assert said is not None, run.pause_detail
    assert (Decimal(said[1]), int(said[3])) == (spent_of(run), left)
    assert spent_of(run) + Decimal(said[2]) > Decimal("0.06")


def test_several_workers_together_never_pass_the_budget(
    server: RunningJudge, judged_study: MakeStudy, child_environment: dict[str, str]
) -> None:
    # A worst case close to what replies take, so that setting aside too little would show.
    tight: dict[str, Any] = {"input_price": Decimal(0), "max_output_tokens": 40}
    judge = judge_of(server, concurrency=64, **tight)
    run = started(judged_study(12), judge, budget="0.025")
    command = [sys.executable, "-m", "tests.support.judging_process", str(run.pk)]
    processes = [subprocess.Popen(command, cwd=ROOT, env=child_environment) for _ in range(3)]
    try:
        assert [process.wait(60) for process in processes] == [0, 0, 0]
    finally:
        for process in processes:
            process.kill()
    run.refresh_from_db()
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert Decimal("0.02") < charged(server, judge) == spent_of(run) <= Decimal("0.025")
    assert set(WorkerLease.objects.values_list("reserved", flat=True)) == {Decimal(0)}


def test_two_judges_of_different_prices_share_one_budget(
    server: RunningJudge, judged_study: MakeStudy
) -> None:
    cheap = judge_of(server, "cheap", input_price=Decimal("0.1"), output_price=Decimal("0.4"))
    dear = judge_of(server, "dear", input_price=Decimal(5), output_price=Decimal(20))
    run = worked(started(judged_study(6), cheap, dear, budget="0.1"))
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert 'the judge "dear"' in run.pause_detail
    assert run.rows.filter(state="scored", run__config=cheap).count() == 72
    assert spent_of(run) == charged(server, cheap, dear) <= Decimal("0.1")
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
    assert spent_of(run) == charged(server, judge)


def test_without_a_budget_nothing_is_reserved(server: RunningJudge, judged_study: MakeStudy) -> None:
    judge = judge_of(server)
    run = worked(started(judged_study(1), judge, budget=None))
    assert run.rows.filter(state="scored").count() == 12
    assert spent_of(run) == charged(server, judge)
    assert WorkerLease.objects.get().reserved == 0


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


def test_a_slice_that_never_ended_keeps_what_it_held_as_spent(
    server: RunningJudge, judged_study: MakeStudy, now: datetime
) -> None:
    run = started(judged_study(4), judge_of(server), budget="0.05")
    lost = lease_begin(judging_run=run, run=scoring_runs(run)[0], wanted=4, now=timezone.now())
    assert lost is not None
    long_ago = timezone.now() - timedelta(hours=1)
    WorkerLease.objects.filter(pk=lost.pk).update(reserved=Decimal("0.03"), leased_until=long_ago)
    run = worked(run)
    assert (run.state, run.pause_reason) == ("paused", "budget")
    assert ", 0.03 may have been by workers that died;" in run.pause_detail
    assert Decimal("0.005") < spent_of(run) <= Decimal("0.02")
    assert set_aside(run, timezone.now()) == (Decimal(0), Decimal("0.03"))


def test_a_worker_that_is_killed_keeps_what_it_held_as_spent(
    tmp_path: Path, judged_study: MakeStudy, child_environment: dict[str, str], settings: Settings
) -> None:
    with judge_server(log=tmp_path / "slow", latency_ms=300) as slow:
        judge = judge_of(slow, concurrency=8)
        run = started(judged_study(6), judge, budget="0.2")
        command = [sys.executable, "-m", "tests.support.judging_process", str(run.pk)]
        environment = {**child_environment, "CHIRON_JUDGING_LEASE_SECONDS": "2"}
        with subprocess.Popen(command, cwd=ROOT, env=environment) as worker:
            try:
                while JudgeCall.objects.count() < 8:
                    assert worker.poll() is None
                    time.sleep(0.05)
            finally:
                worker.send_signal(signal.SIGKILL)
        time.sleep(2.2)
        alive, dead = set_aside(run, timezone.now())
        sent = len(slow.arrivals())
        # Each of the requests under way was covered by its worst case.
        unrecorded = sent - JudgeCall.objects.count()
        assert alive == 0
        assert dead >= unrecorded * worst_cost(judge, 100) > 0
        settings.JUDGING_LEASE_SECONDS = 2.0
        run = worked(run)
        assert run.pause_reason == "budget" or run.rows.filter(state="open").count() == 0
        assert charged(slow, judge) <= spent_of(run) + dead <= Decimal("0.2")


def attempt(outcome: str, prompt: int | None, reply: int | None) -> Attempt:
    return Attempt("a" * 64, "judge", outcome, "", prompt, reply, 1.0, prompt_estimate=100)


def test_what_a_request_cost(server: RunningJudge) -> None:
    judge = judge_of(server)
    # 400 bytes of prompt are 400 tokens at most, 200 around them, and a reply of 400.
    worst = (600 * Decimal(2) + 400 * Decimal(8)) / 1_000_000
    assert cost_of(judge, attempt("ok", 100, 50)) == Decimal("0.0006")
    assert cost_of(judge, attempt("ok", None, None)) == worst
    assert cost_of(judge, attempt("ok", 100, None)) == worst
    assert cost_of(judge, attempt("timed_out", None, None)) == worst
    assert cost_of(judge, attempt("connection_lost", None, None)) == worst
    assert cost_of(judge, attempt("rate_limited", None, None)) == 0
    assert cost_of(judge, attempt("connection_failed", None, None)) == 0
    assert cost_of(judge, attempt("reply_refused", 100, 0)) == Decimal("0.0002")
    unpriced = judge_of(server, "unpriced", input_price=None, output_price=None)
    assert cost_of(unpriced, attempt("ok", 100, 50)) is None


def test_requests_whose_reply_never_came_are_not_free(tmp_path: Path, judged_study: MakeStudy) -> None:
    faults: dict[str, Any] = {"faults": 0.3, "fault_kinds": ("closed", "reset"), "faults_at_most": 1}
    with judge_server(log=tmp_path / "faulty", latency_ms=5, **faults) as faulty:
        judge = judge_of(faulty)
        run = worked(started(judged_study(3), judge, budget="1"), threads=16)
        lost = JudgeCall.objects.filter(outcome="connection_lost")
        assert lost.count() > 0
        assert min(call.cost or 0 for call in lost) > worst_cost(judge, 0)
        known = sum(call.cost or 0 for call in JudgeCall.objects.filter(outcome="ok"))
        assert known == charged(faulty, judge)
        assert run.rows.filter(state="scored").count() == 36
