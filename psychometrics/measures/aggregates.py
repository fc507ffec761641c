"""From answers to the numbers of a group.

Each of the expected answers (participants x the prompts of their batches) is one of: missing (nothing there
to judge), unscored (there, but the judge gave no valid verdict), unknown (scored, but the item bank does not
hold its prompt) or a pair. None of the first three is zero; none enters an estimate.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from psychometrics.agreement.influence import without_selection
from psychometrics.data.answers import ResultAnswer
from psychometrics.data.categories import category_of
from psychometrics.data.cohort import Pairs
from psychometrics.inference.clusters import cluster_codes
from psychometrics.inference.estimates import Estimate, Reason, none_if_nan, unknown
from psychometrics.inference.standard_errors import pooled_fit, quasi_fit, twoway_error
from psychometrics.inference.standard_errors_table import FEW_BATCHES, ErrorRow, estimated, first_row
from psychometrics.irt.ability import GroupAbility, group_ability
from psychometrics.irt.bank import ItemBank

ALL_CATEGORIES = ""
NO_SECOND = unknown(Reason.OTHER_DESIGN)


@dataclass(frozen=True)
class Numbers:
    """One group over one category. None where nothing is scored or no item bank gives a scale, never zero."""

    participants: int
    theta: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    theta_pool: float | None
    se_pool: float | None
    ci_low_pool: float | None
    ci_high_pool: float | None
    reason_pool: str
    se_twoway: float | None
    ci_low_twoway: float | None
    ci_high_twoway: float | None
    theta_ql: float | None
    se_ql: float | None
    ci_low_ql: float | None
    ci_high_ql: float | None
    reason_ql: str
    interval: str
    clusters: int | None
    batches: int
    pairs: int
    prompts: int
    private_prompts: int
    private_scored: int
    responses_per_prompt: float | None
    raw_mean: float | None
    coverage: float | None
    expected: int
    missing: int
    unscored: int
    unknown_items: int


@dataclass(frozen=True)
class Scale:
    """What a group is measured on: the item bank, if there is one, and the prompts of the study's batches.

    `prompt_categories` maps each of these prompts to its category in the prompt bank. Answers to the prompts
    in `left_out` are not looked at; these still say which category their items are of. `private` are those of
    a private split.
    """

    items: ItemBank | None
    prompt_categories: Mapping[str, str]
    private: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()

    @cached_property
    def asked(self) -> frozenset[str]:
        """The prompts whose answers count."""
        return frozenset(self.prompt_categories) - self.left_out

    def counts(self, prompt_id: str) -> bool:
        """Whether a score on this prompt is a pair: all are where there is no item bank."""
        return self.items is None or prompt_id in self.items.index

    def category_of(self, prompt_id: str) -> str:
        """The category results on this prompt are reported under; "" for none."""
        return category_of(self._subcategories.get(prompt_id, ""), self.prompt_categories.get(prompt_id, ""))

    @cached_property
    def _subcategories(self) -> Mapping[str, str]:
        items = self.items
        return {} if items is None else dict(zip(items.prompt_ids, items.subcategories, strict=True))

    @property
    def categories(self) -> list[str]:
        """The named categories of the study's prompts, sorted."""
        return sorted({self.category_of(prompt_id) for prompt_id in self.asked} - {""})

    def within(self, category: str) -> "Scale":
        """The same scale with one category's items and prompts only."""
        if category == ALL_CATEGORIES:
            return self
        prompts = {
            prompt_id: named
            for prompt_id, named in self.prompt_categories.items()
            if self.category_of(prompt_id) == category
        }
        return Scale(self._items_within(category), prompts, self.private, self.left_out)

    def _items_within(self, category: str) -> ItemBank | None:
        if self.items is None:
            return None
        return self.items.subset(name for name in self.items.prompt_ids if self.category_of(name) == category)


def group_numbers(
    answers: Sequence[ResultAnswer],
    *,
    participants: int,
    scale: Scale,
    selected: bool,
    nested: bool,
    in_category: bool = False,
) -> Numbers:
    """The numbers of one group from all its answers on the prompts of `scale`; `nested` is the whole design.

    Of a category those people are counted who answered in it, not all `participants` of the group.
    People who were `selected` by these very scores have no interval: it would leave out the choice.
    """
    answers = [answer for answer in answers if answer.prompt_id in scale.asked]
    there = [answer for answer in answers if answer.counts]
    scored = [(answer.prompt_id, answer.score) for answer in there if answer.score is not None]
    ability = group_ability_of(scored, scale)
    errors = group_errors_of(there, scale, nested=nested)
    pool, ql, twoway = errors.pool.estimate, errors.ql.estimate, errors.twoway
    if selected:
        pool, ql, twoway = (chosen(one, participants) for one in (pool, ql, twoway))
    told = not selected and errors.pool.clusters
    private = {name for name, _ in scored} & scale.private
    return Numbers(
        participants=len({answer.participant for answer in there}) if in_category else participants,
        theta=none_if_nan(ability.theta),
        se=None if selected else none_if_nan(ability.se),
        ci_low=None if selected else none_if_nan(ability.ci_low),
        ci_high=None if selected else none_if_nan(ability.ci_high),
        theta_pool=none_if_nan(pool.value),
        se_pool=none_if_nan(pool.se),
        ci_low_pool=none_if_nan(pool.low),
        ci_high_pool=none_if_nan(pool.high),
        reason_pool=str(pool.reason or ""),
        se_twoway=none_if_nan(twoway.se),
        ci_low_twoway=none_if_nan(twoway.low),
        ci_high_twoway=none_if_nan(twoway.high),
        theta_ql=none_if_nan(ql.value),
        se_ql=none_if_nan(ql.se),
        ci_low_ql=none_if_nan(ql.low),
        ci_high_ql=none_if_nan(ql.high),
        reason_ql=str(ql.reason or ""),
        interval=errors.pool.error if told else "",
        clusters=errors.pool.clusters if told else None,
        batches=errors.batches,
        pairs=ability.pairs,
        prompts=ability.prompts,
        private_prompts=sum(scale.counts(name) for name in private),
        private_scored=len(private),
        responses_per_prompt=none_if_nan(ability.responses_per_prompt),
        raw_mean=none_if_nan(ability.raw_mean),
        coverage=none_if_nan(ability.coverage),
        expected=len(answers),
        missing=len(answers) - len(there),
        unscored=len(there) - len(scored),
        unknown_items=len(scored) - ability.pairs,
    )


def group_ability_of(scored: Sequence[tuple[str, float]], scale: Scale) -> GroupAbility:
    items = scale.items
    if items is None:
        return group_without_items(scored, scale)
    positions = np.array([items.index.get(prompt_id, -1) for prompt_id, _ in scored], dtype=np.int64)
    return group_ability(positions, np.array([score for _, score in scored], dtype=np.float64), items)


@dataclass(frozen=True)
class GroupErrors:
    """theta.pool and theta_QL with the errors that serve the design, and a second, two-way one of the first.

    The latter has no value but in a nested study of few batches.
    """

    pool: ErrorRow
    ql: ErrorRow
    twoway: Estimate
    batches: int


def group_errors_of(answers: Iterable[ResultAnswer], scale: Scale, *, nested: bool) -> GroupErrors:
    """Of answers that are there. A logistic bank, whose scale no logit is on, has no theta.pool."""
    pairs = pairs_of(answers, scale.items)
    fit = pooled_fit(pairs)
    pool = first_row("theta.pool", fit, pairs, nested=nested)
    few = pool.error == "se.batch" and (pool.clusters or 0) < FEW_BATCHES
    twoway = estimated(fit.theta, twoway_error(fit, pairs)) if few else NO_SECOND
    if scale.items is not None and scale.items.is_logistic and len(pairs):
        pool, twoway = replace(pool, estimate=unknown(Reason.LOGISTIC_BANK)), NO_SECOND
    ql = first_row("theta.ql", quasi_fit(pairs), pairs, nested=nested)
    return GroupErrors(pool, ql, twoway, len(np.unique(pairs.batch)))


def pairs_of(answers: Iterable[ResultAnswer], items: ItemBank | None) -> Pairs:
    """The scored answers to prompts of the item bank; none where there is no bank."""
    rows = [
        (answer.participant, items.index[answer.prompt_id], answer.batch, answer.score)
        for answer in answers
        if items is not None and answer.score is not None and answer.prompt_id in items.index
    ]
    people, places, batches, scores = (
        (list(column) for column in zip(*rows, strict=True)) if rows else ([],) * 4
    )
    prompt, p = np.array(places, dtype=np.int64), np.array(scores, dtype=np.float64)
    none = np.zeros(0)
    return Pairs(
        person=cluster_codes(np.array(people, dtype=np.str_))[0], prompt=prompt,
        batch=np.array(batches, dtype=np.int64), p=p,
        a=items.a[prompt] if items else none, b=items.b[prompt] if items else none,
        y=items.transform.to_logit(p) if items else none,
    )  # fmt: skip


def chosen(estimate: Estimate, people: int) -> Estimate:
    """Of people who were chosen by these scores; of nobody, where there were too few to choose from."""
    return without_selection(estimate) if people else unknown(Reason.TOO_FEW_PEOPLE)


def is_nested(answers: Iterable[ResultAnswer], scale: Scale) -> bool:
    """Whether every prompt with item parameters is in one batch only (`standard_errors.is_nested`)."""
    placed = {(answer.prompt_id, answer.batch) for answer in answers if scale.counts(answer.prompt_id)}
    return len(placed) == len({prompt_id for prompt_id, _ in placed})


def group_without_items(scored: Sequence[tuple[str, float]], scale: Scale) -> GroupAbility:
    """Counts and the raw mean; without a scale, abilities are NaN, and coverage is of the study's prompts."""
    pairs, prompts = len(scored), len({prompt_id for prompt_id, _ in scored})
    study_prompts = len(scale.asked)
    return GroupAbility(
        theta=math.nan,
        se=math.nan,
        ci_low=math.nan,
        ci_high=math.nan,
        theta_pool=math.nan,
        se_pool=math.nan,
        pairs=pairs,
        prompts=prompts,
        responses_per_prompt=pairs / prompts if prompts else math.nan,
        raw_mean=math.fsum(score for _, score in scored) / pairs if pairs else math.nan,
        coverage=prompts / study_prompts if study_prompts else math.nan,
    )
