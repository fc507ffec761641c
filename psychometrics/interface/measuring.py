"""Measure a cohort: the blocks of the measurement on one cohort, and their measures as a table."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psychometrics.data.categories import items_by_category
from psychometrics.data.cohort import Cohort
from psychometrics.data.cohort_table import read_cohort
from psychometrics.inference.estimates import estimate_columns
from psychometrics.inference.frames import Library, frame_of
from psychometrics.inference.measure import Block, Measure, NotMeasurable
from psychometrics.inference.readable import interval_text, number_text, table_text
from psychometrics.interface.scores import StrPath
from psychometrics.irt.bank import ItemBank
from psychometrics.measures.computing import block_measures, block_rng
from psychometrics.measures.inputs import Facts, Inputs

BLOCKS = (Block.RESULTS, Block.COHORT, Block.TOP, Block.UNCERTAINTY)
PUBLISHED_TOP = 15  # of 246 people (GIM paper, section 6)
SEED, RESAMPLES = 2026, 2000
COUNTED = ("n", "people", "prompts", "clusters")
NAMED = ("name", "group", "subset", "participant", "prompt_id")


@dataclass(frozen=True)
class Results:
    """The measures of each block, and the sentence of each block that the data do not allow."""

    blocks: Mapping[Block, tuple[Measure, ...]]
    refused: Mapping[Block, str]

    def __iter__(self) -> Iterator[Measure]:
        return (one for measures in self.blocks.values() for one in measures)

    def __len__(self) -> int:
        return sum(map(len, self.blocks.values()))

    def find(self, name: str, *, group: str | None = None, subset: str = "") -> Measure:
        """The measure of this name. Raises LookupError where there is none or more than one."""
        of_name = [one for one in self if one.name == name]
        found = [one for one in of_name if one.subset == subset and group in (None, one.group)]
        if len(found) == 1:
            return found[0]
        if of_name:
            places = "; ".join(f"group={one.group!r}, subset={one.subset!r}" for one in of_name)
            raise LookupError(f"{name} is there with {places}; name one of them")
        near = difflib.get_close_matches(name, {one.name for one in self})
        raise LookupError(f"no measure is called {name!r}; near are: {', '.join(near) or 'none'}")

    def __repr__(self) -> str:
        header = ("measure", "group", "subset", "value", "95 %", "without, because", "n", "people")
        refused = [f"{block}: not measured. {sentence}" for block, sentence in self.refused.items()]
        return "\n".join([table_text(header, [_cells(one) for one in self]), *refused])

    def to_frame(self, library: Library | None = None) -> Any:
        """One row a measure: block, names, value, se, low, high, reason, counts. Raises ImportError."""
        measures = list(self)
        columns: dict[str, Sequence[object]] = {
            "block": [str(block) for block, found in self.blocks.items() for _ in found]
        }
        columns |= {name: [getattr(one, name) for one in measures] for name in NAMED}
        columns |= estimate_columns(one.estimate for one in measures)
        columns |= {name: [getattr(one, name) for one in measures] for name in COUNTED}
        return frame_of(columns, library)


def load_cohort(path: StrPath, bank: ItemBank | None = None) -> Cohort:
    """The cohort of a CSV table with the columns person, prompt_id and score (0 to 1, empty = none).

    Optional: batch (set of prompts that people were given together; without it everybody has one of their
    own), profile, category, outcome. Raises CohortRefused with every problem of the file.
    """
    return read_cohort(Path(path), bank)


def measure(
    cohort: Cohort,
    bank: ItemBank | None = None,
    *,
    blocks: Iterable[str] = BLOCKS,
    top_size: int = PUBLISHED_TOP,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    facts: Facts | None = None,
) -> Results:
    """The measures of `blocks` on a cohort, in logits unless the name says otherwise.

    The cohort has its item parameters already; `bank` tells a logistic one, on which only theta_QL stands.
    Intervals are 95 % and serve the design (docs/measurement/uncertainty.md). The same seed and resamples
    give the same numbers, those of the server too: each block has a stream of its own. `facts` are for blocks
    that need more than a cohort, such as models; without them `top_size` alone. A block that the data do not
    allow is in `refused` with its sentence. ValueError for a block that does not exist, or whose facts are
    not given.
    """
    known = facts or Facts(top_size, items_by_category=_sizes(cohort, bank))
    found: dict[Block, tuple[Measure, ...]] = {}
    refused: dict[Block, str] = {}
    for block in map(Block, blocks):
        inputs = Inputs(known, cohort, bank, block_rng(seed, block), resamples, lambda *_: None)
        try:
            found[block] = tuple(block_measures(block, inputs))
        except NotMeasurable as refusal:
            refused[block] = str(refusal)
    return Results(found, refused)


def _sizes(cohort: Cohort, bank: ItemBank | None) -> Mapping[str, int]:
    """How many items the bank has by category."""
    if bank is None:
        return {}
    of_prompt = {one.prompt_id: one.category for one in cohort.prompts}
    return items_by_category(zip(bank.prompt_ids, bank.subcategories, strict=True), of_prompt)


def _cells(one: Measure) -> tuple[str, ...]:
    estimate = one.estimate
    counts = ("" if number is None else str(number) for number in (one.n, one.people))
    interval = interval_text(estimate.low, estimate.high)
    why = "" if interval else str(estimate.reason or "")
    about = one.subset or one.participant or one.prompt_id
    return (one.name, one.group, about, number_text(estimate.value), interval, why, *counts)
