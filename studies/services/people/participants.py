"""People in a study: adding them and deciding who may take part."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from formats.sentences import shortened
from formats.text_faults import invisible_fault, is_blank
from presentation.problems import problem_in_words
from studies.models import MailKind, Participant, Study, StudyEvent, StudyStatus, User, VettingStatus
from studies.roles import Can
from studies.selectors.participants import withdrew
from studies.services.database import one_of_many_writes, rows_insert, slices
from studies.services.events import StudyEventKind, has_withdrawn, participant_event
from studies.services.mails.study_mails import mails_cancel, participant_mail_queue
from studies.services.people.decisions import DECIDED_ALREADY, DECISIONS, DecidedMeanwhile, VettingRefused
from studies.services.people.vetting_mails import decision_mail
from studies.services.refusals import Refused
from studies.services.staff.roles import require_right
from studies.services.studies import study_lock

# No characters that are mistaken for each other when read aloud or written by hand.
CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_CHARACTERS = 6
EMAIL_CHARACTERS = 254
EMAILS_PER_QUERY = 500
# Each with its mail takes some tens of milliseconds.
DECISIONS_A_SLICE = 10


class EmailInvalid(Refused):
    """The text is no e-mail address."""


class ProfileUnknown(Refused):
    """The study does not recruit this profile."""


class AlreadyTakesPart(Refused):
    """The person is in the study."""


class OfTheTeam(Refused):
    """The person looks after this very study."""


class StudyClosed(Refused):
    """The study takes nobody in any more."""


class StudySimulated(Refused):
    """Only simulated people take part in the study."""


class PeopleUnknown(Refused):
    """Some of the names belong to nobody in the study."""


@dataclass(frozen=True)
class NewPerson:
    """Someone to add to a study. `invited`: the profile form is still to come."""

    email: str
    profile: str
    approved: bool = False
    is_test: bool = False
    invited: bool = False


def participant_add(
    *, study: Study, email: str, profile: str, now: datetime, is_test: bool = False, actor: User | None = None
) -> Participant:
    """Add one person, waiting for a decision; makes an account where the address has none.

    Raises StudyClosed, EmailInvalid, ProfileUnknown, AlreadyTakesPart or OfTheTeam.
    """
    person = NewPerson(email=email, profile=profile, is_test=is_test)
    return participants_add(study=study, people=[person], now=now, actor=actor)[0]


def participants_add(
    *, study: Study, people: Sequence[NewPerson], now: datetime, actor: User | None = None
) -> list[Participant]:
    """Add several people, or none of them. Raises as `participant_add` for the first that cannot be added.

    The accounts of new addresses come first, in slices: alone they are of nobody in the study.
    """
    people = [replace(person, email=normal_email(person.email)) for person in people]
    _require_addable(Study.objects.get(pk=study.pk), people)
    accounts = _accounts([person.email for person in people])
    with one_of_many_writes():
        study = study_lock(study)
        _require_addable(study, people)
        codes = set(study.participants.values_list("code", flat=True))
        added = Participant.objects.bulk_create(
            Participant(
                study=study,
                user_id=accounts[person.email],
                code=_new_code(codes),
                profile=person.profile,
                vetting_status=(
                    VettingStatus.APPROVED
                    if person.approved
                    else VettingStatus.INVITED
                    if person.invited
                    else VettingStatus.SUBMITTED
                ),
                is_test=person.is_test,
                submitted_at=now,
            )
            for person in people
        )
        events = []  # each was added, and whoever may take part at once approved
        for participant in added:
            own = {"study": participant.study, "participant": participant, "actor": actor, "happened_at": now}
            events.append(StudyEvent(**own, kind=StudyEventKind.PARTICIPANT_ADDED, details={}))
            if participant.approved:
                details = {"before": VettingStatus.SUBMITTED.value, "reason": "", "mail": None}
                events.append(StudyEvent(**own, kind=StudyEventKind.APPROVED, details=details))
        rows_insert(StudyEvent, events)()
    return added


def require_real(study: Study) -> None:
    """Raise StudySimulated where nobody is invited or let in: what people are told first may be missing."""
    if study.is_simulated:
        raise StudySimulated(_("This study is a rehearsal: only simulated people take part in it."))


def _require_addable(study: Study, people: Sequence[NewPerson]) -> None:
    """Raise StudyClosed, ProfileUnknown, AlreadyTakesPart or OfTheTeam."""
    if study.status == StudyStatus.CLOSED:
        raise StudyClosed(_('The study "%(study)s" is closed; nobody can be added.') % {"study": study.slug})
    profiles = {profile.slug for profile in study.protocol.profiles}
    present = set(people_present(study, [person.email for person in people]))
    team = set(study.roles.values_list("user__email", flat=True))
    for person in people:
        if person.profile not in profiles:
            require_profile(study, person.profile)
        if person.email in present:
            raise AlreadyTakesPart(
                _('%(email)s is in the study "%(study)s" already.')
                % {"email": person.email, "study": study.slug}
            )
        if person.email in team and not person.is_test:
            require_outside_team(study, person.email)
        present.add(person.email)


def people_present(study: Study, emails: Sequence[str]) -> dict[str, str]:
    """The profile of those of these addresses that are in the study."""
    present: dict[str, str] = {}
    for some in slices(emails, EMAILS_PER_QUERY):
        known = study.participants.filter(user__email__in=some)
        present |= dict(known.values_list("user__email", "profile"))
    return present


def _accounts(emails: Sequence[str]) -> dict[str, int]:
    """The accounts of these addresses; makes those that are missing."""
    accounts: dict[str, int] = {}
    for some in slices(emails, EMAILS_PER_QUERY):
        accounts |= _known_accounts(some)
        if missing := dict.fromkeys(email for email in some if email not in accounts):
            made = [User(email=email, password=make_password(None)) for email in missing]
            with one_of_many_writes():
                # Somebody may make the same account at this moment.
                User.objects.bulk_create(made, ignore_conflicts=True)
            accounts |= _known_accounts(some)
    return accounts


def _known_accounts(emails: Sequence[str]) -> dict[str, int]:
    return dict(User.objects.filter(email__in=emails).values_list("email", "pk"))


def normal_email(text: str) -> str:
    """The address as it is stored. Raises EmailInvalid."""
    email = text.strip().lower()
    if fault := invisible_fault(email):
        raise EmailInvalid(
            _('"%(address)s" is no e-mail address: it %(fault)s.')
            % {"address": "".join(filter(str.isprintable, email)), "fault": problem_in_words(fault)}
        )
    try:
        validate_email(email)
        MaxLengthValidator(EMAIL_CHARACTERS)(email)
        # What mail calls the domain; without that name no mail can be written to it.
        email.rpartition("@")[2].encode("idna")
    except (ValidationError, UnicodeError):
        raise EmailInvalid(
            _('"%(address)s" is no e-mail address; correct it.') % {"address": shortened(text.strip())}
        ) from None
    return email


def asks_before_decision(study: Study, profile: str) -> bool:
    """Whether people of this profile have a form to send before the study team decides."""
    protocol = study.protocol
    return bool(protocol.questions_for(profile)) or protocol.credential_file == "required"


def require_profile(study: Study, profile: str) -> None:
    """Raise ProfileUnknown unless the study recruits the profile."""
    slugs = [known.slug for known in study.protocol.profiles]
    if profile not in slugs:
        raise ProfileUnknown(
            _('"%(profile)s" is no profile of this study; use one of %(profiles)s.')
            % {"profile": profile, "profiles": ", ".join(slugs)}
        )


def require_outside_team(study: Study, email: str) -> None:
    """Raise OfTheTeam for whoever has a part in looking after the study: nobody decides about themselves.

    Call it for all but test people: as one of them the team tries its own study out. The sentence names
    nobody: whoever has an invitation's link may be anybody.
    """
    if study.roles.filter(user__email=email).exists():
        raise OfTheTeam(_("Whoever looks after this study cannot take part in it, except as a test person."))


def _new_code(codes: set[str]) -> str:
    """A pseudonym not in `codes`, which gains it. Drawn from the system, not from a study's seed: a seed
    that is published with the protocol must not let anyone recompute who is who.
    """
    while True:
        code = "P-" + "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_CHARACTERS))
        if code not in codes:
            codes.add(code)
            return code


def participant_lock(participant: Participant) -> Participant:
    """The person's row as it is now, with the study, locked until the transaction ends.

    Whatever changes a person takes it, so no two changes of one person run beside each other. It is weak
    enough that rows which refer to the person can be added meanwhile.
    """
    locked = Participant.objects.select_for_update(of=("self",), no_key=True).select_related("study")
    return locked.get(pk=participant.pk)


@transaction.atomic
def participant_approve(
    *,
    participant: Participant,
    now: datetime,
    actor: User | None = None,
    reason: str = "",
    site_url: str | None = None,
    seen: str | None = None,
) -> Participant:
    """Let the person take part, whether or not there is a place for them (see `batches.services.recruiting`).

    They are mailed the decision, with a link to `site_url` unless that is blank; None: they are not. `seen`
    is the vetting status that whoever decides had in front of them (None: none was shown). Raises
    VettingRefused where they may already or withdrew, DecidedMeanwhile where the status has changed since,
    StudyClosed where nobody can start any more.
    """
    return _decide(participant, VettingStatus.APPROVED, reason.strip(), now, actor, site_url, seen)


@transaction.atomic
def participant_reserve(
    *,
    participant: Participant,
    now: datetime,
    actor: User | None = None,
    reason: str = "",
    site_url: str | None = None,
    seen: str | None = None,
) -> Participant:
    """Put the person on the reserve list: wanted, and without a place. As `participant_approve` otherwise."""
    return _decide(participant, VettingStatus.RESERVE, reason.strip(), now, actor, site_url, seen)


@transaction.atomic
def participant_reject(
    *,
    participant: Participant,
    reason: str,
    now: datetime,
    actor: User | None = None,
    site_url: str | None = None,
    seen: str | None = None,
) -> Participant:
    """Keep the person from starting, for a reason. Raises VettingRefused without one, if done already,
    after a withdrawal, or where they have started.

    They are mailed the decision, and `seen` is checked, as `participant_approve` says.
    """
    if is_blank(reason):
        raise VettingRefused(_("A rejection needs a reason; write why this person may not take part."))
    return _decide(participant, VettingStatus.REJECTED, reason.strip(), now, actor, site_url, seen)


def has_started(participant: Participant) -> bool:
    """Whether there is a session, which no decision on letting the person in changes any more."""
    return hasattr(participant, "session")


def may_let_in(participant: Participant) -> bool:
    """Whether an approval means anything: a closed study has none for people who have not started."""
    return participant.study.status != StudyStatus.CLOSED or has_started(participant)


def _require_decidable(participant: Participant, status: VettingStatus, seen: str | None = None) -> None:
    """Raise VettingRefused, DecidedMeanwhile or StudyClosed."""
    if has_withdrawn(participant):
        raise VettingRefused(
            _("%(code)s withdrew from the study; there is nothing to decide any more.")
            % {"code": participant.code}
        )
    if participant.vetting_status == status:
        raise VettingRefused(DECIDED_ALREADY[status] % {"code": participant.code})
    if seen is not None and seen != participant.vetting_status:
        raise DecidedMeanwhile(participant)
    if status != VettingStatus.APPROVED and has_started(participant):
        raise VettingRefused(
            _("%(code)s has started: what they did stays. Void the session, or withdraw them.")
            % {"code": participant.code}
        )
    if status != VettingStatus.REJECTED and not may_let_in(participant):
        raise StudyClosed(_("This study is closed: nobody can start any more, so nobody is let in."))


def _decide(
    participant: Participant,
    status: VettingStatus,
    reason: str,
    now: datetime,
    actor: User | None,
    site_url: str | None,
    seen: str | None,
) -> Participant:
    participant = participant_lock(participant)
    require_right(actor, participant.study, Can.DECIDE_PEOPLE)
    _require_decidable(participant, status, seen)
    before = participant.vetting_status
    participant.vetting_status = status
    participant.vetting_reason = reason
    participant.save(update_fields=["vetting_status", "vetting_reason"])
    kind, decision = DECISIONS[status]
    mails_cancel(participant.events.all(), now)
    mail = None
    if site_url is not None:
        message = decision_mail(participant, decision=decision, reason=reason, site_url=site_url, now=now)
        mail = participant_mail_queue(participant, message, now, kind=MailKind.DECISION)
    participant_event(
        participant, kind, now, actor=actor, before=before, reason=reason, mail=mail.pk if mail else None
    )
    return participant


def participants_vet(
    *,
    study: Study,
    approve: bool,
    names: list[str] | None,
    now: datetime,
    reason: str = "",
    actor: User | None = None,
    site_url: str | None = None,
    approve_with: Callable[..., Participant] = participant_approve,
) -> list[Participant]:
    """Approve or reject the people with these codes or addresses; None means everyone who waits.

    `approve_with` is the service that approves one person.

    Each is mailed the decision as `participant_approve` says. Raises PeopleUnknown, or VettingRefused for the
    first decision that cannot be made: then none of the people who were named is decided on. Everyone who
    waits is decided on in slices; asked again, it goes on with those who still wait.
    """
    if names is None:
        waiting = study.participants.filter(~withdrew(), vetting_status=VettingStatus.SUBMITTED)
        chosen = list(waiting.order_by("submitted_at", "code"))
    else:
        chosen = _named(study, names)
    decide = approve_with if approve else participant_reject
    for participant in chosen:
        _require_decidable(participant, VettingStatus.APPROVED if approve else VettingStatus.REJECTED)
    size = DECISIONS_A_SLICE if names is None else max(len(chosen), 1)
    decided: list[Participant] = []
    for some in slices(chosen, size):
        with one_of_many_writes():
            decided += [
                decide(participant=participant, now=now, actor=actor, reason=reason, site_url=site_url)
                for participant in some
            ]
    return decided


def _named(study: Study, names: list[str]) -> list[Participant]:
    people: dict[int, Participant] = {}  # one person may have been named by code and by address
    unknown = []
    for name in dict.fromkeys(names):
        by_name = Q(code=name.strip().upper()) | Q(user__email=name.strip().lower())
        if (person := study.participants.filter(by_name).first()) is None:
            unknown.append(name)
        else:
            people[person.pk] = person
    if unknown:
        raise PeopleUnknown(f'Nobody in the study "{study.slug}" is known as {", ".join(unknown)}.')
    return list(people.values())
