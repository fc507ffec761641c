"""Long work of screening: the off-task filter."""

from django.utils.translation import gettext_lazy as _

from formats.wording import gettext_noop
from jobs.context import JobContext, JobResult
from jobs.registry import job_kind
from studies.roles import Can

SCREENING = "screening"
LOOKING = gettext_noop("Looking at answers that ended")


@job_kind(SCREENING, label=_("Off-task filter"), can=Can.JUDGE, page="staff_screening")
def screening(job: JobContext) -> JobResult:
    """Run the off-task rules over every ended session. They flag; people decide."""
    from screening.services.screening import offtask_filter_run

    summary = offtask_filter_run(
        study=job.study,
        actor=job.actor,
        now=job.clock(),
        progress=lambda done, of: job.progress(done, of, LOOKING),
    )
    return JobResult(
        gettext_noop("People looked at: %(people)d. Waiting for a decision: %(waiting)d."),
        {"people": summary.participants, "waiting": summary.undecided},
        url_name="staff_screening",
        args=[job.study.slug],
        label=gettext_noop("Go to screening"),
    )
