"""Measures under the block and name that they have now: exports of before have some under others."""

from collections.abc import Mapping
from typing import Any

Place = tuple[str, str]  # block, name
THETAS = ("theta.prompt", "theta.pool", "theta.ql")
RENAMED: Mapping[Place, Place] = {
    # Each block names its own thetas.
    (block, name): (block, f"{block}.{name}")
    for block in ("uncertainty", "models", "missing", "judge", "dif", "slices")
    for name in THETAS
} | {
    # What a block computed once more is the number of the results.
    (block, name): ("results", name)
    for block, names in (
        ("cohort", ("k_bar", "pairs", "people", "prompts", "raw_mean", "theta.pool", "theta.ql")),
        ("benchmark", ("benchmark.macro", "benchmark.micro", "task.accuracy")),
    )
    for name in names
}


def presently_named(row: dict[str, Any]) -> dict[str, Any]:
    """A stored measure as the present version names it."""
    block, name = RENAMED.get((row["block"], row["name"]), (row["block"], row["name"]))
    return row | {"block": block, "name": name}
