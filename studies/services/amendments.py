"""Recorded changes to a frozen study.

An amendment counts from the moment it is made: a stored deadline of a running session does not move, and a
decision on an earlier consent text no longer admits anyone to a start.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from studies.models import Amendment, Study, StudyStatus, User
from studies.protocol.fingerprint import BESIDE_DESIGN, aware_time
from studies.protocol.settings import ProtocolRefused, ProtocolSettings, read_settings
from studies.selectors.studies import made_after_results
from studies.services.events import StudyEventKind, event_record
from studies.services.mails.study_mails import mails_cancel
from studies.services.readiness import require_ready, require_window
from studies.services.refusals import Refused
from studies.services.studies import StudyNotFrozen, protocol_fix, study_lock

TIMES = ("opens_at", "closes_at")
# The batches may be built already; a record that contradicts them would be worse than a new study.
FIXED = ("batch_size", "assembly", "category_source", "assembly_seed", "arms")
# Where every place has its arm or its own batch, no place can come or go either.
FIXED_PLACES = ("profiles", "replicates_per_profile")


class AmendmentRefused(Refused):
    """The amendment cannot be made; one sentence per reason."""


class AmendedSince(Refused):
    """The study was amended since whoever asks looked at it."""


@transaction.atomic
def study_amend(
    *,
    study: Study,
    changes: Mapping[str, object],
    reason: str,
    now: datetime,
    actor: User | None = None,
    seen: str | None = None,
) -> Amendment:
    """Apply `changes` and record them with their reason.

    Keys are settings, `opens_at` and `closes_at` (ISO times with an offset, or None for no limit). Every
    amendment gives the protocol another hash; one of the times alone leaves the design's, and so all scores.
    `seen` is the protocol's hash that whoever asks knew of. Raises StudyNotFrozen, AmendmentRefused,
    AmendedSince or StudyNotReady; nothing is changed then.
    """
    study = study_lock(study)
    _require_amendable(study, changes, reason)
    if seen is not None and seen != study.protocol_hash:
        raise AmendedSince("Somebody amended the study in the meantime; look at it again before you do.")
    settings, difference = _apply(study, changes)
    if not difference:
        raise AmendmentRefused(_("The study has all of these values already; there is nothing to amend."))
    require_ready(study, settings)
    if not difference.keys().isdisjoint(TIMES):
        require_window(study.opens_at, study.closes_at, now)
    hash_before = study.protocol_hash
    protocol_fix(study, settings, now, keep_design=difference.keys() <= {*TIMES, *BESIDE_DESIGN})
    study.save(update_fields=["settings", *TIMES, "judge_protocol", "design_hash", "protocol_hash"])
    if "closes_at" in difference:
        mails_cancel(study.events.filter(kind=StudyEventKind.REMINDED), now)
    return _record(study, hash_before, difference, reason.strip(), actor, now)


def _record(
    study: Study,
    hash_before: str,
    difference: Mapping[str, Any],
    reason: str,
    actor: User | None,
    now: datetime,
) -> Amendment:
    """Store the amendment of the locked study, with its event."""
    amendment = Amendment.objects.create(
        study=study,
        number=study.amendments.count() + 1,
        changes=difference,
        reason=reason,
        protocol_hash_before=hash_before,
        protocol_hash=study.protocol_hash,
        made_by=actor,
        made_at=now,
    )
    facts: dict[str, Any] = {"number": amendment.number, "fields": sorted(difference), "reason": reason}
    if made_after_results(study, [amendment]):
        facts["after_results"] = True
    event_record(study, StudyEventKind.AMENDED, now, actor=actor, **facts)
    return amendment


def _require_amendable(study: Study, changes: Mapping[str, object], reason: str) -> None:
    if study.status != StudyStatus.FROZEN:
        sentence = (
            _('The study "%(study)s" is not locked yet: change it in its set-up (update_study).')
            if study.status == StudyStatus.DRAFT
            else _('The study "%(study)s" is closed; it stays as it is.')
        )
        raise StudyNotFrozen(sentence % {"study": study.slug})
    if not reason.strip():
        raise AmendmentRefused(_("An amendment needs a reason; write why it is made."))
    names = FIXED + FIXED_PLACES if study.protocol.has_fixed_places else FIXED
    fixed = [name for name in names if name in changes and changes[name] != study.settings.get(name)]
    if fixed:
        raise AmendmentRefused(
            _("%(names)s: the question sets of a locked study do not change; make a new study instead.")
            % {"names": ", ".join(fixed)}
        )


def _apply(
    study: Study, changes: Mapping[str, object]
) -> tuple[ProtocolSettings, dict[str, dict[str, object]]]:
    """Put the changes into the row, unsaved: the new settings, and what differs from before."""
    values = {name: value for name, value in changes.items() if name not in TIMES}
    try:
        settings = read_settings({**study.all_settings, **values})
    except ProtocolRefused as error:
        raise AmendmentRefused(str(error)) from None
    # With the defaults of settings that there were not yet when it was locked: to fill them in is no change.
    study.settings = study.protocol.model_dump(mode="json")
    before = _current(study)
    study.settings = settings.model_dump(mode="json")
    for field in TIMES:
        if field in changes:
            value = changes[field]
            time = aware_time(value) if isinstance(value, str) else None
            if time is None and value is not None:
                raise AmendmentRefused(
                    f"{field}: write a time with its offset, such as 2030-05-01T18:00:00+02:00, or null for "
                    "none."
                )
            setattr(study, field, time)
    difference = {
        name: {"from": before.get(name), "to": value}
        for name, value in _current(study).items()
        if before.get(name) != value
    }
    return settings, difference


def _current(study: Study) -> dict[str, object]:
    """Every setting, of those that a release of before did not store the default, and the times."""
    times = {field: value.isoformat() if (value := getattr(study, field)) else None for field in TIMES}
    return {**study.protocol.model_dump(mode="json"), **times}
