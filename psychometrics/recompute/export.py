"""The tables of an export as rows."""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from psychometrics.inference.measure import Scope
from psychometrics.irt.transform import Transform

Values = dict[str, Any]
Place = tuple[str, str]  # code of the participant, id of the prompt
PRIVATE = "rests on answers to private prompts, which an export leaves out"
TEXTS = "rests on the words of answers, which a public export leaves out"
OTHERWISE = "its method changed since this export was written"
ENDED = ("submitted", "expired")  # statuses of a session that has ended and was not withdrawn
NO_SCALE = {"squeeze_scale": 0.998, "squeeze_offset": 0.001}  # of a study without an item bank


class NotComputed(Exception):
    """The library gives no such number for these tables: the row is not one that it would write."""


class NotHere(Exception):
    """This number cannot be computed from the export; `str()` is the reason."""


def place_of(row: Values) -> Place:
    """Whose answer to which prompt a row is about."""
    return row["participant"], row["prompt_id"]


def table_row(line: str) -> Values:
    """A line of JSONL; its `details` are JSON text, and were an object in exports of before."""
    row: Values = json.loads(line)
    if isinstance(row.get("details"), str):
        row["details"] = json.loads(row["details"])
    return row


@dataclass(frozen=True, eq=False)
class Export:
    """The manifest and all tables, rows as dictionaries."""

    folder: Path
    manifest: Values

    _tables: dict[str, list[Values]] = field(init=False, repr=False, default_factory=dict)

    def table(self, name: str) -> list[Values]:
        """The rows of a table; none where an export of before does not have it."""
        if name not in self._tables:
            path = self.folder / f"{name}.jsonl"
            lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
            self._tables[name] = [table_row(line) for line in lines if line]
        return self._tables[name]

    def rows_of(self, name: str, run: int) -> list[Values]:
        """The rows of one scoring run, by its number."""
        return [row for row in self.table(name) if row["run"] == run]

    @property
    def scope(self) -> Scope:
        """Of the numbers that follow from the tables: they hold what rests on public prompts."""
        return Scope.PUBLIC if self.manifest["omitted"]["private_prompts"] else Scope.ALL

    def lacks(self, row: Values) -> bool:
        """Whether answers to private prompts may be part of a row of aggregates."""
        return bool(row["scope"] != self.scope)

    @property
    def lacks_answers(self) -> bool:
        """Whether any answer was left out because its prompt is private."""
        return bool(self.manifest["omitted"]["answers_to_private_prompts"])

    @property
    def lacks_items(self) -> bool:
        """Whether an item of the bank was left out, of whichever scope."""
        return bool(self.manifest["omitted"].get("private_items"))

    @property
    def lacks_texts(self) -> bool:
        """Whether it is one for the public, without anything that people wrote."""
        return bool(self.manifest["omitted"].get("texts"))

    @cached_property
    def retained(self) -> frozenset[str]:
        """The codes of the people whose answers count."""
        return frozenset(
            participant["participant"]
            for participant in self.table("participants")
            if participant["retained"]
        )

    @property
    def protocol(self) -> Values:
        return dict(self.manifest["study"]["protocol"])

    @property
    def bank(self) -> Values | None:
        """The constants of the item bank, and how many items it has in each category."""
        constants: Values | None = self.manifest.get("item_bank")
        return constants

    @property
    def transform(self) -> Transform:
        constants = self.bank or NO_SCALE
        return Transform(constants["squeeze_scale"], constants["squeeze_offset"])

    def changed_files(self) -> list[str]:
        """Files that are missing or not as the manifest has them."""
        return [
            file["name"]
            for file in self.manifest["files"]
            if not (path := self.folder / file["name"]).is_file()
            or hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]
        ]
