"""Measure a cohort, the agreement of two judges, and the precision of a study before it is done."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from psychometrics.agreement.pairs import Agreement, agreement_from_seed
from psychometrics.data.categories import items_by_category
from psychometrics.data.cohort import Cohort
from psychometrics.data.cohort_table import cohort_from_columns as cohort_of_columns, read_cohort
from psychometrics.inference.estimates import estimate_columns
from psychometrics.inference.measure import Block, Measure, NotMeasurable
from psychometrics.inference.readable import Library, frame_of, interval_text, number_text, table_text
from psychometrics.interface.arguments import Table, bank_from, names, numbers, whole_numbers
from psychometrics.interface.scores import StrPath
from psychometrics.irt.bank import ItemBank
from psychometrics.measures.computing import block_measures, block_rng
from psychometrics.measures.inputs import Facts, Inputs
from psychometrics.planning.computing import NamedBank, planned
from psychometrics.planning.formulas import Plan, Prices
from psychometrics.planning.records import MATRIX
from psychometrics.planning.tables import WANTED, Planned

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
        return (row for measures in self.blocks.values() for row in measures)

    def __len__(self) -> int:
        return sum(map(len, self.blocks.values()))

    def find(self, name: str, *, group: str | None = None, subset: str = "") -> Measure:
        """The measure of this name. Raises LookupError where there is none or more than one."""
        of_name = [row for row in self if row.name == name]
        found = [row for row in of_name if row.subset == subset and group in (None, row.group)]
        if len(found) == 1:
            return found[0]
        if of_name:
            places = "; ".join(f"group={row.group!r}, subset={row.subset!r}" for row in of_name)
            raise LookupError(f"{name} is there with {places}; name one of them")
        near = difflib.get_close_matches(name, {row.name for row in self})
        raise LookupError(f"no measure is called {name!r}; near are: {', '.join(near) or 'none'}")

    def __repr__(self) -> str:
        header = ("measure", "group", "subset", "value", "95 %", "without, because", "n", "people")
        refused = [f"{block}: not measured. {sentence}" for block, sentence in self.refused.items()]
        lines = []
        for row in self:
            estimate = row.estimate
            about = row.subset or row.participant or row.prompt_id
            interval = interval_text(estimate.low, estimate.high)
            why = "" if interval else str(estimate.reason or "")
            counts = ("" if number is None else str(number) for number in (row.n, row.people))
            value = number_text(estimate.value)
            lines.append((row.name, row.group, about, value, interval, why, *counts))
        return "\n".join([table_text(header, lines), *refused])

    def to_frame(self, library: Library | None = None) -> Any:
        """One row a measure: block, names, value, se, low, high, reason, counts. Raises ImportError."""
        measures = list(self)
        columns: dict[str, Sequence[object]] = {
            "block": [str(block) for block, found in self.blocks.items() for _ in found]
        }
        columns |= {name: [getattr(row, name) for row in measures] for name in NAMED}
        columns |= estimate_columns(row.estimate for row in measures)
        columns |= {name: [getattr(row, name) for row in measures] for name in COUNTED}
        return frame_of(columns, library)


def load_cohort(path: StrPath, bank: ItemBank | Table | None = None) -> Cohort:
    """The cohort of a CSV table with the columns person, prompt_id and score (0 to 1, empty = none).

    Optional: batch (set of prompts that people were given together; without it everybody has one of their
    own), profile, category, outcome; criteria (by how many answers to the prompt are judged, 1 for right or
    wrong), without which there is no person fit and no DIF, and confidence (of the judge). Raises
    CohortRefused with every problem of the file, ValueError for a `bank` that is none.
    """
    return read_cohort(Path(path), None if bank is None else bank_from(bank))


def cohort_from_columns(
    person: Sequence[object],
    prompt_id: Sequence[object],
    score: ArrayLike,
    bank: ItemBank | Table | None = None,
    *,
    batch: Sequence[object] | None = None,
    profile: Sequence[object] | None = None,
    category: Sequence[object] | None = None,
    criteria: ArrayLike | None = None,
    confidence: ArrayLike | None = None,
) -> Cohort:
    """A cohort of rows (n,): who answered, which prompt, the score in [0, 1] (NaN = none).

    Columns are lists, arrays or columns of a frame. `batch` names the set of prompts that people were given
    together; without it everybody has one of their own, as in matrix sampling. `profile` belongs to a person,
    `category` and `criteria` to a prompt: by how many its answers are judged, 1 for right or wrong.
    `confidence` is the judge's: the score over what it is with every confidence at 1. Person fit and DIF need
    `criteria`; without `confidence` it is 1 throughout. Rows stand in the order in which people saw the
    prompts. Raises CohortRefused where a person has a prompt twice, columns differ in length or numbers
    contradict each other, ScoreOutOfRange for a score outside [0, 1], ValueError for a `bank` that is none, a
    row without person or prompt, or a column that holds no numbers.
    """
    texts = {"batch": batch, "profile": profile, "category": category}
    return cohort_of_columns(
        names("person", person, required=True), names("prompt_id", prompt_id, required=True),
        numbers("score", score), None if bank is None else bank_from(bank),
        criteria=None if criteria is None else whole_numbers("criteria", criteria),
        confidence=None if confidence is None else numbers("confidence", confidence),
        **{name: None if column is None else names(name, column) for name, column in texts.items()},
    )  # fmt: skip


def measure(
    cohort: Cohort,
    bank: ItemBank | Table | None = None,
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
    items = None if bank is None else bank_from(bank)
    sizes: Mapping[str, int] = {}
    if facts is None and items is not None:
        of_prompt = {prompt.prompt_id: prompt.category for prompt in cohort.prompts}
        sizes = items_by_category(zip(items.prompt_ids, items.subcategories, strict=True), of_prompt)
    known = facts or Facts(top_size, items_by_category=sizes)
    found: dict[Block, tuple[Measure, ...]] = {}
    refused: dict[Block, str] = {}
    wanted = list(blocks)
    if unknown := [name for name in wanted if name not in set(Block)]:
        raise ValueError(f"blocks: {unknown[0]!r} is not a valid Block; there are {', '.join(Block)}")
    for block in map(Block, wanted):
        inputs = Inputs(known, cohort, items, block_rng(seed, block), resamples, lambda *_: None)
        try:
            found[block] = tuple(block_measures(block, inputs))
        except NotMeasurable as refusal:
            refused[block] = str(refusal)
    return Results(found, refused)


def agreement_of(
    x: ArrayLike,
    y: ArrayLike,
    clusters: Sequence[object] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Agreement:
    """Agreement of scores x and y (n,) in [0, 1] that two judges gave the same responses, NaN = missing.

    `clusters` (n,) names what is resampled as a whole, such as the person or the prompt; None: the response.
    Offset and limits are y - x in score points; kappa, PABAK, AC1 and nominal alpha are of met (>= 0.5) or
    not. Raises ScoresRefused for other scores or shapes. Each formula has its source in its module
    (`psychometrics.agreement`).
    """
    of_x, of_y = numbers("x", x), numbers("y", y)
    labels = np.arange(len(of_x)) if clusters is None else np.asarray([str(name) for name in clusters])
    return agreement_from_seed(of_x, of_y, labels, seed=seed, resamples=resamples)


def plan(
    study: Plan,
    *,
    bank: ItemBank | Table | None = None,
    kind: str = MATRIX,
    prices: Prices | None = None,
    wanted: tuple[float, ...] = WANTED,
) -> Planned:
    """Half-widths of 95 % intervals and smallest detectable differences (logits), and alternatives.

    `bank` gives the number of prompts and their mean a^2 in place of those of `study`. `kind` is "matrix" or
    "nested". `wanted` are half-widths for which the people needed are found. ValueError for another kind.
    Formulas and assumptions stand in `psychometrics.planning.formulas` (docs/measurement/planning.md).
    """
    named = None if bank is None else NamedBank("bank", bank_from(bank))
    if named is not None:
        study = replace(study, bank_prompts=len(named.items), mean_square=named.mean_square)
    return planned(study, kind, prices or Prices(), wanted, bank=named)
