"""The coverage of batches, computed from their prompts' traits."""

from collections.abc import Mapping, Sequence

import numpy as np

from batches.rules.assembly import FloatArray, IntArray, expected_raw, indicators, parameters_of
from batches.rules.coverage import (
    REFERENCE_ABILITIES,
    BatchCoverage,
    CoverageReport,
    CoverageSpread,
    PromptTraits,
)
from psychometrics.planning.designs import batch_linkage


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
