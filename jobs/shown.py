"""A job as pages and their script show it, in the reader's language."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _, ngettext

from formats.wording import gettext_noop
from jobs.models import Job, JobState
from jobs.registry import kind_named
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
    result, again, cancelled = job.result, "", CANCELLED
    if kind and job.state in (JobState.FAILED, JobState.CANCELLED):
        # Where it is started; one of the site, with what was chosen for it.
        again = _address(kind.page, [job.study.slug] if job.study else [])
        again = f"{again}?again={job.pk}" if again and job.study is None else again
    if kind and kind.all_or_nothing:
        cancelled = NO_FILE if kind.of_file else NOTHING
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
        sentence=numbered(_translated(result.get("sentence", "")), result.get("facts", {})),
        more=[
            numbered(_(sentence), facts) if facts else problem_in_words(_(sentence))
            for sentence, facts in result.get("more", ())
        ],
        error=error,
        problems=problems,
        cancelled=_(cancelled),
        link=_address(result.get("url_name", ""), result.get("args", ())) or again,
        link_label=_("Start it again") if again else _translated(result.get("label", "")) or _("Show it"),
        leads=bool(result.get("leads")),
        nobody_works=unheard,
    )


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
