"""Whether there is a Top, and whether picking among equally able people would have found as much.

How often a draw among equally able people (`psychometrics.top.null`) comes as high as the study did says
whether luck alone would do: below 5 % it hardly would (the usual level of a one-sided test); from 5 % on,
where one study in twenty to one in five of equally able people does as well, that is open; from 20 % on luck
would do. The share stands beside the verdict.
"""

from enum import StrEnum

LARGE_TOP = 3  # a Top of a third of the people or more is told to be large
HARDLY_BELOW, BORDERLINE_BELOW = 5, 20  # percent of draws that come as high


def is_top(size: int, people: int) -> bool:
    """Whether the best `size` of so many people with a score are a Top: some must be left out of it.

    A Top of everybody would be Average under another name.
    """
    return size < people


def is_large_top(size: int, people: int) -> bool:
    """Whether Top is a third of the people or more: then it tells less of the best than of most."""
    return is_top(size, people) and LARGE_TOP * size >= people


class Luck(StrEnum):
    """Whether picking among equally able people would have found as much."""

    HARDLY = "hardly_luck"
    BORDERLINE = "borderline"
    WOULD_DO = "luck_would_do"


def luck_of(share: float) -> Luck:
    """The verdict by the share of draws that come as high (`NullReference.share_as_high`), in whole percent
    as it is told: nothing that is said to be 5 % is said to be below.
    """
    percent = round(100 * share)
    if percent < HARDLY_BELOW:
        return Luck.HARDLY
    return Luck.BORDERLINE if percent < BORDERLINE_BELOW else Luck.WOULD_DO
