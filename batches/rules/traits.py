"""What batch assembly knows about a prompt, and the numbers it derives from that."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

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


def parameters_of(traits: Sequence[PromptTraits]) -> tuple[FloatArray, FloatArray]:
    """Return a and b, each of shape (J,), NaN where a prompt has no parameters."""
    pairs = [(t.a, t.b) if t.has_parameters else (np.nan, np.nan) for t in traits]
    table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def expected_raw(a: FloatArray, b: FloatArray, *, theta: float) -> FloatArray:
    """Approximate expected raw score in [0, 1] at ability theta: logistic(a (theta - b)); NaN stays NaN.

    The logistic of the mean logit is close enough to rank and balance prompts; nothing is scored with it.
    """
    # 0.5 (1 + tanh(x / 2)) is the logistic function without overflow for far items (|ab| > 700).
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * a * (theta - b))), dtype=np.float64)


def indicators(labels: Sequence[str]) -> tuple[list[str], FloatArray]:
    """Return the sorted distinct labels and a (J, labels) matrix with 1 where a prompt carries the label."""
    names = sorted(set(labels))
    column_of = {name: column for column, name in enumerate(names)}
    matrix = np.zeros((len(labels), len(names)))
    matrix[np.arange(len(labels)), [column_of[label] for label in labels]] = 1.0
    return names, matrix
