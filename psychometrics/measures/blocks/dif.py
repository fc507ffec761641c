"""DIF as measures: its spread over prompts, groups of prompts with Holm's correction, theta without them."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from formats.wording import gettext_noop
from psychometrics.agreement.influence import thetas_of
from psychometrics.data.cohort import Cohort, Mask
from psychometrics.data.places import PUBLIC
from psychometrics.dif.groups import (
    LEVEL,
    GroupDif,
    flags_of,
    held_by_all,
    mean_shift,
    part_masks,
    profile_shift,
    prompt_p_values,
    scale_invariance,
)
from psychometrics.dif.prompts import ItemDif, Residuals, fitted_residuals, item_dif
from psychometrics.dif.suppression import hidden_shifts, suppressed_complements
from psychometrics.fit.criteria import Correlation
from psychometrics.fit.reference import certainty_influence, judged_process, references_of
from psychometrics.inference.estimates import Reason, around, none_if_nan, unknown, without_interval
from psychometrics.inference.holm import holm
from psychometrics.inference.measure import Measure, NotMeasurable, plain, plain_or
from psychometrics.irt.ability import Z_95
from psychometrics.measures.inputs import Inputs

FOR_REVIEW = 10


def dif_measures(inputs: Inputs) -> Iterator[Measure]:
    """Spread, groups, the axis of difficulty, the list for review, and theta with and without."""
    cohort = inputs.cohort
    if not len(cohort.pairs):
        raise NotMeasurable(gettext_noop("DIF needs scored answers to prompts with item parameters."))
    certainty = certainty_influence(cohort)
    possible = [
        fitted_residuals(cohort.pairs, references_of(cohort, icc), certainty)
        for icc in inputs.correlation.taken
    ]
    items = item_dif(possible[0], possible[1:])
    yield from _item_measures(cohort, possible[0], items, inputs.correlation)
    nested = inputs.nested
    yield from _slope_measures(possible, nested)
    categories = _label_shifts("category", [prompt.category for prompt in cohort.prompts], possible, nested)
    modalities = _label_shifts("modality", [prompt.modality for prompt in cohort.prompts], possible, nested)
    hidden = hidden_shifts(cohort)
    profiles = _profile_shifts(cohort, possible, nested)
    families = [told(family, hidden) for family in (categories, modalities, profiles)]
    for family in families:
        yield from family_measures(family)
    yield from theta_measures(inputs, items, *map(flagged_of, families[:2]))


def _item_measures(
    cohort: Cohort, residuals: Residuals, items: ItemDif, correlation: Correlation
) -> Iterator[Measure]:
    number, judge = len(items.prompt), judged_process(cohort)
    yield Measure(
        "dif.sd", items.between.sd, n=int(items.n.sum()), prompts=number,
        details={
            "mean": none_if_nan(items.between.mean), "dispersion": residuals.dispersion,
            "deviation_sd": residuals.deviation.sd, "deviation_fitted": residuals.deviation.fitted,
            "certain_share": judge.certain_share, "uncertain_confidence": judge.uncertain_confidence,
            "criteria_correlation": correlation.value, "criteria_correlation_low": correlation.low,
            "criteria_correlation_high": correlation.high, "criteria_cells": correlation.cells,
            "criteria_correlation_se": none_if_nan(correlation.se),
        },
    )  # fmt: skip
    p, p_holm = prompt_p_values(items)
    tested = not np.isnan(items.z).all()
    yield _share_flagged("dif.items_flagged", items.flagged, tested=tested)
    yield _share_flagged("dif.items_flagged.holm", p_holm <= LEVEL, tested=tested)
    for place in items.largest(FOR_REVIEW) if items.between.sd.known else ():
        prompt = cohort.prompts[items.prompt[place]]
        value, se = float(items.shrunken[place]), float(items.shrunken_se[place])
        yield Measure(
            "dif.item", around(value, se, Z_95) if se else without_interval(value, Reason.CHANCE_ONLY),
            n=int(items.n[place]), prompt_id=prompt.prompt_id,
            details={
                "raw": float(items.d[place]), "z": float(items.z[place]), "p": none_if_nan(p[place]),
                "p_holm": none_if_nan(p_holm[place]), "spread": float(items.spread[place]),
                "category": prompt.category, "public": prompt.split == PUBLIC,
            },
        )  # fmt: skip


def _share_flagged(name: str, flagged: Mask, *, tested: bool) -> Measure:
    """Of all prompts with an answer; unknown where nobody has two: nothing says how far answers scatter."""
    number, found = len(flagged), int(flagged.sum())
    return Measure(
        name, plain(found / number) if tested else unknown(Reason.TOO_FEW_PAIRS), n=number, prompts=number,
        details={"flagged": found if tested else None, "level": LEVEL},
    )  # fmt: skip


def _slope_measures(possible: Sequence[Residuals], nested: bool) -> Iterator[Measure]:
    """People's slope on -a b, the slope that was expected without DIF, and their difference."""
    invariances = [
        scale_invariance(
            residuals.r,
            residuals.expected,
            residuals.pairs,
            nested=nested,
            deviation=residuals.deviation,
            prior=residuals.prior,
        )
        for residuals in possible
    ]
    excess = held_by_all([invariance.excess for invariance in invariances])
    for name, value in (
        ("dif.slope", invariances[0].observed),
        ("dif.slope.expected", invariances[0].expected),
    ):
        yield Measure(name, plain_or(value, Reason.NO_VARIATION), n=excess.n)
    yield Measure(
        "dif.slope.excess", excess.estimate, n=excess.n, clusters=excess.clusters,
        details={"p": none_if_nan(excess.p)},
    )  # fmt: skip


Family = Mapping[str, GroupDif]


def _label_shifts(kind: str, labels: list[str], possible: Sequence[Residuals], nested: bool) -> Family:
    """Nothing where all prompts have one label: their shift cannot be told from ability."""
    pairs = possible[0].pairs
    masks = part_masks(labels, pairs.prompt)
    if len(masks) < 2:
        return {}
    return {
        f"{kind}:{name}": held_by_all(
            [
                mean_shift(residuals.r, pairs, own, nested=nested, prior=residuals.prior)
                for residuals in possible
            ]
        )
        for name, own in masks.items()
    }


def _profile_shifts(cohort: Cohort, possible: Sequence[Residuals], nested: bool) -> Family:
    """Every profile on every category, compared with the other profiles."""
    pairs = possible[0].pairs
    profiles = part_masks([person.profile for person in cohort.people], pairs.person)
    categories = part_masks([prompt.category for prompt in cohort.prompts], pairs.prompt)
    if len(profiles) < 2 or len(categories) < 2:
        return {}
    return {
        f"profile:{profile}/category:{category}": held_by_all(
            [
                profile_shift(
                    residuals.r, pairs, of_profile, of_category, nested=nested, prior=residuals.prior
                )
                for residuals in possible
            ]
        )
        for profile, of_profile in profiles.items()
        for category, of_category in categories.items()
    }


def told(family: Family, hidden: Mapping[str, Reason]) -> Family:
    """Without what must not be told, which has no part in the correction either: p by Holm would tell it."""
    return {
        subset: GroupDif(unknown(hidden[subset]), math.nan, None, None) if subset in hidden else found
        for subset, found in family.items()
    }


def family_measures(family: Family) -> Iterator[Measure]:
    """One family of hypotheses: categories, modalities or profiles."""
    corrected = holm([shift.p for shift in family.values()])
    for (subset, found), p_holm in zip(family.items(), corrected, strict=True):
        tests = {"p": none_if_nan(found.p), "p_holm": none_if_nan(p_holm), "flagged": bool(p_holm <= LEVEL)}
        yield Measure(
            "dif.group", found.estimate, subset=subset, n=found.n, clusters=found.clusters, details=tests
        )


def flagged_of(family: Family) -> list[str]:
    corrected = holm([shift.p for shift in family.values()])
    return [name.partition(":")[2] for name, p in zip(family, corrected, strict=True) if p <= LEVEL]


def theta_measures(
    inputs: Inputs, items: ItemDif, categories: list[str], modalities: list[str]
) -> Iterator[Measure]:
    """Average and Top (chosen from all prompts) on all prompts, and without those that may be off."""
    cohort = inputs.cohort
    flags = flags_of(cohort, items, categories=categories, modalities=modalities)
    kept = {"prompts:all": np.ones(len(cohort.prompts), dtype=bool)}
    kept |= {f"prompts:without-{name}": ~flagged for name, flagged in flags.items()}
    for group, members in inputs.groups.items():
        hidden = suppressed_complements(members, kept)
        for subset, prompts in kept.items():
            if subset in hidden:
                # Neither number nor counts: all prompts less these would tell of one or two private ones.
                for name in ("dif.theta.prompt", "dif.theta.pool", "dif.theta.ql"):
                    yield Measure(
                        name, unknown(Reason.COMPLEMENT), group=group, subset=subset,
                        details={"left_out": None, "nothing_flagged": False},
                    )  # fmt: skip
                continue
            thetas = thetas_of(members.of_prompts(prompts), nested=inputs.nested)
            left_out = int((~prompts & members.known).sum())
            for name, estimate in thetas.reported.items():
                yield Measure(
                    f"dif.{name}", estimate, group=group, subset=subset, n=thetas.pairs, people=thetas.people,
                    prompts=thetas.prompts, clusters=thetas.clusters,
                    details={"left_out": left_out, "nothing_flagged": not left_out},
                )  # fmt: skip
