"""The models in each category, on the prompts of it that people answered: what stands beside people's own.

As for everything together (`psychometrics.models.matched`): theta.pool of single responses, theta_QL, and the
mean score, each prompt weighing as often as people answered it. Prompts that a model has no score on are left
out of its own number.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from psychometrics.data.cohort import Cohort
from psychometrics.inference.clusters import Codes
from psychometrics.inference.estimates import Estimate, Reason, unknown
from psychometrics.inference.measure import Measure, plain
from psychometrics.models.leaderboard import Configuration
from psychometrics.models.matched import Theta, bounded, model_theta
from psychometrics.models.scores import ModelScores

THETAS = {"models.category.theta.pool": Theta.POOL, "models.category.theta.ql": Theta.QL}
RAW = "models.category.raw_mean"
SEPARATOR = ";"


def category_measures(
    cohort: Cohort, items: Codes, scored: Sequence[tuple[Configuration, ModelScores]]
) -> Iterator[Measure]:
    """Every model in every category; `items` (n,) are bank positions of the cohort's pairs."""
    pairs = cohort.pairs
    of_pair = np.array([prompt.category for prompt in cohort.prompts])[pairs.prompt]
    for category in sorted(set(of_pair.tolist()) - {""}):
        rows = of_pair == category
        part, of_bank = pairs.of(rows), items[rows]
        _, once = np.unique(of_bank, return_index=True)
        for configuration, model in scored:
            scores = model.mean_p[of_bank]
            there = ~np.isnan(scores)
            mean = plain(float(scores[there].mean())) if there.any() else unknown(Reason.NOTHING_SCORED)
            estimates: dict[str, Estimate] = {}
            for name, theta in THETAS.items():
                m = model.single_logits[of_bank] if theta is Theta.POOL else scores
                ability = model_theta(theta, part, m, np.nan)
                estimates[name] = bounded(ability, part.a[once], part.b[once], scores[once]).estimate
            for name, estimate in {**estimates, RAW: mean}.items():
                yield Measure(
                    name, estimate, "average", f"category:{category}{SEPARATOR}model:{configuration.name}",
                    n=int(np.count_nonzero(there)), prompts=len(np.unique(of_bank[there])),
                    details={"category": category, "model": configuration.name},
                )  # fmt: skip
