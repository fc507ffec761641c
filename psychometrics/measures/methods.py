"""The version of the methods by which measures are computed."""

import re

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
