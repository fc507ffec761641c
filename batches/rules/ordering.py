"""In which order a person sees the prompts of their batch."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Literal, TypeVar

T = TypeVar("T")
PromptOrder = Literal["fixed", "random"]


def ordered_prompts(
    prompts: Iterable[T], *, order: PromptOrder, order_seed: int, participant_code: str
) -> list[T]:
    """Return the prompts, given in the batch's order, in the order this person sees them.

    "fixed" leaves them as they are. "random" is the same whenever and wherever it is derived again: write
    `<order_seed>:<participant code>:<place in the batch, from 1>` for every place, take the SHA-256 of each
    as UTF-8, and sort the places by these digests, the smallest first.
    """
    if order == "fixed":
        return list(prompts)
    ranked = sorted(
        enumerate(prompts, start=1), key=lambda place: _rank(order_seed, participant_code, place[0])
    )
    return [prompt for _, prompt in ranked]


def _rank(order_seed: int, participant_code: str, place: int) -> bytes:
    return sha256(f"{order_seed}:{participant_code}:{place}".encode()).digest()
