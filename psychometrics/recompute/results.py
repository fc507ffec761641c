"""The tables of results again: estimates of Average and Top, accuracies by task, and the hash of inputs."""

import hashlib
from dataclasses import asdict
from functools import cached_property

import numpy as np

from formats.canonical import canonical_json
from psychometrics.data.answers import ResultAnswer
from psychometrics.inference.measure import Block, Measure, stored_columns
from psychometrics.inference.standard_errors import is_nested
from psychometrics.measures.blocks.results import part_measures
from psychometrics.measures.computing import block_measures, on_scale
from psychometrics.measures.headlines import (
    GroupNumbers,
    TaskNumbers,
    group_numbers,
    metric_numbers,
    task_numbers,
)
from psychometrics.measures.inputs import Inputs
from psychometrics.recompute.cohorts import asks_tasks, cohort_from, facts_from, items_from, scores_from
from psychometrics.recompute.export import OTHERWISE, PRIVATE, Export, NotHere, Values

EMPTY_AS_NONE = ("reason_pool", "reason_ql", "interval")
# An export of before the interval that serves the design has other errors, and does not say of which kind.
OF_ERRORS = tuple(f"{end}{of}" for end in ("se", "ci_low", "ci_high") for of in ("", "_pool", "_ql"))
# Where the items of the bank are tasks, an export of before counts no answer as a pair.
OF_PAIRS = ("pairs", "prompts", "unknown_items", "responses_per_prompt", "raw_mean", "coverage")
OF_EVERYBODY = ("participants",)  # of people without an answer to a public prompt the tables have none


class ResultsRun:
    """The newest results of one scoring run."""

    def __init__(self, export: Export, entry: Values) -> None:
        self.export, self.entry = export, entry
        self._numbers: dict[tuple[str, str, bool], GroupNumbers] = {}

    def estimate(self, row: Values) -> Values:
        """Every column of one row of `estimates`. Raises NotHere."""
        lacks = self.export.lacks(row)
        found = self._group(row["group"], row["category"], nested=self._nested)
        if lacks and (row["group"] == "top" or found.expected != row["expected"]):
            raise NotHere(PRIVATE)
        if lacks and row.get("interval") not in (None, found.interval):
            # Whether batches share a prompt is told of the whole design alone, by the error that it has.
            found = self._group(row["group"], row["category"], nested=not self._nested)
        columns = {name: value for name, value in asdict(found).items() if name in row and name != "scope"}
        columns |= {name: columns[name] or None for name in EMPTY_AS_NONE if name in columns}
        left_out = (OF_EVERYBODY if lacks else ()) + (() if "reason_pool" in row else OF_ERRORS)
        if self._asks_tasks and not self._has_headlines:
            left_out += OF_PAIRS
        return {name: value for name, value in columns.items() if name not in left_out}

    def accuracy(self, row: Values) -> Values:
        """One row of `task_accuracies`. Raises NotHere."""
        lacks, none = self.export.lacks(row), {"responses": 0, "accuracy": None}
        of_row = [one for one in self._tasks if (one.group, one.task) == (row["group"], row["task"])]
        found = {"responses": of_row[0].responses, "accuracy": of_row[0].accuracy} if of_row else none
        if lacks and (row["group"] == "top" or found["responses"] != row["responses"]):
            raise NotHere(PRIVATE)
        return found

    def metric(self, row: Values) -> Values:
        """One row of `metrics`. Raises NotHere."""
        if self.export.lacks(row):
            raise NotHere(PRIVATE)
        return next(
            {"value": one.value}
            for one in metric_numbers(self._headlines, self.export.protocol["match_rules"])
            if (one.group, one.name) == (row["group"], row["name"])
        )

    def inputs_sha256(self) -> Values:
        """The hash that the manifest gives of everything that results depend on, private prompts left out.

        Raises NotHere.
        """
        study, protocol = self.export.manifest["study"], self.export.protocol
        content = {
            "places": sorted(
                [one.participant, one.prompt_id, one.task, one.batch, one.counts, one.score]
                for one in self._answers
            ),
            "prompts": sorted([one["prompt_id"], one["category"]] for one in self.export.table("prompts")),
            "item_bank": study["item_bank_digest"],
            "top_size": protocol["top_size"],
            "match_rules": protocol.get("match_rules"),
        }
        found = hashlib.sha256(canonical_json(content)).hexdigest()
        of_before = not (self.entry["measurement"] or {}).get("methods")
        if found != self.entry["inputs_sha256"] and of_before:  # what it is formed of may have changed since
            raise NotHere(OTHERWISE)
        return {"inputs_sha256": found}

    def with_scores(self) -> int:
        """How many people Top is chosen from."""
        return len({one.participant for one in self._answers if one.score is not None})

    @cached_property
    def _answers(self) -> list[ResultAnswer]:
        tasks = {one["prompt_id"]: one["task"] for one in self.export.table("prompts")}
        scores = scores_from(self.export, self.entry["number"])
        return [
            ResultAnswer(
                one["participant"], one["prompt_id"], tasks[one["prompt_id"]], one["batch"], one["counts"],
                scores.get((one["participant"], one["prompt_id"])) if one["counts"] else None,
            )
            for one in self.export.table("answers")
            if one["participant"] in self.export.retained
        ]  # fmt: skip

    @cached_property
    def _inputs(self) -> Inputs:
        everyone = cohort_from(self.export, self.entry["number"])
        return Inputs(
            facts=facts_from(self.export, self.entry, everyone, []), everyone=everyone,
            items=items_from(self.export), rng=np.random.default_rng(0), resamples=0,
            progress=lambda done, of: None, scope=self.export.scope,
        )  # fmt: skip

    @property
    def _nested(self) -> bool:
        return is_nested(self._inputs.cohort)

    @cached_property
    def _has_headlines(self) -> bool:
        """Whether the run has rows that the block Results gave: exports of before have none."""
        rows = self.export.rows_of("measures", self.entry["number"])
        return any(one["name"] == "participants" and one["people"] is not None for one in rows)

    @property
    def _asks_tasks(self) -> bool:
        """Whether the items of the bank are tasks."""
        return asks_tasks(self.export, self._inputs.everyone)

    @cached_property
    def _headlines(self) -> list[Values]:
        return [in_scope(one) for one in block_measures(Block.RESULTS, self._inputs)]

    @cached_property
    def _tasks(self) -> list[TaskNumbers]:
        return list(task_numbers(self._headlines))

    def _group(self, group: str, category: str, *, nested: bool) -> GroupNumbers:
        key = (group, category, nested)
        if key not in self._numbers:
            measures = on_scale(Block.RESULTS, self._inputs, part_measures(self._inputs, *key))
            [self._numbers[key]] = group_numbers(map(in_scope, measures))
        return self._numbers[key]


def in_scope(one: Measure) -> Values:
    """A measure as stored rows have it; of which scope it is nobody asks here."""
    return {"scope": ""} | stored_columns(one)
