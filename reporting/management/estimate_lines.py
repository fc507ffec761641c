"""What a judging run is expected to take, as lines for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def estimate_lines(estimates: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One line for each judge."""
    for one in estimates:
        again = f", replicate {one['replicate']}" if one["replicate"] > 1 else ""
        yield (
            f"{one['judge']}{again}: {one['rows']} verdicts wanted, {one['calls']} calls "
            f"({one['cached']} known already, {one['shared']} by the call of an equal request), about "
            f"{one['prompt_tokens']:,} + {one['completion_tokens']:,} tokens, {cost_words(one['cost'])}."
        )


def cost_words(cost: str | None) -> str:
    return "price unknown" if cost is None else f"cost about {cost}"
