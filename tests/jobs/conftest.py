"""A kind of job that a test can hold, and a study to run it in."""

import threading
from collections.abc import Callable, Iterator

import pytest

from formats.wording import gettext_noop
from jobs import registry
from jobs.context import JobContext, JobResult
from jobs.process_end import stopping
from studies.models import Study
from studies.roles import Can
from studies.services.refusals import Refused

COUNTED = gettext_noop("%(number)d were counted.")


class NothingToCount(Refused):
    """There is nothing."""


class Counting:
    """A kind of job that a test can hold: it waits in the middle until it is released."""

    def __init__(self) -> None:
        self.begun, self.release = threading.Event(), threading.Event()
        self.runs = 0

    def __call__(self, job: JobContext, *, upto: int = 3) -> JobResult:
        self.runs += 1
        if upto == 0:
            raise NothingToCount("There is nothing to count; add a number first.")
        if upto > 9:
            raise ZeroDivisionError("a secret of an answer")
        for number in range(upto):
            job.progress(number, upto, "Counting")
            if number == 1:
                self.begun.set()
                while not self.release.wait(0.05):
                    job.progress(number, upto, "Counting")
        return JobResult(COUNTED, {"number": upto}, "staff_study", [job.study.slug])


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counting]:
    counting = Counting()
    kinds = registry.kinds()
    monkeypatch.setattr(registry, "_kinds", dict(kinds))
    registry.job_kind("count", label="Count", can=Can.JUDGE)(counting)
    registry.job_kind("count_once", label="Count", can=Can.JUDGE, restartable=False)(counting)
    registry.job_kind("count_whole", label="Count", can=Can.JUDGE, page="staff_exports", all_or_nothing=True)(
        counting
    )
    registry.job_kind("count_file", label="Count", all_or_nothing=True, of_file=True)(counting)
    yield counting
    counting.release.set()
    stopping.clear()


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study()
