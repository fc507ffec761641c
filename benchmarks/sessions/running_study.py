"""The study that benchmarks of the running site work on; imported after Django is set up."""

from django.utils import timezone

from batches.services.starting import session_start
from benchmarks.made_studies import bank_reading, frozen_study
from studies.bank.records import PromptRecord
from studies.services.people.consents import consent_record
from studies.services.people.participants import NewPerson, participants_add


def start_everybody(*, slug: str, people: int, batches: int, batch_size: int, **settings: object) -> None:
    """A frozen study in which everybody has approval, consent and a running session."""
    now = timezone.now()
    reading = bank_reading(
        PromptRecord(prompt_id=f"p{n:04d}", text=f"Question {n}?", gold_answer=str(n))
        for n in range(batches * batch_size)
    )
    asked = {"batch_size": batch_size, "assembly": "random", **settings}
    study = frozen_study(slug, reading, asked, now=now)
    profiles = [profile.slug for profile in study.protocol.profiles]
    newcomers = [
        NewPerson(f"person{n}@example.org", profiles[n % len(profiles)], approved=True) for n in range(people)
    ]
    for participant in participants_add(study=study, people=newcomers, now=now):
        consent_record(participant=participant, accepted=True, now=now)
        session_start(participant=participant, now=now)
