"""manage.py recount_sums: look whether what is kept of sessions and runs is right, and mend what is not."""

import uuid
from typing import Any

from django.utils import timezone

from batches.services.clock import ending_moment
from batches.services.sums import counted_from, session_uncount, sessions_count, sessions_differing
from judging.models import JudgingRun
from judging.services.running.counting import run_count, run_differs
from presentation.numbers import quantity
from studies.clock import Ending
from studies.management.operators import OperatorCommand


class Command(OperatorCommand):
    help = (
        "Recount what is kept of sessions and judging runs that are over, all of it, mend what is wrong and "
        "count what is not counted yet. The site may run meanwhile."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        now = ending_moment(Ending.SESSIONS)
        for some in counted_from(uuid.UUID(int=0)):
            for session in sessions_differing(some):
                session_uncount(session)
                self.stdout.write(f"wrong: {session.participant.study.slug} {session.participant.code}")
        for run in JudgingRun.objects.filter(counts__isnull=False):
            if run_differs(run, timezone.now()):
                JudgingRun.objects.filter(pk=run.pk).update(counts=None)
                self.stdout.write(f"wrong: {run}")
        sessions = sum(iter(lambda: sessions_count(now=now, at_most=1_000), 0))
        runs = sum(1 for _run in iter(lambda: run_count(now=now), None))
        counted = f"{quantity(sessions, 'session', 'sessions')} and {quantity(runs, 'run', 'runs')}"
        self.stdout.write(f"{counted} counted.")
