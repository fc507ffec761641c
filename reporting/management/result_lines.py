"""Results as lines for a terminal."""

from collections.abc import Iterator, Sequence

from psychometrics.inference.measure import Scope
from reporting.selectors.reports import Report, TaskShown, report_of
from reporting.views.first_intervals import ERRORS, interval_sentences, why_none
from scoring.models import Estimate, ResultGroup, ResultSet
from scoring.selectors.measures import scope_to_show

ABSENT = "–"
ESTIMATE_HEAD = (
    "",
    "people",
    "theta.pool",
    "95 % interval",
    "theta_QL",
    "95 % interval",
    "as published",
    "95 % interval",
    "pairs",
    "prompts",
    "per prompt",
    "raw mean",
    "coverage",
)


def result_lines(results: ResultSet) -> list[str]:
    """People, estimates with their counts, categories, tasks and the sentences that go with them."""
    report = report_of(results)
    sentences = [*scope_lines(results), *interval_sentences(report), *report.notes]
    return [*flow_lines(results), "", *estimate_lines(report), *task_lines(report), "", *sentences]


def scope_lines(results: ResultSet) -> Iterator[str]:
    if scope_to_show(results) == Scope.PUBLIC:
        yield (
            "All of this is over all prompts, private ones included; the report is over the public ones, "
            "and so are the rows of scope public in an export: their numbers differ."
        )


def flow_lines(results: ResultSet) -> Iterator[str]:
    study, flow = results.run.study, results.flow
    yield f"{study.name}: protocol {study.protocol_hash[:12]}, judge {results.run.judge_kind}"
    people = ("recruited", "approved", "started", "submitted", "expired", "withdrawn", "excluded", "retained")
    yield "People: " + ", ".join(f"{name} {flow[name]}" for name in people)
    answers = ", ".join(
        f"{state.replace('_', ' ')} {number}" for state, number in flow["answers_retained"].items() if number
    )
    yield f"Answers of the retained: {answers or 'none'}"


def estimate_lines(report: Report) -> Iterator[str]:
    yield from table([ESTIMATE_HEAD, *map(estimate_cells, report.overall)])
    yield from map(account, report.overall)
    if report.categories:
        yield ""
        yield from table([ESTIMATE_HEAD, *map(estimate_cells, report.categories)])


def estimate_cells(estimate: Estimate) -> Sequence[str]:
    return (
        short_name(estimate),
        str(estimate.participants),
        decimal(estimate.theta_pool),
        first_interval(estimate),
        decimal(estimate.theta_ql),
        interval(estimate.ci_low_ql, estimate.ci_high_ql),
        decimal(estimate.theta),
        interval(estimate.ci_low, estimate.ci_high),
        str(estimate.pairs),
        str(estimate.prompts),
        decimal(estimate.responses_per_prompt),
        decimal(estimate.raw_mean, 3),
        decimal(estimate.coverage, 3),
    )


def first_interval(estimate: Estimate) -> str:
    """Of theta.pool with what it is by, and a second one where it stands beside it."""
    if estimate.ci_low_pool is None:
        return why_none(estimate)
    first = interval(estimate.ci_low_pool, estimate.ci_high_pool)
    second = interval(estimate.ci_low_twoway, estimate.ci_high_twoway)
    beside = "" if second == ABSENT else f"; {second}, {ERRORS['se.twoway']}"
    return f"{first}, {ERRORS[estimate.interval]}{beside}"


def account(estimate: Estimate) -> str:
    """Where every expected answer went."""
    return (
        f"{short_name(estimate)}: {estimate.expected} expected = {estimate.pairs} pairs "
        f"+ {estimate.missing} missing + {estimate.unscored} unscored "
        f"+ {estimate.unknown_items} on prompts without item parameters"
    )


def short_name(estimate: Estimate) -> str:
    name = "Average" if estimate.group == ResultGroup.AVERAGE else "Top (in-sample)"
    return f"{estimate.category}: {name}" if estimate.category else name


def task_lines(report: Report) -> Iterator[str]:
    if report.tasks:
        yield ""
        yield from table(
            [("task", "responses", "Average %", "Top % (in-sample)"), *map(task_cells, report.tasks)]
        )
    if report.metrics:
        yield ""
        rows = [(metric.name, decimal(metric.average), decimal(metric.top)) for metric in report.metrics]
        yield from table([("", "Average", "Top (in-sample)"), *rows])


def task_cells(task: TaskShown) -> Sequence[str]:
    return (
        task.task,
        str(task.average.responses) if task.average else "0",
        decimal(task.average.accuracy if task.average else None, 1),
        decimal(task.top.accuracy if task.top else None, 1),
    )


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns of equal width; the first is left-aligned, numbers are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()


def decimal(value: float | None, places: int = 2) -> str:
    return ABSENT if value is None else f"{value:.{places}f}"


def interval(low: float | None, high: float | None) -> str:
    return ABSENT if low is None or high is None else f"{low:.2f} to {high:.2f}"
