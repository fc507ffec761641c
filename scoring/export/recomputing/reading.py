"""The tables of an export as rows and columns, and what keeps a number from being computed."""

import hashlib
import json
import math
import statistics
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

TOLERANCE = 1e-9
TINY = 1e-12
Z_95 = 1.96
Array = Any  # a numpy array
Values = dict[str, Any]

PRIVATE = "rests on answers to private prompts, which an export leaves out"
UNKNOWN = "this script has no formula for it"


class NotHere(Exception):
    """This number cannot be computed from the export; `str()` is the reason."""


@dataclass(frozen=True, eq=False)
class Export:
    """The manifest and all tables, rows as dictionaries."""

    folder: Path
    manifest: Values

    def table(self, name: str) -> list[Values]:
        return read_table(self.folder / f"{name}.jsonl")

    @property
    def scope(self) -> str:
        """Of the numbers that follow from the tables: they hold what rests on public prompts."""
        return "public" if self.manifest["omitted"]["private_prompts"] else "all"

    def lacks(self, row: Values) -> bool:
        """Whether answers to private prompts may be part of a row of aggregates."""
        return bool(row["scope"] != self.scope)

    @property
    def private(self) -> bool:
        return bool(self.manifest["omitted"]["answers_to_private_prompts"])

    @property
    def settings(self) -> Values:
        return dict(self.manifest["study"]["protocol"])

    @property
    def bank(self) -> Values | None:
        """The constants of the item bank, and how many items it has in each category."""
        return self.manifest.get("item_bank")

    @property
    def is_logistic(self) -> bool:
        """Whether ability on the item bank is theta_QL, and no logit of a score is on its scale."""
        return self.bank is not None and self.bank["response_model"] == "2PL_logistic"

    def changed_files(self) -> list[str]:
        """Files that are missing or not as the manifest has them."""
        return [
            file["name"]
            for file in self.manifest["files"]
            if not (path := self.folder / file["name"]).is_file()
            or hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]
        ]


@cache
def read_table(path: Path) -> list[Values]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


OUTCOMES = {"drafted_at_expiry": "not_submitted", "not_reached": "not_reached"}


@dataclass(frozen=True, eq=False)
class Rows:
    """Places of people's batches as columns (n,); p is NaN where there is no score, a where no parameters."""

    person: Array
    prompt: Array
    batch: Array
    position: Array
    p: Array
    certain: Array
    outcome: Array
    a: Array
    b: Array

    def __len__(self) -> int:
        return len(self.p)

    def of(self, kept: Array) -> "Rows":
        return Rows(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))

    @cached_property
    def pairs(self) -> "Rows":
        """What theta rests on: scored answers to prompts with parameters."""
        return self.of(~np.isnan(self.p) & ~np.isnan(self.a))


class Run:
    """One scoring run: everybody whose session ended, the retained among them, and Top."""

    def __init__(self, export: Export, entry: Values) -> None:
        self.export, self.entry, self.number = export, entry, entry["number"]
        ended = [
            one for one in export.table("participants") if one["session_status"] in ("submitted", "expired")
        ]
        self.people = sorted(ended, key=lambda one: str(one["participant"]))
        self.codes = np.array([one["participant"] for one in self.people], dtype=np.str_)
        self.retained = np.array([one["retained"] for one in self.people], dtype=bool)
        self.prompts = sorted(export.table("prompts"), key=lambda one: str(one["prompt_id"]))
        bank = export.bank or {"squeeze_scale": 0.998, "squeeze_offset": 0.001, "sigma_hat": math.nan}
        self.scale, self.offset = bank["squeeze_scale"], bank["squeeze_offset"]
        self.sigma = bank["sigma_hat"]

    @cached_property
    def everyone(self) -> Rows:
        place = {str(code): i for i, code in enumerate(self.codes)}
        index = {one["prompt_id"]: j for j, one in enumerate(self.prompts)}
        scores, certain = self.scores, self.certain_scores
        rows = []
        for one in self.export.table("answers"):
            key = (one["participant"], one["prompt_id"])
            if one["participant"] not in place:
                continue
            score = scores.get(key) if one["counts"] else None
            outcome = "scored" if score is not None else "unscored"
            if not one["counts"]:
                outcome = OUTCOMES.get(one["state"], "skipped")
            sure = math.nan if score is None else certain.get(key, score)
            prompt = self.prompts[index[one["prompt_id"]]]
            parameters = (math.nan, math.nan) if prompt["a"] is None else (prompt["a"], prompt["b"])
            p = math.nan if score is None else score
            spot = (place[one["participant"]], index[one["prompt_id"]], one["batch"], one["position"])
            rows.append((*spot, p, sure, outcome, *parameters))
        columns = list(zip(*sorted(rows, key=lambda row: row[:2]), strict=True)) if rows else [()] * 9
        kinds = (np.int64, np.int64, np.int64, np.int64, float, float, np.str_, float, float)
        return Rows(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))

    @cached_property
    def measures(self) -> list[Values]:
        """What is stored of this run from the answers that the tables hold."""
        found = self.export.table("measures")
        return [one for one in found if (one["run"], one["scope"]) == (self.number, self.export.scope)]

    @cached_property
    def scores(self) -> dict[tuple[str, str], float]:
        found = (one for one in self.export.table("scores") if one["run"] == self.number)
        return {(one["participant"], one["prompt_id"]): one["score"] for one in found}

    @cached_property
    def certain_scores(self) -> dict[tuple[str, str], float]:
        """Scores with every confidence of the judge taken as 1."""
        found: dict[tuple[str, str], list[float]] = defaultdict(list)
        for one in self.export.table("criteria"):
            if one["run"] == self.number and one["score"] is not None:
                found[one["participant"], one["prompt_id"]].append(one["score"])
        return {key: statistics.fmean(values) for key, values in found.items()}

    @cached_property
    def cohort(self) -> Rows:
        return self.everyone.of(self.retained[self.everyone.person])

    @cached_property
    def top(self) -> Array:
        return self.best(self.cohort)

    def best(self, rows: Rows, size: int | None = None) -> Array:
        """(P,): the `size` people with the highest mean of all their scores; nobody where there are fewer."""
        order = self.ranking(rows)
        size = self.export.settings["top_size"] if size is None else size
        chosen = np.zeros(len(self.people), dtype=bool)
        if len(order) >= size:
            chosen[order[:size]] = True
        return chosen

    def ranking(self, rows: Rows) -> list[int]:
        """Positions of the people with a score, the highest mean first, ties by code."""
        means = self.mean_scores(rows)
        return sorted(means, key=lambda person: (-means[person], str(self.codes[person])))

    def mean_scores(self, rows: Rows) -> dict[int, float]:
        """Of the people with a score, by position."""
        scored: dict[int, list[float]] = defaultdict(list)
        for person, p in zip(rows.person.tolist(), rows.p.tolist(), strict=True):
            if not math.isnan(p):
                scored[person].append(p)
        return {person: math.fsum(own) / len(own) for person, own in scored.items()}

    def group(self, name: str, rows: Rows | None = None) -> Rows:
        rows = self.cohort if rows is None else rows
        return rows.of(self.top[rows.person]) if name == "top" else rows

    def logit(self, p: Array) -> Array:
        q = self.scale * np.clip(p, 0, 1) + self.offset
        return np.log(q / (1 - q))
