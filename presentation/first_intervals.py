"""The interval that stands first, in the words that page, report and terminal share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.utils.translation import gettext as _, gettext_lazy

from presentation.catalogue import code_label
from presentation.measures import or_dash, why_absent
from presentation.numbers import Text, bounded, decimals, span
from presentation.tables import ABSENT
from psychometrics.inference import coverage
from psychometrics.inference.estimates import WITHHELD, Reason
from psychometrics.measures.headlines import GroupNumbers, TaskNumbers

ERRORS: Mapping[str, Text] = {
    "se.batch": gettext_lazy("by question set"),
    "se.twoway": gettext_lazy("by people and questions"),
    "se.participant": gettext_lazy("by people"),
}
MEANINGS: Mapping[str, Text] = {
    "se.batch": gettext_lazy(
        "The interval of Average is by question set (se.batch): it is for other people and other "
        "questions like these, and never narrower than the one by people alone (se.participant)."
    ),
    "se.twoway": gettext_lazy(
        "The interval of Average is by people and questions (se.twoway): it is for other people and other "
        "questions like these, and never narrower than the one by people alone (se.participant)."
    ),
    "se.participant": gettext_lazy(
        "There is one question set, so the interval of Average is by people (se.participant): it is for "
        "other people on these questions only."
    ),
}
PUBLISHED = gettext_lazy(
    "ability by question means (theta.prompt), as published; takes all answers as independent"
)
COMPARE = gettext_lazy(
    "To compare people with a model, use ability (theta.pool) or ability on the QL scale (theta_QL): by "
    "question means people come out 0.1 to 0.3 too low, even at the same number of responses per question."
)


def interval_sentences(overall: Sequence[GroupNumbers], categories: Sequence[GroupNumbers]) -> Iterator[str]:
    """For whom the first interval is, how often it covers what it is meant for, and what stands beside it."""
    # Rows of before know no clusters: their intervals are by people, whatever the design.
    overall, categories = (
        [row for row in rows if row.interval and row.clusters is not None] for rows in (overall, categories)
    )
    if not overall and not categories:
        return
    for row in overall:
        yield str(MEANINGS[row.interval])
        if row.se_twoway is not None:
            yield _(
                "There are fewer than 8 question sets: beside it stands the interval by people and "
                "questions, which is right only where question sets differ in nothing but their questions "
                "and people."
            )
        expected = coverage.coverage_of_average(row.interval, batches=row.batches)
        if expected is not None:
            yield _(
                "In simulated studies with question sets of 20 it covers the value that repeating the study "
                "would average to in %(share)s, where it should in 95 %%."
            ) % {"share": percent(expected)}
    if kinds := sorted({row.interval for row in categories}):
        yield categories_sentence(kinds)
    yield top_sentence()
    yield _(
        "As published is ability by question means with its analytic interval: it takes all answers as "
        "independent. Where few people answer each question it covers the value that repeating the study "
        "would average to in %(share)s of simulated studies with question sets of 20."
    ) % {"share": percent(coverage.AS_PUBLISHED)}
    yield str(COMPARE)


def categories_sentence(kinds: Iterable[str]) -> str:
    """How often intervals by category cover, by what they are."""
    return _(
        "By category, intervals cover the value that repeating the study would average to in so many "
        "simulated studies with question sets of 20: %(shares)s."
    ) % {"shares": "; ".join(f"{ERRORS[kind]} {percent(coverage.OF_CATEGORIES[kind])}" for kind in kinds)}


def top_sentence() -> str:
    """How often the intervals of Top cover that allow for the choice."""
    return _(
        "Top was chosen by these same scores, so it has no interval but that of Top as published "
        "(top.paper, in-sample). Those that allow for the choice cover the ability of the people they "
        "choose in so many simulated studies with question sets of 20, where ability is normal: "
        "%(shares)s. Where it is skewed (exponential), Top drawn to the mean (top.eb) covers it in "
        "%(skewed)s %%."
    ) % {
        "shares": "; ".join(
            f"{code_label(name)} {percent(share)}" for name, share in coverage.OF_TOP.items()
        ),
        "skewed": decimals(100 * coverage.EB_WHERE_SKEWED, 0),
    }


def percent(share: coverage.Coverage) -> str:
    return f"{span(100 * share.low, 100 * share.high, 0)} %"


def first_cell(row: GroupNumbers) -> str:
    """The first interval of theta.pool with what it is by, or why there is none; then a second, if any."""
    if row.ci_low_pool is None or row.ci_high_pool is None:
        return why_none(row)
    first = with_error(row.ci_low_pool, row.ci_high_pool, row.interval)
    if row.se_twoway is None:
        return first
    return f"{first}; {with_error(row.ci_low_twoway, row.ci_high_twoway, 'se.twoway')}"


def why_none(row: GroupNumbers) -> str:
    """Why there is no first interval, where the dash in place of theta does not say it."""
    has_reason = row.reason_pool and row.reason_pool != Reason.NOTHING_SCORED
    return str(why_absent(row.reason_pool)) if has_reason else ABSENT


def pool_cell(row: GroupNumbers) -> str:
    """theta.pool, or what bounds it."""
    return or_dash(
        bounded(row.theta_pool, row.ci_low_pool, row.ci_high_pool), row.withheld or row.reason_pool
    )


def quasi_cell(row: GroupNumbers) -> str:
    """theta_QL, or what bounds it."""
    return or_dash(bounded(row.theta_ql, row.ci_low_ql, row.ci_high_ql), row.withheld or row.reason_ql)


def mean_cell(row: GroupNumbers) -> str:
    """The mean score, or why no number of these answers is told."""
    return str(why_absent(row.withheld)) if row.withheld else decimals(row.raw_mean, 3)


def accuracy_cell(task: TaskNumbers | None) -> str:
    """The accuracy in percent, or why it is not told; a dash where nothing is scored."""
    if task is not None and task.reason in WITHHELD:
        return str(why_absent(task.reason))
    return decimals(task.accuracy if task else None, 1)


def with_error(low: float | None, high: float | None, error: str) -> str:
    return f"{span(low, high)}, {ERRORS[error]}"


def published_cell(row: GroupNumbers) -> str:
    """Theta by prompt means with its analytic interval; of Top the value alone; or what bounds it."""
    if row.ci_low is None or row.ci_high is None:
        return bounded(row.theta, row.ci_low, row.ci_high)
    return f"{decimals(row.theta)} ({span(row.ci_low, row.ci_high)})"
