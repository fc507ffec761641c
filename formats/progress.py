"""How far long work is: told by whoever does it, shown by whoever asked for it."""

from collections.abc import Callable

Progress = Callable[[int, int], None]  # so much is done, of so much


def unseen(done: int, of: int) -> None:
    """For callers that show no progress."""


def in_parts(progress: Progress, part: int, parts: int) -> Progress:
    """The progress of one of so many parts of the work that are alike, told as that of all; `part` counts
    from 0.
    """
    return lambda done, of: progress(part * of + done, parts * of)
