"""Simulated models for a demo: what models of known abilities would have scored on the prompts of a bank."""

from collections.abc import Mapping, Sequence

import numpy as np

from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import logit_normal_scores
from scoring.readers.model_results.records import ModelResponse, ModelResults

FAMILY = "simulated"
JUDGE = "simulated"
EPOCHS = 5  # responses of each model to each prompt, as leaderboards have them
MISFIT = 1.0  # logits: how far single models stray from the curve of a prompt, as real ones do
SEED = 20_260_914


def simulated_results(
    abilities: Sequence[float], bank: ItemBank, criteria: Mapping[str, int]
) -> ModelResults:
    """Scores of model-01, model-02 and so on, drawn from the item parameters with a fixed seed.

    A rubric's criteria are met independently of each other; `criteria` has their number by prompt, and a
    prompt without any is answered right or wrong.
    """
    rng = np.random.default_rng(SEED)
    chances = logit_normal_scores(np.array(abilities), bank, sigma=MISFIT, rng=rng)
    tries = np.array([max(1, criteria.get(name, 0)) for name in bank.prompt_ids])
    met = rng.binomial(tries, chances, size=(EPOCHS, *chances.shape)) / tries
    names = [f"model-{number + 1:02}" for number in range(len(abilities))]
    return ModelResults(
        responses=tuple(
            ModelResponse(name, prompt_id, epoch + 1, float(met[epoch, number, place]), FAMILY, JUDGE)
            for number, name in enumerate(names)
            for place, prompt_id in enumerate(bank.prompt_ids)
            for epoch in range(EPOCHS)
        )
    )
