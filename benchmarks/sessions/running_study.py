"""The study that benchmarks of the running site work on; imported after Django is set up."""

from pathlib import Path

from django.utils import timezone

from batches.services.plans import batches_build
from batches.services.starting import session_start
from studies.bank.building import BankReading
from studies.bank.records import BankRecord, PromptRecord
from studies.protocol.settings import ProtocolSettings
from studies.services.banks import bank_import
from studies.services.people.consents import consent_record
from studies.services.people.participants import NewPerson, participants_add
from studies.services.studies import study_create, study_freeze


def start_everybody(*, slug: str, people: int, batches: int, batch_size: int, **settings: object) -> None:
    """A frozen study in which everybody has approval, consent and a running session."""
    now = timezone.now()
    prompts = tuple(
        PromptRecord(prompt_id=f"p{n:04d}", text=f"Question {n}?", gold_answer=str(n))
        for n in range(batches * batch_size)
    )
    bank = BankRecord(format="chiron", prompts=prompts)
    reading = BankReading(bank=bank, problems=(), root=Path())
    protocol = ProtocolSettings.model_validate({"batch_size": batch_size, "assembly": "random", **settings})
    study = study_create(
        slug=slug,
        name="Benchmark",
        bank_version=bank_import(slug=slug, reading=reading, strict=True, now=now).version,
        item_bank=None,
        judge_protocol=None,
        settings=protocol,
        now=now,
    )
    batches_build(study=study, now=now)
    study = study_freeze(study=study, now=now)
    profiles = [profile.slug for profile in protocol.profiles]
    newcomers = [
        NewPerson(f"person{n}@example.org", profiles[n % len(profiles)], approved=True) for n in range(people)
    ]
    for participant in participants_add(study=study, people=newcomers, now=now):
        consent_record(participant=participant, accepted=True, now=now)
        session_start(participant=participant, now=now)
