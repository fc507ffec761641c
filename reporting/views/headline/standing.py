"""How people stand to the models, in words: stronger, weaker, or not to be told apart."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.numbers import Text, counted
from reporting.selectors.headline import Headline

ABOVE, BELOW, LEVEL = "above", "below", "not_distinguishable"
VERDICT_WORDS = {
    ABOVE: gettext_lazy("people are stronger"),
    BELOW: gettext_lazy("people are weaker"),
    LEVEL: gettext_lazy("people cannot be told apart from it"),
    "": gettext_lazy("not compared"),
}
LONGEST_LIST = 3  # models that are named
# Where people stand to all models alike; the key of many is 0.
ALIKE = {
    ABOVE: {
        1: gettext_lazy("{people} are <strong>stronger than {model}</strong>, the only model beside them."),
        2: gettext_lazy("{people} are <strong>stronger than both models</strong> beside them."),
        0: gettext_lazy("{people} are <strong>stronger than all {models} models</strong> beside them."),
    },
    BELOW: {
        1: gettext_lazy("{people} are <strong>weaker than {model}</strong>, the only model beside them."),
        2: gettext_lazy("{people} are <strong>weaker than both models</strong> beside them."),
        0: gettext_lazy("{people} are <strong>weaker than all {models} models</strong> beside them."),
    },
    LEVEL: {
        1: gettext_lazy(
            "{people} <strong>cannot be told apart from {model}</strong>, the only model beside them."
        ),
        2: gettext_lazy("{people} <strong>cannot be told apart</strong> from either of two models."),
        0: gettext_lazy("{people} <strong>cannot be told apart</strong> from any of {models} models."),
    },
}


def people_together(has_arms: bool) -> str:
    """What a sentence calls everybody who is counted in a study."""
    return _("People of all arms together") if has_arms else _("People with AI")


def standing_sentence(compared: Sequence[tuple[str, str]], people: Text) -> SafeString:
    """How many models people are stronger than, weaker than and cannot be told apart from, of those
    `compared`: each its name and the verdict.
    """
    number = len(compared)
    above, below, level = (
        sum(1 for _name, other in compared if other == verdict) for verdict in (ABOVE, BELOW, LEVEL)
    )
    for verdict, share in ((ABOVE, above), (BELOW, below), (LEVEL, level)):
        if share == number:
            text = str(ALIKE[verdict].get(number, ALIKE[verdict][0]))
            return format_html(text, people=people, models=counted(number), model=compared[0][0])
    facts = {"people": people, "models": counted(number), "above": counted(above), "below": counted(below)}
    if not above:
        weaker = ngettext(
            "{people} are <strong>weaker than {below} of {models} models</strong> and cannot be told apart "
            "from the other one.",
            "{people} are <strong>weaker than {below} of {models} models</strong> and cannot be told apart "
            "from the other {level}.",
            level,
        )
        return format_html(weaker, level=counted(level), **facts)
    stronger = format_html(
        _("{people} are <strong>stronger than {above} of {models} models</strong>"), **facts
    )
    return format_html(_others(below, level), stronger=stronger, below=counted(below), level=counted(level))


def _others(below: int, level: int) -> str:
    """What is said after those that people are stronger than."""
    if not level:
        return ngettext(
            "{stronger} and weaker than the other one.",
            "{stronger} and weaker than the other {below}.",
            below,
        )
    if not below:
        return ngettext(
            "{stronger} and cannot be told apart from the other one.",
            "{stronger} and cannot be told apart from the other {level}.",
            level,
        )
    return _("{stronger}, weaker than {below} and cannot be told apart from {level}.")


def models_within(values: Sequence[float], low: float, high: float) -> str:
    """How many models of these values lie within an interval: where it reaches, no comparison."""
    if not values:
        return ""
    inside = sum(low <= value <= high for value in values)
    if not inside:
        return _("no model lies within it")
    return ngettext(
        "{inside} of {number} models lies within it", "{inside} of {number} models lie within it", inside
    ).format(inside=counted(inside), number=counted(len(values)))


def near_models(headline: Headline) -> str:
    """Whom Average cannot be told apart from, in words, the nearest first."""
    near = headline.standing(LEVEL)
    if not headline.compared:
        return ""
    if not near:
        return _("told apart from every model")
    near.sort(key=lambda model: abs((model.theta.value or 0.0) - (headline.ability or 0.0)))
    named = ", ".join(model.name for model in near[:LONGEST_LIST])
    rest = len(near) - LONGEST_LIST
    if rest <= 0:
        return _("cannot be told apart from {models}").format(models=named)
    return ngettext(
        "cannot be told apart from {models} and {rest} more",
        "cannot be told apart from {models} and {rest} more",
        rest,
    ).format(models=named, rest=rest)
