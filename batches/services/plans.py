"""Building a study's batches from its protocol, once, before anybody starts."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from django.db import transaction

from batches.models import Batch, BatchPlan, BatchPrompt, Session
from batches.rules.assembly import PromptTraits, assemble_balanced, assemble_random, coverage_report
from batches.selectors.plans import prompt_traits
from studies.models import Prompt, Study, StudyStatus, User
from studies.protocol.settings import ProtocolSettings
from studies.services.events import StudyEventKind, event_record
from studies.services.refusals import Refused
from studies.services.studies import study_lock

ROWS_PER_INSERT = 500


class BatchesRefused(Refused):
    """The batches of this study cannot be built (again)."""


def batches_build(*, study: Study, now: datetime, actor: User | None = None) -> BatchPlan:
    """Cut the study's bank into batches as its settings say, replacing batches nobody has worked on.

    Building again under the same settings gives the same batches. Raises BatchesRefused.
    """
    if study.status == StudyStatus.CLOSED:
        raise BatchesRefused(f'The study "{study.slug}" is closed; its batches stay as they are.')
    traits = prompt_traits(study)
    if not traits:
        raise BatchesRefused(
            f"The bank version {study.bank_version} has no prompts; import a bank with prompts first."
        )
    protocol = study.protocol
    batches = _assemble(traits, protocol)
    # Assembly takes a second or so and is done before the write lock; the plan says what it was made from.
    plan = BatchPlan(
        study=study,
        bank_version=study.bank_version,
        batch_size=protocol.batch_size,
        assembly=protocol.assembly,
        seed=protocol.assembly_seed,
        report=coverage_report(batches, traits).as_dict(),
        built_at=now,
    )
    return _replace_plan(plan, batches, actor)


def _assemble(traits: Sequence[PromptTraits], protocol: ProtocolSettings) -> list[list[str]]:
    rng = np.random.default_rng(protocol.assembly_seed)
    if protocol.assembly == "random":
        prompt_ids = [prompt.prompt_id for prompt in traits]
        return assemble_random(prompt_ids, batch_size=protocol.batch_size, rng=rng)
    return assemble_balanced(traits, batch_size=protocol.batch_size, rng=rng)


@transaction.atomic
def _replace_plan(plan: BatchPlan, batches: Sequence[Sequence[str]], actor: User | None) -> BatchPlan:
    study_lock(plan.study)  # Where there is no plan yet, its row cannot keep two builders apart.
    old = BatchPlan.objects.select_for_update().filter(study=plan.study).first()
    if old is not None:
        _refuse_used(old)
        old.delete()
    plan.save(force_insert=True)
    _insert_batches(plan, batches)
    event_record(
        study=plan.study,
        kind=StudyEventKind.BATCHES_BUILT,
        now=plan.built_at,
        actor=actor,
        assembly=plan.assembly,
        seed=plan.seed,
        batches=len(batches),
    )
    return plan


def _refuse_used(plan: BatchPlan) -> None:
    sessions = Session.objects.filter(batch__plan=plan).count()
    if sessions:
        raise BatchesRefused(
            f'{sessions} people have started in "{plan.study.slug}"; its batches stay as they are. '
            "Make a new study to use others."
        )


def _insert_batches(plan: BatchPlan, batches: Sequence[Sequence[str]]) -> None:
    rows = [Batch(plan=plan, number=number) for number in range(1, len(batches) + 1)]
    key_of = dict(Prompt.objects.filter(version=plan.bank_version_id).values_list("prompt_id", "id"))
    places = (
        BatchPrompt(batch=batch, prompt_id=key_of[prompt_id], position=position)
        for batch, prompt_ids in zip(Batch.objects.bulk_create(rows), batches, strict=True)
        for position, prompt_id in enumerate(prompt_ids, start=1)
    )
    BatchPrompt.objects.bulk_create(places, batch_size=ROWS_PER_INSERT)
