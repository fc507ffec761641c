"""How the list of people calls a state, and what it says of a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.timesince import timesince
from django.utils.translation import gettext as _, gettext_lazy

from console.selectors.people import PersonState
from console.selectors.people_facts import RowFacts
from presentation.moments import day_text
from presentation.numbers import numbered
from presentation.tables import Named
from studies.selectors.invitations import InvitationState

TABS: Mapping[PersonState, Promise] = {
    PersonState.INVITED: gettext_lazy("Invited"),
    PersonState.APPLICATION: gettext_lazy("Applications"),
    PersonState.RESERVE: gettext_lazy("Reserve list"),
    PersonState.APPROVED: gettext_lazy("Approved"),
    PersonState.ANSWERING: gettext_lazy("Answering"),
    PersonState.FINISHED: gettext_lazy("Finished"),
    PersonState.COUNTED: gettext_lazy("Counted"),
    PersonState.NOT_COUNTED: gettext_lazy("Not counted"),
    PersonState.REJECTED: gettext_lazy("Rejected"),
    PersonState.WITHDRAWN: gettext_lazy("Withdrawn"),
}
# A pill's word and class, and what the word means.
PILLS: Mapping[PersonState, tuple[Promise, str, Promise]] = {
    PersonState.INVITED: (gettext_lazy("Invited"), "", gettext_lazy("Has not applied yet")),
    PersonState.APPLICATION: (
        gettext_lazy("Application"),
        "warn",
        gettext_lazy("Waits for a decision of the study team"),
    ),
    PersonState.RESERVE: (
        gettext_lazy("Reserve list"),
        "",
        gettext_lazy("Approved, and waiting for a place to become free"),
    ),
    PersonState.APPROVED: (gettext_lazy("Approved"), "", gettext_lazy("May start and has not")),
    PersonState.ANSWERING: (gettext_lazy("Answering"), "live", gettext_lazy("The clock runs")),
    PersonState.FINISHED: (
        gettext_lazy("Finished"),
        "good",
        gettext_lazy("Handed in or out of time; not yet filtered, or still to be decided about"),
    ),
    PersonState.COUNTED: (gettext_lazy("Counted"), "good", gettext_lazy("In the results")),
    PersonState.NOT_COUNTED: (
        gettext_lazy("Not counted"),
        "bad",
        gettext_lazy("Not in the results (left out by a verdict, or voided)"),
    ),
    PersonState.REJECTED: (gettext_lazy("Rejected"), "", gettext_lazy("May not take part")),
    PersonState.WITHDRAWN: (gettext_lazy("Withdrawn"), "", gettext_lazy("Takes part no longer")),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A row as the page shows it; `link` is the query that opens its panel."""

    facts: RowFacts
    profile: Named
    words: str
    link: str
    is_open: bool

    @property
    def pill(self) -> tuple[Promise, str, Promise]:
        return PILLS[self.facts.row.state]


def last_words(facts: RowFacts, now: datetime) -> str:
    """What happened last, or what is waited for."""
    invitation = facts.invitation
    if invitation is None:
        return _WORDS[facts.row.state](facts, now)
    state = getattr(invitation, "state", "")
    if state == InvitationState.QUEUED:
        return _("the mail is on its way")
    if state == InvitationState.NOT_SENT:
        return _(invitation.send_problem) if invitation.send_problem else _("not sent yet")
    if state == InvitationState.EXPIRED:
        return _("the link expired %(time)s ago") % _ago(invitation.expires_at, now)
    return _("mailed %(time)s ago, link not used") % _ago(invitation.sent_at or invitation.created_at, now)


def _ago(moment: datetime, now: datetime) -> dict[str, str]:
    return {"time": timesince(moment, now, depth=1)}


def _approved(facts: RowFacts, now: datetime) -> str:
    if facts.reminded_at:
        return _("not started, reminded %(time)s ago") % _ago(facts.reminded_at, now)
    return _("not started, approved %(time)s ago") % _ago(facts.approved_at or facts.row.moment, now)


def _answering(facts: RowFacts, now: datetime) -> str:
    if facts.participant is None:
        return ""
    minutes = facts.participant.session.seconds_left(now) // 60
    left = {"hours": minutes // 60, "minutes": minutes % 60}
    words = _("%(hours)d h %(minutes)02d left, %(answered)d of %(asked)d")
    if not left["hours"]:
        words = _("%(minutes)d min left, %(answered)d of %(asked)d")
    return numbered(words, {**left, **_counts(facts)})


def _counts(facts: RowFacts) -> dict[str, int]:
    return {"answered": facts.answered, "asked": facts.asked}


def _answered(facts: RowFacts, now: datetime) -> str:
    return numbered(_("%(answered)d of %(asked)d answered"), _counts(facts))


def _finished(facts: RowFacts, now: datetime) -> str:
    if facts.participant is not None and facts.participant.is_test:
        return numbered(_("%(answered)d of %(asked)d answered, a test run"), _counts(facts))
    return numbered(_("%(answered)d of %(asked)d, waits for screening"), _counts(facts))


def _not_counted(facts: RowFacts, now: datetime) -> str:
    session = getattr(facts.participant, "session", None)
    if session is not None and session.voided_at is not None:
        return _("the study team voided the session")
    if facts.participant is not None and facts.participant.replaced_by is not None:
        replaced = {**_counts(facts), "code": facts.participant.replaced_by.code}
        return numbered(_("%(answered)d of %(asked)d answered, replaced by %(code)s"), replaced)
    return _answered(facts, now)


def _rejected(facts: RowFacts, now: datetime) -> str:
    return facts.participant.vetting_reason if facts.participant else ""


def _withdrawn(facts: RowFacts, now: datetime) -> str:
    if facts.deleted_at:
        return _("data erased on %(day)s") % {"day": day_text(facts.deleted_at)}
    if facts.deletes_at:
        return _("data are erased on %(day)s") % {"day": day_text(facts.deletes_at)}
    return ""


_WORDS = {
    PersonState.INVITED: lambda facts, now: _("link opened, no application"),
    PersonState.APPLICATION: lambda facts, now: _("applied %(time)s ago") % _ago(facts.row.moment, now),
    PersonState.RESERVE: lambda facts, now: _("waits for a place"),
    PersonState.APPROVED: _approved,
    PersonState.ANSWERING: _answering,
    PersonState.FINISHED: _finished,
    PersonState.COUNTED: _answered,
    PersonState.NOT_COUNTED: _not_counted,
    PersonState.REJECTED: _rejected,
    PersonState.WITHDRAWN: _withdrawn,
}
