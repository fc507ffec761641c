"""What assembly knows of a prompt, what each batch holds then, and how far the batches differ: the evidence
that an assembly is fair. Plain values, also for pages; `covering` computes them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from psychometrics.planning.records import Linkage

_MAX_NAMED = 10
REFERENCE_ABILITIES = (0.1, 1.0)
"""Abilities (logits) at which batches should be equally hard: about the middle of a cohort and its top."""


@dataclass(frozen=True, slots=True)
class PromptTraits:
    """One prompt, with item parameters a (discrimination) and b (difficulty, logits) where they are known."""

    prompt_id: str
    a: float | None
    b: float | None
    category: str
    modality: str

    @property
    def has_parameters(self) -> bool:
        """Whether both parameters are known."""
        return self.a is not None and self.b is not None


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


def coverage_lines(
    report: CoverageReport, *, per_batch: bool = True, name: Callable[[str], str] = str
) -> list[str]:
    """Return plain text for a terminal or a log: sizes, spread, prompts without parameters and, if asked for,
    one line per batch, with the `name` of each category.
    """
    groups = sorted(Counter(report.sizes).items(), reverse=True)
    sizes = " and ".join(f"{times:,} of {size:,}" for size, times in groups)
    prompts = report.linkage.asked
    each = (
        f", each in {_some(sum(report.sizes) // prompts, 'batch', 'batches')}"
        if sum(report.sizes) > prompts
        else ""
    )
    batches = _some(len(report.batches), "batch", "batches")
    lines = [f"{batches} ({sizes or 'none'}), {_some(prompts, 'prompt', 'prompts')}{each}."]
    lines += _spread_lines(report)
    lines += _batch_lines(report, name) if per_batch else ()
    if missing := report.prompts_without_parameters:
        more = len(missing) - _MAX_NAMED
        named = ", ".join(missing[:_MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        lines.append(f"Prompts without item parameters: {len(missing):,} ({named}).")
    return lines


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


def _number(value: float | None, decimals: int) -> str:
    return "unknown" if value is None else f"{value:,.{decimals}f}".replace("-", "−")


def _some(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def _counted(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name} {count:,}" for name, count in counts.items())
