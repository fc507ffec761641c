"""Save answers without end: `python -m tests.faults.keep_saving`; each line printed is a save acknowledged.

A line holds the answer's key, the revision's number and the sha256 of its text. The study's prompts have a
file.
"""

import hashlib
import itertools
import tempfile
import threading
from pathlib import Path

import django

django.setup()

from django.utils import timezone  # noqa: E402

from batches.models import Answer  # noqa: E402
from batches.services.answers import IncomingText, answer_save  # noqa: E402
from batches.services.plans import batches_build  # noqa: E402
from batches.services.starting import session_start  # noqa: E402
from studies.bank.building import BankReading  # noqa: E402
from studies.bank.records import AttachmentRecord, BankRecord, PromptRecord  # noqa: E402
from studies.models import Study  # noqa: E402
from studies.protocol.settings import ProtocolSettings  # noqa: E402
from studies.services.banks import bank_import  # noqa: E402
from studies.services.studies import study_create, study_freeze  # noqa: E402
from tests.faults.make_study import person_of  # noqa: E402

PEOPLE, PROMPTS = 4, 2
CONTENT = b"%PDF-1.4 a file shown with a prompt"


def study(root: Path) -> Study:
    (root / "shown.pdf").write_bytes(CONTENT)
    file = AttachmentRecord(
        name="shown.pdf",
        path="shown.pdf",
        media_type="application/pdf",
        size_bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )
    prompts = tuple(
        PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(n), attachments=(file,))
        for n in range(1, PROMPTS + 1)
    )
    reading = BankReading(bank=BankRecord(format="chiron", prompts=prompts), problems=(), root=root)
    now = timezone.now()
    made = study_create(
        slug="saved",
        name="The study that is saved",
        bank_version=bank_import(slug="saved", reading=reading, strict=True, now=now).version,
        item_bank=None,
        judge_protocol=None,
        settings=ProtocolSettings(batch_size=PROMPTS, assembly="random", replicates_per_profile=PEOPLE),
        now=now,
    )
    batches_build(study=made, now=now)
    return study_freeze(study=made, now=now)


def save_on(answers: list[Answer], user_id: int) -> None:
    for number, answer in ((number, answer) for number in itertools.count(1) for answer in answers):
        text = f"Answer {answer.pk} in its version {number}, ünïcode included"
        incoming = IncomingText(text=text, base_revision=number - 1, tab="one", sequence=number)
        receipt = answer_save(
            user_id=user_id,
            session_id=answer.session_id,
            position=answer.position,
            incoming=incoming,
            now=timezone.now(),
        )
        digest = hashlib.sha256(text.encode()).hexdigest()
        print(f"{answer.pk} {receipt.revision} {digest}\n", end="", flush=True)  # noqa: T201  # what it is for


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = study(Path(folder))
    for number in range(PEOPLE):
        person = person_of(made, number, timezone.now())
        session = session_start(participant=person, now=timezone.now())
        threading.Thread(target=save_on, args=(list(session.answers.all()), person.user_id)).start()


if __name__ == "__main__":
    main()
