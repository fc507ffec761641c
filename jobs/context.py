"""What the function of a job is given, what it gives back, and how it is told to end."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from studies.models import Study, User

Clock = Callable[[], datetime]


class JobInterrupted(BaseException):
    """Raised out of `progress`: the job's function is to end here. Never caught by it, other than to tidy up.

    Not an Exception: what goes on after the failure of a part must not take this for one.

    JobInterrupted
    ├── JobCancelled   somebody asked for its end
    ├── JobStopped     this process ends; another one begins the job again
    └── JobLost        another process has taken it over: what is written from here on would be written twice
    """


class JobCancelled(JobInterrupted):
    """Somebody asked for its end."""


class JobStopped(JobInterrupted):
    """This process ends; another one begins the job again."""


class JobLost(JobInterrupted):
    """The lease is over and somebody else's, or nobody's."""


@dataclass(frozen=True)
class JobResult:
    """How a job ended: a sentence and where to look now.

    `sentence` is marked with gettext_noop and may have places for `facts`: "%(people)d people were looked
    at." `url_name` with `args` is the page to go to, `label` the words of the link (marked likewise). `more`
    are further sentences, each with its facts; one without facts may be what a reader of files says. With
    `leads` whoever waits is led to that page, which says everything again. `found` is what was computed, for
    a page that keeps it nowhere else.
    """

    sentence: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    url_name: str = ""
    args: Sequence[Any] = ()
    label: str = ""
    more: Sequence[tuple[str, Mapping[str, Any]]] = ()
    leads: bool = False
    found: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Progress:
    """How far a job is; `total` 0 is not known yet."""

    done: int = 0
    total: int = 0
    phase: str = ""


class JobContext:
    """The job as its function sees it.

    `progress` only leaves numbers here; a thread with a connection of its own brings them to the row. So it
    may be called anywhere, in a transaction or a snapshot too, and as often as one likes.
    """

    def __init__(
        self, *, study: Study | None, actor: User | None, clock: Clock, number: UUID | None = None
    ) -> None:
        self._study = study
        self.number = number
        self.actor = actor
        self.clock = clock
        self._said = Progress()
        self._end: type[JobInterrupted] | None = None
        self._lock = threading.Lock()

    @property
    def study(self) -> Study:
        """The study that it is about. Only kinds of job that are about one ask."""
        assert self._study is not None, "this job belongs to no study"  # noqa: S101  # for the type
        return self._study

    def progress(self, done: int, total: int, phase: str = "") -> None:
        """Say how far it is; `phase` is marked with gettext_noop. Raises JobInterrupted to end the work."""
        with self._lock:
            self._said = Progress(max(0, min(done, total)), max(0, total), phase)
            end = self._end
        if end is not None:
            raise end

    @property
    def said(self) -> Progress:
        with self._lock:
            return self._said

    def end_with(self, reason: type[JobInterrupted]) -> None:
        """Let the next `progress` raise this."""
        with self._lock:
            self._end = self._end or reason


FINE = 1000  # a job's parts in thousandths


@dataclass
class Part:
    """A part of a job's progress, from one thousandth of it to another."""

    job: JobContext
    start: int
    end: int
    phase: str

    def __call__(self, done: float, of: float) -> None:
        share = min(1.0, done / of) if of else 0.0
        self.job.progress(round(self.start + share * (self.end - self.start)), FINE, self.phase)
