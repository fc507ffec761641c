"""Asking for an audit sample, which a worker draws."""

from datetime import datetime

from django.utils.translation import get_language, gettext as _

from jobs.models import Job
from jobs.services.starting import job_start
from judging.models import JudgingRun
from studies.models import User
from studies.services.refusals import Refused

DRAWING = "draw_audit"  # the kind of job


class DrawRefused(Refused):
    """No sample was drawn."""


def require_over(run: JudgingRun) -> None:
    """Raise DrawRefused while verdicts of the run may still change."""
    if run.is_open:
        raise DrawRefused(_("The run goes on, and its verdicts with it; draw a sample when it is over."))


def audit_draw_start(
    *, run: JudgingRun, size: int, seed: int | None, public_only: bool, actor: User, now: datetime
) -> Job:
    """Ask for a sample as `audit_draw_once` draws it. Raises DrawRefused, and what `job_start` raises."""
    require_over(run)
    wish = {"run": run.pk, "size": size, "seed": seed, "public_only": public_only}
    return job_start(
        kind=DRAWING, study=run.study, actor=actor, now=now,
        arguments=wish | {"language": get_language() or "en"},
    )  # fmt: skip
