"""Judges that ask no model: any number of processes work on the rows of a run, each on rows of its own."""

import threading
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from uuid import uuid4

from django.db import InterfaceError, OperationalError

from judging.models import JudgingRun, PauseReason, ScoringRun
from judging.services.judge_keys import JudgeNotConfigured
from judging.services.running.claim import CallReader, LostTooOften, rows_claim
from judging.services.running.judge_specs import planned_judge
from judging.services.running.outages import retry_on_db_outage
from judging.services.running.runs import error_in_words, run_pause
from judging.services.running.store import verdicts_store


def local_work(
    *,
    judging_run: JudgingRun,
    run: ScoringRun,
    seconds: float,
    stopping: threading.Event,
    clock: Callable[[], datetime],
    on_progress: Callable[[int], None] = lambda calls: None,
) -> bool:
    """Compute verdicts for about `seconds`, or until nothing can be claimed or `stopping` is set.

    False where there was nothing to do.
    """
    until, computed = time.monotonic() + seconds, False
    try:
        judge = planned_judge(run)
        reader = CallReader(judging_run, run, judge)
        while time.monotonic() < until and not stopping.is_set():
            claim, now = uuid4(), clock()
            limit = judge.calls_at_once
            calls = retry_on_db_outage(partial(rows_claim, reader, limit=limit, claim=claim, now=now))
            if not calls:
                break
            verdicts = {call.leader: judge.verdict(call.task, *call.positions) for call in calls}
            planned_judge(run)  # what a program said that was exchanged meanwhile is not stored
            store = partial(verdicts_store, verdicts, judging_run=judging_run, claim=claim, now=clock())
            retry_on_db_outage(store)
            computed = True
            on_progress(len(calls))
    except JudgeNotConfigured as error:
        run_pause(run=judging_run, reason=PauseReason.UNUSABLE, detail=str(error), now=clock())
    except LostTooOften as error:
        run_pause(run=judging_run, reason=PauseReason.ERROR, detail=str(error), now=clock())
    except (OperationalError, InterfaceError):
        raise  # the database is away for longer than we wait for it
    except Exception as error:
        run_pause(run=judging_run, reason=PauseReason.ERROR, detail=error_in_words(error), now=clock())
        raise
    return computed
