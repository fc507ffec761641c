"""What each right of a role lets somebody see and do, in words."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from studies.models.roles import ROLES
from studies.roles import GRANTABLE, Can, Role, rights_of

RIGHT_WORDS: Mapping[Can, Promise] = {
    Can.SEE_STUDY: _("See the overview: counts only"),
    Can.SEE_PROTOCOL: _("See settings, texts and how question sets are balanced"),
    Can.SET_UP: _("Change the draft, lock, amend and close the study"),
    Can.SEE_PEOPLE: _("See names, addresses, profiles, documents and progress"),
    Can.INVITE: _("Invite, remind, answer messages, announce"),
    Can.DECIDE_PEOPLE: _("Approve, reject, replace and withdraw people, allow one more try"),
    Can.SEE_LIVE: _("See sessions: time, counts of answers, incidents; no texts"),
    Can.GIVE_TIME: _("Give extra time, reopen sessions"),
    Can.PAUSE: _("Pause recruiting"),
    Can.VOID: _("Void sessions"),
    Can.PAY: _("See and record what is owed to whom"),
    Can.SEE_ANSWERS: _("See questions and answers, under codes instead of names"),
    Can.SEE_PRIVATE: _("See private questions and answers to them"),
    Can.REVIEW: _("Decide on flagged people and rate the judge, blind"),
    Can.JUDGE: _("Start screening, judging and recomputing, draw audits"),
    Can.SEE_RESULTS: _("See scores and all results"),
    Can.EXPORT: _("Take files away"),
    Can.SEE_HISTORY: _("See the history of the study"),
    Can.GIVE_ROLES: _("Say who is in the team"),
}
ROLE_WORDS: Mapping[Role, Promise] = {
    Role.LEAD: _("Answers for the study; sees and does everything in it."),
    Role.COORDINATOR: _(
        "Looks after people; sees no question, answer or score. Leads may give each coordinator more rights."
    ),
    Role.REVIEWER: _("Decides blind; sees no score, profile, arm, name or address."),
    Role.ANALYST: _("Works with results; knows people by their codes alone."),
}


def role_table(*, reviewers_see_private: bool = False) -> list[tuple[Promise, list[str]]]:
    """A line for each right: its words, and for each role in the order of `ROLES` whether it is included
    ("yes", "no") or "given" to some; under this setting of a study's protocol.
    """
    lines = []
    for right, words in RIGHT_WORDS.items():
        included = []
        for role, _label in ROLES:
            if right in rights_of([role], reviewers_see_private=reviewers_see_private):
                included.append("yes")
            else:
                included.append("given" if role == Role.COORDINATOR and right in GRANTABLE else "no")
        lines.append((words, included))
    return lines
