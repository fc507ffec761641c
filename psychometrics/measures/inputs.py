"""What every block of the measurement is given. Blocks read nothing else, and store nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from formats.wording import gettext_noop
from psychometrics.benchmark.accuracy_table import TableColumn
from psychometrics.data.cohort import Cohort, Mask
from psychometrics.exclusions.rules import ExclusionFacts
from psychometrics.fit.criteria import Correlation, correlation_of_criteria
from psychometrics.fit.reference import judged_process
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Estimate, Reason
from psychometrics.inference.measure import Name, NotMeasurable, Scope
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import is_nested
from psychometrics.irt.bank import ItemBank
from psychometrics.models.leaderboard import Leaderboard
from psychometrics.slices.parts import slices_of
from psychometrics.slices.suppression import withheld_parts, withheld_tasks
from psychometrics.top.ranking import by_raw_mean, first_of

UNKNOWN_CRITERIA = gettext_noop(
    "Person fit and DIF need the number of criteria by which answers to each prompt are judged, 1 where they "
    "are right or wrong, and the judge's confidences: give the columns criteria and confidence."
)


@dataclass(frozen=True)
class ScreeningFacts:
    """What reviewers looked at and decided.

    `people`: facts of everyone in the cohort, in its order. `excluded`: people by what had been flagged.
    `decisions`: of each person (code) each reviewer's blind decision, True where it confirms the exclusion,
    reviewers in the order in which they decided.
    """

    people: ExclusionFacts
    excluded: Mapping[str, int] = field(default_factory=dict)
    decisions: Mapping[str, Mapping[int, bool]] = field(default_factory=dict)


@dataclass(frozen=True)
class OtherJudge:
    """Another judge of the same answers: its scores by person and prompt. `run` is its number."""

    name: str
    run: int
    scores: Mapping[tuple[str, str], float]

    def on(self, cohort: Cohort) -> Array:
        """Its scores of the cohort's rows (n,); NaN where it has none."""
        codes = [cohort.people[person].code for person in cohort.person]
        prompt_ids = [cohort.prompts[prompt].prompt_id for prompt in cohort.prompt]
        rows = zip(codes, prompt_ids, strict=True)
        return np.array([self.scores.get(row, np.nan) for row in rows], dtype=np.float64)


@dataclass(frozen=True)
class JudgeFacts:
    """What a cohort does not hold of its judge.

    `names`: of the model and of the judge, by which a model's own judge may be the same. `confidences`: how
    often each was given. `unscored`: answers that count without a score, by reason.
    """

    names: tuple[str, ...] = ()
    confidences: Mapping[float, int] = field(default_factory=dict)
    unscored: Mapping[str, int] = field(default_factory=dict)
    others: tuple[OtherJudge, ...] = ()


@dataclass(frozen=True)
class BenchmarkFacts:
    """`rules`: "bbeh" or "bbh". `guessing`: the rate of right answers by chance of each task, where known."""

    rules: str
    columns: tuple[TableColumn, ...] = ()
    guessing: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelFacts:
    """The models on the study's item bank, whose name is `bank`; `items` are those that may be told of."""

    bank: str
    items: ItemBank
    board: Leaderboard


class KnownFacts(Protocol):
    """What blocks look at beside the cohort, in one scope; each may be read when a block first looks at it.

    `flow`: numbers of people by step, as stored. `items_by_category`: how many items the whole item bank has;
    empty without an item bank of prompts.
    """

    @property
    def top_size(self) -> int: ...
    @property
    def flow(self) -> Mapping[str, int]: ...
    @property
    def items_by_category(self) -> Mapping[str, int]: ...
    @property
    def screening(self) -> ScreeningFacts | None: ...
    @property
    def judge(self) -> JudgeFacts: ...
    @property
    def models(self) -> ModelFacts | None: ...
    @property
    def benchmark(self) -> BenchmarkFacts | None: ...


@dataclass(frozen=True)
class Facts:
    """The same as plain values."""

    top_size: int
    flow: Mapping[str, int] = field(default_factory=dict)
    items_by_category: Mapping[str, int] = field(default_factory=dict)
    screening: ScreeningFacts | None = None
    judge: JudgeFacts = JudgeFacts()
    models: ModelFacts | None = None
    benchmark: BenchmarkFacts | None = None


@dataclass(frozen=True, eq=False)
class Inputs:
    """One set of results to be measured. `everyone` holds the excluded, too; `cohort` only who is retained.

    In the public scope neither has a prompt of a private split, and `facts` hold nothing about any.
    `rng` is this block's own stream: what one block draws changes no number of another.
    """

    facts: KnownFacts
    everyone: Cohort
    items: ItemBank | None
    rng: np.random.Generator
    resamples: int
    progress: Callable[[int, int], None]  # done, of how many
    scope: Scope = Scope.ALL

    @property
    def public_only(self) -> bool:
        return self.scope == Scope.PUBLIC

    @cached_property
    def cohort(self) -> Cohort:
        return self.everyone.retained

    @cached_property
    def nested(self) -> bool:
        """Whether each prompt is in one batch only, by which errors are chosen; a part may not show it."""
        return is_nested(self.cohort)

    @cached_property
    def top(self) -> Mask:
        """(P,): the people of the stored Top group, chosen by raw mean; nobody where there are too few."""
        return top_members(self.cohort, self.facts.top_size)

    @cached_property
    def correlation(self) -> Correlation:
        """That of the criteria of an answer, as far as the models' epochs tell it.

        Raises NotMeasurable where nobody said how many criteria there are: taken as right or wrong, answers
        by several of them look like DIF and like people who do not fit.
        """
        asked = np.unique(self.cohort.pairs.prompt)
        if any(self.cohort.prompts[place].criteria is None for place in asked):
            raise NotMeasurable(UNKNOWN_CRITERIA)
        models = self.facts.models
        bank, p = (models.items, models.board.p) if models is not None else (None, None)
        return correlation_of_criteria(self.cohort.prompts, bank, p, judged_process(self.cohort))

    @cached_property
    def withheld(self) -> Mapping[Name, Reason]:
        """Which parts of Average and Top must not be told, and why; by pairs where there is an item bank."""
        cohort = self.cohort
        top = self.top[cohort.person] if len(cohort) else np.zeros(0, dtype=bool)
        counted = cohort.is_pair if self.facts.items_by_category else ~np.isnan(cohort.p)
        tasks = withheld_tasks(cohort, top) if self.facts.benchmark is not None else {}
        return withheld_parts(cohort, list(slices_of(cohort)), top, counted) | tasks

    @cached_property
    def bounds(self) -> Mapping[str, Estimate]:
        """What bounds the ability of groups all of whose scores on the scale of the bank are 1, or all 0."""
        of_groups = {group: members.pairs for group, members in self.groups.items()}
        found = {group: unbounded(own.a, own.b, own.p) for group, own in of_groups.items()}
        return {group: bound for group, bound in found.items() if bound}

    @cached_property
    def groups(self) -> dict[str, Cohort]:
        """Average and Top with their rows."""
        return {"average": self.cohort, "top": self.cohort.of_people(self.top)}


def top_members(cohort: Cohort, size: int) -> Mask:
    """The `size` people with the highest mean of their scored answers, ties by code (GIM paper, section 6).

    Scores on prompts without item parameters count, as they do in the published rule. Nobody where no more
    than `size` people have a score. Selected on the outcome: what is computed for these people is in-sample.
    """
    return first_of(by_raw_mean(cohort), size, len(cohort.people))
