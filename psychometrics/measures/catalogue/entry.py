"""What is known of a measure beside its number."""

import re
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum

from formats.wording import gettext_noop

AVERAGE, TOP = "average", "top"
GROUPS = (AVERAGE, TOP)
PLACE_OF_A_NAME = re.compile(r"[A-Z]+")

# What pages call estimators and errors that rows and files know by a code.
PLAIN_CODES = {
    "theta.pool": gettext_noop("ability"),
    "theta.ql": gettext_noop("ability on the QL scale"),
    "theta.prompt": gettext_noop("ability by question means"),
    "se.analytic": gettext_noop("error as published"),
    "se.participant_boot": gettext_noop("error by people, drawn again"),
    "se.participant": gettext_noop("error by people"),
    "se.batch": gettext_noop("error by question sets"),
    "se.twoway": gettext_noop("error by people and questions"),
    "se.mixed": gettext_noop("error by components"),
    "se.jackknife_participant": gettext_noop("error leaving out people"),
    "se.jackknife_batch": gettext_noop("error leaving out question sets"),
    "se.jackknife_twoway": gettext_noop("error leaving out questions"),
    "top.crossfit5": gettext_noop("Top free of the choice"),
    "top.paper": gettext_noop("Top as published"),
    "top.null": gettext_noop("Top by luck alone"),
    "top.eb": gettext_noop("Top drawn to the mean"),
}


class Unit(StrEnum):
    """What a value is counted in; interfaces translate it."""

    LOGITS = gettext_noop("logits")
    QL = gettext_noop("logits of theta_QL, a scale of its own")
    SCORE = gettext_noop("score in [0, 1]")
    SCORE_POINTS = gettext_noop("score points")
    SHARE = gettext_noop("share in [0, 1]")
    PERCENT = gettext_noop("percent")
    HARMONIC = gettext_noop("percent + 1")
    COUNT = gettext_noop("count")
    MEAN_COUNT = gettext_noop("mean count")
    COEFFICIENT = gettext_noop("coefficient")
    P_VALUE = gettext_noop("p-value")
    ODDS_RATIO = gettext_noop("odds ratio")
    ERRORS = gettext_noop("standard errors")
    CHI_SQUARE = gettext_noop("sum of squares")


class Need(StrEnum):
    """What a study must have for a measure to be there."""

    ITEMS = "item parameters"
    MODELS = "results of models"
    PUBLISHED = "models of which only a theta is published"
    TASKS = "a benchmark with tasks"
    TASK_TABLE = "a table of models by tasks"
    BBH = "a benchmark by the rules of BBH"
    BBEH = "a benchmark by the rules of BBEH"
    PRIVATE = "a private split"
    REVIEWERS = "a second reviewer"
    UNJUDGED = "excluded people who were not judged"
    ARMS = "arms that are compared"
    JUDGES = "a second judge"
    AUDIT = "an audit of verdicts"


class OnLogistic(StrEnum):
    """What becomes of a measure on a bank of the logistic 2PL, on whose scale no logit of a score is."""

    STANDS = "stands"
    EMPTY = "empty, with the reason"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Entry:
    """One measure in words; name, label, unit and meaning stand first, as in a row of a table.

    `block` yields it: one of the measurement (`Block`), or "agreement" or "audit". `label` is the exact term
    for it, which files and terminals have, `plain_label` what pages call it where they have another word, and
    `meaning` what it says, in a sentence or a few. `groups`: "average" and "top" where it is of a
    group. `subsets`: of what parts of the data, with capitals in place of a name ("model:NAME"); "" for all.
    `about`: "person", "prompt" or both, where a number is about one. `page`: whether the page of its block,
    and so the report, shows it; `terminal`: whether score_study prints it. Exports hold every measure.
    """

    name: str
    label: str
    unit: Unit
    meaning: str
    _: KW_ONLY
    block: str
    groups: tuple[str, ...] = ()
    subsets: tuple[str, ...] = ("",)
    about: str = ""
    needs: tuple[Need, ...] = ()
    on_logistic: OnLogistic = OnLogistic.STANDS
    page: bool = True
    terminal: bool = False
    plain_label: str = ""

    def covers(self, group: str, subset: str) -> bool:
        """Whether a row of this group and subset may have this name."""
        patterns = (PLACE_OF_A_NAME.sub(".+", re.escape(part)) for part in self.subsets)
        return group in (self.groups or ("",)) and any(re.fullmatch(pattern, subset) for pattern in patterns)


def thetas(
    prefix: str,
    block: str,
    meaning: str,
    *,
    groups: tuple[str, ...] = GROUPS,
    subsets: tuple[str, ...] = ("",),
    needs: tuple[Need, ...] = (Need.ITEMS,),
    by_logits: OnLogistic = OnLogistic.EMPTY,
    suffix: str = "",
) -> Iterator[Entry]:
    """The three estimators of ability under names of one block; `by_logits` of the two that need logits."""
    for name, label, unit, on_logistic in (
        ("theta.pool", "theta.pool", Unit.LOGITS, by_logits),
        ("theta.ql", "theta_QL", Unit.QL, OnLogistic.STANDS),
        ("theta.prompt", "theta.prompt", Unit.LOGITS, by_logits),
    ):
        yield Entry(
            f"{prefix}{name}{suffix}", label, unit, meaning, block=block, groups=groups, subsets=subsets,
            needs=needs, on_logistic=on_logistic, plain_label=PLAIN_CODES[name],
        )  # fmt: skip
