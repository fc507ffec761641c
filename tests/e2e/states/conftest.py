"""A study whose pages get into states."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from batches.models import Session
from studies.bank.attachments import read_attachment
from studies.bank.records import PromptRecord
from studies.models import Study


@pytest.fixture(scope="module")
def study(make_study: Callable[..., Study]) -> Study:
    """Two prompts, each with an image."""
    drawing = next(Path(settings.BASE_DIR, "fixtures").rglob("*.png"))
    folder = drawing.parent
    image = read_attachment(drawing.name, root=folder, bases=(folder,), max_bytes=drawing.stat().st_size)
    prompts = [
        PromptRecord(
            prompt_id=f"p{n}",
            text="What does the image show?",
            gold_answer="1",
            category="QR",
            attachments=(image,),
        )
        for n in range(2)
    ]
    return make_study(prompts=prompts, root=folder, note_per_prompt=True, confidence_per_prompt=True)


@pytest.fixture
def session(begin: Callable[..., Session], study: Study) -> Session:
    return begin(study)
