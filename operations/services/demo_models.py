"""The demo's models: simulated, and said to be wherever they are shown."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from django.db.models import Count

from psychometrics.irt.bank import ItemBank
from psychometrics.irt.responses import logit_normal_scores
from scoring.readers.model_results.records import ModelResponse, ModelResults
from scoring.services.leaderboards import LeaderboardImport, leaderboard_import
from scoring.services.model_versions import models_take
from studies.models import Prompt, Study
from studies.selectors.item_arrays import item_arrays
from studies.services.refusals import Refused

SOURCE = "SIMULATED: drawn from the item parameters with a fixed seed; no such model exists"
FAMILY = "simulated"
JUDGE = "simulated"
EPOCHS = 5  # responses of each model to each prompt, as leaderboards have them
MISFIT = 1.0  # logits: how far single models stray from the curve of a prompt, as real ones do
SEED = 20_260_914


class NoItemBank(Refused):
    """There is nothing to draw the models' answers from."""

    def __init__(self, study: Study) -> None:
        super().__init__(f'study "{study.slug}" has no item bank; give it one to simulate models on it')


def simulated_models_import(*, study: Study, abilities: list[float], now: datetime) -> LeaderboardImport:
    """Import a simulated model of each ability for the study's item bank, by the way all models take; a study
    that is locked takes them over.

    Raises:
        NoItemBank: the study has none.
    """
    if study.item_bank is None:
        raise NoItemBank(study)
    prompts = Prompt.objects.filter(version=study.bank_version).annotate(parts=Count("criteria"))
    criteria = dict(prompts.values_list("prompt_id", "parts"))
    results = simulated_results(abilities, item_arrays(study.item_bank), criteria)
    done = leaderboard_import(
        item_bank=study.item_bank, results=results, source=SOURCE, replace=False, now=now
    )
    if done.created and study.models_version is not None:
        models_take(study=study, seen=None, now=now)
    return done


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
