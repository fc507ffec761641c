"""What only benchmarks simulate: DGP-G, and banks as long as the published one.

DGP-G is a (theta - b) + N(0, 3.5^2), clipped: too little noise for single responses, so a lower bound of its
effects. Like DGP-R (`psychometrics.irt.responses`) it is an assumption about how answers arise, not a fact.
"""

import numpy as np

from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import Codes
from psychometrics.irt.transform import Array


def dgp_g_scores(
    theta_of_rows: Array, items: Codes, bank: ItemBank, rng: np.random.Generator, sigma: float = 3.5
) -> Array:
    """DGP-G: one score per row (n,) from abilities (n,) and bank positions (n,)."""
    y = bank.a[items] * (theta_of_rows - bank.b[items]) + sigma * rng.standard_normal(len(items))
    return bank.transform.to_score(y)


def extended_bank(
    bank: ItemBank, rng: np.random.Generator, items: int = 820, jitter: float = 0.1
) -> ItemBank:
    """A bank of `items` items: those of `bank` and resampled ones, as the private ones are not known.

    `jitter` is the standard deviation of what is added to log a, and to b in parts of the SD of b.
    """
    added = rng.integers(0, len(bank), max(items - len(bank), 0))
    log_a = np.log(bank.a[added]) + jitter * rng.standard_normal(len(added))
    b = bank.b[added] + jitter * bank.b.std() * rng.standard_normal(len(added))
    return ItemBank(
        prompt_ids=(*bank.prompt_ids, *(f"resampled-{number:04}" for number in range(1, len(added) + 1))),
        a=np.concatenate([bank.a, np.exp(log_a)]),
        b=np.concatenate([bank.b, b]),
        subcategories=(*bank.subcategories, *(bank.subcategories[j] for j in added)),
        transform=bank.transform,
        sigma_hat=bank.sigma_hat,
    )
