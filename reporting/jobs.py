"""Long work of reporting: the report as files to take away, and what a plan takes arrays for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.utils import translation
from django.utils.translation import gettext_lazy as _

from formats.wording import gettext_noop
from jobs.context import FINE, JobContext, JobResult, Part
from jobs.registry import job_kind
from psychometrics.planning.formulas import Plan
from psychometrics.planning.records import NESTED
from psychometrics.planning.tables import NO_REHEARSAL, Rehearsal
from reporting.forms.planner import PLAN
from scoring.jobs import be_current
from scoring.models import ExportContents
from scoring.services.export_files import file_make
from studies.models import ItemBank
from studies.roles import Can, SiteCan
from studies.services.database import snapshot

GATHERING = gettext_noop("Gathering the numbers")
DRAWING = gettext_noop("Drawing the pages")
REHEARSING = gettext_noop("Rehearsing studies with known abilities")


@job_kind("report", label=_("Write the report"), can=Can.EXPORT, page="staff_report")
def report(job: JobContext, *, language: str) -> JobResult:
    """Bring the results up to date, then the report as HTML and PDF in one file, in the language of whoever
    asked.
    """
    from reporting.report.html import document_html
    from reporting.report.pdf import document_pdf
    from reporting.views.report.parts import study_document

    be_current(job, until=600)
    gathering, drawing = Part(job, 600, 700, GATHERING), Part(job, 700, FINE, DRAWING)

    def fill(folder: Path) -> int:
        gathering(0, 1)
        with snapshot():
            document = study_document(job.study)
        folder.mkdir()
        drawing(0, 3)
        (folder / "report.html").write_bytes(document_html(document).encode("utf-8"))
        drawing(1, 3)
        (folder / "report.pdf").write_bytes(document_pdf(document))
        return 0

    with translation.override(language):
        file_make(
            study=job.study,
            contents=ExportContents.REPORT,
            actor=job.actor,
            now=job.clock(),
            fill=fill,
            packing=lambda _done, _of: drawing(2, 3),
        )
    return JobResult(
        gettext_noop("The report is ready."),
        url_name="staff_exports",
        args=[job.study.slug],
        label=gettext_noop("Go to the download"),
    )


@job_kind(
    PLAN, label=_("Linkage and rehearsal of a plan"), can=SiteCan.PLAN, once_per_study=False,
    page="staff_planner",
)  # fmt: skip
def plan(
    job: JobContext,
    *,
    method: int,  # what another method computed is another job's
    plan: Mapping[str, Any],
    design: str = NESTED,
    rehearsal: Mapping[str, Any] | None = None,
    item_bank: int | None = None,
) -> JobResult:
    """How the designs of a plan hang together and what a rehearsal recovers: `PlannerForm.to_simulate`."""
    from psychometrics.planning.computing import simulated  # arrays: for whoever runs it alone
    from studies.selectors.item_arrays import item_arrays

    simulation = simulated(
        Plan(**plan),
        design,
        Rehearsal(**rehearsal) if rehearsal else NO_REHEARSAL,
        item_arrays(ItemBank.objects.get(pk=item_bank)) if item_bank is not None else None,
        step=lambda done, of: job.progress(done, of, REHEARSING),
    )
    return JobResult(gettext_noop("It is computed."), found=simulation.as_json())
