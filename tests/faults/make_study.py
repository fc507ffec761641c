"""Make studies with answers: `python -m tests.faults.make_study --people 25 --studies 1`.

In a process of its own, because the test's process is tied to another database. Rows are made through the
services.
"""

import argparse
from datetime import datetime, timedelta
from pathlib import Path

import django

django.setup()

from django.utils import timezone  # noqa: E402

from batches.services.answers import IncomingText, answer_save, prompt_seen  # noqa: E402
from batches.services.ending import DeclaredResources, session_submit  # noqa: E402
from batches.services.plans import batches_build  # noqa: E402
from batches.services.starting import session_start  # noqa: E402
from screening.services.screening import study_screen  # noqa: E402
from studies.bank.building import BankReading  # noqa: E402
from studies.bank.records import BankRecord, CriterionRecord, PromptRecord  # noqa: E402
from studies.models import Participant, Study  # noqa: E402
from studies.protocol.settings import ProtocolSettings  # noqa: E402
from studies.services.banks import bank_import  # noqa: E402
from studies.services.people.consents import consent_record  # noqa: E402
from studies.services.people.participants import participant_add, participant_approve  # noqa: E402
from studies.services.studies import study_create, study_freeze  # noqa: E402

PROMPTS, CRITERIA = 20, 4


def bank(size: int) -> BankReading:
    prompts = tuple(
        PromptRecord(
            prompt_id=f"p{n:03d}",
            text=f"Question {n}?",
            gold_answer=str(n),
            criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(CRITERIA)),
        )
        for n in range(1, size + 1)
    )
    return BankReading(bank=BankRecord(format="chiron", prompts=prompts), problems=(), root=Path())


def study_of(slug: str, people: int, prompts: int, now: datetime) -> Study:
    study = study_create(
        slug=slug,
        name=f"The study {slug}",
        bank_version=bank_import(slug=slug, reading=bank(prompts), strict=True, now=now).version,
        item_bank=None,
        judge_protocol=None,
        settings=ProtocolSettings(batch_size=prompts, assembly="random", replicates_per_profile=people),
        opens_at=None,
        closes_at=None,
        now=now,
    )
    batches_build(study=study, now=now)
    return study_freeze(study=study, now=now)


def person_of(study: Study, number: int, now: datetime) -> Participant:
    email = f"person{number}.{study.slug}@example.org"
    person = participant_add(study=study, email=email, profile="stem-phd", is_test=False, now=now)
    person = participant_approve(participant=person, now=now)
    consent_record(participant=person, accepted=True, now=now)
    return person


def answers_of(person: Participant, number: int, now: datetime) -> None:
    """All prompts answered in words of one's own, and handed in."""
    session = session_start(participant=person, now=now)
    for position in session.answers.values_list("position", flat=True):
        prompt_seen(session=session, position=position, now=now)
        words = f"Answer {number} at {position} of {person.study.slug}"
        text = IncomingText(text=words, base_revision=0, tab="one", sequence=1)
        answer_save(user_id=person.user_id, session_id=session.pk, position=position, incoming=text, now=now)
    books = DeclaredResources(categories=("Books",), note="")
    session_submit(session=session, resources=books, now=now + timedelta(hours=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--people", type=int, required=True, help="of each study; each answers all prompts")
    parser.add_argument("--prompts", type=int, default=PROMPTS, help=f"with {CRITERIA} criteria each")
    parser.add_argument("--studies", type=int, default=1)
    asked = parser.parse_args()
    earlier = timezone.now() - timedelta(hours=3)
    for one in range(1, asked.studies + 1):
        study = study_of(f"judged-{one}", asked.people, asked.prompts, earlier)
        for number in range(asked.people):
            answers_of(person_of(study, number, earlier), number, earlier)
        study_screen(study=study, now=timezone.now())


if __name__ == "__main__":
    main()
