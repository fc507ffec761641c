"""Top: the published rule beside what equally able people would reach, and estimators free of the choice."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from formats.canonical import JsonValue
from formats.wording import gettext_noop
from psychometrics.data.cohort import Cohort, Pairs
from psychometrics.inference.between_person import OwnAbilities, own_abilities, paule_mandel
from psychometrics.inference.estimates import MIN_PEOPLE, Estimate, Reason, unknown, without_interval
from psychometrics.inference.measure import Measure, NotMeasurable, plain
from psychometrics.inference.quasi_estimate import unbounded
from psychometrics.inference.standard_errors import analytic_estimate, pooled_fit
from psychometrics.measures.inputs import Inputs
from psychometrics.top.crossfit import FOLDS, SPLITS, crossfit
from psychometrics.top.empirical_bayes import top_eb
from psychometrics.top.null import NEIGHBOURS, null_reference, unplaced_rows
from psychometrics.top.ranking import by_raw_mean, top_paper_curve, top_quasi_curve
from psychometrics.top.rules import is_top

FRACTIONS = (0.01, 0.02, 0.05, 0.10, 0.15, 0.20, 0.25)
STEPS = 4


def top_measures(inputs: Inputs) -> Iterator[Measure]:
    """top.paper and its null reference, top.crossfit5, top.eb; then all three by the size of Top."""
    cohort, size = inputs.cohort, inputs.facts.top_size
    order = by_raw_mean(cohort)
    refuse_impossible(cohort, size, len(order))
    pairs, codes = cohort.pairs, [person.code for person in cohort.people]
    own = own_abilities(pairs)
    # theta.pool of the Top group with the published interval, which takes no notice of the choice.
    of_top = pooled_fit(pairs.of(inputs.top[pairs.person]))
    published = analytic_estimate(of_top.theta, of_top.bread, cohort.sigma_hat)
    yield measure("top.paper", published, size, in_sample=True, error="se.analytic")
    sizes = _curve_sizes(len(order), len(own.theta))
    quasi, *of_sizes = top_quasi_curve(pairs, order, [size, *sizes.values()])
    yield measure("top.paper.ql", chosen(float(quasi), Reason.NO_FINITE_SOLUTION), size, in_sample=True)
    inputs.progress(1, STEPS)
    yield from _null_measures(inputs, pairs, codes, published.value)
    inputs.progress(2, STEPS)
    crossed = crossfit(pairs, codes, inputs.rng)
    values = crossed.estimates([size, *sizes.values()], inputs.resamples, inputs.rng)
    # Of people without a pair these know nothing: they may choose among fewer than the published rule does.
    everybody = None if is_top(size, len(own.theta)) else unknown(Reason.TOO_FEW_PEOPLE)
    held_out, shrunken = everybody or values[0], everybody or top_eb(own, codes, size)
    yield measure("top.crossfit5", held_out, size, folds=FOLDS, splits=SPLITS, short=crossed.short)
    yield measure("top.eb", shrunken, size, **prior(own))
    inputs.progress(3, STEPS)
    curve = top_paper_curve(pairs, order, list(sizes.values()))
    for (fraction, many), paper, ql, held_out in zip(sizes.items(), curve, of_sizes, values[1:], strict=True):
        part, own_pairs = f"fraction:{fraction:.2f}", pairs.of(np.isin(pairs.person, order[:many]))
        bound = unbounded(own_pairs.a, own_pairs.b, own_pairs.p)
        estimates = {
            "paper": chosen(float(paper)), "paper.ql": chosen(float(ql), Reason.NO_FINITE_SOLUTION),
            "crossfit5": held_out, "eb": top_eb(own, codes, many),
        }  # fmt: skip
        if bound:  # as `psychometrics.measures.computing` has it of the size that was chosen
            none = unknown(Reason.NO_FINITE_SOLUTION)
            estimates = {"paper": bound, "paper.ql": bound, "crossfit5": none, "eb": none}
        for name, estimate in estimates.items():
            yield replace(measure(f"top.{name}", estimate, many, fraction=fraction), subset=part)


def refuse_impossible(cohort: Cohort, size: int, scored: int) -> None:
    """Raises NotMeasurable where there is no scale, no Top, or a Top of one or of everybody."""
    if not cohort.known.any():
        raise NotMeasurable(
            gettext_noop("Top is measured in theta; no prompt of this study has item parameters.")
        )
    if not len(cohort.pairs):
        raise NotMeasurable(gettext_noop("No answer to a prompt with item parameters has a score."))
    if size < MIN_PEOPLE:
        raise NotMeasurable(
            gettext_noop("A Top of one person would be that person's own ability; choose two or more.")
        )
    if scored < size:
        template = gettext_noop(
            "Top would be %(size)s people, but only %(scored)s people have a score; choose fewer."
        )
        raise NotMeasurable(template, size=size, scored=scored)
    if not is_top(size, scored):
        template = gettext_noop(
            "Top would be everybody: it is %(size)s people, and %(scored)s have a score; choose fewer."
        )
        raise NotMeasurable(template, size=size, scored=scored)


def _null_measures(inputs: Inputs, pairs: Pairs, codes: list[str], published: float) -> Iterator[Measure]:
    size = inputs.facts.top_size
    if math.isnan(published):
        yield measure("top.null", unknown(Reason.NOTHING_SCORED), size)
        return
    unplaced = unplaced_rows(inputs.cohort)
    null = null_reference(pairs, codes, size, inputs.resamples, inputs.rng, unplaced)
    average = float(pairs.a @ pairs.z / (pairs.a @ pairs.a))
    draws = len(null.drawn)
    yield measure("top.null", null.expected, size, draws=draws, neighbours=NEIGHBOURS, average=average)
    yield measure("top.over_null", plain(published - null.expected.value), size)
    yield measure("top.null_share", plain(null.share_as_high(published)), size, draws=draws)


def _curve_sizes(scored: int, with_pairs: int) -> dict[float, int]:
    """The size of Top for each fraction of the people with a score; a size once, and never one person."""
    sizes: dict[float, int] = {}
    for fraction in FRACTIONS:
        size = round(fraction * scored)
        if MIN_PEOPLE <= size <= with_pairs and size not in sizes.values():
            sizes[fraction] = size
    return sizes


def chosen(value: float, why: Reason = Reason.NOTHING_SCORED) -> Estimate:
    """A number of people who were chosen by it; `why` there is none where it is NaN."""
    return unknown(why) if math.isnan(value) else without_interval(value, Reason.SELECTED)


def prior(own: OwnAbilities) -> dict[str, JsonValue]:
    """What top.eb shrinks to."""
    if own.reason is not None or len(own.theta) < 2:
        return {}
    spread = paule_mandel(own.theta, own.variance)
    return {"mean": spread.mean, "tau": math.sqrt(spread.variance), "residual_sd": math.sqrt(own.s1_squared)}


def measure(name: str, estimate: Estimate, size: int, **details: JsonValue) -> Measure:
    return Measure(name, estimate, group="top", people=size, details=details)
