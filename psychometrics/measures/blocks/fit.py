"""Person fit as measures: what is common to all, and a correlation and an outfit of who is flagged.

Nobody is excluded by these numbers: fit is computed from scores, and an exclusion that looks at scores biases
what it leaves. Of those who are not flagged only their number in each cell of a grid is kept.
"""

import math
from collections.abc import Iterator

import numpy as np

from formats.canonical import JsonValue
from formats.wording import gettext_noop
from psychometrics.dif.prompts import fitted_residuals
from psychometrics.fit.people import LEVEL, PersonFit, fit_grid, person_fit
from psychometrics.fit.reference import references_of
from psychometrics.inference.estimates import Reason, unknown
from psychometrics.inference.measure import Measure, NotMeasurable, plain, plain_or
from psychometrics.measures.inputs import Inputs


def fit_measures(inputs: Inputs) -> Iterator[Measure]:
    """Common figures first, then two rows for each person who is flagged."""
    cohort = inputs.cohort
    if not len(cohort.pairs):
        raise NotMeasurable(gettext_noop("Person fit needs scored answers to prompts with item parameters."))
    tables = references_of(cohort, inputs.correlation.value)
    reference = tables(fitted_residuals(cohort.pairs, tables).deviation.sd, 0.0)
    fit = person_fit(cohort.pairs, reference, inputs.rng)
    yield from _common_measures(fit)
    # Everybody with both statistics: [correlation, outfit per pair, people not flagged, people flagged].
    cells = fit_grid(fit)
    people = sum(cell.fitting + cell.flagged for cell in cells)
    counts: list[JsonValue] = [[cell.correlation, cell.outfit, cell.fitting, cell.flagged] for cell in cells]
    yield Measure("fit.grid", plain(people), n=people, people=people, details={"cells": counts})
    # Both statistics of whoever is flagged by one of them; answers that are all alike have no correlation.
    low, high = fit.low_correlation, fit.high_outfit
    for place in np.flatnonzero(low | high):
        own = {"participant": cohort.people[fit.person[place]].code, "n": int(fit.n[place])}
        correlation, outfit = (
            plain_or(value[place], Reason.NO_VARIATION) for value in (fit.correlation, fit.outfit)
        )
        details: dict[str, JsonValue] = {"p": rounded(fit.p_correlation[place]), "flagged": bool(low[place])}
        yield Measure("fit.correlation", correlation, **own, details=details)
        details = {"p": rounded(fit.p_outfit[place]), "flagged": bool(high[place])}
        details |= {"misfit": rounded(fit.misfit[place]), "extremity": rounded(fit.extremity[place])}
        yield Measure("fit.outfit", outfit, **own, details=details)


def _common_measures(fit: PersonFit) -> Iterator[Measure]:
    """The shares who are flagged, of the people whose fit can be told, and what was assumed of all."""
    people = int(fit.measurable.sum())
    both = fit.low_correlation | fit.high_outfit
    for name, flagged in (("correlation", fit.low_correlation), ("outfit", fit.high_outfit), ("any", both)):
        number = int(flagged.sum())
        share = plain(number / people) if people else unknown(Reason.TOO_FEW_PAIRS)
        details = {"flagged": number, "level": LEVEL, "replicates": fit.replicates}
        yield Measure(
            "fit.flagged", share, subset=f"statistic:{name}", n=people, people=people, details=details
        )
    for name, value in (("fit.residual_sd", fit.residual_sd), ("fit.theta_sd", fit.prior.sd)):
        estimate = plain_or(value, Reason.NO_VARIATION)
        yield Measure(name, estimate, n=int(fit.n.sum()), people=len(fit.n))


def rounded(value: np.floating) -> float | None:
    """Six digits are enough for a page and a plot; NaN is absent."""
    return None if math.isnan(value) else float(f"{value:.6g}")
