"""Results as lines for a terminal."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from presentation.first_intervals import (
    accuracy_cell,
    first_cell,
    interval_sentences,
    mean_cell,
    pool_cell,
    quasi_cell,
)
from presentation.numbers import bounded, counted, decimals, quantity, span
from presentation.scopes import LEADS
from presentation.tables import terminal_table
from presentation.top import luck_sentence
from psychometrics.inference.measure import Scope
from psychometrics.measures.headlines import GroupNumbers, Lead
from reporting.selectors.reports import Report, report_of
from scoring.models import ResultGroup, ResultSet
from scoring.selectors.headlines import results_lead

Columns = Sequence[tuple[str, Callable[[GroupNumbers], str]]]


def result_lines(results: ResultSet) -> list[str]:
    """People, estimates with their counts, categories, tasks and the sentences that go with them."""
    lead = results_lead(results)
    report = report_of(results, lead.scope or Scope.PUBLIC)
    of_top = results.measures.filter(scope=report.scope, group=ResultGroup.TOP, name="top.null_share")
    sentences = [
        # Whether picking Top found more than luck, once that is measured.
        *(luck_sentence(row.value or 0.0, row.details["draws"]) for row in of_top.exclude(value=None)),
        *interval_sentences(report.overall, report.categories),
        *report.notes,
    ]
    study, flow = results.run.study, results.flow
    people = ("recruited", "approved", "started", "submitted", "expired", "withdrawn", "excluded", "retained")
    answers = ", ".join(
        f"{state.replace('_', ' ')} {counted(number)}"
        for state, number in flow["answers_retained"].items()
        if number
    )
    first = [
        f"{study.name}: protocol {study.protocol_hash[:12]}, judge {results.run.judge_kind}",
        "People: " + ", ".join(f"{name} {counted(flow[name])}" for name in people),
        f"Answers of the retained: {answers or 'none'}",
        *scope_lines(lead, report),
    ]
    return [*first, "", *estimate_lines(report), *_task_lines(report), "", *sentences]


def scope_lines(lead: Lead, report: Report) -> Iterator[str]:
    """Over which questions all of it is, and why those."""
    if report.of:
        yield f"{report.of}: {LEADS[lead.why]}"


def estimate_lines(report: Report) -> Iterator[str]:
    columns: Columns = [("", partial(_short_name, report)), *ESTIMATE_COLUMNS]
    yield from terminal_table(report.overall, columns)
    yield from (account(report, estimate) for estimate in report.overall)
    if report.categories:
        yield ""
        yield from terminal_table(report.categories, columns)


def account(report: Report, estimate: GroupNumbers) -> str:
    """Where every expected answer went; without an item bank there is nothing that it could lack."""
    lacking = f" + {counted(estimate.unknown_items)} on prompts without item parameters"
    return (
        f"{_short_name(report, estimate)}: {counted(estimate.expected)} expected = "
        f"{quantity(estimate.pairs, 'pair', 'pairs')} + {counted(estimate.missing)} missing "
        f"+ {counted(estimate.unscored)} unscored{lacking if report.has_bank else ''}"
    )


def _short_name(report: Report, estimate: GroupNumbers) -> str:
    name = "Average" if estimate.group == ResultGroup.AVERAGE else "Top (in-sample)"
    return f"{report.category(estimate)}: {name}" if estimate.category else name


def _task_lines(report: Report) -> Iterator[str]:
    if report.tasks:
        yield ""
        yield from terminal_table(
            report.tasks,
            (
                ("task", lambda task: task.task),
                ("responses", lambda task: counted(task.average.responses) if task.average else "0"),
                ("Average %", lambda task: accuracy_cell(task.average)),
                ("Top % (in-sample)", lambda task: accuracy_cell(task.top)),
            ),
        )
    if report.metrics:
        yield ""
        yield from terminal_table(
            report.metrics,
            (
                ("", lambda metric: metric.name),
                ("Average", lambda metric: decimals(metric.average)),
                ("Top (in-sample)", lambda metric: decimals(metric.top)),
            ),
        )


ESTIMATE_COLUMNS: Columns = (
    ("people", lambda row: counted(row.participants)),
    ("theta.pool", pool_cell),
    ("95 % interval", first_cell),
    ("theta_QL", quasi_cell),
    ("95 % interval", lambda row: span(row.ci_low_ql, row.ci_high_ql)),
    ("as published", lambda row: bounded(row.theta, row.ci_low, row.ci_high)),
    ("95 % interval", lambda row: span(row.ci_low, row.ci_high)),
    ("pairs", lambda row: counted(row.pairs)),
    ("prompts", lambda row: counted(row.prompts)),
    ("per prompt", lambda row: decimals(row.responses_per_prompt)),
    ("raw mean", mean_cell),
    ("coverage", lambda row: decimals(row.coverage, 3)),
)
