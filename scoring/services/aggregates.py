"""From answers to the numbers of a group. Plain values in and out; nothing is read or stored here.

Each of the expected answers (participants x the prompts of their batches) is one of: missing (nothing there
to judge), unscored (there, but the judge gave no valid verdict), unknown (scored, but the item bank does not
hold its prompt) or a pair. None of the first three is zero; none enters an estimate.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.irt.ability import Z_95, GroupAbility, group_ability
from scoring.irt.bank import ItemBank
from scoring.selectors.answers import ResultAnswer
from scoring.stats.estimates import Estimate, Reason, unknown
from scoring.stats.influence import without_selection
from scoring.stats.quasi_estimate import quasi_estimate
from studies.bank.categories import category_of

ALL_CATEGORIES = ""


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
    theta_ql: float | None
    se_ql: float | None
    ci_low_ql: float | None
    ci_high_ql: float | None
    reason_ql: str
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


def top_group(answers: Iterable[ResultAnswer], size: int) -> frozenset[str]:
    """The codes of the `size` participants with the highest mean score of their scored answers.

    Ties go by code, so that the same answers always give the same group. Empty where fewer than `size` people
    have a scored answer. Selected on the outcome: whatever is computed for this group is in-sample.
    """
    scores: dict[str, list[float]] = {}
    for answer in answers:
        if answer.score is not None:
            scores.setdefault(answer.participant, []).append(answer.score)
    means = sorted((-math.fsum(own) / len(own), code) for code, own in scores.items())
    return frozenset(code for _, code in means[:size]) if len(means) >= size else frozenset()


def group_numbers(
    answers: Sequence[ResultAnswer], *, participants: int, scale: Scale, selected: bool
) -> Numbers:
    """The numbers of one group from all its answers on the prompts of `scale`.

    Of people who were `selected` by these very scores theta_QL has no error: it would leave out the choice.
    """
    answers = [answer for answer in answers if answer.prompt_id in scale.asked]
    there = [answer for answer in answers if answer.counts]
    scored = [(answer.prompt_id, answer.score) for answer in there if answer.score is not None]
    ability = group_ability_of(scored, scale)
    quasi = group_quasi_of(there, scale) if participants or not selected else unknown(Reason.TOO_FEW_PEOPLE)
    quasi = without_selection(quasi) if selected else quasi
    private = {name for name, _ in scored} & scale.private
    return Numbers(
        participants=participants,
        theta=number(ability.theta),
        se=number(ability.se),
        ci_low=number(ability.ci_low),
        ci_high=number(ability.ci_high),
        theta_pool=number(ability.theta_pool),
        se_pool=number(ability.se_pool),
        ci_low_pool=number(ability.theta_pool - Z_95 * ability.se_pool),
        ci_high_pool=number(ability.theta_pool + Z_95 * ability.se_pool),
        theta_ql=number(quasi.value),
        se_ql=number(quasi.se),
        ci_low_ql=number(quasi.low),
        ci_high_ql=number(quasi.high),
        reason_ql=str(quasi.reason or ""),
        pairs=ability.pairs,
        prompts=ability.prompts,
        private_prompts=sum(scale.counts(name) for name in private),
        private_scored=len(private),
        responses_per_prompt=number(ability.responses_per_prompt),
        raw_mean=number(ability.raw_mean),
        coverage=number(ability.coverage),
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


def group_quasi_of(answers: Iterable[ResultAnswer], scale: Scale) -> Estimate:
    """theta_QL with its error by participant, on any bank; NaN with the reason."""
    items = scale.items
    pairs = [] if items is None else [
        (items.index[answer.prompt_id], answer.score, answer.participant)
        for answer in answers
        if answer.score is not None and answer.prompt_id in items.index
    ]  # fmt: skip
    if items is None or not pairs:
        return unknown(Reason.NOTHING_SCORED)
    places, p, people = (list(column) for column in zip(*pairs, strict=True))
    return quasi_estimate(items.a[places], items.b[places], p, people).estimate


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


def number(value: float) -> float | None:
    """What a database and JSON hold for it: NaN is absent."""
    return None if math.isnan(value) else float(value)
