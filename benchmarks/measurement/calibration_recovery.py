"""How well a bank comes back from as many models and as many responses per cell as there are.

Run:  OPENBLAS_NUM_THREADS=1 python -m benchmarks.measurement.calibration_recovery [--rounds 5]

DGP-R (psychometrics/irt/responses.py) on 820 items, the public ones and resampled ones: `models`
configurations with abilities N(0, 1) answer every item k times, a tenth of the cells is missing, the bank is
fitted with the published weights. Per number of models and k, means over the rounds: correlations of log a
and a b with the truth, and for 200 held-out examinees, with k responses as well, the ratio of the SD of theta
to that of the true abilities, and their correlation. Stated values are those of the design, section 7
(`stated.py` says when they agree; the number of their rounds is not known and taken as ours). Every round has
items and criteria of its own.
"""

from argparse import ArgumentParser

import numpy as np

from benchmarks.measurement.calibration import simulated_or_public_bank
from benchmarks.measurement.simulated_banks import extended_bank
from benchmarks.measurement.stated import Simulated, Tally
from psychometrics.calibration import calibrate
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import RubricResponses, dgp_r_table
from psychometrics.irt.transform import Array

SEED, MISSING, HELD_OUT = 7, 0.1, 200
MODELS, EPOCHS = (6, 10, 20, 30, 53, 100), (5, 1)
FIGURES = ("r_log_a", "r_ab", "scale_ratio", "r_theta_held_out", "r_squared", "sigma_hat")
# Of the first three figures, by k and number of models.
STATED = {
    5: {6: (0.51, 0.93, 0.74), 10: (0.63, 0.96, 0.83), 20: (0.78, 0.98, 0.91), 30: (0.81, 0.99, 0.96),
        53: (0.88, 0.99, 0.98), 100: (0.92, 1.00, 0.99)},
    1: {6: (0.43, 0.87, 0.67), 10: (0.48, 0.91, 0.78), 20: (0.60, 0.95, 0.95), 30: (0.67, 0.96, 1.02),
        53: (0.74, 0.97, 1.10), 100: (0.81, 0.98, 1.15)},
}  # fmt: skip


def one_round(bank: ItemBank, table: RubricResponses, models: int, k: int, rng: np.random.Generator) -> Array:
    """The figures of one simulated calibration, in the order of FIGURES."""
    p = table.epoch_means(rng.standard_normal(models), k, rng)
    p[rng.random(p.shape) < MISSING] = np.nan
    p[:, np.isnan(p).all(axis=0)] = 0.5
    fit = calibrate(bank.transform.to_logit(p))
    theta = rng.standard_normal(HELD_OUT)
    y = bank.transform.to_logit(table.epoch_means(theta, k, rng))
    found = (y + fit.a * fit.b) @ fit.a / (fit.a @ fit.a)
    return np.array(
        [
            np.corrcoef(np.log(bank.a), np.log(fit.a))[0, 1],
            np.corrcoef(bank.a * bank.b, fit.a * fit.b)[0, 1],
            found.std() / theta.std(),
            np.corrcoef(theta, found)[0, 1],
            fit.r_squared,
            fit.sigma_hat,
        ]
    )


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    rng = np.random.default_rng(SEED)
    public, tally = simulated_or_public_bank(rng), Tally()
    for k in EPOCHS:
        for models in MODELS:
            figures = []
            for _ in range(rounds):
                bank = extended_bank(public, rng)
                figures.append(one_round(bank, dgp_r_table(bank, rng), models, k, rng))
            print(f"{models} models, k = {k}, {rounds} rounds")
            for name, values in zip(FIGURES, np.array(figures).T, strict=True):
                error = float(values.std(ddof=1) / rounds**0.5)
                text = f"{values.mean():.3f} ({error:.3f})"
                if name in FIGURES[:3]:
                    found = Simulated(float(values.mean()), error, error)
                    stated = STATED[k][models][FIGURES.index(name)]
                    text = tally.compared(f"{models} models, k = {k}: {name}", found, stated)
                print(f"  {name:18}{text}", flush=True)
    print(tally.summary())


if __name__ == "__main__":
    main()
