"""What is minimised and what comes out (GIM paper, section 4 and I.9).

Model      y_ij = a_j (theta_i - b_j) + e_ij,   y = logit(0.998 p + 0.001),   u_j = log a_j
Objective  F = (1/N) sum_obs e_ij^2 + ridge mean_j u_j^2 + centring (mean_i theta_i)^2

N is the number of observed scores. At the optimum mean(theta) = 0 and mean(u) = 0 exactly, because moving
all abilities, or scaling them, leaves the squares as they are: the weight of the centring has no effect on
the solution, and the ridge only shrinks log a towards 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

from psychometrics.irt.transform import Array

Steps = Callable[[int], None]  # hears how many sweeps or steps are done

RIDGE, CENTRING = 0.5, 0.01  # the published weights


def unheard(_: int) -> None:
    """Nobody listens."""


class NotCalibratable(ValueError):
    """The response matrix does not determine every ability and item; one sentence per problem."""


@dataclass(frozen=True)
class Objective:
    """The weights of F. Without `discriminating` every a is 1 and only difficulties are estimated."""

    ridge: float = RIDGE
    centring: float = CENTRING
    discriminating: bool = True


@dataclass(frozen=True, eq=False)
class Calibration:
    """A fitted bank: theta (I,), a and b (J,) in logits.

    `sigma_hat` is the root mean squared residual and `r_squared` refers to the grand mean, both in logits.
    `gradient` is the largest absolute derivative of F by an ability; it is 0 at the exact optimum.
    `converged` is false where `max_sweeps` ended the search.
    """

    theta: Array
    a: Array
    b: Array
    sigma_hat: float
    r_squared: float
    loss: float
    sweeps: int
    gradient: float
    converged: bool
