"""Imports of uploaded files, as work in the background."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from console.services.staging import upload_forget
from formats.problems import FEW, one_line
from formats.wording import gettext_noop
from jobs.context import FINE, JobCancelled, JobContext, JobResult, Part
from jobs.registry import job_kind
from scoring.readers.model_results.records import ModelResults
from scoring.selectors.leaderboards import studies_keeping
from scoring.services.leaderboards import LeaderboardImport
from studies.models import ItemBank
from studies.roles import SiteCan
from studies.selectors.roles import studies_of_staff
from studies.services.refusals import Refused

READING = gettext_noop("Reading and checking the file")
STORING = gettext_noop("Storing what was read")
KEEPING = gettext_noop(
    "These studies are locked and keep the results of models that they have: %(studies)s. A lead takes the "
    "new ones over on their page Item parameters."
)
READ = 300  # thousandths of the work on a file


def forget(*, token: str, **_arguments: Any) -> None:
    """An upload goes once its import has ended: until then another worker may begin it again."""
    upload_forget(token)


@job_kind(
    "read_bank", label=_("Reading of a question bank"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    page="staff_bank_upload", all_or_nothing=True, of_file=True,
)  # fmt: skip
def read_bank(job: JobContext, *, token: str, **chosen: Any) -> JobResult:
    """Arguments as of `bank_contents_keep`. The upload stays, to be imported from the page it ends with."""
    from console.services.bank_files import bank_contents_keep

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
        leads=True,
    )


@job_kind(
    "import_bank", label=_("Import of a question bank"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    tidy=forget, page="staff_bank_upload", all_or_nothing=True, of_file=True,
)  # fmt: skip
def import_bank(job: JobContext, **arguments: Any) -> JobResult:
    """Arguments as of `bank_file_import`."""
    from console.services.bank_files import bank_file_import

    stored = bank_file_import(
        **arguments, actor=job.actor, clock=job.clock, reading=Part(job, 0, READ, READING),
        storing=Part(job, READ, FINE, STORING),
    )  # fmt: skip
    facts = {
        "bank": str(stored.version), "stored": stored.version.number_of_prompts, "left": len(stored.problems)
    }  # fmt: skip
    imported = gettext_noop(
        "%(bank)s is imported. Questions stored: %(stored)d. Problems, left out: %(left)d."
    )
    return JobResult(
        imported if stored.created else gettext_noop("%(bank)s holds exactly this content already."),
        facts,
        "staff_bank",
        [stored.version.bank.slug, stored.version.number],
        gettext_noop("Look at the bank"),
    )


@job_kind(
    "import_items", label=_("Import of item parameters"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    tidy=forget, page="staff_item_banks", all_or_nothing=True, of_file=True,
)  # fmt: skip
def import_items(job: JobContext, **arguments: Any) -> JobResult:
    """Arguments as of `item_bank_file_import`."""
    from console.services.bank_files import item_bank_file_import

    item_bank, created = item_bank_file_import(**arguments, actor=job.actor, now=job.clock())
    facts = {"bank": item_bank.slug, "items": item_bank.items.count()}
    stored = gettext_noop("The item bank %(bank)s is stored; items: %(items)d.")
    return JobResult(
        stored if created else gettext_noop("It was there already and keeps its short name, %(bank)s."),
        facts,
        "staff_item_banks",
        [],
        gettext_noop("All item banks"),
    )


@job_kind(
    "calibrate", label=_("Calibration of an item bank"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    tidy=forget, page="staff_calibrate", all_or_nothing=True, of_file=True,
)  # fmt: skip
def calibrate(job: JobContext, **arguments: Any) -> JobResult:
    """Arguments as of `calibrated_import`."""
    from console.services.bank_files import calibrated_import

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
    tidy=forget, page="staff_models_upload", all_or_nothing=True, of_file=True,
)  # fmt: skip
def import_models(job: JobContext, *, item_bank: int, **arguments: Any) -> JobResult:
    """Arguments as of `model_file_import`; the item bank by its key."""
    from console.services.bank_files import model_file_import

    bank = ItemBank.objects.get(pk=item_bank)
    done, results = model_file_import(
        **arguments, item_bank=bank, actor=job.actor, clock=job.clock, reading=Part(job, 0, READ, READING),
        storing=Part(job, READ, FINE, STORING),
    )  # fmt: skip
    more = list(_told_of_models(done, results))
    own = studies_of_staff(job.actor) if job.actor else None
    if studies := studies_keeping(bank, among=own):
        more.append((KEEPING, {"studies": ", ".join(studies)}))
    facts = {
        "new": len(done.created), "replaced": len(done.replaced), "same": len(done.unchanged),
        "read": len(results.responses), "stored": done.scores,
    }  # fmt: skip
    return JobResult(
        gettext_noop(
            "Models imported: %(new)d new, %(replaced)d replaced, %(same)d unchanged. Scores read: %(read)d, "
            "stored: %(stored)d."
        ),
        facts,
        "staff_models",
        [],
        gettext_noop("All models"),
        more,
    )


def _told_of_models(done: LeaderboardImport, results: ModelResults) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is missing, what the reader of the file noticed, and what was left out."""
    for why, number in results.missing.items():
        yield gettext_noop("Missing, because %(why)s: %(number)d"), {"why": why, "number": number}
    for notice in results.notices[:FEW]:
        yield one_line(notice), {}
    if (rest := len(results.notices) - FEW) > 0:
        yield gettext_noop("… and %(number)d more"), {"number": rest}
    if done.unknown_prompts:
        sentence = gettext_noop(
            "Not in the item bank, and left out: questions: %(questions)d; responses to them: %(responses)d."
        )
        facts = {"questions": len(done.unknown_prompts), "responses": done.unknown_responses}
        yield sentence, facts


@job_kind(
    "import_table", label=_("Import of a table of tasks"), can=SiteCan.MAKE_STUDIES, once_per_study=False,
    tidy=forget, page="staff_models_table", all_or_nothing=True, of_file=True,
)  # fmt: skip
def import_table(job: JobContext, **arguments: Any) -> JobResult:
    """Arguments as of `table_file_import`."""
    from console.services.bank_files import table_file_import

    item_bank, _created = table_file_import(**arguments, actor=job.actor, now=job.clock())
    return JobResult(
        gettext_noop("The table is stored as item bank %(bank)s."),
        {"bank": item_bank.slug},
        "staff_models",
        [],
        gettext_noop("All models"),
    )
