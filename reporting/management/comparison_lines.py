"""A comparison of several criteria a call with one, as lines for a terminal."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from judging.selectors.comparisons import MIN_ANSWERS, MIN_CRITERIA, JudgingCost
from judging.services.comparing import ComparisonReport
from presentation.agreement import statistic_name
from presentation.numbers import as_written, counted, decimals, percent, quantity, span
from presentation.tables import ABSENT, terminal_lines
from psychometrics.agreement.pairs import Agreement
from psychometrics.agreement.reference import Level, reference_figures
from psychometrics.agreement.warnings import MIN_CLUSTERS, AgreementWarning, WarningCode
from psychometrics.inference.estimates import Estimate, Share

STATISTICS = (
    "pearson", "spearman", "alpha_interval", "ccc", "kappa", "pabak", "ac1", "offset", "sd_of_differences",
    "lower_limit", "upper_limit", "near_exact", "same_side",
)  # fmt: skip
WARNINGS = {
    WarningCode.ALPHA_LOW: "Krippendorff's alpha is {value}, below {threshold}.",
    WarningCode.OFFSET_LARGE: (
        "Several criteria a call move the mean score by {value}, more than {threshold}."
    ),
    WarningCode.KAPPA_LOW: "kappa is {value}, below {threshold}.",
    WarningCode.THETA_MOVED: (
        "theta of the sample moves by {value} cluster standard errors, more than {threshold}."
    ),
    WarningCode.FEW_CLUSTERS: (
        f"Fewer than {MIN_CLUSTERS} answers were compared: the intervals are too narrow."
    ),
}
LEVELS = (("by criterion", Level.CRITERION), ("by answer", Level.PROMPT))
OWN_TEXT = (
    "Several criteria a call are asked about in a text of Chiron's own, whatever judge texts are imported. "
    "Published item parameters hold for one criterion a call."
)


def comparison_lines(report: ComparisonReport) -> Iterator[str]:
    """What was compared, how far both ways agree, what it costs, and what follows."""
    comparison, single_cost, batched_cost = report.comparison, report.single, report.batched
    yield (
        f'{comparison.study.name}: the judge "{comparison.config.slug}", '
        f"{counted(comparison.criteria_per_call)} "
        f"criteria a call beside one, on {quantity(len(comparison.answers), 'answer', 'answers')} drawn by "
        f"seed {comparison.seed}"
    )
    yield OWN_TEXT
    yield ""
    yield from agreement_lines(report)
    if (theta := report.theta) is not None:
        single, several, shift = (decimals(n, 3) for n in (theta.theta_x, theta.theta_y, theta.in_errors))
        yield (
            f"theta of the sample: {single} one a call, {several} several, "
            f"a shift of {shift} cluster standard errors"
        )
    yield ""
    yield from terminal_lines(
        [
            ("", "requests", "calls", "prompt tokens", "reply tokens", "cost"),
            _spent_cells("one criterion a call", single_cost),
            _spent_cells(f"{counted(comparison.criteria_per_call)} criteria a call", batched_cost),
        ]
    )
    # In requests, which follow from the criteria; in money where the judge's prices are known.
    if single_cost.requests:
        saved = share(single_cost.requests - batched_cost.requests, single_cost.requests)
        yield f"Saved: {saved} of the requests"
    if single_cost.cost and batched_cost.cost is not None:
        yield f"Saved: {share(single_cost.cost - batched_cost.cost, single_cost.cost)} of the cost"
    yield ""
    yield from (f"Warning: {sentence(warning)}" for warning in report.warnings)
    yield from _verdict_lines(report)


def agreement_lines(report: ComparisonReport) -> Iterator[str]:
    agreements = (report.by_criterion, report.by_answer)
    head = ["one a call against several"]
    for name, _ in LEVELS:
        head += [name, "95 % interval"]
    rows = [[statistic_name(name), *cells(name, agreements)] for name in STATISTICS]
    yield from terminal_lines([head, *rows])
    yield "Differences are the scores by several criteria a call less those by one."
    for (name, level), agreement in zip(LEVELS, agreements, strict=True):
        yield (
            f"{name}: {quantity(agreement.n, 'pair', 'pairs')}, "
            f"{counted(agreement.rows - agreement.n)} without a pair "
            f"({counted(agreement.missing_x)} lack one a call, {counted(agreement.missing_y)} several)"
        )
        paper = reference_figures(level)
        yield "  two different judges in the GIM paper: " + ", ".join(
            f"{statistic_name(statistic)} {decimals(paper[statistic].value, 3)}"
            for statistic in STATISTICS
            if statistic in paper
        )


def cells(name: str, agreements: Sequence[Agreement]) -> Iterator[str]:
    for agreement in agreements:
        value: Estimate | Share = getattr(agreement, name)
        estimate = value.estimate if isinstance(value, Share) else value
        yield decimals(estimate.value, 3)
        yield span(estimate.low, estimate.high, 3)


def _spent_cells(name: str, spent: JudgingCost) -> Sequence[str]:
    tokens = (counted(spent.prompt_tokens), counted(spent.completion_tokens))
    return (name, counted(spent.requests), counted(spent.calls), *tokens, amount(spent.cost))


def _verdict_lines(report: ComparisonReport) -> Iterator[str]:
    compared, number = report.so_far, counted(report.comparison.criteria_per_call)
    so_far = (
        f"Compared so far: {quantity(compared.answers, 'answer', 'answers')}, "
        f"{quantity(compared.criteria, 'criterion', 'criteria')}."
    )
    if compared.is_enough:
        yield f"{so_far} {number} criteria a call may be used; whether they should be is yours to judge."
    else:
        yield (
            f"{so_far} {number} criteria a call may be used after {counted(MIN_ANSWERS)} answers and "
            f"{counted(MIN_CRITERIA)} criteria: compare more answers, or another seed."
        )


def sentence(warning: AgreementWarning) -> str:
    if warning.code in WARNINGS:
        value = decimals(warning.value, 3)
        return WARNINGS[warning.code].format(value=value, threshold=as_written(warning.threshold))
    why = f" ({warning.reason.value.replace('_', ' ')})" if warning.reason else ""
    of_theta = warning.subject not in STATISTICS
    return f"{'the shift of theta' if of_theta else statistic_name(warning.subject)} cannot be measured{why}."


def amount(cost: Decimal | None) -> str:
    return ABSENT if cost is None else decimals(float(cost), 4)


def share(part: Decimal | int, whole: Decimal | int) -> str:
    return percent(float(part / whole), 0)
