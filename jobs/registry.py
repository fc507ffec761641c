"""The kinds of jobs. Each is a function in `<app>/jobs.py`:

    @job_kind("screen", label=_("Off-task filter"), can=Can.JUDGE)
    def screen(job: JobContext) -> JobResult: ...

It is called with the job's arguments as keywords. It may be killed anywhere and, where the kind is
`restartable`, is then called again from its beginning: what it stores, it stores so that twice is once.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.module_loading import autodiscover_modules

from jobs.context import JobResult
from studies.roles import Can, SiteCan

Function = Callable[..., JobResult]


@dataclass(frozen=True)
class JobKind:
    """One kind of job. `can`: the right that it takes to see and cancel one, in its study, or of the site for
    kinds that belong to no study; None: only whoever asked for it may. `page`: where it is started, by the
    name of its address.
    """

    name: str
    label: str | Promise
    can: Can | SiteCan | None
    run: Function
    once_per_study: bool = True
    restartable: bool = True
    tidy: Callable[..., None] | None = None
    page: str = ""
    all_or_nothing: bool = False
    in_archive: bool = False
    of_file: bool = False


_kinds: dict[str, JobKind] = {}


def job_kind(
    name: str,
    *,
    label: str | Promise,
    can: Can | SiteCan | None = Can.JUDGE,
    once_per_study: bool = True,
    restartable: bool = True,
    tidy: Callable[..., None] | None = None,
    page: str = "",
    all_or_nothing: bool = False,
    in_archive: bool = False,
    of_file: bool = False,
) -> Callable[[Function], Function]:
    """Register the function as this kind of job.

    `once_per_study`: of one study (or of the site, for jobs without one) a second is never open beside the
    first. `restartable`: run again from its beginning after its worker was killed; otherwise it fails then,
    and says so. `tidy`: called with the job's arguments once it has ended for good, whichever way.
    `page`: where it is started, to which one that failed leads back; in its study, or of the site.
    `all_or_nothing`: what was refused or called off has stored nothing, and that is said.
    `in_archive`: it only keeps what pages show, so it runs in an archived study, too. `of_file`: it is about
    a file that was chosen, and chosen anew to try again.
    """

    def register(function: Function) -> Function:
        if name in _kinds and _kinds[name].run.__module__ != function.__module__:
            raise ValueError(f"two kinds of jobs are called {name!r}")
        _kinds[name] = JobKind(
            name,
            label,
            can,
            function,
            once_per_study,
            restartable,
            tidy,
            page,
            all_or_nothing,
            in_archive,
            of_file,
        )
        return function

    return register


def kinds() -> dict[str, JobKind]:
    """All kinds by name. The first call looks for them; what they import would slow down every start."""
    autodiscover_modules("jobs")
    return _kinds


def kind_named(name: str) -> JobKind | None:
    return kinds().get(name)
