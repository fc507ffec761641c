"""What a published theta of k epochs would be for single responses: modelled, as nothing else is known.

People answer a prompt once, models are published over several epochs, and the logit is taken after averaging.
An examinee whose theta over k epochs is t is looked up by simulation model DGP-R
(`psychometrics.irt.responses`):

    find theta* with E theta_k(theta*) = t on the bank, then take E theta_1(theta*)

under 14 variants of the model (correlation within a response, deviations of person and item, share of exact
answers, certainty of the judge, number of criteria). The band runs from the lowest to the highest of these:
the spread of assumptions, not a sampling error. On the public GIM bank a theta of 2.04 over five epochs
becomes 2.34 to 2.45 (design, A3: 2.31 to 2.47). The whole bank is taken, whatever prompts a cohort answered.
"""

from dataclasses import dataclass

import numpy as np

from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import ResponseProcess, dgp_r_table
from psychometrics.irt.transform import Array

GRID = np.linspace(-6, 6, 49)  # logits of theta*
CENTRE = ResponseProcess()
VARIANTS = (
    CENTRE,
    *(
        ResponseProcess(icc=icc, sigma_deviation=sigma)
        for icc in (0.2, 0.4, 0.7)
        for sigma in (1.5, 1.9, 2.2)
        if (icc, sigma) != (CENTRE.icc, CENTRE.sigma_deviation)
    ),
    ResponseProcess(exact_share=0.1),
    ResponseProcess(exact_share=0.2),
    ResponseProcess(certain_share=1.0),
    ResponseProcess(certain_share=0.9),
    ResponseProcess(most_criteria=5),
)


@dataclass(frozen=True)
class SingleResponse:
    """The k = 1 equivalent under the central model, and the lowest and highest of the variants."""

    central: float
    low: float
    high: float


def single_response_bands(
    theta: Array, k: int, bank: ItemBank, rng: np.random.Generator
) -> list[SingleResponse]:
    """The bands of published thetas (n,) over k epochs; NaN where one lies beyond what a variant reaches."""
    of_variants = []
    for variant in VARIANTS:
        responses = dgp_r_table(bank, rng, variant)
        over_k, single = responses.true_ability(GRID, k), responses.true_ability(GRID, 1)
        of_variants.append(np.interp(theta, over_k, single, left=np.nan, right=np.nan))
    curves = np.stack(of_variants)
    curves[:, np.isnan(curves).any(axis=0)] = np.nan  # a band of some of the variants would be too narrow
    return [
        SingleResponse(float(central), float(low), float(high))
        for central, low, high in zip(curves[0], curves.min(axis=0), curves.max(axis=0), strict=True)
    ]
