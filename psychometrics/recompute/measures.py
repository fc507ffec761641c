"""The table of measures again: every block of a run on the same inputs, row by row beside what is stored."""

from collections.abc import Iterator
from functools import cached_property

from psychometrics.data.cohort import Cohort
from psychometrics.inference.estimates import WITHHELD, Reason
from psychometrics.inference.measure import Block, Measure, NotMeasurable, Scope, stored_columns
from psychometrics.measures.blocks.exclusions import flow_measures, rater_measures
from psychometrics.measures.computing import block_measures, block_rng
from psychometrics.measures.inputs import Facts, Inputs
from psychometrics.measures.methods import CLUSTERED, METHODS, OF_ERRORS, changed_since, presently_named
from psychometrics.recompute.cohorts import asks_tasks, cohort_from, facts_from, items_from
from psychometrics.recompute.export import OTHERWISE, PRIVATE, TEXTS, Export, NotComputed, NotHere, Values

Key = tuple[str, str, str, str, str, str]  # block, name, group, subset, participant, prompt id
NOT_BEFORE = WITHHELD | {Reason.NO_FINITE_SOLUTION}  # of what earlier methods had a number
COLUMNS = ("value", "se", "low", "high", "reason", "n", "people", "prompts", "clusters", "details")
OF_SCORES = ("flow.with_scores", "flow.top", "flow.retained.leaving")
NOTHING_DRAWN = {"seed": 0, "resamples": 0}  # headlines of a run that is not measured
OF_ALL_ITEMS = ("theta.epochs", "theta.modelled_k1", "difference.modelled")

HEADLINE = (Block.RESULTS, "raw_mean")


class MeasuredRun:
    """The measures of one scoring run; each block is computed when its first row is asked for."""

    def __init__(self, export: Export, entry: Values) -> None:
        self.export, self.entry = export, entry
        self._blocks: dict[str, dict[Key, Measure]] = {}

    @property
    def methods(self) -> str:
        """By which version of the methods the run was measured; "" where none is on record."""
        return str((self.entry["measurement"] or {}).get("methods", ""))

    @cached_property
    def rows(self) -> list[Values]:
        """The stored rows of the run, of every scope, under their present names."""
        return list(map(presently_named, self.export.rows_of("measures", self.entry["number"])))

    @cached_property
    def has_earlier_errors(self) -> bool:
        """Whether headlines have errors of before: results keep theirs, even if they are measured again."""
        details = [row["details"] for row in self.rows if (row["block"], row["name"]) == HEADLINE]
        return self.methods != METHODS or all(facts.get("variance") != CLUSTERED for facts in details)

    def found(self, row: Values) -> Values:
        """What the columns of a stored row should be. Raises NotHere, NotComputed."""
        self._require_here(row)
        measure = self.block(row["block"], all_scope=self.export.lacks(row)).get(key_of(row))
        if measure is None:
            if self.export.lacks(row):
                raise NotHere(PRIVATE)
            raise NotComputed if self.methods == METHODS else NotHere(OTHERWISE)
        columns = columns_of(measure)
        if self.export.lacks(row) and {row["reason"], measure.estimate.reason} & WITHHELD:
            # What a part's neighbours rest on, and so whether it may be told, is not all here.
            raise NotHere(PRIVATE)
        if self.methods != METHODS and measure.estimate.reason in NOT_BEFORE and row["value"] is not None:
            raise NotHere(OTHERWISE)
        if self.export.lacks(row):
            self._require_same_answers(row, measure)
            if row["block"] in (Block.RESULTS, Block.SLICES) and row["details"] != columns["details"]:
                # Whether batches share a prompt, and so the kind of error, is told of the whole design alone.
                return {name: columns[name] for name in ("value", "n", "people", "prompts")}
        of_before = self.has_earlier_errors if row["block"] == Block.RESULTS else self.methods != METHODS
        if of_before:
            return {name: value for name, value in columns.items() if name not in (*OF_ERRORS, "details")}
        return columns

    def _require_here(self, row: Values) -> None:
        """Raises NotHere where a row rests on what an export leaves out, or on another method."""
        if self.export.lacks(row) and not _may_be_public(row):
            raise NotHere(PRIVATE)
        # Some numbers of scope `all` rest on every item of a bank of which some were left out.
        if row["block"] == Block.MODELS and row["scope"] == "all" and self.export.lacks_items:
            of_bank = row["name"] == "models.theta.ql" and row["group"] is None
            if of_bank or row["name"] in OF_ALL_ITEMS:
                raise NotHere(PRIVATE)
        # Of exclusions all but what is told of people rests on the words of answers.
        of_texts = row["block"] == Block.EXCLUSIONS and self.export.lacks_texts
        if of_texts and key_of(row) not in self._people_alone:
            raise NotHere(TEXTS)
        if changed_since(self.methods, row["name"]) or is_carried_over(row):
            raise NotHere(OTHERWISE)

    def _require_same_answers(self, row: Values, measure: Measure) -> None:
        """Raises NotHere where answers to private prompts are part of a row of scope `all`."""
        same = measure.n == row["n"]
        if row["block"] == Block.RESULTS:
            key = (Block.RESULTS, "answers.expected", row["group"] or "", row["subset"] or "", "", "")
            here = self.block(Block.RESULTS, all_scope=True).get(key)
            stored = (other for other in self.rows if self.export.lacks(other) and key_of(other) == key)
            same = here is not None and here.estimate.value == next(stored)["value"]
        if row["block"] in (Block.SLICES, Block.RESULTS) and not same:
            raise NotHere(PRIVATE)

    def not_stored(self) -> Iterator[Key]:
        """Numbers that the blocks give, by the present methods and names there were, and the table lacks."""
        if self.methods != METHODS:
            return
        measured, public = self.entry["measurement"] or {}, self.export.scope == Scope.PUBLIC
        names = set(measured.get("names", ()))
        stored = {key_of(row) for row in self.rows if not self.export.lacks(row)}
        ended_blocks = measured["public_blocks" if public else "blocks"]
        if not any(map(is_carried_over, self.rows)):
            ended_blocks = {Block.RESULTS: {"state": "computed"}} | ended_blocks
        for block, ended in ended_blocks.items():
            if ended["state"] != "computed":
                continue
            given = self.block(block, all_scope=False)
            yield from (key for key in given if key[1] in names and key not in stored)

    def block(self, block: str, *, all_scope: bool) -> dict[Key, Measure]:
        """What a block gives, by key; for rows of scope `all`, and without texts, the block exclusions tells
        of people alone.
        """
        if block == Block.EXCLUSIONS and (all_scope or self.export.lacks_texts):
            return self._people_alone
        if block not in self._blocks:
            try:
                measures = block_measures(Block(block), self.inputs(block), only_tasks=self.only_tasks)
            except NotMeasurable:
                measures = []
            self._blocks[block] = by_key(block, measures)
        return self._blocks[block]

    @cached_property
    def _people_alone(self) -> dict[Key, Measure]:
        """Of the block exclusions what looks at no answer to a prompt."""
        inputs = self.inputs(Block.EXCLUSIONS)
        screening = inputs.facts.screening
        if screening is None:
            return {}
        alone = [*flow_measures(inputs, screening), *rater_measures(inputs, screening)]
        return by_key(Block.EXCLUSIONS, alone)

    def inputs(self, block: str) -> Inputs:
        """What a block is given, with a stream of random numbers from its beginning."""
        measured = self.entry["measurement"] or NOTHING_DRAWN
        return Inputs(
            facts=self._facts, everyone=self._everyone, items=items_from(self.export),
            rng=block_rng(measured["seed"], Block(block)), resamples=measured["resamples"],
            progress=lambda *_: None, scope=self.export.scope,
        )  # fmt: skip

    @cached_property
    def _everyone(self) -> Cohort:
        return cohort_from(self.export, self.entry["number"])

    @cached_property
    def _facts(self) -> Facts:
        stored = [row for row in self.rows if row["scope"] == self.export.scope]
        return facts_from(self.export, self.entry, self._everyone, stored)

    @cached_property
    def only_tasks(self) -> bool:
        """Whether the items of the bank are tasks."""
        return asks_tasks(self.export, self._everyone)


def is_carried_over(row: Values) -> bool:
    """Whether a headline was an estimate of a version that stored no rows; `estimates` has it, too."""
    return bool(row["block"] == Block.RESULTS and row["people"] is None)


def by_key(block: str, measures: list[Measure]) -> dict[Key, Measure]:
    return {
        (block, measure.name, measure.group, measure.subset, measure.participant, measure.prompt_id): measure
        for measure in measures
    }


def key_of(row: Values) -> Key:
    names = ("block", "name", "group", "subset", "participant", "prompt_id")
    block, name, group, subset, participant, prompt_id = (row[column] or "" for column in names)
    return block, name, group, subset, participant, prompt_id


def columns_of(measure: Measure) -> Values:
    """A measure as an export writes it: None for what is absent."""
    columns = stored_columns(measure)
    return {name: columns[name] for name in COLUMNS} | {"reason": columns["reason"] or None}


def _may_be_public(row: Values) -> bool:
    """Of scope `all`: people and reviewers alone; and parts, where none of the pairs is private."""
    if row["block"] == Block.EXCLUSIONS:
        return row["name"] not in OF_SCORES and str(row["name"]).startswith(("flow.", "screening."))
    if row["block"] == Block.RESULTS:
        return row["group"] == "average" and row["subset"] is not None
    is_theta = str(row["name"]).startswith("slices.theta.")
    return row["block"] == Block.SLICES and is_theta and row["group"] == "average"
