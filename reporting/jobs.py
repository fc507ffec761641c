"""Long work of reporting: the report as files to take away."""

from pathlib import Path

from django.utils import translation
from django.utils.translation import gettext_lazy as _

from formats.wording import gettext_noop
from jobs.context import FINE, JobContext, JobResult, Part
from jobs.registry import job_kind
from scoring.jobs import be_current
from scoring.models import ExportContents
from scoring.services.export_files import file_make
from studies.roles import Can
from studies.services.database import snapshot

GATHERING = gettext_noop("Gathering the numbers")
DRAWING = gettext_noop("Drawing the pages")


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
