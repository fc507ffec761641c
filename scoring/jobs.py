"""Long work of scoring."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from formats.wording import gettext_noop
from jobs.context import JobContext, JobResult
from jobs.registry import job_kind
from psychometrics.inference.measure import Block
from psychometrics.measures.registry import BLOCKS
from scoring.coordinator import results_recompute

RECOMPUTE = "recompute"


@job_kind(RECOMPUTE, label=_("Recompute the results"))
def recompute(job: JobContext) -> JobResult:
    """Results, agreement of the judges and measurements, where they are older than what they rest on."""
    order: Sequence[Block] = list(BLOCKS)

    def measuring(block: Block, done: int, of: int) -> None:
        share = done / of if of else 0.0
        job.progress(round(100 * (order.index(block) + share)), 100 * len(order))

    found = results_recompute(study=job.study, actor=job.actor, clock=job.clock, measuring=measuring)
    sentence = (
        gettext_noop("The results are current again.")
        if found
        else gettext_noop("The results were current; nothing had to be computed.")
    )
    return JobResult(
        sentence, url_name="staff_results", args=(job.study.slug,), label=gettext_noop("Go to the results")
    )
