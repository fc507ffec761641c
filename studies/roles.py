"""Who may do what in a study: four roles, and what each includes."""

from collections.abc import Iterable
from enum import StrEnum
from types import MappingProxyType


class Role(StrEnum):
    """A staff member's part in one study; one person may have several in it."""

    LEAD = "lead"
    COORDINATOR = "coordinator"
    REVIEWER = "reviewer"
    ANALYST = "analyst"


class Can(StrEnum):
    """What pages and actions of a study ask for."""

    SEE_STUDY = "see_study"  # the overview: counts only
    SEE_PROTOCOL = "see_protocol"  # settings and texts, the questions' names and balance
    SET_UP = "set_up"  # change the draft, lock, amend, close, build question sets
    SEE_PEOPLE = "see_people"  # names, addresses, profiles, progress, documents, messages
    INVITE = "invite"  # invite, remind, answer messages, announce
    DECIDE_PEOPLE = "decide_people"  # approve, reject, replace, withdraw on somebody's wish; one more try
    SEE_LIVE = "see_live"  # sessions: time, counts of answers, incidents; never texts
    GIVE_TIME = "give_time"  # extra time, reopening
    PAUSE = "pause"  # pause recruiting and let it go on
    VOID = "void"  # void sessions
    PAY = "pay"  # what is owed to whom, the payer's states
    SEE_ANSWERS = "see_answers"  # questions and answers under pseudonyms
    SEE_PRIVATE = "see_private"  # private questions: studies.selectors.private_questions
    REVIEW = "review"  # verdicts on flagged people and ratings of the judge, blind
    JUDGE = "judge"  # screening's start, judging, audits, recomputing, money spent
    SEE_RESULTS = "see_results"  # scores and everything measured
    EXPORT = "export"  # files to take away
    SEE_HISTORY = "see_history"  # the trail of the study
    GIVE_ROLES = "give_roles"  # who else is in the team


class SiteCan(StrEnum):
    """What pages that belong to no study ask for."""

    PLAN = "plan"  # the list of one's own studies, the planner: every staff member
    MAKE_STUDIES = "make_studies"  # new studies; banks, judges and models
    RUN_SITE = "run_site"  # who is staff, the health of the site


ROLES_CAN: MappingProxyType[Role, frozenset[Can]] = MappingProxyType(
    {
        Role.LEAD: frozenset(Can),
        Role.COORDINATOR: frozenset(
            {Can.SEE_STUDY, Can.SEE_PEOPLE, Can.INVITE, Can.SEE_LIVE, Can.PAY},
        ),
        Role.REVIEWER: frozenset({Can.REVIEW}),
        Role.ANALYST: frozenset(
            {
                Can.SEE_STUDY, Can.SEE_PROTOCOL, Can.SEE_LIVE, Can.SEE_ANSWERS, Can.SEE_RESULTS, Can.EXPORT,
                Can.SEE_HISTORY,
            }
        ),
    }
)  # fmt: skip
# What a lead may give a coordinator besides, each by itself; none of it shows a question, answer or score.
GRANTABLE = (Can.DECIDE_PEOPLE, Can.GIVE_TIME, Can.PAUSE, Can.VOID)


def rights_of(
    roles: Iterable[Role | str], *, given: Iterable[str] = (), reviewers_see_private: bool = False
) -> frozenset[Can]:
    """Everything that somebody with these roles may do in a study, under this setting of its protocol;
    `given` are the rights that a lead gave a coordinator besides.
    """
    held = [Role(role) for role in roles]
    rights = frozenset[Can]().union(*(ROLES_CAN[role] for role in held))
    if Role.COORDINATOR in held:
        rights |= {right for right in GRANTABLE if right in set(given)}
    return rights | {Can.SEE_PRIVATE} if reviewers_see_private and Role.REVIEWER in held else rights


def roles_with(*rights: Can) -> list[str]:
    """The roles that include any of these rights."""
    return [role.value for role in Role if not ROLES_CAN[role].isdisjoint(rights)]
