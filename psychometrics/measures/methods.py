"""The version of the methods by which measures are computed, and what earlier ones named or did otherwise."""

import re
from collections.abc import Mapping
from typing import Any

# Changed with every formula of a block: what an earlier one gave is then measured again before an export.
METHODS = "2026-11-26: one interval of a theta, errors by CR2, criteria by epochs, nothing of too few, bounds"
CLUSTERED = "CR2"  # what results that were computed with these errors say of themselves

# What was computed in another way before any version was on record (0.1.0): how much people differ and what
# is shrunken by that, luck of Top, splits of cross-fitting, and what rests on the process of responding.
_CHANGED = re.compile(
    r"tau|residual_sd|person\.(se|reliability)|top\.(eb|crossfit5|null|over_null|null_share)|human\.top_crossfit"
    r"|(dif|fit)\.(?!theta\.).*"
)
OF_ERRORS = ("se", "low", "high", "reason")


def changed_since(methods: str, name: str) -> bool:
    """Whether the measure of this name may be another number by the present methods than by these."""
    return methods != METHODS and _CHANGED.fullmatch(name) is not None


# Measures under the block and name that they have now: exports of before have some under others.
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
