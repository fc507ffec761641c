"""What an export says about itself."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

MANIFEST_NAME = "manifest.json"


class Entry(BaseModel):
    """Base of the parts of a manifest."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(Entry):
    """One file of the export; a file that is no table has neither rows nor columns."""

    name: str
    sha256: str
    rows: int | None
    columns: tuple[str, ...] | None


class RunEntry(Entry):
    """Who judged, under which protocol. `flow` and `inputs_sha256` are of the run's newest results."""

    number: int
    judge_kind: str
    judge: dict[str, JsonValue]
    judge_sha256: str
    protocol_hash: str
    started_at: datetime
    finished_at: datetime | None
    results_computed_at: datetime | None
    inputs_sha256: str | None
    flow: dict[str, JsonValue] | None


class AmendmentEntry(Entry):
    """One recorded change of the frozen protocol."""

    number: int
    changes: dict[str, JsonValue]
    reason: str
    protocol_hash: str
    made_at: datetime


class Omitted(Entry):
    """What the files do not hold, on purpose."""

    test_participants: int
    private_prompts: int
    answers_to_private_prompts: int


class StudyEntry(Entry):
    """The study and everything its protocol hash stands for."""

    slug: str
    name: str
    status: str
    simulated: bool
    opens_at: datetime | None
    closes_at: datetime | None
    frozen_at: datetime | None
    protocol_hash: str
    protocol: dict[str, JsonValue]
    bank: str
    bank_version: int
    bank_digest: str
    item_bank_digest: str | None
    judge_protocol_sha256: str | None
    amendments: tuple[AmendmentEntry, ...]


class Manifest(Entry):
    """The whole of `manifest.json`. `canaries` ask that what the files hold never enters training corpora."""

    format: Literal["chiron-export"] = "chiron-export"
    format_version: Literal[1] = 1
    software: str
    exported_at: datetime
    study: StudyEntry
    runs: tuple[RunEntry, ...]
    omitted: Omitted
    canaries: tuple[str, ...]
    files: tuple[FileEntry, ...]

    def as_json(self) -> str:
        return self.model_dump_json(indent=2) + "\n"
