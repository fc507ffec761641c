"""The demo's models: simulated, and said to be wherever they are shown."""

from datetime import datetime

from django.db.models import Count

from operations.rehearsal.models import simulated_results
from scoring.services.leaderboards import LeaderboardImport, leaderboard_import
from scoring.services.model_versions import models_take
from studies.models import Prompt, Study
from studies.selectors.item_arrays import item_arrays
from studies.services.refusals import Refused

SOURCE = "SIMULATED: drawn from the item parameters with a fixed seed; no such model exists"


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
