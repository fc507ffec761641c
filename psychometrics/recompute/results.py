"""The tables of results again: estimates of Average and Top, accuracies by task, and the hash of inputs."""

import hashlib
from dataclasses import asdict
from functools import cached_property

from formats.canonical import canonical_json
from psychometrics.benchmark.summaries import benchmark_metrics, task_accuracies
from psychometrics.data.answers import ResultAnswer
from psychometrics.inference.estimates import none_if_nan
from psychometrics.measures.aggregates import Numbers, Scale, group_numbers, is_nested
from psychometrics.recompute.cohorts import items_from, scores_from
from psychometrics.recompute.export import OTHERWISE, PRIVATE, Export, NotHere, Values
from psychometrics.top.group import top_group

EMPTY_AS_NONE = ("reason_pool", "reason_ql", "interval")
# An export of before the interval that serves the design has other errors, and does not say of which kind.
OF_ERRORS = tuple(f"{end}{of}" for end in ("se", "ci_low", "ci_high") for of in ("", "_pool", "_ql"))
OF_EVERYBODY = ("participants",)  # of people without an answer to a public prompt the tables have none


class ResultsRun:
    """The newest results of one scoring run."""

    def __init__(self, export: Export, entry: Values) -> None:
        self.export, self.entry = export, entry
        self._numbers: dict[tuple[str, str, bool], Numbers] = {}

    def estimate(self, row: Values) -> Values:
        """Every column of one row of `estimates`. Raises NotHere."""
        lacks, nested = self.export.lacks(row), is_nested(self._answers, self._scale)
        found = self._group(row["group"], row["category"], nested=nested)
        if lacks and (row["group"] == "top" or found.expected != row["expected"]):
            raise NotHere(PRIVATE)
        if lacks and row.get("interval") not in (None, found.interval):
            # Whether batches share a prompt is told of the whole design alone, by the error that it has.
            found = self._group(row["group"], row["category"], nested=not nested)
        columns = {name: value for name, value in asdict(found).items() if name in row}
        columns |= {name: columns[name] or None for name in EMPTY_AS_NONE if name in columns}
        columns["coverage"] = self._coverage(row["category"], found)
        left_out = (OF_EVERYBODY if lacks else ()) + (() if "reason_pool" in row else OF_ERRORS)
        return {name: value for name, value in columns.items() if name not in left_out}

    def accuracy(self, row: Values) -> Values:
        """One row of `task_accuracies`. Raises NotHere."""
        task = task_accuracies(self._of(row["group"])).get(row["task"])
        responses = task.n if task else 0
        if self.export.lacks(row) and (row["group"] == "top" or responses != row["responses"]):
            raise NotHere(PRIVATE)
        return {"responses": responses, "accuracy": none_if_nan(task.accuracy) if task else None}

    def metric(self, row: Values) -> Values:
        """One row of `metrics`. Raises NotHere."""
        if self.export.lacks(row):
            raise NotHere(PRIVATE)
        tasks = task_accuracies(self._of(row["group"]))
        return {"value": benchmark_metrics(tasks, self.export.protocol["match_rules"])[row["name"]]}

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
    def _scale(self) -> Scale:
        categories = {one["prompt_id"]: one["result_category"] for one in self.export.table("prompts")}
        return Scale(items_from(self.export), categories)

    @cached_property
    def _groups(self) -> dict[str, frozenset[str]]:
        everybody = frozenset(one.participant for one in self._answers)
        return {"average": everybody, "top": top_group(self._answers, self.export.protocol["top_size"])}

    def _of(self, group: str) -> list[ResultAnswer]:
        return [one for one in self._answers if one.participant in self._groups[group]]

    def _group(self, group: str, category: str, *, nested: bool) -> Numbers:
        key = (group, category, nested)
        if key not in self._numbers:
            self._numbers[key] = group_numbers(
                self._of(group),
                participants=len(self._groups[group]),
                scale=self._scale.within(category),
                selected=group == "top",
                nested=nested,
                in_category=bool(category),
            )
        return self._numbers[key]

    def _coverage(self, category: str, found: Numbers) -> float | None:
        """Of all items of the bank, whose number the manifest gives: not every item is in the tables."""
        bank = self.export.bank
        if bank is None:
            return found.coverage
        items = bank["items_by_category"].get(category, 0) if category else bank["items"]
        return found.prompts / items if items else None
