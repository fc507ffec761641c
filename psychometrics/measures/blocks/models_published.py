"""Models of which only a theta is published: what it would be for single responses, as a modelled band."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from formats.canonical import JsonValue
from psychometrics.inference.estimates import Estimate, Reason, around, unknown, without_interval
from psychometrics.inference.measure import Measure
from psychometrics.irt.ability import Z_95
from psychometrics.irt.bank import ItemBank
from psychometrics.models.band import SingleResponse, single_response_bands
from psychometrics.models.leaderboard import Configuration

MAX_EPOCHS = 20  # more hardly change the mean of a prompt, and the tables of the model grow with them


def published_measures(
    published: Sequence[Configuration], bank: ItemBank, cohort: Estimate, rng: np.random.Generator
) -> Iterator[Measure]:
    """The theta as published, its k = 1 equivalent, and what `cohort` (theta.pool) is above the latter."""
    band_of: dict[str, SingleResponse] = {}  # of each configuration whose number of epochs is known
    seed = int(rng.integers(2**32))
    for k in sorted({model.epochs for model in published if model.epochs}):
        of_k = [model for model in published if model.epochs == k and model.published_theta is not None]
        thetas = np.array([model.published_theta for model in of_k], dtype=np.float64)
        of_its_own = np.random.default_rng([seed, k])  # other numbers of epochs change nothing
        bands = single_response_bands(thetas, min(k, MAX_EPOCHS), bank, of_its_own)
        band_of |= {model.name: band for model, band in zip(of_k, bands, strict=True)}
    for model in published:
        theta = math.nan if model.published_theta is None else model.published_theta
        if model.published_se is None:
            own = without_interval(theta, Reason.NOT_PUBLISHED)
        else:
            own = around(theta, model.published_se, Z_95)
        yield measure("theta.published", own, model, {})
        band = band_of.get(model.name)
        if band is None or math.isnan(band.central):
            reason = Reason.EPOCHS_UNKNOWN if band is None else Reason.BEYOND_SIMULATION
            yield measure("theta.modelled_k1", unknown(reason), model, {"modelled": True})
            continue
        modelled = Estimate(band.central, math.nan, band.low, band.high)
        yield measure("theta.modelled_k1", modelled, model, {"modelled": True, "variants_of": "DGP-R"})
        facts: dict[str, JsonValue] = {"modelled": True, "k_human": 1.0, "k_model": model.epochs}
        yield measure("difference.modelled", _above_band(cohort, band, model), model, facts, group="average")


def _above_band(cohort: Estimate, band: SingleResponse, configuration: Configuration) -> Estimate:
    """Cohort minus the band: from its lowest against the band's highest to the opposite, errors included.

    The interval is wider than 95 %: it adds the cohort's, the published error and the spread of the model.
    """
    value = cohort.value - band.central
    if cohort.reason is not None:
        return without_interval(value, cohort.reason)
    if configuration.published_se is None:
        return without_interval(value, Reason.NOT_PUBLISHED)
    half = Z_95 * configuration.published_se
    return Estimate(value, math.nan, cohort.low - band.high - half, cohort.high - band.low + half)


def measure(
    name: str, estimate: Estimate, configuration: Configuration, facts: dict[str, JsonValue], group: str = ""
) -> Measure:
    known: dict[str, JsonValue] = {
        "model": configuration.name, "family": configuration.family, "source": configuration.source,
        "k": configuration.epochs, "published_only": True,
    }  # fmt: skip
    return Measure(name, estimate, group, f"model:{configuration.name}", details=known | facts)
