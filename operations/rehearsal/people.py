"""Who takes part in a rehearsal: abilities and ways of behaving, drawn from a seed."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np


class Behaviour(StrEnum):
    """How a simulated person goes about the batch."""

    DILIGENT = "diligent"
    COMMENTS = "comments"  # writes about the question or the model instead of answering
    MINIMAL = "minimal"  # writes next to nothing
    TIMES_OUT = "times_out"  # never submits
    WITHDRAWS = "withdraws"


OFF_TASK_TEXTS = {
    Behaviour.COMMENTS: (
        "This question is confusing and badly worded.",
        "The model's answer was good, I would rate it highly.",
        "The AI got this right in my opinion.",
        "This prompt is too hard to be a fair question.",
    ),
    Behaviour.MINIMAL: ("ok", "n/a", "-", "idk"),
}


@dataclass(frozen=True)
class SimulatedPerson:
    """One simulated participant; `seed` makes every draw of theirs repeatable."""

    email: str
    theta: float
    behaviour: Behaviour
    seed: int


def draw_people(
    emails: list[str],
    *,
    mean: float,
    spread: float,
    seed: int,
    off_task_share: float,
    behaviours: dict[int, Behaviour] | None = None,
) -> list[SimulatedPerson]:
    """Draw abilities N(mean, spread^2) and behaviours; `behaviours` fixes those of given positions."""
    rng = np.random.default_rng(seed)
    thetas = rng.normal(mean, spread, len(emails))
    off_task = rng.random(len(emails)) < off_task_share
    kinds = rng.choice([Behaviour.COMMENTS, Behaviour.MINIMAL], len(emails))
    fixed = behaviours or {}
    return [
        SimulatedPerson(
            email=email,
            theta=float(theta),
            behaviour=fixed.get(n, Behaviour(kind) if off else Behaviour.DILIGENT),
            seed=seed * 1_000_003 + n,
        )
        for n, (email, theta, off, kind) in enumerate(zip(emails, thetas, off_task, kinds, strict=True))
    ]
