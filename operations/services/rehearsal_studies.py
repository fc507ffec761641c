"""Studies made to be rehearsed: a simulated copy of one, and the demo's on its own bank."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from django.conf import settings
from django.db import transaction

from batches.services.plans import batches_build
from formats.item_parameters import read_item_parameters
from operations.services.demo_models import simulated_models_import
from operations.services.rehearsal_starting import settings_judged_for_free
from studies.bank.reading import read_bank
from studies.models import Study, User
from studies.protocol.settings import read_settings
from studies.services.banks import bank_import, item_bank_import
from studies.services.studies import study_create, study_freeze

FIXTURES = Path(settings.BASE_DIR) / "fixtures" / "demo_bank"
# Of the demo's studies.
PROTOCOL: dict[str, object] = {
    "batch_size": 6,
    "replicates_per_profile": 1,
    "top_size": 3,
    "judge_kind": "checks",
    "organisation": "Chiron demo",
    "responsible": "Whoever started this demo",
    "reached_at": "at this computer",
    "pay": "Nothing: everybody here is invented.",
}


@transaction.atomic
def rehearsal_copy(*, study: Study, slug: str, name: str, actor: User | None, now: datetime) -> Study:
    """A simulated study like this one, its question sets built, locked; the study itself stays as it is.

    It opens at once. Where the study's judge is a language model and the bank's own checks or expected
    answers can score every question, they do, at no cost. Raises what building and locking raise.
    """
    copy = study_create(
        slug=slug,
        name=name,
        bank_version=study.bank_version,
        item_bank=study.item_bank,
        judge_protocol=study.judge_protocol,
        settings=settings_judged_for_free(study),
        now=now,
        actor=actor,
        is_simulated=True,
    )
    return _built_and_locked(copy, actor, now)


@transaction.atomic
def demo_study_make(
    *,
    slug: str,
    name: str,
    is_simulated: bool,
    actor: User | None,
    now: datetime,
    more: Mapping[str, object] = MappingProxyType({}),
) -> Study:
    """A locked study on the bank that comes with the program, which is imported where it is not there yet;
    with `more` settings beside the demo's.
    """
    reading = read_bank("chiron", FIXTURES / "bank.jsonl")
    version = bank_import(slug="demo-bank", reading=reading, strict=True, now=now, actor=actor).version
    parameters = read_item_parameters(FIXTURES / "item_parameters.json")
    study = study_create(
        slug=slug,
        name=name,
        bank_version=version,
        item_bank=item_bank_import(slug="demo-items", parameters=parameters, now=now, actor=actor)[0],
        judge_protocol=None,
        settings=read_settings({**PROTOCOL, **more}),
        now=now,
        actor=actor,
        is_simulated=is_simulated,
    )
    return _built_and_locked(study, actor, now)


def demo_models_import(*, study: Study, now: datetime) -> int:
    """Import the 30 simulated models that the demo's item parameters rest on; how many there are."""
    known = json.loads((FIXTURES / "models.json").read_text(encoding="utf-8"))["models"]
    simulated_models_import(study=study, abilities=[model["theta"] for model in known], now=now)
    return len(known)


def _built_and_locked(study: Study, actor: User | None, now: datetime) -> Study:
    batches_build(study=study, now=now, actor=actor)
    return study_freeze(study=study, now=now, actor=actor)
