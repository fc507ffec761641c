"""What each batch holds and how far the batches differ: the evidence that an assembly is fair."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from batches.rules.assembly import (
    REFERENCE_ABILITIES,
    FloatArray,
    IntArray,
    PromptTraits,
    expected_raw,
    indicators,
    parameters_of,
)
from psychometrics.planning.designs import batch_linkage
from psychometrics.planning.records import Linkage

_MAX_NAMED = 10


@dataclass(frozen=True, slots=True)
class BatchCoverage:
    """One batch. Means are over its prompts with item parameters, None when it has none."""

    number: int
    size: int
    with_parameters: int
    mean_difficulty: float | None
    expected_raw: tuple[float | None, ...]
    information: float
    categories: Mapping[str, int]
    modalities: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CoverageSpread:
    """How far batches differ; 0 is perfect balance, None means too few item parameters to say.

    `mean_difficulty_sd` is for orientation: a few prompts far out of reach dominate it while they hardly move
    any score, so assembly balances the expected raw score instead.
    `expected_raw_sd`: sd over batches of the mean expected raw score, at each reference ability.
    `information_cv`: coefficient of variation over batches of the information per prompt.
    `category_sd`, `modality_sd`: root mean square distance of a batch's count from its size times the share
    of that label in the bank, over batches and labels.
    """

    mean_difficulty_sd: float | None
    expected_raw_sd: tuple[float | None, ...]
    information_cv: float | None
    category_sd: float
    modality_sd: float


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """All batches, their spread, and the prompts that were balanced on category and modality only.

    `linkage` is that of the design with every place taken.
    """

    abilities: tuple[float, ...]
    batches: tuple[BatchCoverage, ...]
    spread: CoverageSpread
    prompts_without_parameters: tuple[str, ...]
    linkage: Linkage

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of prompts of each batch."""
        return tuple(batch.size for batch in self.batches)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold; what is unknown is None."""
        return asdict(self) | {"sizes": list(self.sizes)}


def coverage_report(
    batches: Sequence[Sequence[str]], traits: Sequence[PromptTraits], *, people_per_batch: int = 1
) -> CoverageReport:
    """Describe the batches of prompt ids; every id must be among `traits`."""
    table = _Table(traits)
    index_of = {prompt.prompt_id: index for index, prompt in enumerate(traits)}
    members = [np.array([index_of[prompt_id] for prompt_id in batch], dtype=np.int64) for batch in batches]
    rows = tuple(table.batch(number, rows) for number, rows in enumerate(members, start=1))
    missing = tuple(prompt.prompt_id for prompt in traits if not prompt.has_parameters)
    linked = batch_linkage(members, people_per_batch=people_per_batch, prompts=len(traits))
    return CoverageReport(REFERENCE_ABILITIES, rows, table.spread(rows), missing, linked)


class _Table:
    """The traits as columns of length J, NaN where a prompt has no item parameters."""

    def __init__(self, traits: Sequence[PromptTraits]) -> None:
        a, self.b = parameters_of(traits)
        self.curves = [expected_raw(a, self.b, theta=theta) for theta in REFERENCE_ABILITIES]
        self.information = a**2
        self.category_names, self.category = indicators([prompt.category for prompt in traits])
        self.modality_names, self.modality = indicators([prompt.modality for prompt in traits])

    def batch(self, number: int, rows: IntArray) -> BatchCoverage:
        information = self.information[rows]
        return BatchCoverage(
            number=number,
            size=len(rows),
            with_parameters=int(np.isfinite(information).sum()),
            mean_difficulty=_mean(self.b[rows]),
            expected_raw=tuple(_mean(curve[rows]) for curve in self.curves),
            information=float(np.nansum(information)),
            categories=_counts(self.category_names, self.category[rows]),
            modalities=_counts(self.modality_names, self.modality[rows]),
        )

    def spread(self, batches: Sequence[BatchCoverage]) -> CoverageSpread:
        sizes = np.array([batch.size for batch in batches], dtype=np.float64)
        per_prompt = [batch.information / batch.size for batch in batches if batch.size]
        return CoverageSpread(
            mean_difficulty_sd=_sd([batch.mean_difficulty for batch in batches]),
            expected_raw_sd=tuple(
                _sd([batch.expected_raw[k] for batch in batches]) for k in range(len(self.curves))
            ),
            information_cv=float(np.std(per_prompt) / np.mean(per_prompt)) if sum(per_prompt) > 0.0 else None,
            category_sd=_count_sd([batch.categories for batch in batches], sizes, self.category),
            modality_sd=_count_sd([batch.modalities for batch in batches], sizes, self.modality),
        )


def _mean(values: FloatArray) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else None


def _sd(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.std(known)) if known else None


def _counts(names: Sequence[str], matrix: FloatArray) -> dict[str, int]:
    return {name: int(count) for name, count in zip(names, matrix.sum(axis=0), strict=True)}


def _count_sd(counts: Sequence[Mapping[str, int]], sizes: FloatArray, matrix: FloatArray) -> float:
    if not counts or not matrix.size:
        return 0.0
    observed = np.array([list(row.values()) for row in counts], dtype=np.float64)
    expected = sizes[:, None] * matrix.mean(axis=0)
    return float(np.sqrt(np.mean((observed - expected) ** 2)))


def coverage_lines(
    report: CoverageReport, *, per_batch: bool = True, name: Callable[[str], str] = str
) -> list[str]:
    """Return plain text for a terminal or a log: sizes, spread, prompts without parameters and, if asked for,
    one line per batch, with the `name` of each category.
    """
    batches = _batch_lines(report, name) if per_batch else ()
    return [_sizes_line(report), *_spread_lines(report), *batches, *_missing_lines(report)]


def _sizes_line(report: CoverageReport) -> str:
    groups = sorted(Counter(report.sizes).items(), reverse=True)
    sizes = " and ".join(f"{times:,} of {size:,}" for size, times in groups)
    prompts = report.linkage.asked
    each = (
        f", each in {_some(sum(report.sizes) // prompts, 'batch', 'batches')}"
        if sum(report.sizes) > prompts
        else ""
    )
    batches = _some(len(report.batches), "batch", "batches")
    return f"{batches} ({sizes or 'none'}), {_some(prompts, 'prompt', 'prompts')}{each}."


def _spread_lines(report: CoverageReport) -> Iterator[str]:
    linked, spread = report.linkage, report.spread
    if linked.asked:
        parts = _some(linked.components, "component", "components")
        people = _some(linked.fewest_people, "person", "people")
        others = _some(linked.fewest_neighbours, "other prompt", "other prompts")
        yield (
            f"Linkage: {parts}; a prompt is asked of at least {people} and shares a person with at least "
            f"{others}."
        )
    if spread.mean_difficulty_sd is not None:
        for theta, sd in zip(report.abilities, spread.expected_raw_sd, strict=True):
            yield f"Expected raw score at ability {theta:g}: sd over batches {_number(sd, 4)}."
        yield f"Mean difficulty: sd over batches {_number(spread.mean_difficulty_sd, 3)} logits."
        yield f"Information per prompt: variation over batches {_number(spread.information_cv, 3)}."
    counts = f"category {spread.category_sd:.2f}, modality {spread.modality_sd:.2f}"
    yield f"Distance of counts from their share of the bank: {counts} prompts."


def _batch_lines(report: CoverageReport, name: Callable[[str], str]) -> Iterator[str]:
    curves = "".join(f"  raw at {theta:<4g}" for theta in report.abilities)
    yield f"batch  size  difficulty{curves}  information  categories; modalities"
    for batch in report.batches:
        curves = "".join(f"  {_number(value, 3):>11}" for value in batch.expected_raw)
        categories = {name(category): number for category, number in batch.categories.items()}
        yield (
            f"{batch.number:>5}  {batch.size:>4}  {_number(batch.mean_difficulty, 2):>10}{curves}"
            f"  {batch.information:>11.1f}  {_counted(categories)}; {_counted(batch.modalities)}"
        )


def _missing_lines(report: CoverageReport) -> Iterator[str]:
    missing = report.prompts_without_parameters
    if missing:
        more = len(missing) - _MAX_NAMED
        named = ", ".join(missing[:_MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        yield f"Prompts without item parameters: {len(missing):,} ({named})."


def _number(value: float | None, decimals: int) -> str:
    return "unknown" if value is None else f"{value:,.{decimals}f}".replace("-", "−")


def _some(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def _counted(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name} {count:,}" for name, count in counts.items())
