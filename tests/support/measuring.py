"""Measurements of what a test looks at: a block has random numbers of its own, whatever else is measured."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import pytest

from psychometrics.inference.measure import Block
from psychometrics.measures.computing import MEASURED
from scoring import coordinator
from scoring.models import Measurement, ResultSet
from scoring.services import measurement


@contextmanager
def only_blocks(*blocks: Block) -> Iterator[None]:
    """Whatever is measured meanwhile is measured in these blocks alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measurement, "MEASURED", [block for block in MEASURED if block in blocks])
        yield


@contextmanager
def unmeasured() -> Iterator[None]:
    """Scoring ends with the results meanwhile, as where a process ends before it has measured them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coordinator, "measurement_compute", lambda **_: None)
        yield


def measure_blocks(results: ResultSet, *blocks: Block, now: datetime, resamples: int) -> Measurement:
    """The measurement of these blocks."""
    with only_blocks(*blocks):
        return measurement.measurement_compute(results=results, now=now, resamples=resamples)
