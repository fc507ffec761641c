"""The models beside the cohort: on the same prompts, at the same number of responses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from zlib import crc32

import numpy as np

from formats.canonical import JsonValue
from formats.wording import gettext_noop
from psychometrics.data.cohort import Codes, Pairs
from psychometrics.inference.estimates import Reason, none_if_nan, unknown, without_interval
from psychometrics.inference.first_error import first_cluster
from psychometrics.inference.holm import holm
from psychometrics.inference.measure import Measure, NotMeasurable
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import analytic_estimate
from psychometrics.irt.bank import ItemBank
from psychometrics.measures.blocks.models_categories import category_measures
from psychometrics.measures.blocks.models_published import published_measures
from psychometrics.measures.inputs import Inputs, ModelFacts
from psychometrics.models.leaderboard import Configuration, Leaderboard
from psychometrics.models.matched import (
    Found,
    Theta,
    bounded,
    cohort_theta,
    difference,
    logits_of_model,
    model_theta,
)
from psychometrics.models.places import ALPHA, model_p_values, p_value, places, separated
from psychometrics.models.scores import ModelScores

AVERAGE, TOP = "average", "top"
Facts = dict[str, JsonValue]


@dataclass(frozen=True)
class Versus:
    """One model beside the cohort by one estimate."""

    model: Found
    difference: Found


@dataclass(frozen=True, eq=False)
class Side:
    """Average or Top: whom the models are put beside. `items` (n,) are bank positions of the pairs.

    `nested` is the design of the study.
    """

    group: str
    pairs: Pairs
    items: Codes
    nested: bool
    bank: ItemBank

    @cached_property
    def cohort(self) -> dict[Theta, Found]:
        transform = self.bank.transform
        return {theta: cohort_theta(theta, self.pairs, transform, nested=self.nested) for theta in Theta}

    @property
    def design(self) -> str:
        """What errors take as independent."""
        return first_cluster(self.pairs, nested=self.nested)

    def versus(self, theta: Theta, model: ModelScores, rng: np.random.Generator) -> Versus:
        m, k = logits_of_model(theta, model, self.items, rng)
        between = difference(theta, self.pairs, m, k, self.bank.transform, nested=self.nested)
        pairs, p = self.pairs, model.mean_p[self.items]
        there = ~np.isnan(p)
        if any(unbounded(pairs.a[there], pairs.b[there], own[there]) for own in (pairs.p, p)):
            between = replace(between, estimate=unknown(Reason.NO_FINITE_SOLUTION))
        return Versus(model_on(self.items, self.bank, model, model_theta(theta, pairs, m, k)), between)


def model_on(items: Codes, bank: ItemBank, model: ModelScores, found: Found) -> Found:
    """An ability of a model on these items (n,); a bound where it has full scores on all, or none on any."""
    once = np.unique(items)
    return bounded(found, bank.a[once], bank.b[once], model.mean_p[once])


def model_measures(inputs: Inputs) -> Iterator[Measure]:
    """Each model on all prompts, on those of Average, of Top and of each category, and who is told apart.

    Raises NotMeasurable without item parameters, models or scored answers.
    """
    facts = _models_of(inputs)
    bank, board = facts.items, facts.board
    average = side_of(inputs, AVERAGE, bank)
    models = [ModelScores(scores, bank.transform) for scores in board.p]
    for configuration, model in zip(board.scored, models, strict=True):
        judge = judge_facts(configuration, inputs.facts.judge.names)
        yield from on_all_prompts(configuration, model, bank, judge)
    yield from side_measures(inputs, average, board, models)
    if inputs.top.any():
        yield from side_measures(inputs, side_of(inputs, TOP, bank), board, models)
    yield from category_measures(inputs.cohort, average.items, list(zip(board.scored, models, strict=True)))
    yield from published_measures(board.published, bank, average.cohort[Theta.POOL].estimate, inputs.rng)


def _models_of(inputs: Inputs) -> ModelFacts:
    facts = inputs.facts.models
    if facts is None:
        raise NotMeasurable(
            gettext_noop("The study has no item bank, so nothing puts models and people on one scale.")
        )
    if not (facts.board.scored or facts.board.published):
        raise NotMeasurable(
            gettext_noop(
                "There are no results of models for the item bank %(bank)s yet; they are uploaded under "
                "Models."
            ),
            bank=facts.bank,
        )
    if not len(inputs.cohort.pairs):
        raise NotMeasurable(
            gettext_noop("No answer of a retained person has a score on a prompt with item parameters.")
        )
    return facts


def side_of(inputs: Inputs, group: str, bank: ItemBank) -> Side:
    cohort = inputs.groups[group]
    positions = np.array([bank.index.get(prompt.prompt_id, -1) for prompt in cohort.prompts], dtype=np.int64)
    return Side(group, cohort.pairs, positions[cohort.pairs.prompt], inputs.nested, bank)


def on_all_prompts(
    configuration: Configuration, model: ModelScores, bank: ItemBank, judge: Facts
) -> Iterator[Measure]:
    """The model as leaderboards report it: the logit of the mean over its epochs, all items of the bank.

    `judge` says who scored it.
    """
    everywhere = np.arange(len(bank))
    none = np.zeros(len(bank), dtype=np.int64)
    rows = Pairs(none, everywhere, none, model.mean_p, bank.a, bank.b, model.mean_logits)
    scored = ~np.isnan(model.mean_p)
    k = float(model.epochs[scored].mean()) if scored.any() else np.nan
    published = model_on(everywhere, bank, model, model_theta(Theta.POOL, rows, model.mean_logits, k))
    information = float(bank.a[scored] @ bank.a[scored])
    analytic = analytic_estimate(published.estimate.value, information, bank.sigma_hat)
    facts = facts_of(configuration) | judge | {"se_analytic": none_if_nan(analytic.se)}
    yield measure_of("theta.epochs", published, "", configuration.name, facts | {"k": none_if_nan(k)})
    quasi = model_on(everywhere, bank, model, model_theta(Theta.QL, rows, model.mean_p, np.nan))
    yield measure_of("models.theta.ql", quasi, "", configuration.name, facts_of(configuration))


def judge_facts(configuration: Configuration, names: Sequence[str]) -> Facts:
    """Whether the people's judge scored a model, too: both names; None where nothing names the model's."""
    same = _bare(configuration.judge) in map(_bare, names) if configuration.judge else None
    return {"judge": configuration.judge, "study_judge": names[0], "same_judge": same}


def _bare(name: str) -> str:
    """A model's name without its provider, in small letters."""
    return name.rpartition("/")[2].casefold()


def side_measures(
    inputs: Inputs, side: Side, board: Leaderboard, models: Sequence[ModelScores]
) -> Iterator[Measure]:
    """One group, then every model beside it by each estimate."""
    found: dict[Theta, list[Versus]] = {theta: [] for theta in Theta}
    seed = int(inputs.rng.integers(2**32))
    for done, (configuration, model) in enumerate(zip(board.scored, models, strict=True)):
        inputs.progress(done, len(models))
        rng = np.random.default_rng([seed, crc32(configuration.name.encode())])  # no model changes another
        for theta in Theta:
            found[theta].append(side.versus(theta, model, rng))
    standing = _standings(side, models, found[Theta.POOL]) if side.group == AVERAGE else {}
    for theta in Theta:
        of_cohort = side.cohort[theta]
        facts: Facts = {"k": none_if_nan(of_cohort.k), "design": side.design}
        if theta is Theta.POOL:
            facts |= standing.get(-1, {})
        yield measure_of(f"models.{theta}", in_sample(of_cohort, side), side.group, "", facts)
        yield from theta_measures(theta, side, board, found[theta], standing)


def theta_measures(
    theta: Theta, side: Side, board: Leaderboard, comparisons: Sequence[Versus], standing: dict[int, Facts]
) -> Iterator[Measure]:
    """The models' rows of one estimate. Verdicts are corrected for the number of models (Holm).

    There is none for Top, selected on the outcome, nor for theta.prompt: even at the same number of responses
    a mean over different people lies nearer to the middle than one over epochs of one model, which always
    fails on the same prompts (by 0.1 to 0.3 logits for equal abilities of 0.5 to 2, DGP-R).
    """
    adjusted = holm([_p_of(comparison.difference) for comparison in comparisons])
    for configuration, number, versus in zip(board.scored, range(len(adjusted)), comparisons, strict=True):
        facts, model, between = facts_of(configuration), versus.model, versus.difference
        places = standing.get(number, {}) if theta is Theta.POOL else {}
        k: Facts = {"k": none_if_nan(model.k)}
        yield measure_of(f"models.{theta}", model, side.group, configuration.name, facts | k | places)
        facts |= {"design": side.design, "pairs_without_model": len(side.pairs) - between.pairs}
        if theta is not Theta.QL:
            k_human = between.pairs / between.prompts if theta is Theta.PROMPT and between.prompts else 1.0
            facts |= {"k_human": none_if_nan(k_human), "k_model": none_if_nan(between.k)}
        p_holm = float(adjusted[number])
        if side.group != TOP and theta is not Theta.PROMPT and not np.isnan(p_holm):
            verdict = "not_distinguishable"
            if p_holm < ALPHA:
                verdict = "above" if between.estimate.value > 0 else "below"
            facts |= {"p_holm": p_holm, "verdict": verdict}
        name = theta.replace("theta.", "difference.")
        yield measure_of(name, in_sample(between, side), side.group, configuration.name, facts)


def _standings(side: Side, models: Sequence[ModelScores], comparisons: Sequence[Versus]) -> dict[int, Facts]:
    """Places and groups of the cohort (-1) and of each model (its number), by single responses."""
    known = [number for number, versus in enumerate(comparisons) if versus.model.estimate.known]
    weights = np.bincount(side.items, minlength=len(side.bank)).astype(np.float64)
    p = np.full((len(known) + 1, len(known) + 1), np.nan)
    y = np.array([models[number].single_logits for number in known]).reshape(len(known), len(side.bank))
    p[1:, 1:] = model_p_values(y, side.bank.a, weights)
    p[0, 1:] = p[1:, 0] = [_p_of(comparisons[number].difference) for number in known]
    theta = [side.cohort[Theta.POOL], *(comparisons[number].model for number in known)]
    stands = places(np.array([ability.estimate.value for ability in theta]), separated(p))
    return {
        number: {"place_best": place.best, "place_worst": place.worst, "groups": list(place.groups)}
        for number, place in zip([-1, *known], stands, strict=True)
    }


def _p_of(found: Found) -> float:
    return p_value(found.estimate.value, found.estimate.se, found.error.found.df)


def in_sample(found: Found, side: Side) -> Found:
    """For Top without an interval: its people were chosen on these scores, and none around it holds."""
    if side.group != TOP or not found.estimate.known:
        return found
    return replace(found, estimate=without_interval(found.estimate.value, Reason.SELECTED))


def facts_of(configuration: Configuration) -> Facts:
    return {"model": configuration.name, "family": configuration.family, "source": configuration.source}


def measure_of(name: str, found: Found, group: str, model: str, facts: Facts) -> Measure:
    return Measure(
        name, found.estimate, group, f"model:{model}" if model else "", n=found.pairs,
        people=found.people if group else None, prompts=found.prompts,
        clusters=found.error.found.clusters, details=facts,
    )  # fmt: skip
