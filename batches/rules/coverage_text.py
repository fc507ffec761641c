"""The coverage report as lines for a terminal or a log."""

from collections import Counter
from collections.abc import Iterator, Mapping

from batches.rules.coverage import BatchCoverage, CoverageReport
from psychometrics.planning.linkage import Linkage

_MAX_NAMED = 10


def coverage_lines(report: CoverageReport, *, per_batch: bool = True) -> list[str]:
    """Return plain text: sizes, spread, prompts without parameters and, if asked for, one line per batch."""
    batches = _batch_lines(report) if per_batch else ()
    head = _sizes_line(report), *_linkage_lines(report.linkage)
    return [*head, *_spread_lines(report), *batches, *_missing_lines(report)]


def _sizes_line(report: CoverageReport) -> str:
    groups = sorted(Counter(report.sizes).items(), reverse=True)
    sizes = " and ".join(f"{times} of {size}" for size, times in groups)
    prompts = report.linkage.asked
    each = f", each in {sum(report.sizes) // prompts} batches" if sum(report.sizes) > prompts else ""
    return f"{len(report.batches)} batches ({sizes or 'none'}), {prompts} prompts{each}."


def _linkage_lines(linked: Linkage) -> Iterator[str]:
    if linked.asked:
        parts = "1 component" if linked.components == 1 else f"{linked.components} components"
        yield (
            f"Linkage: {parts}; a prompt is asked of at least {linked.fewest_people} people and shares a "
            f"person with at least {linked.fewest_neighbours} other prompts."
        )


def _spread_lines(report: CoverageReport) -> Iterator[str]:
    spread = report.spread
    if spread.mean_difficulty_sd is not None:
        yield from _parameter_lines(report)
    counts = f"category {spread.category_sd:.2f}, modality {spread.modality_sd:.2f}"
    yield f"Distance of counts from their share of the bank: {counts} prompts."


def _parameter_lines(report: CoverageReport) -> Iterator[str]:
    spread = report.spread
    for theta, sd in zip(report.abilities, spread.expected_raw_sd, strict=True):
        yield f"Expected raw score at ability {theta:g}: sd over batches {_number(sd, 4)}."
    yield f"Mean difficulty: sd over batches {_number(spread.mean_difficulty_sd, 3)} logits."
    yield f"Information per prompt: variation over batches {_number(spread.information_cv, 3)}."


def _batch_lines(report: CoverageReport) -> Iterator[str]:
    curves = "".join(f"  raw at {theta:<4g}" for theta in report.abilities)
    yield f"batch  size  difficulty{curves}  information  categories; modalities"
    yield from (_batch_line(batch) for batch in report.batches)


def _batch_line(batch: BatchCoverage) -> str:
    curves = "".join(f"  {_number(value, 3):>11}" for value in batch.expected_raw)
    return (
        f"{batch.number:>5}  {batch.size:>4}  {_number(batch.mean_difficulty, 2):>10}{curves}"
        f"  {batch.information:>11.1f}  {_counted(batch.categories)}; {_counted(batch.modalities)}"
    )


def _missing_lines(report: CoverageReport) -> Iterator[str]:
    missing = report.prompts_without_parameters
    if missing:
        more = len(missing) - _MAX_NAMED
        named = ", ".join(missing[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
        yield f"Prompts without item parameters: {len(missing)} ({named})."


def _number(value: float | None, decimals: int) -> str:
    return "unknown" if value is None else f"{value:.{decimals}f}"


def _counted(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name} {count}" for name, count in counts.items())
