"""A process that starts a judging run and is killed (SIGKILL) after some slices: its arguments."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime


def start_killed(environment: dict[str, str], study: str, *, after: int, now: datetime) -> None:
    """Start a run of the study with the site's judges, one row a slice; it ends after so many."""
    command = [sys.executable, "-m", "tests.support.killed_start", study, str(after), now.isoformat()]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def main(slug: str, after: str, now: str) -> None:
    import django

    django.setup()
    from judging.models import JudgeConfig
    from judging.services.running import run_rows
    from judging.services.running.judge_specs import study_judge_specs
    from judging.services.running.runs import run_plan, run_start
    from studies.models import Study
    from studies.services.database import one_of_many_writes

    left = iter(range(int(after)))

    @contextmanager
    def last_ones() -> Iterator[None]:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        with one_of_many_writes():
            yield

    vars(run_rows).update(ROWS_A_SLICE=1, one_of_many_writes=last_ones)
    study, moment = Study.objects.get(slug=slug), datetime.fromisoformat(now)
    specs = study_judge_specs(study=study, configs=list(JudgeConfig.objects.all()))
    plan = run_plan(study=study, specs=specs, now=moment, progress=lambda done, total: None)
    run_start(plan=plan, budget=None, actor=None, now=moment)


if __name__ == "__main__":
    main(*sys.argv[1:])
