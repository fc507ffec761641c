"""Studies as cards: how far each has come and what waits in it; one query for any number of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from batches.models import Batch, BatchSlot, Session
from batches.rules.statuses import SessionStatus
from console.selectors.counting import applications, number_of, running_sessions, unanswered_messages
from scoring.models import ResultSet
from screening.models import Verdict, VerdictDecision
from screening.selectors.participants import (
    ENDED,
    current_participant_flags,
    current_verdicts,
    filter_ran_after,
)
from studies.models import Invitation, Participant, Prompt, Study, StudyStatus, VettingStatus
from studies.protocol.settings import ProtocolSettings
from studies.selectors.studies import study_is_open

# A person may still come to answer.
COMING = (VettingStatus.INVITED, VettingStatus.SUBMITTED, VettingStatus.APPROVED)
THIS = OuterRef("pk")


@dataclass(frozen=True)
class StudyCard:
    """One study in numbers; test people are in none of them.

    `open_invitations` can still be accepted, `waiting_to_start` are in the study and have not started;
    `excluded` have a verdict that excludes them, `unfiltered` ended after the off-task filter
    ran, `missing` is how many things a draft lacks before it can be locked.
    """

    study: Study
    protocol: ProtocolSettings
    is_open: bool
    missing: int
    planned: int
    prompts: int
    sets: int
    open_invitations: int
    people: int
    approved: int
    waiting_to_start: int
    answering: int
    started: int
    ended: int
    withdrawn: int
    excluded: int
    unfiltered: int
    to_screen: int
    applications: int
    messages: int
    results_at: datetime | None

    @property
    def invited(self) -> int:
        """Everybody who was ever asked and may still come, or came."""
        return self.open_invitations + self.people

    @property
    def coming(self) -> int:
        """Who may still start."""
        return self.open_invitations + self.waiting_to_start

    @property
    def counted(self) -> int:
        """Those who have finished, were filtered and are not excluded, decided or not."""
        return self.ended - self.excluded - self.unfiltered

    @property
    def opens_later(self) -> bool:
        return self.study.status == StudyStatus.FROZEN and not self.is_open and not self.ended


def study_cards(studies: Iterable[Study], now: datetime) -> list[StudyCard]:
    """A card for each study, in their order."""
    shown = list(studies)
    names = [*_numbers(now), "slots", "results_at"]
    counted = Study.objects.filter(pk__in=[study.pk for study in shown]).annotate(
        **{name: number_of(rows) for name, rows in _numbers(now).items()},
        slots=number_of(BatchSlot.objects.filter(batch__plan__study=THIS)),
        results_at=_newest_results(),
    )
    facts = {row["pk"]: row for row in counted.values("pk", *names)}
    return [_card(study, facts[study.pk], now) for study in shown]


def _numbers(now: datetime) -> Mapping[str, QuerySet[Any]]:
    """What is counted of each study."""
    people = Participant.objects.filter(study=THIS, is_test=False)
    sessions = Session.objects.filter(participant__study=THIS, participant__is_test=False)
    invitations = Invitation.objects.filter(study=THIS, is_test=False)
    return {
        "prompts": Prompt.objects.filter(version=OuterRef("bank_version")),
        "sets": Batch.objects.filter(plan__study=THIS),
        "open_invitations": invitations.filter(accepted_at=None, revoked_at=None, expires_at__gt=now),
        "people": people,
        "approved": people.filter(vetting_status=VettingStatus.APPROVED),
        "waiting_to_start": people.filter(session=None, vetting_status__in=COMING),
        "answering": running_sessions(now).filter(participant__study=THIS),
        "started": sessions,
        "ended": sessions.filter(status__in=ENDED),
        "withdrawn": sessions.filter(status=SessionStatus.WITHDRAWN),
        "excluded": _excluding_verdicts(),
        "unfiltered": _unfiltered(sessions),
        "to_screen": _undecided(people),
        "applications": applications().filter(study=THIS),
        "messages": unanswered_messages().filter(participant__study=THIS),
    }


def _card(study: Study, facts: dict[str, object], now: datetime) -> StudyCard:
    protocol = study.protocol
    numbers = {name: facts[name] for name in (*_numbers(now), "results_at")}
    per_set = protocol.replicates_per_profile * len(protocol.profiles)
    return StudyCard(
        study=study,
        protocol=protocol,
        is_open=study_is_open(study, now),
        missing=_missing(study, bool(facts["sets"]), now),
        planned=facts["slots"] if protocol.has_fixed_places else int(facts["sets"]) * per_set,  # type: ignore[arg-type, call-overload]
        **numbers,  # type: ignore[arg-type]
    )


def _missing(study: Study, has_sets: bool, now: datetime) -> int:
    """Things that a draft lacks, as far as its own row tells; its set-up lists all of them."""
    if study.status != StudyStatus.DRAFT:
        return 0
    return (not has_sets) + (study.closes_at is not None and study.closes_at <= now)


def _excluding_verdicts() -> QuerySet[Verdict]:
    """The verdicts that exclude somebody now: the newest of a person, and it confirms."""
    later = current_verdicts().filter(participant=OuterRef("participant"), pk__gt=OuterRef("pk"))
    ended = {"participant__session__status__in": ENDED, "participant__is_test": False}
    current = current_verdicts().filter(participant__study=THIS, decision=VerdictDecision.CONFIRM, **ended)
    return current.filter(~Exists(later))


def _unfiltered(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Those that ended after the newest run of the off-task filter, but for people decided about before."""
    decided = current_verdicts().filter(participant=OuterRef("participant"))
    ended = sessions.filter(~Exists(decided), status__in=ENDED)
    return ended.exclude(filter_ran_after("participant__study", "ended_at"))


def _undecided(people: QuerySet[Participant]) -> QuerySet[Participant]:
    """Flagged people without a verdict that counts."""
    flags = current_participant_flags().filter(participant=OuterRef("pk"))
    verdicts = current_verdicts().filter(participant=OuterRef("pk"))
    return people.filter(Q(Exists(flags)) & ~Q(Exists(verdicts)), session__status__in=ENDED)


def _newest_results() -> Subquery:
    results = ResultSet.objects.filter(run__study=THIS).order_by("-pk")
    return Subquery(results.values("computed_at")[:1])
