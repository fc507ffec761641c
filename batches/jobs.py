"""Long work on batches: cutting a bank into them, and the report on how alike they are."""

from django.utils import translation
from django.utils.translation import gettext_lazy as _

from batches.models import BatchPlan
from formats.wording import gettext_noop
from jobs.context import JobContext, JobResult
from jobs.registry import job_kind
from studies.roles import Can

BUILDING, REPORTING = "build_sets", "report_sets"
LOOK = gettext_noop("Look at the question sets")


@job_kind(BUILDING, label=_("Build the question sets"), can=Can.SET_UP, page="staff_questions_sets")
def build_sets(job: JobContext, *, language: str) -> JobResult:
    """Cut the bank as the settings say; refusals are in the language of whoever asked."""
    from batches.services.plans import batches_build  # arrays: for whoever runs it alone

    with translation.override(language):
        plan = batches_build(study=job.study, now=job.clock(), actor=job.actor)
    return JobResult(
        gettext_noop("Question sets that are built: %(number)d."),
        {"number": len(plan.report["sizes"])},
        "staff_questions_sets",
        [job.study.slug],
        LOOK,
    )


@job_kind(
    REPORTING, label=_("Report on the public questions of the sets"), can=Can.SEE_PROTOCOL,
    page="staff_questions_sets", in_archive=True,
)  # fmt: skip
def report_sets(job: JobContext) -> JobResult:
    """For sets that were built by a version that kept no report on their public questions."""
    from batches.services.plans import plan_report_again

    plan_report_again(BatchPlan.objects.get(study=job.study))
    return JobResult(gettext_noop("The report is there."), {}, "staff_questions_sets", [job.study.slug], LOOK)
