"""What to do next in a study, and what else waits there, for somebody with these rights."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import NamedTuple

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _, ngettext

from console.selectors.cards import StudyCard
from presentation.numbers import numbered
from studies.models import StudyStatus
from studies.roles import Can

Words = str | Promise


@dataclass(frozen=True)
class Step:
    """Something to press; `why` says in a sentence what it is for."""

    label: str
    address: str
    why: str


@dataclass(frozen=True)
class Attention:
    """A few words on what waits, and where."""

    words: str
    address: str


class _Rule(NamedTuple):
    """When something is next: a page, the right it takes, the button and why."""

    page: str
    can: Can
    holds: Callable[[StudyCard], object]
    label: Words
    why: Words


def next_step(card: StudyCard, rights: Set[Can]) -> Step:
    """The first thing that is next and that these rights allow; else the way to the study's own page."""
    for rule in RULES:
        if card.study.archived_at and rule.page != "staff_results":
            continue
        address = address_of(rule.page, card.study.slug)
        if rule.can in rights and address and (number := rule.holds(card)):
            numbers = {"number": number}
            return Step(numbered(str(rule.label), numbers), address, str(rule.why))
    return Step(str(_("Open")), reverse("staff_study", args=[card.study.slug]), "")


def attention(card: StudyCard, rights: Set[Can]) -> Iterator[Attention]:
    """What waits for somebody, as far as these rights see it; in an archived study nobody can do anything."""
    if card.study.archived_at:
        return
    waiting = (
        (
            card.to_screen, Can.REVIEW, "staff_screening",
            ngettext("%(number)d person to screen", "%(number)d to screen", card.to_screen),
        ),
        (
            card.applications, Can.DECIDE_PEOPLE, "staff_participants",
            ngettext("%(number)d application", "%(number)d applications", card.applications),
        ),
        (
            card.messages, Can.INVITE, "staff_messages",
            ngettext("%(number)d message", "%(number)d messages", card.messages),
        ),
        (len(card.missing), Can.SEE_PROTOCOL, "staff_setup", card.missing),
    )  # fmt: skip
    for number, can, page, words in waiting:
        if number and can in rights:
            address = address_of(page, card.study.slug) or reverse("staff_study", args=[card.study.slug])
            yield Attention(numbered(words, {"number": number}), address)


def address_of(page: str, *arguments: str) -> str:
    """Where the page is; empty where there is no such page."""
    try:
        return reverse(page, args=arguments)
    except NoReverseMatch:
        return ""


def _is_draft(card: StudyCard) -> bool:
    return card.study.status == StudyStatus.DRAFT


def _is_to_be_judged(card: StudyCard) -> bool:
    """Nobody can start any more, and some finished after the last judging, or there are no results."""
    return not card.is_open and bool(card.unjudged or (card.ended and not card.results_at))


RULES: tuple[_Rule, ...] = (
    _Rule(
        "staff_setup", Can.SET_UP, _is_draft,
        _("Continue set-up"),
        _("The protocol may still change. Lock it once nothing is missing; then people can be invited."),
    ),
    _Rule(
        "staff_screening", Can.REVIEW, lambda card: card.to_screen,
        _("Screen people (%(number)d)"),
        _("Flagged people stay counted until somebody decides."),
    ),
    _Rule(
        "staff_participants", Can.DECIDE_PEOPLE, lambda card: card.applications,
        _("Decide applications (%(number)d)"),
        _("People have applied and cannot start before somebody decides."),
    ),
    _Rule(
        "staff_messages", Can.INVITE, lambda card: card.messages,
        _("Answer messages (%(number)d)"),
        _("People have written and wait for a reply."),
    ),
    _Rule(
        "staff_live", Can.SEE_LIVE, lambda card: card.answering,
        _("Watch live (%(number)d)"),
        _("People are answering now. Nothing needs you there unless an incident shows."),
    ),
    _Rule(
        "staff_rehearsal", Can.SET_UP,
        lambda card: card.study.is_simulated and card.is_open and card.ended < card.planned,
        _("Let simulated people answer"),
        _("This study is a rehearsal: simulated people take its places, and nobody is invited."),
    ),
    _Rule(
        "staff_invitations", Can.INVITE,
        lambda card: (
            card.is_open and not card.study.is_simulated and not card.coming and card.ended < card.planned
        ),
        _("Invite people"),
        _("The study is open and nobody is on the way who could fill the free places."),
    ),
    _Rule(
        "staff_judging", Can.JUDGE, _is_to_be_judged,
        _("Judge the answers"),
        _("Nobody can start any more and there are answers without a score."),
    ),
    _Rule(
        "staff_judging", Can.JUDGE, lambda card: card.amended,
        _("Judge again"),
        _(
            "The protocol was amended after the answers were judged. Verdicts that the amendment does not "
            "touch are not asked for again."
        ),
    ),
    _Rule(
        "staff_results", Can.SEE_RESULTS, lambda card: card.results_at,
        _("Open results"),
        _("Results were computed; the page says whether they are current."),
    ),
)  # fmt: skip
