"""Whom one may be in the demo: invented people, of whom nobody is asked for a code."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from presentation.numbers import Text
from studies.models import Study, User
from studies.roles import Role
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add

STUDY, OPEN_STUDY = "demo", "try-it"
VISITOR = "visitor@example.org"


@dataclass(frozen=True)
class DemoPerson:
    """`page` is the name of the address they begin at, of the study `study`."""

    email: str
    label: Text
    says: Text
    page: str
    study: str


PEOPLE: Mapping[str, DemoPerson] = {
    "lead": DemoPerson(
        "lead@example.org", _("study lead"), _("sees and does everything"), "staff_results", STUDY
    ),
    "participant": DemoPerson(
        VISITOR, _("participant"), _("answers questions against the clock"), "study_home", OPEN_STUDY
    ),
    "coordinator": DemoPerson(
        "coordinator@example.org", _("coordinator"), _("sees people, no answers"), "staff_study", STUDY
    ),
    "reviewer": DemoPerson(
        "reviewer@example.org",
        _("reviewer"),
        _("decides on flags, blind to scores"),
        "staff_screening",
        STUDY,
    ),
    "analyst": DemoPerson(
        "analyst@example.org", _("analyst"), _("sees results under pseudonyms"), "staff_results", STUDY
    ),
}


def demo_staff_add(*, study: Study, actor: User, now: datetime) -> None:
    """Give the study one of each role beside its lead."""
    for role in (Role.COORDINATOR, Role.REVIEWER, Role.ANALYST):
        user, _is_new = staff_add(email=PEOPLE[role].email)
        role_give(study=study, user=user, role=role, actor=actor, now=now)
