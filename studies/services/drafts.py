"""Setting up a study step by step: each step saves its own part, and never over somebody else's changes."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from formats.canonical import canonical_sha256
from formats.text_faults import storage_fault
from presentation.numbers import numbered
from studies.models import BankVersion, ItemBank, JudgeProtocol, Study, StudyStatus, User
from studies.protocol.settings import read_settings
from studies.services.events import StudyEventKind, event_record
from studies.services.private_questions import require_may_ask
from studies.services.readiness import require_window
from studies.services.refusals import Refused
from studies.services.studies import (
    MAX_NAME_CHARACTERS,
    NameInvalid,
    StudyNotDraft,
    study_lock,
    study_update_settings,
)

# What of a study's row a draft may still change, besides its settings.
ROW = ("name", "bank_version", "item_bank", "judge_protocol", "opens_at", "closes_at")
RowValue = str | datetime | BankVersion | ItemBank | JudgeProtocol | None


class DraftChanged(Refused):
    """Somebody saved the same part of the draft since it was opened; nothing was saved now."""

    def __init__(self, by: str) -> None:
        who = by or "Somebody on the command line"
        super().__init__(
            f"{who} saved this step after you opened it. Yours was not saved yet, and nothing is lost: "
            "compare the two and save again to keep what you wrote."
        )


def draft_part(study: Study, names: Iterable[str]) -> dict[str, object]:
    """What is stored of these settings and columns of the study's row, as plain values."""
    settings = study.protocol.model_dump(mode="json")
    part: dict[str, object] = {}
    for name in names:
        if name not in ROW:
            part[name] = settings[name]
            continue
        value = getattr(study, name)
        if isinstance(value, datetime):
            value = value.isoformat()
        elif value is not None and not isinstance(value, str):
            value = str(getattr(value, "pk", value))
        part[name] = value
    return part


def draft_sha256(study: Study, names: Iterable[str]) -> str:
    """What a part of the draft is recognised by; a page hands it back with what was written."""
    return canonical_sha256(draft_part(study, names))


@transaction.atomic
def draft_save(
    *,
    study: Study,
    step: str,
    settings: Mapping[str, object],
    row: Mapping[str, RowValue],
    seen: str,
    now: datetime,
    actor: User | None = None,
) -> Study:
    """Save one step of a draft: some settings and some columns of its row; the rest stays as it is.

    `seen` is the `draft_sha256` of these names when the step was opened.

    Raises:
        StudyNotDraft: the study is locked.
        DraftChanged: somebody else saved these very values meanwhile.
        ProtocolRefused, NameInvalid, BankIsPrivate, StudyNotReady: a value cannot be used.
    """
    study = study_lock(study)
    if study.status != StudyStatus.DRAFT:
        raise StudyNotDraft(study)
    names = [*settings, *row]
    if seen != draft_sha256(study, names):
        last = study.events.filter(kind=StudyEventKind.SETTINGS_CHANGED).select_related("actor").last()
        raise DraftChanged(last.actor.email if last and last.actor else "")
    # Which bank's categories hold was answered for two banks: with another of them it is asked once more.
    others = any(getattr(study, name) != row[name] for name in ("bank_version", "item_bank") if name in row)
    answered = study.protocol.category_source
    if others and answered is not None and settings.get("category_source", answered) == answered:
        settings = {**settings, "category_source": None}
    names = [*settings, *row]
    before = draft_part(study, names)
    study.settings = read_settings({**study.all_settings, **settings}).model_dump(mode="json")
    version = row.get("bank_version")
    if isinstance(version, BankVersion) and version != study.bank_version:
        require_may_ask(actor, version)
    for name, value in row.items():
        setattr(study, name, value)
    _require_usable(study, row, now)
    study.save(update_fields=["settings", *row])
    after = draft_part(study, names)
    fields = sorted(name for name in names if before[name] != after[name])
    event_record(study, StudyEventKind.SETTINGS_CHANGED, now, actor=actor, step=step, fields=fields)
    return study


@transaction.atomic
def draft_take_over(
    *, study: Study, settings: Mapping[str, object], now: datetime, actor: User | None = None
) -> Study:
    """Replace these settings of a draft; the others stay as they are at this moment, whoever saved them last.

    Raises ProtocolRefused, StudyNotDraft.
    """
    study = study_lock(study)
    merged = read_settings({**study.all_settings, **settings})
    return study_update_settings(study=study, settings=merged, now=now, actor=actor)


def _require_usable(study: Study, row: Mapping[str, RowValue], now: datetime) -> None:
    if "name" in row:
        if not study.name.strip() or len(study.name) > MAX_NAME_CHARACTERS:
            raise NameInvalid(
                numbered(_("Write a name of 1 to %(most)d characters."), {"most": MAX_NAME_CHARACTERS})
            )
        if fault := storage_fault(study.name):
            raise NameInvalid(f"The name {fault}.")
    if "closes_at" in row:
        require_window(study.opens_at, study.closes_at, now)
