"""The life of a study: draft, frozen, closed."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from formats.text_faults import storage_fault
from presentation.numbers import numbered
from studies.models import BankVersion, ItemBank, JudgeProtocol, Study, StudyStatus, User
from studies.protocol.fingerprint import design_hash, protocol_hash
from studies.protocol.settings import ProtocolSettings
from studies.roles import Role
from studies.services.banks import default_judge_protocol
from studies.services.events import StudyEventKind, event_record
from studies.services.mails.study_mails import mails_cancel
from studies.services.private_questions import require_may_ask
from studies.services.readiness import require_category_source, require_ready, require_window
from studies.services.refusals import Refused
from studies.services.slugs import require_slug
from studies.services.staff.roles import role_give

MAX_NAME_CHARACTERS = 200


class StudyExists(Refused):
    """The short name is taken."""


class NameInvalid(Refused):
    """The name participants see cannot be stored."""


class StudyNotDraft(Refused):
    """The protocol of a study that left draft changes only by amendment."""

    def __init__(self, study: Study) -> None:
        super().__init__(
            _('The study "%(study)s" is locked; change it by an amendment.') % {"study": study.slug}
        )


class StudyArchived(Refused):
    """It is only read until somebody brings it back."""

    def __init__(self) -> None:
        super().__init__(_("The study is archived, so nothing in it changes. Bring it back first."))


class StudyGone(Refused):
    """Somebody deleted it meanwhile."""

    def __init__(self) -> None:
        super().__init__(_("This study was deleted meanwhile."))


class StudyNotFrozen(Refused):
    """Only a frozen study can be amended or closed."""


def study_create(
    *,
    slug: str,
    name: str,
    bank_version: BankVersion,
    item_bank: ItemBank | None,
    judge_protocol: JudgeProtocol | None,
    settings: ProtocolSettings,
    now: datetime,
    opens_at: datetime | None = None,
    closes_at: datetime | None = None,
    actor: User | None = None,
    is_simulated: bool = False,
) -> Study:
    """A new study in draft, led by whoever makes it; without an actor only site administrators see it.

    Raises SlugInvalid, NameInvalid, StudyExists, BankIsPrivate or StudyNotReady (times).
    """
    require_slug(slug, of="a study")
    if len(name) > MAX_NAME_CHARACTERS:
        raise NameInvalid(
            numbered(
                _("The name is longer than %(most)d characters; shorten it."), {"most": MAX_NAME_CHARACTERS}
            )
        )
    if fault := storage_fault(name):
        raise NameInvalid(f"The name {fault}.")
    require_window(opens_at, closes_at, now)
    require_may_ask(actor, bank_version)
    try:
        with transaction.atomic():
            study = Study.objects.create(
                slug=slug,
                name=name.strip() or slug,
                bank_version=bank_version,
                item_bank=item_bank,
                judge_protocol=judge_protocol,
                settings=settings.model_dump(mode="json"),
                opens_at=opens_at,
                closes_at=closes_at,
                is_simulated=is_simulated,
                created_at=now,
            )
            event_record(study, StudyEventKind.CREATED, now, actor=actor)
            if actor is not None:
                role_give(study=study, user=actor, role=Role.LEAD, now=now, actor=actor)
    except IntegrityError:
        raise StudyExists(
            _('There is a study "%(study)s" already; choose another short name.') % {"study": slug}
        ) from None
    return study


@transaction.atomic
def study_update_settings(
    *, study: Study, settings: ProtocolSettings, now: datetime, actor: User | None = None
) -> Study:
    """Replace the settings of a draft. Raises StudyNotDraft."""
    study = study_lock(study)
    if study.status != StudyStatus.DRAFT:
        raise StudyNotDraft(study)
    study.settings = settings.model_dump(mode="json")
    study.save(update_fields=["settings"])
    event_record(study, StudyEventKind.SETTINGS_CHANGED, now, actor=actor)
    return study


@transaction.atomic
def study_freeze(*, study: Study, now: datetime, actor: User | None = None) -> Study:
    """Fix the protocol under its hash. Raises StudyNotDraft or StudyNotReady with every reason."""
    study = study_lock(study)
    if study.status != StudyStatus.DRAFT:
        raise StudyNotDraft(study)
    settings = study.protocol
    require_ready(study, settings)
    require_category_source(study)
    require_window(study.opens_at, study.closes_at, now)
    protocol_fix(study, settings, now, keep_design=False)
    study.status = StudyStatus.FROZEN
    study.frozen_at = now
    # From here on models enter only by the study's lead, whoever imports results of them.
    study.models_version = study.item_bank.models_version if study.item_bank else None
    fields = ["judge_protocol", "design_hash", "protocol_hash", "status", "frozen_at", "models_version"]
    study.save(update_fields=fields)
    event_record(study, StudyEventKind.FROZEN, now, actor=actor, protocol_hash=study.protocol_hash)
    return study


@transaction.atomic
def study_close(*, study: Study, now: datetime, actor: User | None = None, reason: str = "") -> Study:
    """Let nobody start any more; running sessions keep their deadlines. Raises StudyNotFrozen."""
    study = study_lock(study)
    if study.status != StudyStatus.FROZEN:
        raise StudyNotFrozen(
            _('The study "%(study)s" is not locked, or closed already; only a locked one can be closed.')
            % {"study": study.slug}
        )
    study.status = StudyStatus.CLOSED
    study.save(update_fields=["status"])
    mails_cancel(study.events.filter(kind=StudyEventKind.REMINDED), now)
    event_record(study, StudyEventKind.CLOSED, now, actor=actor, reason=reason.strip())
    return study


def require_not_archived(study: Study | None) -> None:
    """Raise StudyArchived where nothing may change or begin. Asked by every page and command of a study, and
    where long work begins; without a study there is nothing to ask.
    """
    if study is not None and study.archived_at is not None:
        raise StudyArchived


def study_lock(study: Study) -> Study:
    """The study's row as it is now, locked until the transaction ends. Raises StudyGone.

    It is weak enough that rows which refer to the study can be added meanwhile, as an event is by whoever
    holds a person of it: each would wait for the other.
    """
    locked = Study.objects.select_for_update(no_key=True).filter(pk=study.pk).first()
    if locked is None:
        raise StudyGone
    return locked


def protocol_fix(study: Study, settings: ProtocolSettings, now: datetime, *, keep_design: bool) -> None:
    """Give the row the hashes of its protocol, under these settings; `keep_design` leaves the design's.

    A language-model judge without texts of its own uses the default ones from here on. The design's hash is
    of the settings with the bank, item parameters and judge texts, the protocol's of that and the times.
    """
    if settings.judge_kind == "llm" and study.judge_protocol is None:
        study.judge_protocol = default_judge_protocol(now=now)
    if not keep_design:
        study.design_hash = design_hash(
            settings,
            bank_digest=study.bank_version.digest,
            item_bank_digest=study.item_bank.digest if study.item_bank else None,
            judge_protocol_hash=study.judge_protocol.sha256 if study.judge_protocol else None,
        )
    study.protocol_hash = protocol_hash(
        study.design_hash, opens_at=study.opens_at, closes_at=study.closes_at, settings=settings
    )
