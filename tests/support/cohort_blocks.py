"""Blocks of the measurement that look at more than a cohort, by what they compute from the cohort alone."""

from collections.abc import Iterator

import numpy as np

from psychometrics.benchmark.tasks import task_sums
from psychometrics.exclusions.multiverse import lowest_ranks, specifications
from psychometrics.exclusions.rules import DECLARED, ExclusionFacts, removed_by
from psychometrics.inference.measure import Measure
from psychometrics.measures.blocks import benchmark, exclusions, judge, models, results
from psychometrics.measures.blocks.benchmark_models import harmonic_shown, theta_measures
from psychometrics.measures.inputs import Inputs
from psychometrics.models.leaderboard import Configuration, Leaderboard
from psychometrics.models.scores import ModelScores

TOP = 5  # people
EMPTY = "A-empty"  # the code of a person without a row; it comes first where people are sorted


def exclusion_estimates(inputs: Inputs) -> Iterator[Measure]:
    """Nobody left out, all specifications and their spread. Facts are on people, by their codes."""
    yield from exclusions.itt_measures(inputs)
    lowest, codes = lowest_ranks(inputs.everyone), [one.code for one in inputs.everyone.people]
    known = np.array([code != EMPTY for code in codes])
    last = np.array([int(code[1:]) if code != EMPTY else 0 for code in codes], dtype=np.float64)
    facts = ExclusionFacts(
        off_task_share=np.where(known, last / 40, np.nan), answered_share=np.where(known, 1 - last / 30, 0),
        median_words=np.where(known, 2 + last, np.nan), seconds_per_answer=np.where(known, 20 * last, np.nan),
        confirmed=np.array([not one.retained for one in inputs.everyone.people], dtype=bool),
    )  # fmt: skip
    found = list(specifications(inputs.everyone, removed_by(DECLARED, facts, lowest), TOP))
    for group in exclusions.GROUPS:
        for estimator in exclusions.NAMES:
            yield from exclusions.multiverse_measures(found, group, estimator)
    yield from exclusions.range_measures(inputs, found)


def judge_estimates(inputs: Inputs) -> Iterator[Measure]:
    """Theta, the most influential answers, flips, and theta with every confidence taken as 1."""
    for group, members in inputs.groups.items():
        yield from judge.theta_measures(inputs, members, group, "scores:judge")
        yield from judge.influence_measures(members, group)
        yield from judge.flip_measures(members, group)
    yield from judge.other_score_measures(inputs, inputs.cohort.p_certain, "scores:certain")


def benchmark_estimates(inputs: Inputs) -> Iterator[Measure]:
    """Accuracies, theta of tasks and raters, with guessing rates that are given."""
    for group, members in inputs.groups.items():
        sums = task_sums(members)
        chance = np.full(len(sums.tasks), 0.25)
        yield from results.task_measures(group, members, "bbeh")
        yield from benchmark.corrected_measures(group, sums, chance)
        yield from benchmark.summary_measures(group, sums, chance, "bbh")
        yield harmonic_shown(group, sums, matched=True)
        yield from theta_measures(inputs, group, sums, seed=3)
    yield from benchmark.rater_measures(inputs, task_sums(inputs.cohort))


def model_estimates(inputs: Inputs) -> Iterator[Measure]:
    """Three models with scores on the whole bank, a tenth of them missing. A published theta reads no row."""
    bank = inputs.items
    assert bank is not None
    p = np.random.default_rng(5).choice([np.nan, 0, 0.5, 0.75, 1], (3, len(bank), 3), p=[0.1, *[0.225] * 4])
    scored = tuple(Configuration(f"m{number}") for number in range(3))
    of_models = [ModelScores(scores, bank.transform) for scores in p]
    for configuration, model in zip(scored, of_models, strict=True):
        yield from models.on_all_prompts(configuration, model, bank, {})
    for group in (models.AVERAGE, models.TOP):
        side = models.side_of(inputs, group, bank)
        yield from models.side_measures(inputs, side, Leaderboard(scored, p, ()), of_models)
