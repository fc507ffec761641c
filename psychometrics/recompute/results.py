"""The tables of results again: estimates of Average and Top, accuracies by task, and the hash of inputs."""

import hashlib
from dataclasses import asdict
from functools import cached_property

from formats.canonical import canonical_json
from psychometrics.data.places import ResultAnswer
from psychometrics.inference.estimates import WITHHELD
from psychometrics.inference.measure import Block, Measure, stored_columns
from psychometrics.inference.standard_errors import is_nested
from psychometrics.measures import headlines
from psychometrics.measures.blocks.results import part_measures
from psychometrics.measures.computing import on_scale
from psychometrics.measures.inputs import Inputs
from psychometrics.recompute.cohorts import scores_from
from psychometrics.recompute.export import OTHERWISE, PRIVATE, NotHere, Values, place_of
from psychometrics.recompute.measures import MeasuredRun

EMPTY_AS_NONE = ("reason_pool", "reason_ql", "interval")
# Results of before have other errors; exports of before the interval that serves the design do not say which.
ENDS, THETAS = ("se", "ci_low", "ci_high"), ("", "_pool", "_ql", "_twoway")
OF_ERRORS = (*(f"{end}{of}" for end in ENDS for of in THETAS), "reason_pool", "reason_ql", "clusters")
# Where the items of the bank are tasks, an export of before counts no answer as a pair.
OF_PAIRS = ("pairs", "prompts", "unknown_items", "responses_per_prompt", "raw_mean", "coverage")
OF_EVERYBODY = ("participants",)  # of people without an answer to a public prompt the tables have none


class ResultsRun:
    """The newest results of one scoring run."""

    def __init__(self, run: MeasuredRun) -> None:
        self._run, self.export, self.entry = run, run.export, run.entry
        self._numbers: dict[tuple[str, str, bool], headlines.GroupNumbers] = {}

    def estimate(self, row: Values) -> Values:
        """Every column of one row of `estimates`. Raises NotHere."""
        lacks = self.export.lacks(row)
        found = self._group(row["group"], row["category"], nested=self._nested)
        withheld = row.get("reason_pool") in WITHHELD
        if lacks and (row["group"] == "top" or found.expected != row["expected"] or withheld):
            raise NotHere(PRIVATE)
        if found.withheld and not withheld and row["raw_mean"] is not None:  # told in an export of before
            raise NotHere(OTHERWISE)
        if lacks and row.get("interval") not in (None, found.interval):
            # Whether batches share a prompt is told of the whole design alone, by the error that it has.
            found = self._group(row["group"], row["category"], nested=not self._nested)
        columns = {name: value for name, value in asdict(found).items() if name in row and name != "scope"}
        columns |= {name: columns[name] or None for name in EMPTY_AS_NONE if name in columns}
        of_before = self._run.has_earlier_errors or "reason_pool" not in row
        left_out = (OF_EVERYBODY if lacks else ()) + (OF_ERRORS if of_before else ())
        if self._run.only_tasks and not self._has_headlines:
            left_out += OF_PAIRS
        return {name: value for name, value in columns.items() if name not in left_out}

    def accuracy(self, row: Values) -> Values:
        """One row of `task_accuracies`. Raises NotHere."""
        numbers = self._tasks.get((row["group"], row["task"]))
        responses, accuracy = (numbers.responses, numbers.accuracy) if numbers else (0, None)
        if numbers and numbers.reason in WITHHELD and row["accuracy"] is not None:  # of before
            raise NotHere(OTHERWISE)
        if self.export.lacks(row) and (row["group"] == "top" or responses != row["responses"]):
            raise NotHere(PRIVATE)
        return {"responses": responses, "accuracy": accuracy}

    def metric(self, row: Values) -> Values:
        """One row of `metrics`. Raises NotHere."""
        if self.export.lacks(row):
            raise NotHere(PRIVATE)
        metric_number = next(
            number
            for number in headlines.metric_numbers(self._headlines, self.export.protocol["match_rules"])
            if (number.group, number.name) == (row["group"], row["name"])
        )
        if self._run.has_earlier_errors and metric_number.value is None and row["value"] is not None:
            raise NotHere(OTHERWISE)
        return {"value": metric_number.value}

    def inputs_sha256(self) -> Values:
        """The hash that the manifest gives of everything that results depend on, private prompts left out.

        Raises NotHere.
        """
        study, protocol = self.export.manifest["study"], self.export.protocol
        content = {
            "places": sorted(
                [answer.participant, answer.prompt_id, answer.task, answer.batch, answer.counts, answer.score]
                for answer in self._answers
            ),
            "prompts": sorted(
                [prompt["prompt_id"], prompt["category"]] for prompt in self.export.table("prompts")
            ),
            "item_bank": study["item_bank_digest"],
            "top_size": protocol["top_size"],
            "match_rules": protocol.get("match_rules"),
        }
        digest = hashlib.sha256(canonical_json(content)).hexdigest()
        of_before = not (self.entry["measurement"] or {}).get("methods")
        if digest != self.entry["inputs_sha256"] and of_before:  # what it is formed of may have changed since
            raise NotHere(OTHERWISE)
        return {"inputs_sha256": digest}

    def with_scores(self) -> int:
        """How many people Top is chosen from."""
        return len({answer.participant for answer in self._answers if answer.score is not None})

    @cached_property
    def _answers(self) -> list[ResultAnswer]:
        tasks = {prompt["prompt_id"]: prompt["task"] for prompt in self.export.table("prompts")}
        scores = scores_from(self.export, self.entry["number"])
        return [
            ResultAnswer(
                *place_of(answer), tasks[answer["prompt_id"]], answer["batch"], answer["counts"],
                scores.get(place_of(answer)) if answer["counts"] else None,
            )
            for answer in self.export.table("answers")
            if answer["participant"] in self.export.retained
        ]  # fmt: skip

    @cached_property
    def _inputs(self) -> Inputs:
        return self._run.inputs(Block.RESULTS)

    @cached_property
    def _nested(self) -> bool:
        return is_nested(self._inputs.cohort)

    @cached_property
    def _has_headlines(self) -> bool:
        """Whether the run has rows that the block Results gave: exports of before have none."""
        rows = self.export.rows_of("measures", self.entry["number"])
        return any(row["name"] == "participants" and row["people"] is not None for row in rows)

    @cached_property
    def _headlines(self) -> list[Values]:
        return [_in_scope(measure) for measure in self._run.block(Block.RESULTS, all_scope=False).values()]

    @cached_property
    def _tasks(self) -> dict[tuple[str, str], headlines.TaskNumbers]:
        return {
            (task_number.group, task_number.task): task_number
            for task_number in headlines.task_numbers(self._headlines)
        }

    def _group(self, group: str, category: str, *, nested: bool) -> headlines.GroupNumbers:
        key = (group, category, nested)
        if key not in self._numbers:
            measures = on_scale(Block.RESULTS, self._inputs, part_measures(self._inputs, *key))
            [self._numbers[key]] = headlines.group_numbers(map(_in_scope, measures))
        return self._numbers[key]


def _in_scope(measure: Measure) -> Values:
    """A measure as stored rows have it; of which scope it is nobody asks here."""
    return {"scope": ""} | stored_columns(measure)
