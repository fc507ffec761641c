"""Missing answers: why they are missing, what they could change, and which ones are missing."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from formats.canonical import JsonValue
from formats.wording import gettext_noop
from psychometrics.data.cohort import Cohort, Mask
from psychometrics.data.places import Outcome
from psychometrics.inference.estimates import Reason, none_if_nan, unknown
from psychometrics.inference.first_error import group_theta
from psychometrics.inference.measure import Measure, NotMeasurable, plain
from psychometrics.measures.inputs import Inputs, top_members
from psychometrics.missing import scores
from psychometrics.missing.outcomes import (
    absence_test,
    answered_shares,
    is_absent,
    missing_model,
    outcome_counts,
)
from psychometrics.slices.suppression import withheld_where_asked

FLOOR = 0.8  # of a person's places answered, to be eligible for Top in the companion
PREDICTIONS = {
    "theta.pool": scores.Predicted.theta_pool,
    "theta.prompt": scores.Predicted.theta_prompt,
    "theta.ql": scores.Predicted.theta_ql,
}


def missing_measures(inputs: Inputs) -> Iterator[Measure]:
    """Counts and shares by reason, theta under assumptions, the test of Top, the missingness model."""
    cohort = inputs.cohort
    if len(cohort) == 0:
        raise NotMeasurable(gettext_noop("Nobody who is retained was asked anything."))
    top = inputs.groups["top"]
    for group, members in inputs.groups.items():
        for outcome, count in outcome_counts(members).items():
            share = plain(count / len(members)) if len(members) else unknown(Reason.TOO_FEW_PEOPLE)
            yield Measure(
                f"share.{outcome}", share, group=group, n=len(members), people=members.people_present,
                details={"count": count},
            )  # fmt: skip
    yield from place_measures(cohort)
    test = absence_test(top, cohort)
    details = {"absent": test.absent, "share_of_cohort": none_if_nan(test.share_of_whole)}
    yield Measure("absence.test", test.p, group="top", n=test.places, details=details)
    yield from thetas(inputs, cohort, "average", "as-missing")
    yield from thetas(inputs, scores.zero_for_left(cohort), "average", "as-zero")
    yield from _bounds_and_deltas(inputs, cohort, scores.Predicted(cohort), "average")
    yield from _top_thetas(inputs, top)
    yield from model_measures(cohort)


def place_measures(cohort: Cohort) -> Iterator[Measure]:
    """Share of absent answers at each position and in each modality, by reason in the details."""
    hidden, modality = _hidden_modalities(cohort), _modality_of_rows(cohort)
    for kind, values in (("position", cohort.position), ("modality", modality)):
        for value in np.unique(values).tolist():
            if kind == "modality" and value in hidden:
                yield Measure(
                    "share.absent", unknown(hidden[value]), group="average",
                    subset=f"{kind}:{value}", details=dict.fromkeys(map(str, Outcome)),
                )  # fmt: skip
                continue
            rows = cohort.of_rows(values == value)
            yield Measure(
                "share.absent", plain(float(is_absent(rows).mean())), group="average",
                subset=f"{kind}:{value}", n=len(rows), people=rows.people_present,
                details={str(outcome): count for outcome, count in outcome_counts(rows).items()},
            )  # fmt: skip


def _modality_of_rows(cohort: Cohort) -> NDArray[np.str_]:
    return np.array([prompt.modality for prompt in cohort.prompts], dtype=np.str_)[cohort.prompt]


def _hidden_modalities(cohort: Cohort) -> Mapping[str, Reason]:
    """Those that would tell how often one prompt, or one or two private ones, were answered."""
    modality = _modality_of_rows(cohort)
    return withheld_where_asked(cohort, {str(name): modality == name for name in np.unique(modality)})


def _top_thetas(inputs: Inputs, top: Cohort) -> Iterator[Measure]:
    """The stored Top under every assumption; and Top chosen again with zeros, or among those who answered."""
    cohort, size = inputs.cohort, inputs.facts.top_size
    yield from thetas(inputs, top, "top", "as-missing")
    zeros = scores.zero_for_left(cohort)
    chosen = top_members(zeros, size)
    yield from thetas(inputs, zeros.of_people(chosen), "top", "as-zero", **stayed(inputs.top, chosen))
    yield from thetas(inputs, zeros.of_people(inputs.top), "top", "as-zero:same-people")
    yield from _bounds_and_deltas(inputs, top, scores.Predicted(cohort), "top")
    eligible = np.nan_to_num(answered_shares(cohort), nan=-1.0) >= FLOOR  # NaN is not at least anything
    chosen = top_members(cohort.of_people(eligible), size)
    details = stayed(inputs.top, chosen) | {"eligible": int(eligible.sum())}
    yield from thetas(inputs, cohort.of_people(chosen), "top", f"floor:{FLOOR}", **details)


def stayed(before: Mask, after: Mask) -> dict[str, int]:
    return {"same_people": int((before & after).sum()), "of": int(before.sum())}


def thetas(
    inputs: Inputs, members: Cohort, group: str, subset: str, **details: JsonValue
) -> Iterator[Measure]:
    """All three thetas with the interval that stands first."""
    pairs = members.pairs
    for name in PREDICTIONS:
        found = group_theta(name, pairs, members.transform, nested=inputs.nested)
        yield Measure(
            f"missing.{name}", found.estimate, group=group, subset=subset, n=len(pairs),
            people=members.people_present, clusters=found.error.found.clusters, details=details,
        )  # fmt: skip


def _bounds_and_deltas(
    inputs: Inputs, members: Cohort, predicted: scores.Predicted, group: str
) -> Iterator[Measure]:
    """Values without intervals: these are assumptions, and what is imputed has no sampling error."""
    people = members.people_present
    gaps = int((np.isnan(members.p) & members.known[members.prompt]).sum()) if len(members) else 0
    for name in PREDICTIONS:
        for side, score in (("low", 0.0), ("high", 1.0)):
            filled = scores.at_bound(members, score).pairs
            estimate = group_theta(name, filled, members.transform, nested=inputs.nested).estimate
            bare = plain(estimate.value) if estimate.known else estimate
            yield Measure(
                f"missing.{name}", bare, group, f"bound:{side}", people=people, details={"imputed": gaps}
            )
    details: dict[str, JsonValue] = {"imputed": gaps, "abilities": "shrunken"}
    for delta in scores.DELTAS:
        for name, predict in PREDICTIONS.items():
            estimate = predict(predicted, members, delta)
            yield Measure(
                f"missing.{name}", estimate, group, f"delta:{delta:g}", people=people, details=details
            )


def model_measures(cohort: Cohort) -> Iterator[Measure]:
    """Odds ratios of an absent answer; the share of the cohort that is absent is in `share.*`.

    Modalities are compared with one: where one of them is hidden, none is told.
    """
    if not cohort.known[cohort.prompt].any():
        return
    hidden = _hidden_modalities(cohort)
    for odds in missing_model(cohort):
        if hidden and odds.term.startswith("modality:"):
            yield Measure(
                "missing.odds_ratio", unknown(max(hidden.values())), group="average", subset=odds.term,
                details={"log_odds": None, "se": None, "compared_with": odds.compared_with},
            )  # fmt: skip
            continue
        details = {"log_odds": none_if_nan(odds.log_odds.value), "se": none_if_nan(odds.log_odds.se)}
        yield Measure(
            "missing.odds_ratio", odds.ratio, group="average", subset=odds.term, n=odds.n,
            clusters=odds.clusters, details={**details, "compared_with": odds.compared_with},
        )  # fmt: skip
