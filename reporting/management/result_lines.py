"""Results as lines for a terminal."""

from collections.abc import Iterator, Sequence

from presentation.first_intervals import first_cell, interval_sentences
from presentation.numbers import decimals, span
from presentation.tables import terminal_lines
from psychometrics.inference.measure import Scope
from psychometrics.measures.headlines import GroupNumbers
from reporting.selectors.reports import Report, TaskShown, report_of
from scoring.models import ResultGroup, ResultSet
from scoring.selectors.measures import scope_to_show

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
    sentences = [*scope_lines(results), *interval_sentences(report.overall, report.categories), *report.notes]
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
    yield from terminal_lines([ESTIMATE_HEAD, *map(estimate_cells, report.overall)])
    yield from map(account, report.overall)
    if report.categories:
        yield ""
        yield from terminal_lines([ESTIMATE_HEAD, *map(estimate_cells, report.categories)])


def estimate_cells(estimate: GroupNumbers) -> Sequence[str]:
    return (
        short_name(estimate),
        str(estimate.participants),
        decimals(estimate.theta_pool),
        first_cell(estimate),
        decimals(estimate.theta_ql),
        span(estimate.ci_low_ql, estimate.ci_high_ql),
        decimals(estimate.theta),
        span(estimate.ci_low, estimate.ci_high),
        str(estimate.pairs),
        str(estimate.prompts),
        decimals(estimate.responses_per_prompt),
        decimals(estimate.raw_mean, 3),
        decimals(estimate.coverage, 3),
    )


def account(estimate: GroupNumbers) -> str:
    """Where every expected answer went."""
    return (
        f"{short_name(estimate)}: {estimate.expected} expected = {estimate.pairs} pairs "
        f"+ {estimate.missing} missing + {estimate.unscored} unscored "
        f"+ {estimate.unknown_items} on prompts without item parameters"
    )


def short_name(estimate: GroupNumbers) -> str:
    name = "Average" if estimate.group == ResultGroup.AVERAGE else "Top (in-sample)"
    return f"{estimate.category}: {name}" if estimate.category else name


def task_lines(report: Report) -> Iterator[str]:
    if report.tasks:
        yield ""
        yield from terminal_lines(
            [("task", "responses", "Average %", "Top % (in-sample)"), *map(task_cells, report.tasks)]
        )
    if report.metrics:
        yield ""
        rows = [(metric.name, decimals(metric.average), decimals(metric.top)) for metric in report.metrics]
        yield from terminal_lines([("", "Average", "Top (in-sample)"), *rows])


def task_cells(task: TaskShown) -> Sequence[str]:
    return (
        task.task,
        str(task.average.responses) if task.average else "0",
        decimals(task.average.accuracy if task.average else None, 1),
        decimals(task.top.accuracy if task.top else None, 1),
    )
