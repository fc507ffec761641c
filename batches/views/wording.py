"""Words and signs for states, events and steps, as participants and the study team read them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from batches.models import Session, SessionEventKind
from batches.rules.deadlines import Lateness
from batches.rules.path import StepKind, StepState
from batches.rules.statuses import AnswerState, SessionStatus, counts
from presentation.numbers import numbered
from presentation.tables import Named
from studies.services.events import StudyEventKind

Words = str | Promise


@dataclass(frozen=True, slots=True)
class StateWords:
    """How a state is shown: never by colour or sign alone."""

    icon: str
    words: Promise


STATE_WORDS: Mapping[AnswerState, StateWords] = {
    AnswerState.DRAFT: StateWords("●", _("answered")),
    AnswerState.BLANK: StateWords("○", _("emptied")),
    AnswerState.SKIPPED: StateWords("◌", _("opened, empty")),
    AnswerState.NOT_REACHED: StateWords("·", _("not opened")),
    AnswerState.ANSWERED: StateWords("✓", _("handed in")),
    AnswerState.DRAFTED_AT_EXPIRY: StateWords("●", _("saved when the time ended")),
    AnswerState.WITHDRAWN: StateWords("–", _("withdrawn")),
}

OVERDUE_WORDS: Mapping[str, Promise] = {
    "saved_counts": _(
        "When the time ends, what is saved by then counts as your answers, whether or not you submitted."
    ),
    "submitted_only": _(
        "Only a question set that you submit before the time ends counts. What is merely saved does not."
    ),
}

ENDED_WORDS: Mapping[SessionStatus, Promise] = {
    SessionStatus.SUBMITTED: _("You have submitted your question set. Thank you."),
    SessionStatus.EXPIRED: _("Your time has ended. Thank you for your work."),
    SessionStatus.WITHDRAWN: _("You have withdrawn. Nothing from this session is used."),
}

VOIDED_WORDS = _(
    "The study team has ended this session, and nothing from it is used. Write to the team if you want to "
    "know why."
)


def ended_words(session: Session, status: SessionStatus) -> Words:
    """How the session ended, for its person."""
    return VOIDED_WORDS if session.voided_at is not None else ENDED_WORDS[status]


EVENT_WORDS: Mapping[str, Words] = {
    StudyEventKind.PARTICIPANT_ADDED: _("added to the study"),
    StudyEventKind.APPROVED: _("approved"),
    StudyEventKind.RESERVED: _("put on the reserve list"),
    StudyEventKind.REJECTED: _("rejected"),
    StudyEventKind.VERDICT_GIVEN: _("a reviewer gave a verdict"),
    StudyEventKind.REPLACED: _("their place was given to somebody else"),
    StudyEventKind.REMINDED: _("mailed a reminder that the study closes soon"),
    StudyEventKind.CONSENTED: _("agreed to the consent text"),
    StudyEventKind.DECLINED: _("declined the consent text"),
    StudyEventKind.WITHDREW: _("withdrew from the study"),
    StudyEventKind.INVITED: _("invited"),
    StudyEventKind.INVITATION_SENT: _("invitation sent"),
    StudyEventKind.INVITATION_REVOKED: _("invitation taken back"),
    StudyEventKind.INVITATION_ERASED: _("address and name of somebody invited erased"),
    StudyEventKind.INVITATION_ACCEPTED: _("accepted the invitation"),
    StudyEventKind.ENTERED_BY_LINK: _("came in by the entry link"),
    StudyEventKind.PROFILE_SUBMITTED: _("sent the profile form"),
    StudyEventKind.CREDENTIAL_UPLOADED: _("handed in a file"),
    StudyEventKind.CREDENTIAL_VIEWED: _("file looked at by the study team"),
    StudyEventKind.CHECK_PASSED: _("passed the comprehension check"),
    StudyEventKind.CHECK_FAILED: _("did not pass the comprehension check"),
    StudyEventKind.CHECK_ATTEMPT_GRANTED: _("given one more try at the comprehension check"),
    StudyEventKind.INSTRUCTIONS_SHOWN: _("shown the instructions of an arm on the start page"),
    StudyEventKind.EXTRA_TIME_GRANTED: _("given extra time for the start"),
    StudyEventKind.DATA_DOWNLOADED: _("downloaded their own data"),
    StudyEventKind.DATA_DELETED: _("data deleted"),
    StudyEventKind.MESSAGE_SENT: _("wrote to the study team"),
    StudyEventKind.MESSAGE_ANSWERED: _("got an answer from the study team"),
    SessionEventKind.STARTED: _("started the session"),
    SessionEventKind.RESOURCES_RECORDED: _("declared which resources were used"),
    SessionEventKind.SUBMITTED: _("submitted"),
    SessionEventKind.EXPIRED: _("session ended at its deadline"),
    SessionEventKind.WITHDRAWN: _("session ended by the withdrawal"),
    SessionEventKind.EXTENDED: _("session given extra time"),
    SessionEventKind.REOPENED: _("session reopened"),
    SessionEventKind.REVIVED: _("session revived: a wrong clock had ended it"),
    SessionEventKind.VOIDED: _("session voided by the study team"),
    SessionEventKind.LATE_SAVE_ACCEPTED: _("a text within the tolerance after the deadline was saved"),
    SessionEventKind.LATE_SAVE_REFUSED: _("a text after the end was refused and kept aside"),
    SessionEventKind.HISTORY_FULL: _("earlier versions of answers are no longer kept"),
    SessionEventKind.SAVES_FAILED: _("saves failed, as the page reported"),
    SessionEventKind.CONTACT_LOST: _("the open page was not heard for a while"),
    SessionEventKind.TWO_DEVICES: _("open on two devices at once"),
    SessionEventKind.CLOCK_OFF: _("the device's clock was off"),
    SessionEventKind.SEEN_OFFLINE: _("opened a question while offline, as their device told later"),
}

STATUS_WORDS: Mapping[SessionStatus, Words] = {
    SessionStatus.ACTIVE: _("running"),
    SessionStatus.SUBMITTED: _("submitted"),
    SessionStatus.EXPIRED: _("ended at the deadline without a submission"),
    SessionStatus.WITHDRAWN: _("withdrawn"),
}

DETAIL_WORDS: Mapping[str, Words] = {
    "reason": _("reason"),
    "closes_at": _("closes at"),
    "minutes": _("minutes"),
    "deadline_at": _("deadline"),
    "before": _("before"),
    "deadline_before": _("deadline before"),
    "deletes_at": _("data are deleted at"),
    "check_attempts": _("tries"),
    "minutes_before": _("minutes before"),
    "batch": _("question set"),
    "arm": _("arm"),
    "position": _("place"),
    "prompt": _("question"),
    "question": _("question"),
    "page": _("page"),
    "lateness": _("arrived"),
    "item_bank": _("item bank"),
    "models": _("models"),
    "version": _("version"),
    "added": _("new"),
    "replaced": _("replaced"),
    "bank": _("question bank"),
    "input_price": _("price of a million tokens read"),
    "output_price": _("price of a million tokens written"),
    "requests_per_minute": _("requests per minute"),
    "tokens_per_minute": _("tokens per minute"),
    "concurrency": _("calls at a time"),
    "timeout_seconds": _("seconds for a reply"),
    "number": _("number"),
    "action": _("action"),
    "given": _("given"),
    "taken": _("taken back"),
    "people": _("people"),
    "not_reached": _("not reached"),
    "failed_saves": _("failed saves"),
    "for_seconds": _("for seconds"),
    "saved_since": _("saved since"),
    "clock_off_seconds": _("clock ahead by seconds"),
    "protocol_hash": _("fingerprint of the protocol"),
    "plan_sha256": _("fingerprint of the plan"),
    "consent_sha256": _("fingerprint of the consent text"),
    "person": _("person"),
    "role": _("role"),
    "fields": _("settings"),
    "assembly": _("how sets are made"),
    "seed": _("seed"),
    "participants": _("people"),
    "message": _("message"),
    "rows": _("rows"),
    "run": _("run"),
    "purpose": _("purpose"),
    "reading": _("reading"),
    "undecided": _("undecided"),
    "verdict": _("verdict"),
    "resamples": _("resamples"),
    "budget": _("budget"),
    "results": _("results"),
    "rules_version": _("rules"),
    "batches": _("question sets"),
    "flagged": _("flagged"),
    "mail": _("mail"),
    "unscored": _("judge failed"),
    "leaves_open": _("left open"),
    "blocks": _("parts"),
    "judge": _("judge"),
    "base_url": _("address"),
    "key_variable": _("key variable"),
    "list": _("list"),
    "filter": _("filter"),
}

# What codes among the facts of events say, by the name of the fact.
_STATES: Mapping[str, Words] = {status.value: words for status, words in STATUS_WORDS.items()}
VALUE_WORDS: Mapping[str, Mapping[str, Words]] = {
    "before": _STATES,
    "lateness": {
        Lateness.ON_TIME: _("in time"),
        Lateness.WITHIN_TOLERANCE: _("within the tolerance after the deadline"),
        Lateness.LATE: _("too late"),
    },
}

REJECTED = _("The study team has decided that you cannot take part in this study. This is the reason:")
STUDY_CLOSED = _("The study is closed; nobody can start any more.")
WITHDRAWN = _("You have withdrawn from this study.")
DECLINED = _(
    "You declined, so you do not take part, and nothing more is asked of you. Thank you for considering it. "
    "While the study runs you can change your mind."
)

_NEXT, _WAITING, _DONE = StepState.NEXT, StepState.WAITING, StepState.DONE


class StepWords(NamedTuple):
    """How a step is shown; without a page there is nothing to open."""

    title: Words
    action: Words = ""
    page: str = ""
    open_in: Set[StepState] = frozenset()


# How each step is called, what to do there, its page, and in which states that can be opened.
STEPS: Mapping[StepKind, StepWords] = {
    StepKind.PROFILE: StepWords(
        _("Your profile"), _("Fill in the profile form"), "study_profile", {_NEXT, _DONE}
    ),
    StepKind.DECISION: StepWords(_("Decision of the study team")),
    StepKind.CONSENT: StepWords(
        _("Consent"), _("Read the consent text"), "study_consent", {_NEXT, _WAITING, _DONE}
    ),
    StepKind.INSTRUCTIONS: StepWords(
        _("Instructions"), _("Read the instructions"), "study_instructions", {_NEXT, _DONE}
    ),
    StepKind.PRACTICE: StepWords(
        _("Practice"), _("Practise in the workspace"), "study_practice", {StepState.OPTIONAL, _DONE}
    ),
    StepKind.CHECK: StepWords(
        _("Questions on the instructions"), _("Answer the questions"), "study_check", {_NEXT, _WAITING}
    ),
    StepKind.START: StepWords(_("Start"), _("Go to the start page"), "session_start", {_NEXT}),
    StepKind.SESSION: StepWords(_("Your session"), _("Continue"), "session_overview", {_NEXT}),
    StepKind.RECEIPT: StepWords(_("Receipt"), _("See your receipt"), "session_receipt", {_NEXT, _DONE}),
}
# Sign and word.
STEP_STATES: Mapping[StepState, tuple[str, Words]] = {
    StepState.DONE: ("✓", _("done")),
    StepState.NEXT: ("→", _("next")),
    StepState.WAITING: ("…", _("waiting")),
    StepState.LATER: ("·", _("later")),
    StepState.OPTIONAL: ("○", _("optional")),
    StepState.NOT_NEEDED: ("–", _("not needed")),
}
STEP_SENTENCES: Mapping[tuple[StepKind, StepState], Words] = {
    (StepKind.PROFILE, _NEXT): _("Please tell the study team about yourself; it decides on that basis."),
    (StepKind.DECISION, _WAITING): _(
        "Your participation is submitted and waits for the study team's decision. You need not do anything."
    ),
    (StepKind.CONSENT, _NEXT): _("Please read what the study records, and decide whether to take part."),
    (StepKind.CONSENT, _WAITING): _(
        "The study is still being prepared. You can decide once its texts are final."
    ),
    (StepKind.INSTRUCTIONS, _NEXT): _("Please read the instructions. No clock runs while you read."),
    (StepKind.CHECK, _NEXT): _("Please answer a few questions on the instructions. No clock runs meanwhile."),
    (StepKind.CHECK, _WAITING): _(
        "You have used all your tries at the questions on the instructions, so you cannot start for now. The "
        "study team sees this and may allow you another try."
    ),
    (StepKind.START, _NEXT): _(
        "Everything is ready. Nothing starts until you press the button on the start page."
    ),
    (StepKind.SESSION, _NEXT): _("Your clock is running."),
}


def state_at(state: AnswerState, status: SessionStatus) -> AnswerState:
    """The answer's state by the clock: past the deadline a draft was drafted at expiry, sweep or not."""
    if state == AnswerState.DRAFT and status == SessionStatus.EXPIRED:
        return AnswerState.DRAFTED_AT_EXPIRY
    return state


def state_counts(states: Iterable[AnswerState]) -> list[tuple[StateWords, int]]:
    """How many answers are in each state that occurs, in a fixed order."""
    counted = Counter(states)
    return [(words, counted[state]) for state, words in STATE_WORDS.items() if counted[state]]


def counted_words(states: Iterable[AnswerState], overdue_rule: str) -> str:
    """How many answers count, for somebody whose session is over."""
    number = sum(counts(state, overdue_rule) for state in states)
    if number == 0:
        return gettext("No answer of this session counts.")
    return numbered(
        ngettext("%(number)d answer counts.", "%(number)d answers count.", number), {"number": number}
    )


def duration_words(seconds: int) -> str:
    """Such as "4 hours 59 minutes", "59 minutes" or "40 seconds"; minutes are rounded down."""
    hours, minutes = divmod(seconds // 60, 60)
    parts = []
    if hours:
        parts.append(numbered(ngettext("%(number)d hour", "%(number)d hours", hours), {"number": hours}))
    if minutes:
        parts.append(
            numbered(ngettext("%(number)d minute", "%(number)d minutes", minutes), {"number": minutes})
        )
    if not parts:
        parts.append(
            numbered(ngettext("%(number)d second", "%(number)d seconds", seconds), {"number": seconds})
        )
    return " ".join(parts)


def event_words(kind: str) -> str:
    """The event in words; a kind without any is shown by its name."""
    return str(EVENT_WORDS.get(kind, kind.replace("_", " ")))


def detail_words(name: str) -> str:
    """What a fact of an event is called."""
    return str(DETAIL_WORDS.get(name, name.replace("_", " ")))


def value_words(name: str, value: object) -> object:
    """What the fact `name` of an event is, in words where it is a code that has some; else as it is."""
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    words = VALUE_WORDS.get(name, {}).get(str(value))
    return value if words is None else Named(str(words), str(value))
