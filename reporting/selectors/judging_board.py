"""Where the judging of a study stands: five steps, and which is next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from django.utils.translation import gettext as _, ngettext

from judging.models import JudgingRun, RunPurpose
from judging.selectors.audits import RaterAgreement, newest_rater_agreement
from judging.selectors.left import Judged, judged
from presentation.numbers import counted, decimals
from scoring.models import ResultSet
from scoring.selectors.measures import measurement_of
from scoring.selectors.runs import WayOn, newest_results_and_changes, way_on
from screening.selectors.screening import LastFilter, PeopleCounts, last_filter, people_counts
from studies.models import Study


class Next(StrEnum):
    """What is to be pressed next."""

    WAIT = "wait"  # nobody has finished
    FILTER = "filter"
    SCREEN = "screen"
    ESTIMATE = "estimate"
    WATCH = "watch"
    RESUME = "resume"
    RETRY = "retry"
    RECOMPUTE = "recompute"
    AUDIT = "audit"
    RATE = "rate"
    RESULTS = "results"


@dataclass(frozen=True)
class Step:
    """One of the five: what stands there, and whether it is done or the one to go on with."""

    name: str
    line: str
    is_done: bool
    is_here: bool


@dataclass(frozen=True)
class Board:
    """Everything the steps are told from.

    `run` is the newest run for results, `changes` what happened after these were computed.
    """

    filter: LastFilter | None
    people: PeopleCounts
    run: JudgingRun | None
    judged: Judged
    audit: RaterAgreement | None
    results: ResultSet | None
    changes: Sequence[str]
    unscored: int

    @property
    def is_estimated(self) -> bool:
        return self.run is not None and (self.run.is_open or not self.judged.left)

    @property
    def is_audited(self) -> bool:
        return self.audit is not None and 0 < self.audit.asked == self.audit.rated

    @property
    def way_on(self) -> WayOn:
        """What brings the results up to date; computing where there are none yet."""
        return way_on(self.results, self.changes) if self.results else WayOn.RECOMPUTE

    @property
    def is_current(self) -> bool:
        return self.way_on == WayOn.NOTHING

    @property
    def can_recompute(self) -> bool:
        """Whether computing again could change anything: not while judging again comes first."""
        has_numbers = self.results is not None or self.judged.scored > 0
        return has_numbers and not (self.way_on == WayOn.JUDGE and self.judged.left)

    @property
    def is_amended(self) -> bool:
        """Whether the answers were judged, but before an amendment."""
        return self.results is not None and self.way_on == WayOn.JUDGE and not self.judged.scored

    @property
    def next(self) -> Next:
        """The first thing that waits; results before the audit, which takes people days."""
        if not self.people.finished:
            return Next.WAIT
        if not self.filter or self.people.finished_since:
            return Next.FILTER
        if self.people.undecided:
            return Next.SCREEN
        if self.run is not None and self.run.is_open:
            return Next.RESUME if self.run.state == "paused" else Next.WATCH
        if self.judged.left:
            return Next.RETRY if self.run and self.judged.left <= self.unscored else Next.ESTIMATE
        if not self.is_current:
            return Next.RECOMPUTE
        if not self.is_audited:
            return Next.RATE if self.audit else Next.AUDIT
        return Next.RESULTS

    @property
    def steps(self) -> list[Step]:
        """In the order of the work; the first that is not done is where it goes on."""
        is_screened = bool(self.filter) and not self.people.finished_since and not self.people.undecided
        is_judged = self.run is not None and not self.run.is_open and not self.judged.left
        done = (is_screened, self.is_estimated, is_judged, self.is_audited, self.is_current)
        here = next((place for place, is_done in enumerate(done) if not is_done), -1)
        names = (_("Screen"), _("Estimate"), _("Judge"), _("Audit"), _("Recompute"))
        return [
            Step(name, line, done[place], place == here)
            for place, (name, line) in enumerate(zip(names, self._lines(), strict=True))
        ]

    def _lines(self) -> Iterator[str]:
        people = self.people
        if not people.finished:
            yield _("nobody has finished yet")
        elif not self.filter:
            yield _("the filter has not run")
        elif people.undecided:
            yield ngettext("%(n)s waits for a verdict", "%(n)s wait for a verdict", people.undecided) % {
                "n": counted(people.undecided)
            }
        else:
            screened = people.finished - people.finished_since
            yield _("%(n)s of %(all)s") % {"n": counted(screened), "all": counted(people.finished)}
        yield self._estimate_line()
        if self.is_amended:
            yield _("judged before the protocol was amended")
        else:
            yield ngettext(
                "%(n)s of %(all)s answer scored", "%(n)s of %(all)s answers scored", self.judged.answers
            ) % {"n": counted(self.judged.scored), "all": counted(self.judged.answers)}
        if self.audit is None:
            yield _("no sample is drawn")
        else:
            yield _("%(n)s of %(all)s rated") % {
                "n": counted(self.audit.rated),
                "all": counted(self.audit.asked),
            }
        yield self.standing

    def _estimate_line(self) -> str:
        if self.is_amended:
            return _("to be estimated under the amended protocol")
        if not self.is_estimated or self.run is None:
            return ngettext("%(n)s answer to judge", "%(n)s answers to judge", self.judged.left) % {
                "n": counted(self.judged.left)
            }
        calls = sum(estimate["calls"] for estimate in self.run.estimate)
        costs = [estimate["cost"] for estimate in self.run.estimate]
        if None in costs or not any(map(Decimal, costs)):
            return ngettext("%(n)s call", "%(n)s calls", calls) % {"n": counted(calls)}
        cost = sum(map(Decimal, costs), Decimal(0))
        return ngettext("%(n)s call, about %(cost)s", "%(n)s calls, about %(cost)s", calls) % {
            "n": counted(calls),
            "cost": decimals(float(cost)),
        }

    @property
    def standing(self) -> str:
        """Whether results are current, in words."""
        if self.results is None:
            return _("no results yet")
        if self.changes:
            return _("results are older than %(changes)s") % {"changes": ", ".join(self.changes)}
        is_measured = measurement_of(self.results) is not None
        return _("results are current") if is_measured else _("results are not all computed")


def judging_board(study: Study, runs: Sequence[JudgingRun], unscored: int) -> Board:
    """`runs` are the study's, newest first; `unscored` the answers the newest left without a score."""
    run = next((candidate for candidate in runs if candidate.purpose == RunPurpose.SCORES), None)
    facts = last_filter(study)
    results, changes = newest_results_and_changes(study)
    return Board(
        filter=facts.ran,
        people=people_counts(study, facts.ran_at),
        run=run,
        judged=judged(study, run),
        audit=newest_rater_agreement(study),
        results=results,
        changes=changes,
        unscored=unscored,
    )
