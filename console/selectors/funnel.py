"""From invited to counted, stage by stage."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from console.selectors.cards import StudyCard
from presentation.numbers import counted


@dataclass(frozen=True)
class Stage:
    """How many people came so far, and what became of those who did not go on."""

    words: str | Promise
    people: int
    note: str = ""
    tone: str = ""


def funnel(card: StudyCard) -> Sequence[Stage]:
    """The stages in their order; test people are in none."""
    return (
        Stage(gettext_lazy("Invited"), card.invited, _some(card.open_invitations, _("not answered")), "pale"),
        Stage(gettext_lazy("Applied"), card.people, _some(card.applications, _("to decide")), "pale"),
        Stage(gettext_lazy("Approved"), card.approved, "", "pale"),
        Stage(gettext_lazy("Started"), card.started, _some(card.answering, _("answering now"))),
        Stage(gettext_lazy("Finished"), card.ended, _left(card)),
        Stage(gettext_lazy("Counted"), card.counted, _not_counted(card)),
    )


def _left(card: StudyCard) -> str:
    notes = (_some(card.withdrawn, _("withdrawn")), _some(card.voided, _("voided")))
    return ", ".join(filter(None, notes))


def _not_counted(card: StudyCard) -> str:
    notes = (_some(card.unfiltered, _("not yet filtered")), _some(card.excluded, _("not counted")))
    return ", ".join(filter(None, notes))


def _some(people: int, words: str) -> str:
    return f"{counted(people)} {words}" if people else ""
