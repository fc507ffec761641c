"""Deleting what nothing rests on: drafts and simulated studies, and banks, judges and texts nobody uses.

One walk over the database's own relations finds every row that would be left behind, so that a table that
comes later is deleted, too.
"""

import logging
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import SET_NULL, Model, ProtectedError, Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from batches.models import Answer
from jobs.services.lists import list_folders
from judging.models import JudgeConfig, JudgingRun
from judging.services.running.deciding import runs_lock
from operations.services.archiving import something_runs
from scoring.models import ModelConfiguration, ResultSet
from scoring.services.export_deleting import exports_folder
from studies.models import (
    Attachment,
    Bank,
    BankVersion,
    Credential,
    Invitation,
    ItemBank,
    JudgeProtocol,
    OutgoingMail,
    Participant,
    Prompt,
    Study,
    StudyStatus,
    User,
)
from studies.roles import Can, SiteCan
from studies.selectors.roles import site_rights, study_rights
from studies.services.attachment_files import deleted_attachments_delete
from studies.services.banks import bank_remove_if_empty
from studies.services.database import slices
from studies.services.events import SiteEventKind, site_event_record
from studies.services.refusals import Refused

KEYS_A_QUERY = 500
Deletable = Study | BankVersion | ItemBank | JudgeProtocol | JudgeConfig
KINDS: dict[type[Model], SiteEventKind] = {
    Study: SiteEventKind.STUDY_DELETED,
    BankVersion: SiteEventKind.BANK_DELETED,
    ItemBank: SiteEventKind.ITEM_BANK_DELETED,
    JudgeProtocol: SiteEventKind.JUDGE_TEXTS_DELETED,
    JudgeConfig: SiteEventKind.JUDGE_DELETED,
}
COUNTED: dict[type[Model], str | Promise] = {
    Participant: gettext_lazy("People"),
    Invitation: gettext_lazy("Invitations"),
    Answer: gettext_lazy("Answers"),
    ResultSet: gettext_lazy("Results"),
    Prompt: gettext_lazy("Questions"),
    ModelConfiguration: gettext_lazy("Models"),
}

logger = logging.getLogger(__name__)


class NotDeleted(Refused):
    """Something rests on it, it was not confirmed, or it is somebody else's; nothing was deleted."""


class Gone(Refused):
    """There is nothing to delete any more."""


def has_people(row: Deletable) -> bool:
    """Whether somebody was asked into it, or took part: then its name is typed before it goes."""
    return isinstance(row, Study) and (row.participants.exists() or row.invitations.exists())


def studies_resting_on(row: Deletable) -> list[Study]:
    """The studies for which it is kept; of a study none."""
    uses = {
        BankVersion: Q(bank_version=row.pk) | Q(batch_plan__bank_version=row.pk),
        ItemBank: Q(item_bank=row.pk) | Q(batch_plan__item_bank=row.pk),
        JudgeProtocol: Q(judge_protocol=row.pk),
        # A plan names its judge by short name: whoever took the name later would be sent the answers.
        JudgeConfig: Q(scoring_runs__config=row.pk) | Q(settings__planned_judge=getattr(row, "slug", None)),
    }
    return list(Study.objects.filter(uses[type(row)]).distinct()) if type(row) in uses else []


def may_delete(user: User, row: Deletable) -> bool:
    """A study its leads; what studies share whoever uploaded or made it and still may make some. Those who
    run the site all of it.
    """
    if isinstance(row, Study):
        return Can.SET_UP in study_rights(user, row)
    rights = site_rights(user)
    if SiteCan.RUN_SITE in rights:
        return True
    if isinstance(row, JudgeConfig):
        first = row.history.order_by("pk").first()
        maker = first and first.actor_id
    else:
        maker = row.imported_by_id
    return SiteCan.MAKE_STUDIES in rights and maker == user.pk


def require_deletable(row: Deletable, *, actor: User) -> None:
    """Raise NotDeleted with the reason where it has to stay, or `actor` may not delete it."""
    if not may_delete(actor, row):
        raise NotDeleted(_("Only who uploaded or made it may delete it, or whoever runs this site."))
    if not isinstance(row, Study):
        if studies_resting_on(row):
            raise NotDeleted(
                _("Studies rest on it, so it stays. Delete them first, where they may be deleted.")
            )
        return
    if row.status != StudyStatus.DRAFT and not row.is_simulated:
        raise NotDeleted(
            _("People were promised a record of a locked study, so it stays. Close it, then archive it.")
        )
    if something_runs(row):
        raise NotDeleted(_("Something runs in this study. Wait until it has ended, or cancel it."))


def what_goes(row: Deletable) -> list[tuple[str, int]]:
    """What is deleted with it, counted, for whoever decides."""
    keys = _rows_below(row)
    return [(str(label), len(keys[model])) for model, label in COUNTED.items() if keys.get(model)]


def site_row_delete(*, row: Deletable, typed: str, actor: User, now: datetime) -> None:
    """Delete it with everything that is of it alone, for good; the history of the site keeps that it was.

    `typed` is its name where people are in it. Raises NotDeleted, or Gone where somebody else was faster.
    """
    try:
        with transaction.atomic():
            if isinstance(row, Study):
                # First, as whoever accepts one or goes on judging takes them: each would wait for the other.
                list(row.invitations.select_for_update().order_by("pk").values("pk"))
                runs_lock(set(JudgingRun.everything.filter(study=row).values_list("pk", flat=True)))
            locked = type(row)._base_manager.select_for_update().filter(pk=row.pk).first()
            if locked is None:
                raise Gone(_("It was deleted already, by somebody else or in another tab."))
            _delete(locked, typed, actor, now)
    except IntegrityError:  # the database looks at the end
        raise NotDeleted(
            _("Something came to rest on it meanwhile, so nothing was deleted. Look at it again.")
        ) from None


def _delete(row: Deletable, typed: str, actor: User, now: datetime) -> None:
    require_deletable(row, actor=actor)
    if has_people(row) and isinstance(row, Study) and typed.strip() != row.name.strip():
        raise NotDeleted(_("Write the name of the study as it stands above; nothing was deleted."))
    keys = _rows_below(row)
    numbers = {str(model._meta.verbose_name_plural): len(below) for model, below in keys.items()}
    participants = keys.get(Participant, ())
    accounts = set(User.objects.filter(participations__pk__in=participants).values_list("pk", flat=True))
    if isinstance(row, Study):
        credentials = Credential.objects.filter(pk__in=keys.get(Credential, ()))
        files = [credential.file for credential in credentials]
        folders = [exports_folder(row), *list_folders(row)]
        OutgoingMail.objects.filter(record__study=row).delete()
        transaction.on_commit(lambda: _files_delete(files, folders))
    elif isinstance(row, BankVersion):
        attached = set(Attachment.objects.filter(prompt__version=row).values_list("file", flat=True))
        transaction.on_commit(lambda: _attachments_delete(attached, now))
        # Locked: two versions that go at once would each leave the empty bank to the other.
        Bank.objects.select_for_update().get(pk=row.bank_id)
    about = f"{row.name} ({row.slug})" if isinstance(row, Study) else str(row)
    site_event_record(KINDS[type(row)], now, about=about, actor=actor, rows=numbers)
    for model, below in keys.items():
        _rows_delete(model, below)
    if isinstance(row, BankVersion):
        bank_remove_if_empty(row.bank_id)
    # Accounts of people who are in nothing any more.
    for user in User.objects.filter(pk__in=list(accounts), is_staff=False, participations=None):
        try:
            with transaction.atomic():
                user.delete()
        except ProtectedError:
            logger.info("an account stays, as something points at it", extra={"person": user.pk})


def _rows_below(row: Model) -> dict[type[Model], set[Any]]:
    """The keys of every row that points at this one, or at one of them, by its table."""
    below: dict[type[Model], set[Any]] = {type(row): {row.pk}}
    left: list[tuple[type[Model], set[Any]]] = [(type(row), {row.pk})]
    while left:
        model, keys = left.pop()
        for relation in model._meta.related_objects:
            if relation.many_to_many or relation.on_delete is SET_NULL:
                continue
            table: Any = relation.related_model
            new: set[Any] = set()
            for some in slices(keys, KEYS_A_QUERY):
                rows = table._base_manager.filter(**{f"{relation.field.name}__in": some})
                new.update(rows.values_list("pk", flat=True))
            new -= below.setdefault(table, set())
            if new:
                below[table] |= new
                left.append((table, new))
    return {model: keys for model, keys in below.items() if keys}


def _rows_delete(model: type[Model], keys: Iterable[Any]) -> None:
    """Delete these rows alone: what points at them goes, too, and the database looks at the end."""
    for some in slices(keys, KEYS_A_QUERY):
        for relation in model._meta.related_objects:
            if relation.on_delete is SET_NULL:
                other: Any = relation.related_model
                name = relation.field.name
                other._base_manager.filter(**{f"{name}__in": some}).update(**{name: None})
        rows: Any = model._base_manager.filter(pk__in=some)
        rows._raw_delete(rows.db)


def _files_delete(files: Iterable[Any], folders: Iterable[Path]) -> None:
    """Files know no transactions: they go once the rows are gone. What stays goes with the hourly sweep."""
    try:
        for file in files:
            file.delete(save=False)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        logger.exception("could not delete a file of a study that was deleted")


def _attachments_delete(names: Iterable[str], now: datetime) -> None:
    try:
        deleted_attachments_delete(names=names, before=now)
    except OSError:
        logger.exception("could not delete a file of a bank that was deleted")
