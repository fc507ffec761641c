"""Which process asks a judge, and what waits for one.

One process at a time asks a judge, for all runs and studies, so that the judge's limits are held in one
place. The budget is the run's: several judges of a panel, each with an owner, share it.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from jobs.leases import lease_release, lease_take
from judging.models import (
    CriterionScore,
    JudgeConfig,
    JudgingRun,
    PauseReason,
    RowState,
    RunState,
    ScoringRun,
)
from judging.services.judge_keys import JudgeNotConfigured, judge_key
from judging.services.running.claim import judge_free, lease_time
from judging.services.running.deciding import rows_open, rows_to_claim
from judging.services.running.judge_specs import configured_client, model_judge, spec_of
from judging.services.running.limits import MAX_CALLS_AT_A_TIME, PER_MINUTE, Window
from judging.services.running.outages import retry_on_db_outage
from judging.services.running.process_slots import is_computing, others_may_begin
from judging.services.running.runs import run_pause
from judging.services.running.work import JudgeLoop


def judge_work(
    *,
    config: JudgeConfig,
    seconds: float,
    stopping: threading.Event,
    clock: Callable[[], datetime],
    on_progress: Callable[[int], None] = lambda calls: None,
    on_close: Callable[[], None] = lambda: None,
    window: Window = PER_MINUTE,
) -> bool:
    """Own the judge and ask it for about `seconds`, longer while no other judge waits for a worker.

    Ends once nothing is left to ask, or `stopping` is set: then nothing more is sent, the next owner may
    begin at once, and what is under way is waited for and stored. `on_progress` hears how many calls were
    stored, `on_close` that nothing more is sent. False where there was nothing to do, or another process
    asks the judge.
    """
    judge = JudgeConfig.objects.filter(pk=config.pk)
    owner = retry_on_db_outage(lambda: lease_take(judge, now=clock(), length=lease_time()))
    if owner is None:
        return False
    until: datetime | None = None

    def over() -> bool:
        """At the end of each term whoever has waited for a worker gets this one. The first begins with the
        first look: to count what was sent before may take long.
        """
        nonlocal until
        if until is not None and clock() >= until and not stopping.is_set():
            until = None
            return not others_may_begin() and others_wait(config, clock())
        until = until or clock() + timedelta(seconds=seconds)
        return stopping.is_set()

    try:
        config = judge.get()
        with configured_client(config, key=judge_key(config)) as client:
            loop = JudgeLoop(
                config,
                owner,
                waiting=lambda: runs_waiting(config),
                judge_of=lambda run: model_judge(run.study, spec_of(run), client),
                over=over,
                clock=clock,
                on_progress=on_progress,
                on_close=on_close,
                window=window,
            )
            # It has as many threads as there are calls at a time.
            with ThreadPoolExecutor(MAX_CALLS_AT_A_TIME, thread_name_prefix="judge") as pool:
                loop.work(pool)
    except JudgeNotConfigured as error:
        for judging_run, _ in list(runs_waiting(config)):
            run_pause(run=judging_run, reason=PauseReason.UNUSABLE, detail=str(error), now=clock())
        return False
    finally:
        retry_on_db_outage(lambda: lease_release(judge, owner))
    return loop.stored > 0


def runs_waiting(config: JudgeConfig) -> Iterator[tuple[JudgingRun, ScoringRun]]:
    """The runs that go on with rows left for this judge, each with the scores that it adds to."""
    running = JudgingRun.objects.filter(state=RunState.RUNNING).select_related("study").order_by("pk")
    for judging_run in running:
        scoring_runs = ScoringRun.objects.filter(study=judging_run.study_id, config=config)
        for run in scoring_runs.select_related("config").order_by("pk"):
            if rows_open(judging_run.pk, run.pk).exists():
                run.study = judging_run.study
                yield judging_run, run


def others_wait(config: JudgeConfig, now: datetime) -> bool:
    """Whether another judge has something to do and nobody asks it, or computes here."""
    to_compute = CriterionScore.objects.filter(
        judging_run__state=RunState.RUNNING, run__config=None, state=RowState.OPEN, asked_with=None,
        available_at__lte=now,
    )  # fmt: skip
    if not is_computing() and to_compute.exists():
        return True
    free = JudgeConfig.objects.filter(judge_free(now)).exclude(pk=config.pk)
    return any(
        rows_to_claim(judging_run.pk, run.pk, now).exists()
        for other in free
        for judging_run, run in runs_waiting(other)
    )
