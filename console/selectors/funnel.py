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
    unanswered = _noted((card.open_invitations, _("not answered")))
    left = _noted((card.withdrawn, _("withdrawn")), (card.voided, _("voided")))
    not_counted = _noted((card.unfiltered, _("not yet filtered")), (card.excluded, _("not counted")))
    return (
        Stage(gettext_lazy("Invited"), card.invited, unanswered, "pale"),
        Stage(gettext_lazy("Applied"), card.people, _noted((card.applications, _("to decide"))), "pale"),
        Stage(gettext_lazy("Approved"), card.approved, "", "pale"),
        Stage(gettext_lazy("Started"), card.started, _noted((card.answering, _("answering now")))),
        Stage(gettext_lazy("Finished"), card.ended, left),
        Stage(gettext_lazy("Counted"), card.counted, not_counted),
    )


def _noted(*parts: tuple[int, str]) -> str:
    return ", ".join(f"{counted(people)} {words}" for people, words in parts if people)
