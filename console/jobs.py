"""Imports that take long, as work in the background."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from console.services.bank_files import (
    bank_contents_keep,
    bank_file_import,
    calibrated_import,
    item_bank_file_import,
    model_file_import,
)
from console.services.staging import upload_forget
from formats.wording import gettext_noop
from jobs.context import FINE, JobCancelled, JobContext, JobResult, Part
from jobs.registry import job_kind
from studies.models import ItemBank
from studies.roles import SiteCan
from studies.services.refusals import Refused

READING = gettext_noop("Reading and checking the file")
STORING = gettext_noop("Storing what was read")
READ = 300  # thousandths of the work on a file


def forget(*, token: str, **_arguments: Any) -> None:
    """An upload goes once its import has ended: until then another worker may begin it again."""
    upload_forget(token)


@job_kind(
    "read_bank", label=_("Reading of a question bank"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    page="staff_bank_upload", all_or_nothing=True,
)  # fmt: skip
def read_bank(job: JobContext, *, token: str, **chosen: Any) -> JobResult:
    """Arguments as of `bank_contents_keep`. The upload stays, to be imported from the page it ends with."""
    try:
        contents = bank_contents_keep(token=token, **chosen, progress=Part(job, 0, FINE, READING))
    except (Refused, JobCancelled):
        upload_forget(token)
        raise
    return JobResult(
        gettext_noop(
            "Questions that can be used: %(questions)d; problems: %(problems)d. Nothing is stored yet."
        ),
        {"questions": contents.prompts, "problems": contents.problems_number},
        "staff_bank_read",
        [token],
        gettext_noop("Look at what was read, and import it"),
    )


@job_kind(
    "import_bank", label=_("Import of a question bank"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    tidy=forget, page="staff_bank_upload", all_or_nothing=True,
)  # fmt: skip
def import_bank(job: JobContext, **arguments: Any) -> JobResult:
    """Arguments as of `bank_file_import`."""
    found = bank_file_import(
        **arguments, actor=job.actor, clock=job.clock, reading=Part(job, 0, READ, READING),
        storing=Part(job, READ, FINE, STORING),
    )  # fmt: skip
    return JobResult(
        gettext_noop("%(bank)s is there; left out because of problems: %(problems)d."),
        {"bank": str(found.version), "problems": len(found.problems)},
        "staff_bank",
        [found.version.bank.slug, found.version.number],
        gettext_noop("Look at the bank"),
    )


@job_kind(
    "import_items", label=_("Import of item parameters"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    tidy=forget, page="staff_item_banks", all_or_nothing=True,
)  # fmt: skip
def import_items(job: JobContext, **arguments: Any) -> JobResult:
    """Arguments as of `item_bank_file_import`."""
    item_bank, _created = item_bank_file_import(**arguments, actor=job.actor, now=job.clock())
    facts = {"bank": item_bank.slug, "items": item_bank.items.count()}
    return JobResult(
        gettext_noop("The item bank %(bank)s is stored; items: %(items)d."),
        facts,
        "staff_item_banks",
        [],
        gettext_noop("All item banks"),
    )


@job_kind(
    "calibrate", label=_("Calibration of an item bank"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    tidy=forget, page="staff_calibrate", all_or_nothing=True,
)  # fmt: skip
def calibrate(job: JobContext, **arguments: Any) -> JobResult:
    """Arguments as of `calibrated_import`."""
    item_bank, fit = calibrated_import(
        **arguments, actor=job.actor, now=job.clock(),
        progress=lambda what, done, of: job.progress(done, of, what),
    )  # fmt: skip
    facts = {"bank": item_bank.slug, "items": len(fit.fit.b), "models": len(fit.fit.theta)}
    return JobResult(
        gettext_noop(
            "The item bank %(bank)s is stored; items: %(items)d; models it is calibrated on: %(models)d."
        ),
        facts,
        "staff_item_banks",
        [],
        gettext_noop("All item banks"),
    )


@job_kind(
    "import_models", label=_("Import of models' results"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    tidy=forget, page="staff_models_upload", all_or_nothing=True,
)  # fmt: skip
def import_models(job: JobContext, *, item_bank: int, **arguments: Any) -> JobResult:
    """Arguments as of `model_file_import`; the item bank by its key."""
    bank = ItemBank.objects.get(pk=item_bank)
    done, results = model_file_import(
        **arguments, item_bank=bank, actor=job.actor, clock=job.clock, reading=Part(job, 0, READ, READING),
        storing=Part(job, READ, FINE, STORING),
    )  # fmt: skip
    facts = {
        "rows": done.read, "new": len(done.created), "replaced": len(done.replaced),
        "same": len(done.unchanged), "missing": sum(results.missing.values()),
        "questions": len(done.unknown_prompts), "responses": done.unknown_responses,
        "notices": "".join(f" {notice}." for notice in results.notices),
    }  # fmt: skip
    return JobResult(
        gettext_noop(
            "Rows read: %(rows)d. Models imported: %(new)d new, %(replaced)d replaced, %(same)d "
            "unchanged. Scores that are missing: %(missing)d. Questions that the item bank has not, left "
            "out: %(questions)d; responses to them: %(responses)d.%(notices)s"
        ),
        facts,
        "staff_models",
        [],
        gettext_noop("All models"),
    )
