"""Which function computes which name of the table measures."""

from collections.abc import Callable

from scoring.export.recomputing.reading import Run, Values

Formula = Callable[[Run, Values], Values]
FORMULAS: dict[tuple[str, str], Formula] = {}


def formula(block: str, *names: str) -> Callable[[Formula], Formula]:
    """Use the function for these names of a block."""

    def named(function: Formula) -> Formula:
        FORMULAS.update({(block, name): function for name in names})
        return function

    return named


THETAS = ("theta.prompt", "theta.pool", "theta.ql")
