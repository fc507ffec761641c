"""Results as pages and terminals show them: the numbers that were stored, and the sentences they need."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from django.db.models import Q
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.codes import CodeNames
from presentation.numbers import numbered
from presentation.scopes import QUESTIONS, after_results_sentence
from presentation.top import standing_sentences, top_sentences
from psychometrics.inference.estimates import MIN_QUESTIONS, WITHHELD, Reason
from psychometrics.inference.measure import Scope
from psychometrics.measures.headlines import GroupNumbers, MetricNumber, TaskNumbers
from psychometrics.top.rules import is_top
from scoring.models import ResultGroup, ResultSet
from scoring.selectors.headlines import Headlines, headlines
from scoring.selectors.measures import scope_to_show
from scoring.selectors.runs import run_notes
from scoring.selectors.task_tables import holds_tasks
from studies.selectors.names import code_names
from studies.selectors.studies import made_after_results

T = TypeVar("T")
NO_ITEM_BANK = gettext_lazy("The study has no item bank, so there is no ability.")
TASKS_ARE_ITEMS = gettext_lazy(
    "The items of the study's item bank are tasks, not questions, so there is no ability here. Ability on "
    "the tasks stands under Breakdowns."
)
SIMULATED = gettext_lazy("The people in this study are SIMULATED. The numbers say nothing about anybody.")
BOTH, NOT_HIDDEN = (ResultGroup.AVERAGE, ResultGroup.TOP), ("", "")
HARMONIC = "adjusted_harmonic_mean"
METRIC_NAMES = {
    "macro": gettext_lazy("Macro average over tasks"),
    "micro": gettext_lazy("Micro average over responses"),
    HARMONIC: gettext_lazy("Adjusted harmonic mean of (accuracy % + 1)"),
}


@dataclass(frozen=True)
class TaskShown:
    """One task with the stored accuracy of each group that has one."""

    task: str
    average: TaskNumbers | None
    top: TaskNumbers | None


@dataclass(frozen=True)
class MetricShown:
    """One summary over tasks, in percent. `why` says of Average and of Top why it is hidden."""

    name: str
    average: float | None
    top: float | None
    why: Sequence[str]


@dataclass(frozen=True)
class Report:
    """One computation: `overall` has one row per group, `categories` one per group and category.

    `metric_notes` are those of the notes about summaries over tasks, `of_tasks` says whether the items of the
    item bank are tasks, where that is known. Categories are measured on the scale of
    an item bank; without one there are none. `of` says over which questions its numbers are, where there is
    more than one scope.
    """

    results: ResultSet
    scope: Scope
    overall: Sequence[GroupNumbers]
    categories: Sequence[GroupNumbers]
    tasks: Sequence[TaskShown]
    metrics: Sequence[MetricShown]
    metric_notes: Sequence[str]
    names: CodeNames
    of: str = ""
    of_tasks: bool | None = None

    @cached_property
    def notes(self) -> Sequence[str]:
        """What a reader must know before quoting any of the numbers; asked for by whoever shows it."""
        return [*notes(self.results, self.scope, self.overall, self.of_tasks), *self.metric_notes]

    def category(self, row: GroupNumbers) -> str:
        """The name of the category that a row is of; "" of all questions."""
        return self.names.category(row.category) if row.category else ""

    @property
    def has_bank(self) -> bool:
        """Whether the study has an item bank, which an answer's prompt may lack."""
        return self.results.run.study.item_bank_id is not None

    @property
    def has_theta(self) -> bool:
        """Whether there is a scale and something scored on it."""
        return any(
            number is not None for row in self.overall for number in (row.theta, row.ci_low, row.ci_high)
        )


def report_of(
    results: ResultSet,
    scope: Scope = Scope.ALL,
    *,
    stored: Headlines | None = None,
    of_tasks: bool | None = None,
) -> Report:
    """Everything of one computation. A harmonic mean over tasks of few questions is not shown.

    Whoever has read them already gives the `stored` headlines of the scope, and whether the study's item
    bank is one `of_tasks`.
    """
    groups, of_each_task, metrics = stored or headlines(results, Q(scope=scope))
    estimates = sorted(groups, key=lambda row: (row.category, row.group))
    tasks = sorted(of_each_task, key=lambda row: row.task)
    overall = [estimate for estimate in estimates if not estimate.category]
    fewest = fewest_questions(results, scope) if any(row.name == HARMONIC for row in metrics) else {}
    # A harmonic mean over a task of few questions, or of a number of them that is not counted yet.
    hidden = [
        row
        for row in metrics
        if row.name == HARMONIC and row.value is not None and fewest.get(row.group, 0) < MIN_QUESTIONS
    ]
    hidden_groups = {row.group for row in hidden}
    why_hidden = [Reason.TOO_FEW_QUESTIONS if group in hidden_groups else "" for group in BOTH]
    names = code_names(results.run.study)
    return Report(
        results=results,
        scope=scope,
        overall=overall,
        categories=[row for row in estimates if row.category] if results.run.study.item_bank_id else [],
        tasks=[
            TaskShown(names.part("task", task), average, top)
            for task, average, top in _by_name((row.task, row.group, row) for row in tasks)
        ],
        metrics=[
            MetricShown(str(METRIC_NAMES[name]), average, top, why_hidden if name == HARMONIC else NOT_HIDDEN)
            for name, average, top in _by_name(
                (row.name, row.group, None if row in hidden else row.value) for row in metrics
            )
        ],
        names=names,
        of=str(QUESTIONS[scope]) if scope_to_show(results) == Scope.PUBLIC else "",
        metric_notes=list(_harmonic_notes(hidden, fewest)),
        of_tasks=of_tasks,
    )


def _by_name(rows: Iterable[tuple[str, str, T]]) -> Iterator[tuple[str, T | None, T | None]]:
    """Of rows of a name, a group and what it has: each name with what Average and what Top has."""
    by_name: dict[str, dict[str, T]] = {}
    for name, group, value in rows:
        by_name.setdefault(name, {})[group] = value
    for name, groups in by_name.items():
        yield name, groups.get(ResultGroup.AVERAGE), groups.get(ResultGroup.TOP)


def fewest_questions(results: ResultSet, scope: Scope) -> Mapping[str, int]:
    """By group: how many different questions the scored task with fewest has, as the measurement counted."""
    rows = results.measures.filter(scope=scope, name="benchmark.harmonic")
    counts = rows.exclude(reason__in=WITHHELD).values_list("group", "details")
    return {group: details["fewest_questions"] for group, details in counts}


def notes(
    results: ResultSet, scope: Scope, overall: Sequence[GroupNumbers], of_tasks: bool | None = None
) -> Iterator[str]:
    """What a reader must know before quoting any of the numbers."""
    study, flow = results.run.study, results.flow
    if study.is_simulated:
        yield str(SIMULATED)
    if not flow["retained"]:
        yield _("Nobody is counted yet: a participant counts once their session has ended.")
    if flow["active"]:
        yield numbered(
            _("Sessions still running: %(number)d. Nothing of them is in these results."),
            {"number": flow["active"]},
        )
    if late := made_after_results(study):
        yield after_results_sentence(late)
    yield from _top_notes(results, scope, overall)
    unscored = sum(estimate.unscored for estimate in overall if estimate.group == ResultGroup.AVERAGE)
    if unscored:
        yield numbered(
            _("Answers the judge failed on: %(number)d. They are in no estimate, and they are not zero."),
            {"number": unscored},
        )
    if study.item_bank is None:
        yield str(NO_ITEM_BANK)
    elif holds_tasks(study) if of_tasks is None else of_tasks:
        yield str(TASKS_ARE_ITEMS)
    yield from run_notes(results.run)


def _top_notes(results: ResultSet, scope: Scope, overall: Sequence[GroupNumbers]) -> Iterator[str]:
    """Why there is no Top, or how little it says beside so many people and beside Average."""
    size, people = results.flow["top_size"], results.flow["with_scores"]
    if people < size:
        yield numbered(
            ngettext(
                "Top needs %(needed)d counted participant with a scored answer; there are %(present)d.",
                "Top needs %(needed)d counted participants with a scored answer; there are %(present)d.",
                size,
            ),
            {"needed": size, "present": people},
        )
        return
    yield from top_sentences(size, people)
    if is_top(size, people):
        average = next((row.theta_pool for row in overall if row.group == ResultGroup.AVERAGE), None)
        of_top = results.measures.filter(scope=scope, group=ResultGroup.TOP, subset="")
        rows = {row.name: row for row in of_top.filter(name__in=("top.crossfit5", "top.paper"))}
        yield from standing_sentences(average, rows.get("top.crossfit5"), rows.get("top.paper"))


def _harmonic_notes(hidden: Sequence[MetricNumber], fewest: Mapping[str, int]) -> Iterator[str]:
    """Why a harmonic mean is not shown, in the words of the benchmark page."""
    counted = [fewest[row.group] for row in hidden if row.group in fewest]
    if counted:
        yield numbered(
            _(
                "The harmonic mean is hidden where a task has fewer than %(enough)d different questions "
                "with a "
                "scored answer (here %(fewest)d): there it falls far below its true value. Quote the micro "
                "average; the page Benchmark has it beside models at the same number of answers."
            ),
            {"enough": MIN_QUESTIONS, "fewest": min(counted)},
        )
    elif hidden:
        yield _("The harmonic mean is hidden until the measurement has counted the questions of each task.")
