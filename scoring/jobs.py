"""Long work on scores: results brought up to date, and files to take away."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from formats.wording import gettext_noop
from jobs.context import JobContext, JobResult
from jobs.registry import job_kind
from psychometrics.inference.measure import Block
from psychometrics.measures.registry import MEASURED
from scoring.coordinator import results_recompute
from scoring.models import ExportContents
from scoring.services.export_files import tables_file_make
from studies.roles import Can
from studies.selectors.studies import software

COMPUTING = gettext_noop("Computing what is missing or older than the answers")
MEASURING = gettext_noop("Measuring the results")
WRITING = gettext_noop("Writing the tables")
PACKING = gettext_noop("Packing them into one file")
FINE = 1000  # a job's parts in thousandths


@dataclass
class Part:
    """A part of a job's progress, from one thousandth of it to another."""

    job: JobContext
    start: int
    end: int
    phase: str

    def __call__(self, done: float, of: float) -> None:
        share = min(1.0, done / of) if of else 0.0
        self.job.progress(round(self.start + share * (self.end - self.start)), FINE, self.phase)


def bring_up(job: JobContext, *, until: int) -> bool:
    """Bring the study's results up to date, as this part of the job; whether anything was to be done."""
    computing, measuring = (Part(job, 0, until, phase) for phase in (COMPUTING, MEASURING))
    begun = [0, 1]

    def step(done: int, of: int) -> None:
        begun[:] = [done, of]
        computing(done, of)

    def said(block: Block, done: int, of: int) -> None:
        within = (MEASURED.index(block) + (done / of if of else 0)) / len(MEASURED)
        measuring(begun[0] + within, begun[1])

    computing(0, 1)
    return bool(
        results_recompute(study=job.study, actor=job.actor, clock=job.clock, measuring=said, step=step)
    )


RESULTS = "results"


@job_kind(RESULTS, label=_("Bring the results up to date"), can=Can.JUDGE, page="staff_results")
def results(job: JobContext) -> JobResult:
    """Compute what is missing, or older than answers, scores and decisions as they are now."""
    changed = bring_up(job, until=FINE)
    return JobResult(
        gettext_noop("The results are up to date.")
        if changed
        else gettext_noop("The results were up to date already; nothing was changed."),
        url_name="staff_results",
        args=[job.study.slug],
        label=gettext_noop("See the results"),
    )


@job_kind("export", label=_("Make an export"), can=Can.EXPORT, page="staff_exports")
def export(job: JobContext, *, contents: str) -> JobResult:
    """Bring the results up to date, write the tables for the audience, pack them."""
    bring_up(job, until=500)
    file = tables_file_make(
        study=job.study,
        contents=ExportContents(contents),
        actor=job.actor,
        software=software(),
        now=job.clock(),
        writing=Part(job, 500, 900, WRITING),
        packing=Part(job, 900, FINE, PACKING),
    )
    return JobResult(
        gettext_noop("The export is ready: %(rows)d rows."),
        {"rows": file.rows},
        url_name="staff_exports",
        args=[job.study.slug],
        label=gettext_noop("Go to the download"),
    )
