"""The block dif: theta without prompts that may be off."""

from collections.abc import Callable

import numpy as np

from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.judge import plain_theta
from scoring.export.recomputing.reading import Array, Run, Values
from scoring.export.recomputing.shifts import by_prompt_shifts, flagged_by_holm


def of_flagged_groups(run: Run, kind: str, column: str) -> Array:
    """(J,): prompts in a category or modality that is shifted after Holm's correction, as its row says."""
    flagged = {
        one["subset"].partition(":")[2] for one in run.measures
        if one["name"] == "dif.group" and one["details"]["flagged"] and one["subset"].startswith(f"{kind}:")
    }  # fmt: skip
    return np.array([one[column] in flagged for one in run.prompts], dtype=bool)


def flagged_by_themselves(run: Run) -> Array:
    """(J,): prompts whose own p is at most 5 % after Holm's correction over all prompts with an answer."""
    found = np.zeros(len(run.prompts), dtype=bool)
    found[by_prompt_shifts(run).prompt[flagged_by_holm(run)]] = True
    return found


def extreme(run: Run) -> Array:
    return np.array([abs((one["a"] or 0) * (one["b"] or 0)) > 6.5 for one in run.prompts], dtype=bool)


FLAGS: dict[str, Callable[[Run], Array]] = {
    "flagged-categories": lambda run: of_flagged_groups(run, "category", "result_category"),
    "flagged-modalities": lambda run: of_flagged_groups(run, "modality", "modality"),
    "flagged-prompts": flagged_by_themselves,
    "extreme": extreme,
}


@formula("dif", *THETAS)
def theta_without_prompts(run: Run, row: Values) -> Values:
    rows, without = run.group(row["group"]), row["subset"].removeprefix("prompts:without-")
    off = np.zeros(len(run.prompts), dtype=bool)
    for name, flagged in FLAGS.items():
        if without in (name, "any-flag"):
            off |= flagged(run)
    return plain_theta(run, row["name"], rows.of(~off[rows.prompt]).pairs)
