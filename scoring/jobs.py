"""Long work on scores: results brought up to date, and files to take away."""

from django.utils import translation
from django.utils.translation import gettext as _, gettext_lazy

from formats.wording import gettext_noop
from jobs.context import FINE, JobContext, JobResult, Part
from jobs.models import Job
from jobs.registry import job_kind
from judging.models import JudgingRun
from judging.services.audit_asking import DRAWING
from psychometrics.inference.measure import Block
from scoring.models import ExportContents
from scoring.selectors.audit_results import AUDITS
from scoring.selectors.runs import rests_on_an_earlier_protocol
from studies.roles import Can
from studies.selectors.roles import study_rights
from studies.selectors.studies import software

COMPUTING = gettext_noop("Computing what is missing or older than the answers")
MEASURING = gettext_noop("Measuring the results")
WRITING = gettext_noop("Writing the tables")
PACKING = gettext_noop("Packing them into one file")


def bring_up(job: JobContext, *, until: int) -> bool:
    """Bring the study's results up to date, as this part of the job; whether anything was to be done."""
    from psychometrics.measures.computing import MEASURED
    from scoring.coordinator import results_recompute

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


def be_current(job: JobContext, *, until: int) -> None:
    """Bring the results up before they are taken away. To recompute takes a right of its own: whoever lacks
    it is told whom to ask where they are not up to date. What people say beside the judges takes none.
    """
    from scoring.services.audits import audits_compute
    from scoring.services.exports import ResultsOutOfDate
    from scoring.services.freshness import out_of_date

    audits_compute(study=job.study, now=job.clock())
    if job.actor is None or Can.JUDGE in study_rights(job.actor, job.study):
        bring_up(job, until=until)
    elif out_of_date(job.study).beside_audits:
        raise ResultsOutOfDate(
            _("Results are missing or older than the answers. Ask a lead of the study to recompute them.")
        )


RESULTS = "results"


@job_kind(RESULTS, label=gettext_lazy("Bring the results up to date"), can=Can.JUDGE, page="staff_results")
def results(job: JobContext) -> JobResult:
    """Compute what is missing, or older than answers, scores and decisions as they are now."""
    changed = bring_up(job, until=FINE)
    if not changed and rests_on_an_earlier_protocol(job.study):
        return JobResult(
            gettext_noop(
                "Nothing was computed: the answers were judged before the protocol was amended. Judge them "
                "again; verdicts that the amendment does not touch are not asked for again."
            ),
            url_name="staff_judging",
            args=[job.study.slug],
            label=gettext_noop("Go to judging"),
        )
    return JobResult(
        gettext_noop("The results are up to date.")
        if changed
        else gettext_noop("The results were up to date already; nothing was changed."),
        url_name="staff_results",
        args=[job.study.slug],
        label=gettext_noop("See the results"),
    )


@job_kind("export", label=gettext_lazy("Make an export"), can=Can.EXPORT, page="staff_exports")
def export(job: JobContext, *, contents: str) -> JobResult:
    """Bring the results up to date, write the tables for the audience, pack them."""
    from scoring.services.exports import tables_file_make

    be_current(job, until=500)
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
        gettext_noop(
            "The export is ready; rows: %(rows)d. Its results are those of before the protocol was amended: "
            "judge the answers again, then export again."
        )
        if rests_on_an_earlier_protocol(job.study)
        else gettext_noop("The export is ready; rows: %(rows)d."),
        {"rows": file.rows},
        url_name="staff_exports",
        args=[job.study.slug],
        label=gettext_noop("Go to the download"),
    )


@job_kind(
    AUDITS,
    label=gettext_lazy("Compare the judges with people"),
    can=Can.REVIEW,
    page="staff_audits",
    in_archive=True,
)
def audits(job: JobContext) -> JobResult:
    """Compute what people say beside the judges from the ratings of every sample as they are now."""
    from scoring.services.audits import audits_compute

    audits_compute(study=job.study, now=job.clock())
    return JobResult(
        gettext_noop("The audits are up to date."),
        {},
        "staff_audits",
        [job.study.slug],
        gettext_noop("All samples"),
    )


@job_kind(DRAWING, label=gettext_lazy("Draw an audit sample"), can=Can.JUDGE, page="staff_audits")
def draw_audit(
    job: JobContext, *, run: int, size: int, seed: int | None, public_only: bool, language: str
) -> JobResult:
    """Draw verdicts for people to judge again; refusals are in the language of whoever asked."""
    from judging.services.audits import audit_draw_once
    from scoring.services.audits import audits_compute

    assert job.actor is not None, "samples are drawn by somebody"  # noqa: S101  # for the type
    assert job.number is not None, "and asked for by a row"  # noqa: S101
    with translation.override(language):
        sample = audit_draw_once(
            run=JudgingRun.objects.select_related("study").get(pk=run, study=job.study),
            size=size, seed=seed, public_only=public_only, actor=job.actor,
            asked_at=Job.objects.values_list("created_at", flat=True).get(pk=job.number), now=job.clock(),
        )  # fmt: skip
    audits_compute(study=job.study, now=job.clock())
    return JobResult(
        gettext_noop("Sample %(sample)d is drawn; verdicts in it: %(size)d."),
        {"sample": sample.pk, "size": sample.items.count()},
        "staff_audit_sample",
        [job.study.slug, sample.judging_run_id, sample.pk],
        gettext_noop("Go to the sample"),
    )
