"""Average and Top with all that they rest on: the numbers that stand first, over everything and by category.

    theta.pool, theta.ql     with the error that stands first (`inference.first_error`); fewer than eight
                             batches that share no prompt have a second one beside it (`theta.pool.twoway`)
    theta.prompt.analytic    by prompt means with the published analytic error (GIM paper, equation 2)

Each expected answer (people x the prompts of their batches) is one of: missing (nothing there to judge),
unscored (there, but the judge gave no valid verdict), unknown (scored, but the item bank does not hold its
prompt) or a pair. None of the first three is zero; none enters an estimate.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from formats.canonical import JsonValue
from psychometrics.benchmark import tasks
from psychometrics.data.cohort import Cohort
from psychometrics.data.places import PUBLIC, Outcome
from psychometrics.inference.clusters import linear_estimate
from psychometrics.inference.estimates import FEW_BATCHES, Estimate, Reason, unknown, within
from psychometrics.inference.first_error import GroupTheta, estimated, group_theta
from psychometrics.inference.jackknife import prompt_information, theta_prompt
from psychometrics.inference.measure import CATEGORY, TASK, Measure, plain
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import analytic_estimate, pooled_fit, twoway_error
from psychometrics.measures.inputs import Inputs
from psychometrics.measures.methods import CLUSTERED

ALL_CATEGORIES = ""
THETAS = ("theta.pool", "theta.ql", "theta.prompt.analytic")
NOTHING = unknown(Reason.NOTHING_SCORED)
ANSWERED = (Outcome.SCORED, Outcome.UNSCORED)


def result_measures(inputs: Inputs) -> Iterator[Measure]:
    """Both groups, over all prompts and by category; on a benchmark with tasks, by task and over tasks."""
    cohort, benchmark = inputs.cohort, inputs.facts.benchmark
    named_categories = {prompt.category for prompt in cohort.prompts} - {ALL_CATEGORIES}
    for group, members in inputs.groups.items():
        for category in (ALL_CATEGORIES, *sorted(named_categories)):
            yield from part_measures(inputs, group, category, inputs.nested)
        if benchmark is not None:
            yield from task_measures(group, members, benchmark.rules)


def part_measures(inputs: Inputs, group: str, category: str, nested: bool) -> Iterator[Measure]:
    """One group over one category ("" for all prompts); `nested` is the design of the whole study."""
    cohort, sizes = inputs.cohort, inputs.facts.items_by_category
    of_category = np.array(
        [category in (ALL_CATEGORIES, prompt.category) for prompt in cohort.prompts], dtype=bool
    )
    rows = inputs.groups[group].of_prompts(of_category)
    items = sizes.get(category, 0) if category else sum(sizes.values())
    prompts = items if sizes else int(of_category.sum())
    return Part(group, category, rows, prompts, has_scale=bool(sizes)).measures(nested=nested)


@dataclass(frozen=True, eq=False)
class Part:
    """The answers of a group to the prompts of a category.

    `prompts` are those that its coverage is of: the items of the bank or, without one, the prompts asked.
    """

    group: str
    category: str
    rows: Cohort
    prompts: int
    has_scale: bool

    @cached_property
    def scored(self) -> Cohort:
        """The pairs; without an item bank of prompts, all rows with a score."""
        rows = self.rows
        return rows.of_rows(rows.is_pair if self.has_scale else ~np.isnan(rows.p))

    def measures(self, *, nested: bool) -> Iterator[Measure]:
        """All its numbers; `nested` is the design of the whole study."""
        yield from self._counts()
        scored = self.scored
        if len(scored):
            mean = linear_estimate(np.ones(len(scored)), scored.p, scored.person)
            measure = self._measure("raw_mean", within(mean.estimate, 0, 1), clusters=mean.clusters)
            yield replace(measure, details={"error": "se.participant", "variance": CLUSTERED})
        else:
            yield self._measure("raw_mean", NOTHING)
        yield from self._thetas(nested=nested)

    def _measure(self, name: str, estimate: Estimate, *, clusters: int | None = None) -> Measure:
        scored = self.scored
        return Measure(
            name, estimate, self.group, f"{CATEGORY}{self.category}" if self.category else "", n=len(scored),
            people=scored.people_present, prompts=len(np.unique(scored.prompt)), clusters=clusters,
        )  # fmt: skip

    def _counts(self) -> Iterator[Measure]:
        rows, scored = self.rows, self.scored
        answered = rows.of_rows(np.isin(rows.outcome, ANSWERED))
        with_score = rows.of_rows(~np.isnan(rows.p))
        n, asked = len(scored), len(np.unique(scored.prompt))
        for name, number in (
            # Of a category those people who answered in it, of everything the whole group.
            ("participants", (answered if self.category else rows).people_present),
            ("people", scored.people_present),
            ("prompts", asked),
            ("pairs", n),
            ("batches", len(np.unique(scored.pairs.batch))),
            ("answers.expected", len(rows)),
            ("answers.missing", len(rows) - len(answered)),
            ("answers.unscored", len(answered) - len(with_score)),
            ("answers.unknown_items", len(with_score) - n),
            ("private.prompts", private_prompts(scored)),
            ("private.scored", private_prompts(with_score)),
        ):
            yield self._measure(name, plain(float(number)))
        for name, whole, part in (("k_bar", asked, n), ("coverage", self.prompts, asked)):
            yield self._measure(name, plain(part / whole) if whole else NOTHING)

    def _thetas(self, *, nested: bool) -> Iterator[Measure]:
        rows, pairs = self.rows, self.rows.pairs
        if bound := unbounded(pairs.a, pairs.b, pairs.p):
            yield from (self._measure(name, bound) for name in THETAS)
            return
        whole = not self.category
        pool, quasi = (
            group_theta(name, pairs, rows.transform, nested=nested, whole=whole) for name in THETAS[:2]
        )
        yield self._theta("theta.pool", pool)
        if pool.error.name == "se.batch" and len(np.unique(pairs.batch)) < FEW_BATCHES:
            fit = pooled_fit(pairs)
            second = twoway_error(fit, pairs)
            if not math.isnan((estimate := estimated(fit.theta, second)).se):
                yield self._measure("theta.pool.twoway", estimate, clusters=second.clusters)
        yield self._theta("theta.ql", quasi)
        analytic = (
            analytic_estimate(theta_prompt(pairs, rows.transform), prompt_information(pairs), rows.sigma_hat)
            if len(pairs)
            else NOTHING
        )
        yield self._measure("theta.prompt.analytic", analytic)

    def _theta(self, name: str, theta: GroupTheta) -> Measure:
        if not len(self.rows.pairs):
            return self._measure(name, NOTHING)
        measure = self._measure(name, theta.estimate, clusters=theta.error.found.clusters)
        return replace(measure, details=theta.error.facts)


def private_prompts(rows: Cohort) -> int:
    """How many different prompts of these rows are of a private split."""
    return sum(rows.prompts[place].split != PUBLIC for place in np.unique(rows.prompt))


def task_measures(group: str, members: Cohort, rules: str) -> Iterator[Measure]:
    """Accuracy of each task that the group was asked, and the benchmark's summaries of them, in percent."""
    sums = tasks.task_sums(members)
    asked = {members.prompts[place].task for place in np.unique(members.prompt)}
    for place, task in enumerate(sums.tasks):
        if task in asked:
            yield of_task("task.accuracy", tasks.task_estimate(sums, place), group, sums, place)
    yield over_tasks("benchmark.macro", tasks.macro_estimate(sums), group, sums)
    yield over_tasks("benchmark.micro", tasks.micro_estimate(sums), group, sums)
    if rules == "bbeh":
        published = plain(tasks.harmonic(sums.accuracy)) if len(sums.scored) else unknown(Reason.NO_PAIRS)
        yield over_tasks("benchmark.harmonic.published", published, group, sums)


def of_task(
    name: str, estimate: Estimate, group: str, sums: tasks.TaskSums, place: int, **details: JsonValue
) -> Measure:
    """A number of the task at this place, with the answers of a group that it rests on."""
    people = int((sums.answers[:, place] > 0).sum())
    return Measure(
        name, estimate, group=group, subset=f"{TASK}{sums.tasks[place]}", n=int(sums.totals[place]),
        people=people, prompts=int(sums.questions[place]), clusters=people, details=details,
    )  # fmt: skip


def over_tasks(
    name: str, estimate: Estimate, group: str, sums: tasks.TaskSums, **details: JsonValue
) -> Measure:
    """A summary over the tasks of a group."""
    return Measure(
        name, estimate, group=group, n=int(sums.totals.sum()), people=len(sums.answers),
        prompts=int(sums.questions.sum()), clusters=len(sums.answers),
        details={**details, "tasks": len(sums.scored)},
    )  # fmt: skip
