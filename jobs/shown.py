"""A job as pages and their script show it, in the reader's language."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _, ngettext

from formats.wording import gettext_noop
from jobs.models import Job, JobState
from jobs.registry import JobKind, kind_named
from presentation.numbers import numbered
from presentation.problems import problem_in_words

# A worker looks every few seconds. One that runs another job first is at work; one that is not there is not.
UNHEARD = timedelta(seconds=30)
MIN_RATE_SECONDS = 2.0
CANCELLED = gettext_noop("Cancelled. What was finished before stays.")
NOTHING = gettext_noop("Cancelled. It has stored nothing.")
NO_FILE = gettext_noop("Cancelled. Nothing was stored; to try again, choose the file anew.")


@dataclass(frozen=True)
class JobShown:
    """Everything that is said of a job; "" where there is nothing to say."""

    state: str
    state_name: str
    label: str
    is_open: bool
    is_stopping: bool
    percent: int | None
    phase: str
    left: str
    sentence: str
    more: list[str]
    error: str
    problems: list[str]
    cancelled: str
    link: str
    link_label: str
    leads: bool
    nobody_works: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def job_shown(job: Job, *, now: datetime) -> JobShown:
    kind = kind_named(job.kind)
    unheard = _nobody_works(job, now)
    again = _page_of(job, kind) if kind and job.state in (JobState.FAILED, JobState.CANCELLED) else ""
    # What a file is refused for: one sentence, and a line for each of its problems.
    error, *problems = (problem_in_words(_translated(line)) for line in job.error.split("\n"))
    return JobShown(
        state=job.state,
        state_name=str(job.get_state_display()),
        label=str(kind.label) if kind else job.kind,
        is_open=job.is_open,
        is_stopping=job.state == JobState.RUNNING and job.cancel_asked_at is not None,
        percent=100 * job.done // job.total if job.total else None,
        phase=_translated(job.phase),
        left="" if unheard else _time_left(job),
        sentence=numbered(_translated(job.result.get("sentence", "")), job.result.get("facts", {})),
        more=[_told(sentence, facts) for sentence, facts in job.result.get("more", ())],
        error=error,
        problems=problems,
        cancelled=_(_cancelled(kind)),
        link=_link(job.result) or again,
        link_label=_("Start it again") if again else _translated(job.result.get("label", "")) or _("Show it"),
        leads=bool(job.result.get("leads")),
        nobody_works=unheard,
    )


def _cancelled(kind: JobKind | None) -> str:
    if kind is None or not kind.all_or_nothing:
        return CANCELLED
    return NO_FILE if kind.of_file else NOTHING


def _nobody_works(job: Job, now: datetime) -> bool:
    """Nobody has taken it, or whoever did keeps its lease no more: that worker is gone."""
    if job.state == JobState.WAITING:
        return now - job.created_at > UNHEARD
    return job.leased_until is not None and job.leased_until <= now


def seconds_left(job: Job) -> float | None:
    """From the rate until now; None where there is none yet."""
    if job.state != JobState.RUNNING or not job.done or job.started_at is None or job.moved_at is None:
        return None
    elapsed = (job.moved_at - job.started_at).total_seconds()
    return elapsed * (job.total - job.done) / job.done if elapsed >= MIN_RATE_SECONDS else None


def _time_left(job: Job) -> str:
    seconds = seconds_left(job)
    if seconds is None:
        return ""
    if seconds < 60:  # a minute
        rounded = max(5, round(seconds / 5) * 5)
        return numbered(_("about %(number)d s left"), {"number": rounded})
    minutes = round(seconds / 60)
    return numbered(
        ngettext("about %(number)d minute left", "about %(number)d minutes left", minutes),
        {"number": minutes},
    )


def _told(sentence: str, facts: dict[str, Any]) -> str:
    return numbered(_(sentence), facts) if facts else problem_in_words(_(sentence))


def _link(result: dict[str, Any]) -> str:
    """Where it leads."""
    return _address(result.get("url_name", ""), result.get("args", ()))


def _page_of(job: Job, kind: JobKind) -> str:
    """Where it is started; one of the site, with what was chosen for it."""
    address = _address(kind.page, [job.study.slug] if job.study else [])
    return f"{address}?again={job.pk}" if address and job.study is None else address


def _address(url_name: str, args: Iterable[object]) -> str:
    """Nowhere where the page is not on this site."""
    if not url_name:
        return ""
    try:
        return reverse(url_name, args=list(args))
    except NoReverseMatch:
        return ""


def _translated(text: str) -> str:
    return _(text) if text else ""
