"""Long work of screening."""

from django.utils.translation import gettext_lazy as _

from formats.wording import gettext_noop
from jobs.context import JobContext, JobResult
from jobs.registry import job_kind
from screening.services.screening import offtask_filter_start

FILTER = "offtask_filter"


@job_kind(FILTER, label=_("Off-task filter"))
def offtask_filter(job: JobContext) -> JobResult:
    """The rules look at everybody who has finished."""
    found = offtask_filter_start(study=job.study, actor=job.actor, now=job.clock(), progress=job.progress)
    return JobResult(
        gettext_noop("The rules looked at %(people)d people; %(waiting)d wait for a verdict."),
        {"people": found.participants, "waiting": found.undecided},
        url_name="staff_screening",
        args=(job.study.slug,),
        label=gettext_noop("Go to the screening"),
    )
