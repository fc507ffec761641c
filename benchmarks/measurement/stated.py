"""Whether a simulated figure agrees with the stated one, which was simulated and rounded, too.

Two figures agree if they differ by at most two standard errors of their difference and half a unit of the
last digit stated; an error below half a unit counts as that. An error has two parts. Studies on one bank
scatter; and what they scatter around depends on the bank, of which a quarter is drawn at random, as is the
number of criteria of each item. Ours are means over many banks. The stated ones are taken to be of one bank,
so their error has a term for how much banks differ. Whether they are is not told (`top_worlds.py` looks at
single banks for A1): the cells that would agree without that term are counted, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

ERRORS = 2.0


@dataclass(frozen=True)
class Simulated:
    """A mean and its Monte Carlo error; of a stated figure, the error by its studies and that by its bank."""

    mean: float
    error: float
    stated_error: float
    bank_error: float = 0.0


def simulated(values: NDArray[np.float64], studies_per_bank: int, stated_studies: int) -> Simulated:
    """Of values (n,), as many for each bank after the other; one bank's last values may be fewer."""
    banks = np.array_split(values, max(1, len(values) // studies_per_bank))
    means = np.array([one.mean() for one in banks])
    within = float(np.mean([one.var(ddof=1) for one in banks]))
    of_means = float(means.var(ddof=1)) if len(banks) > 1 else within / len(values)
    between = max(0.0, of_means - within / studies_per_bank) if len(banks) > 1 else 0.0
    error = max(of_means / len(banks), within / len(values)) ** 0.5
    return Simulated(float(values.mean()), float(error), (within / stated_studies) ** 0.5, between**0.5)


def share(values: NDArray[np.float64], stated_studies: int) -> Simulated:
    """Of 0 and 1 (n,): an error of at least that of a share of 1 / (2 n)."""
    p = float(np.clip(values.mean(), 1 / (2 * len(values)), 1 - 1 / (2 * len(values))))
    spread = (p * (1 - p)) ** 0.5
    return Simulated(float(values.mean()), spread / len(values) ** 0.5, spread / stated_studies**0.5)


@dataclass
class Tally:
    """Counts the cells of a table that agree, and those of them that do so only as banks differ."""

    cells: list[tuple[str, bool]] = field(default_factory=list)
    by_banks: list[str] = field(default_factory=list)

    def compared(self, name: str, found: Simulated, stated: float, decimals: int = 2) -> str:
        """Found, its error, stated, and `ok` or by how many errors of the difference it is off."""
        unit = 0.5 * 10.0**-decimals
        apart = max(abs(found.mean - stated) - unit, 0)
        without_banks = float(np.hypot(found.error, found.stated_error))
        away = apart / max(float(np.hypot(without_banks, found.bank_error)), unit)
        agrees = away <= ERRORS
        self.cells.append((name, agrees))
        if agrees and apart / max(without_banks, unit) > ERRORS:
            self.by_banks.append(name)
        verdict = "ok" if agrees else f"OFF by {away:.1f} errors"
        text = f"{found.mean:.{decimals}f} ({found.error:.{decimals + 1}f})"
        return f"{text} stated {stated:.{decimals}f} {verdict}"

    def summary(self) -> str:
        off: Sequence[str] = [name for name, agrees in self.cells if not agrees]
        agree = len(self.cells) - len(off)
        text = f"{agree} of {len(self.cells)} cells agree within {ERRORS:.0f} errors"
        text += f", {agree - len(self.by_banks)} without the differences between banks"
        text += f"; not: {', '.join(off)}" if off else ""
        return text + (f"; only with them: {', '.join(self.by_banks)}" if self.by_banks else "")
