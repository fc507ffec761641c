"""Building a study's batches from its protocol, once, before anybody starts."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from django.utils.translation import gettext as _, ngettext

from batches.models import Batch, BatchPlan, BatchPrompt, BatchSlot, Session
from batches.rules.assembly import (
    AssemblyRefused,
    assemble_balanced,
    assemble_matrix,
    assemble_random,
)
from batches.rules.coverage import CoverageReport, PromptTraits
from batches.rules.covering import coverage_report
from batches.rules.places import Slot, matrix_slots, nested_slots
from batches.selectors.plans import (
    PUBLIC_REPORT,
    people_per_batch,
    people_per_prompt,
    plan_matches,
    plan_places,
    prompt_traits,
)
from presentation.numbers import numbered
from studies.models import Prompt, Study, StudyStatus, User
from studies.protocol.settings import ProtocolSettings
from studies.selectors.private_questions import private_prompts
from studies.services.database import one_of_many_writes, rows_insert
from studies.services.events import StudyEventKind, event_record
from studies.services.readiness import require_category_source
from studies.services.refusals import Refused
from studies.services.studies import study_lock


class BatchesRefused(Refused):
    """The batches of this study cannot be built (again)."""


def batches_build(*, study: Study, now: datetime, actor: User | None = None) -> BatchPlan:
    """Cut the study's bank into batches as its settings say, replacing batches nobody has worked on.

    Building again under the same settings gives the same batches. Raises BatchesRefused, and
    CategoriesUndecided where the banks disagree and the protocol does not say which holds.
    """
    if study.status == StudyStatus.CLOSED:
        raise BatchesRefused(
            _('The study "%(study)s" is closed; its question sets stay as they are.') % {"study": study.slug}
        )
    require_category_source(study)
    traits = prompt_traits(study)
    if not traits:
        raise BatchesRefused(
            _("The bank %(bank)s has no questions; import one with questions first.")
            % {"bank": study.bank_version}
        )
    protocol = study.protocol
    rng = np.random.default_rng(protocol.assembly_seed)
    batches = _assemble(traits, protocol, rng)
    slots = _slots(len(batches), protocol, rng)
    # Assembly takes a second or so and is done before the write lock; the plan says what it was made from.
    plan = BatchPlan(
        study=study,
        bank_version=study.bank_version,
        item_bank=study.item_bank,
        category_source=protocol.categories_hold_of,
        batch_size=protocol.batch_size,
        assembly=protocol.assembly,
        seed=protocol.assembly_seed,
        places=plan_places(protocol),
        report=_report(study, batches, traits),
        built_at=now,
    )
    key_of = dict(Prompt.objects.filter(version=study.bank_version).values_list("prompt_id", "pk"))
    keys = [[key_of[prompt_id] for prompt_id in prompt_ids] for prompt_ids in batches]
    return _replace_plan(plan, keys, slots, actor)


def _report(study: Study, batches: Sequence[Sequence[str]], traits: Sequence[PromptTraits]) -> dict[str, Any]:
    """What the batches hold and how far they differ; where some prompts are private once more by the public
    ones alone, for readers who see no others: with whole sizes, as what is left of a mean would tell of them.
    """
    people = people_per_batch(study.protocol)
    report = coverage_report(batches, traits, people_per_batch=people).as_dict()
    private = set(private_prompts(study).values_list("prompt_id", flat=True))
    if private:
        public = coverage_report(
            [[prompt_id for prompt_id in batch if prompt_id not in private] for batch in batches],
            [one for one in traits if one.prompt_id not in private],
            people_per_batch=people,
        ).as_dict()
        for batch, whole in zip(public["batches"], report["batches"], strict=True):
            batch["size"] = whole["size"]
        report[PUBLIC_REPORT] = public
    return report


def plan_coverage(plan: BatchPlan) -> CoverageReport:
    """What each batch of the plan holds, and how far the batches differ."""
    return coverage_report(
        _placed(plan), prompt_traits(plan.study), people_per_batch=people_per_batch(plan.study.protocol)
    )


def plan_report_again(plan: BatchPlan) -> None:
    """Report on batches that were built by a version that kept no report on their public prompts."""
    plan.report = _report(plan.study, _placed(plan), prompt_traits(plan.study))
    plan.save(update_fields=["report"])


def _placed(plan: BatchPlan) -> list[list[str]]:
    """The prompts of every batch, in its order."""
    batches: dict[int, list[str]] = {number: [] for number in plan.batches.values_list("number", flat=True)}
    places = BatchPrompt.objects.filter(batch__plan=plan).order_by("batch__number", "position")
    for number, prompt_id in places.values_list("batch__number", "prompt__prompt_id"):
        batches[number].append(prompt_id)
    return [batches[number] for number in sorted(batches)]


def _assemble(
    traits: Sequence[PromptTraits], protocol: ProtocolSettings, rng: np.random.Generator
) -> list[list[str]]:
    size = protocol.batch_size
    if protocol.assembly == "random":
        return assemble_random([prompt.prompt_id for prompt in traits], batch_size=size, rng=rng)
    if protocol.assembly == "balanced":
        return assemble_balanced(traits, batch_size=size, rng=rng)
    try:
        return assemble_matrix(traits, batch_size=size, cuts=people_per_prompt(protocol), rng=rng)
    except AssemblyRefused as refusal:
        raise BatchesRefused(numbered(_(refusal.sentence), refusal.facts)) from None


def _slots(batches: int, protocol: ProtocolSettings, rng: np.random.Generator) -> list[Slot]:
    """The places that are laid down with the batches; none where the protocol's numbers say it all."""
    if not protocol.has_fixed_places:
        return []
    make, cuts = nested_slots, 1
    if protocol.assembly == "matrix":
        make, cuts = matrix_slots, people_per_prompt(protocol)
    return make(
        batches=batches // cuts,
        profiles=[profile.slug for profile in protocol.profiles],
        replicates=protocol.replicates_per_profile,
        arms=protocol.arm_slugs,
        rng=rng,
    )


@one_of_many_writes()
def _replace_plan(
    plan: BatchPlan, batches: Sequence[Sequence[int]], slots: Sequence[Slot], actor: User | None
) -> BatchPlan:
    # Where there is no plan yet, its row cannot keep two builders apart.
    if not plan_matches(plan, study_lock(plan.study)):
        raise BatchesRefused(
            _("The settings were changed meanwhile; nothing was stored. Build the question sets again.")
        )
    old = BatchPlan.objects.select_for_update().filter(study=plan.study).first()
    if old is not None:
        people = Session.objects.filter(batch__plan=old).count()
        if people:
            raise BatchesRefused(
                numbered(
                    ngettext(
                        '%(number)d person has started in "%(study)s"; its question sets stay as they are. '
                        "Make a new study to use others.",
                        '%(number)d people have started in "%(study)s"; its question sets stay as they are. '
                        "Make a new study to use others.",
                        people,
                    ),
                    {"number": people, "study": plan.study.slug},
                )
            )
        for rows in (BatchPrompt, BatchSlot):
            places = rows.objects.filter(batch__plan=old)
            places._raw_delete(places.db)  # nothing refers to them
        old.delete()
    plan.save(force_insert=True)
    _insert(plan, batches, slots)
    event_record(
        study=plan.study,
        kind=StudyEventKind.BATCHES_BUILT,
        now=plan.built_at,
        actor=actor,
        assembly=plan.assembly,
        seed=plan.seed,
        batches=len(batches),
        **plan.places,
    )
    return plan


def _insert(plan: BatchPlan, batches: Sequence[Sequence[int]], slots: Sequence[Slot]) -> None:
    cuts = people_per_prompt(plan.study.protocol) if plan.assembly == "matrix" else 1
    in_cut = len(batches) // cuts
    stored = Batch.objects.bulk_create(
        Batch(plan=plan, number=place + 1, cut=place // in_cut + 1) for place in range(len(batches))
    )
    places = (
        BatchPrompt(batch=batch, prompt_id=key, position=position)
        for batch, keys in zip(stored, batches, strict=True)
        for position, key in enumerate(keys, start=1)
    )
    rows_insert(BatchPrompt, places)()
    numbers: Counter[tuple[int, str]] = Counter()
    rows = []
    for slot in slots:
        numbers[slot.batch, slot.profile] += 1
        number = numbers[slot.batch, slot.profile]
        rows.append(BatchSlot(batch=stored[slot.batch], profile=slot.profile, number=number, arm=slot.arm))
    rows_insert(BatchSlot, rows)()
