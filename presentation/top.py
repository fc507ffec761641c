"""What is said of Top wherever it stands: whether luck alone would do, and why there is none."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.measures import Measured
from presentation.numbers import Text, counted, decimals, percent
from psychometrics.inference.estimates import MIN_PEOPLE
from psychometrics.top.rules import Luck, is_large_top, is_top, luck_of

LUCK_WORDS: Mapping[Luck, Text] = {
    Luck.HARDLY: gettext_lazy("hardly luck"),
    Luck.BORDERLINE: gettext_lazy("borderline"),
    Luck.WOULD_DO: gettext_lazy("luck would do"),
}


def luck_words(share: float) -> str:
    """The verdict of a share of draws, such as "borderline"."""
    return str(LUCK_WORDS[luck_of(share)])


def luck_sentence(share: float, draws: int) -> str:
    """The verdict with its share, in the words that every surface has."""
    verdict = _("Whether Top is more than luck: %(verdict)s.") % {"verdict": luck_words(share)}
    return f"{verdict} {draws_sentence(share, draws)}"


def draws_sentence(share: float, draws: int) -> str:
    """How often equally able people came as high."""
    share_text = percent(share, 0) if round(100 * share) else _("less than 1 %")
    return _("Picking among equally able people came as high in %(share)s of %(draws)s draws.") % {
        "share": share_text, "draws": counted(draws),
    }  # fmt: skip


def no_top_sentence(size: int, people: int) -> str:
    """Why the best `size` of so many counted people with a score are no Top; blank where they are."""
    if is_top(size, people):
        return ""
    facts = {"needed": counted(size), "present": counted(people)}
    if size == people:
        return ngettext(
            "There is no Top: with %(needed)s person it would be everybody who is counted and has a score.",
            "There is no Top: with %(needed)s people it would be everybody who is counted and has a score.",
            size,
        ) % {"needed": facts["needed"]}
    return (
        ngettext(
            "There is no Top: it takes %(needed)s counted person with a score, and there are %(present)s.",
            "There is no Top: it takes %(needed)s counted people with a score, and there are %(present)s.",
            size,
        )
        % facts
    )


def planned_top_sentence(size: int, people: int) -> str:
    """What is wrong with the size of Top beside the people that are planned; blank where nothing is."""
    if size < MIN_PEOPLE:
        return _(
            "Top is one person: no number of it is told, as it would be that person's own. Choose two or "
            "more."
        )
    if not people:
        return ""
    facts = {"size": counted(size), "people": counted(people)}
    if not is_top(size, people):
        return (
            _(
                "Top is %(size)s people and %(people)s are planned: it would be everybody, so there would be "
                "no Top. Choose fewer."
            )
            % facts
        )
    if is_large_top(size, people):
        return (
            _(
                "Top is %(size)s of %(people)s planned people, a third or more: it will tell little of the "
                "best. Choose fewer."
            )
            % facts
        )
    return ""


def top_sentences(size: int, people: int) -> Iterator[str]:
    """What of the size of Top must be known beside the people who are counted and have a score."""
    if missing := no_top_sentence(size, people):
        yield missing
    elif is_large_top(size, people):
        yield _(
            "Top is %(size)s of %(people)s counted people, a third or more: it tells little of the best."
        ) % {"size": counted(size), "people": counted(people)}


def standing_sentences(average: float | None, top: Measured | None, picked: Measured | None) -> Iterator[str]:
    """Where Top, measured free of the choice, stands so that nobody may read it as the ability of the best:
    below Average, or where the people stand who were picked by these same scores.
    """
    if top is None or top.value is None:
        return
    value = decimals(top.value)
    if average is not None and top.value < average:
        yield _(
            "Top free of the choice (%(top)s) stands below Average (%(average)s): answers that did not "
            "choose people do not show those who were chosen to be abler."
        ) % {"top": value, "average": decimals(average)}
    if picked is not None and picked.value is not None and decimals(picked.value) == value:
        yield _(
            "Top free of the choice equals Top picked by these same scores (%(top)s): the choice added "
            "nothing here, whatever luck adds in other studies."
        ) % {"top": value}
