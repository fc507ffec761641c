"""Anderson's extrapolation of a fixed-point iteration (Anderson 1965; Walker and Ni 2011, type II)."""

from collections.abc import Sequence

import numpy as np

from psychometrics.irt.transform import Array

DEPTH = 5


def extrapolated(history: Sequence[tuple[Array, Array]]) -> Array:
    """The mix of the last images whose predicted move is smallest; `history` holds (point, image) pairs."""
    _, image = history[-1]
    if len(history) == 1:
        return image
    images = np.array([image for _, image in history])
    moves = np.array([image - point for point, image in history])
    mix, *_ = np.linalg.lstsq(np.diff(moves, axis=0).T, moves[-1], rcond=None)
    mixed: Array = image - mix @ np.diff(images, axis=0)
    return mixed
