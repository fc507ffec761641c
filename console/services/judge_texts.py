"""Uploaded texts that language models are asked with."""

from datetime import datetime
from pathlib import Path

from console.services.staging import UploadRefused
from studies.models import JudgeProtocol, User
from studies.protocol.judge_texts import (
    EXACT_FILE,
    HARNESS_FILE,
    RUBRIC_FILE,
    JudgeTextsRefused,
    read_judge_texts,
)
from studies.services.banks import judge_protocol_import


def judge_texts_import(
    *,
    slug: str,
    exact: bytes,
    rubric: bytes,
    harness: bytes,
    folder: Path,
    actor: User | None,
    now: datetime,
) -> tuple[JudgeProtocol, bool]:
    """Store a judge's two texts, as two files or as the published harness has them in one."""
    try:
        if harness:
            (folder / HARNESS_FILE).parent.mkdir(parents=True)
            (folder / HARNESS_FILE).write_bytes(harness)
        else:
            (folder / EXACT_FILE).write_bytes(exact)
            (folder / RUBRIC_FILE).write_bytes(rubric)
        texts = read_judge_texts(folder)
    except JudgeTextsRefused as refusal:
        raise UploadRefused(str(refusal).replace(f"{folder}/", "")) from None
    return judge_protocol_import(slug=slug, texts=texts, now=now, actor=actor)
