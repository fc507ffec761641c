"""Studies as cards: how far each has come and what waits in it; a few queries for any number of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce

from batches.models import Batch, Session
from batches.rules.statuses import SessionStatus
from console.selectors.counting import applications, unanswered_messages
from console.selectors.design import planned_people
from console.selectors.readiness import readiness
from console.selectors.states import StudyState, study_state
from judging.models import JudgingRun, RunPurpose
from scoring.models import ResultSet
from screening.models import ScreeningRun, Verdict, VerdictDecision
from screening.offtask.readings import LeftOpen
from screening.selectors.participants import (
    ENDED,
    current_verdicts,
    filter_ran_after,
    standing_verdicts,
    undecided_among,
)
from studies.models import Amendment, Invitation, Participant, Prompt, Study, StudyStatus, VettingStatus
from studies.protocol.settings import ProtocolSettings
from studies.selectors.studies import study_is_open

# A person may still come to answer.
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
COMING = (VettingStatus.INVITED, VettingStatus.SUBMITTED, VettingStatus.APPROVED)
# What a card says of other things than people and their sessions.
ELSEWHERE = (
    "prompts", "sets", "open_invitations", "excluded", "unfiltered", "unjudged", "to_screen",
    "applications", "messages",
)  # fmt: skip


@dataclass(frozen=True)
class StudyCard:
    """One study in numbers; test people are in none of them.

    `open_invitations` can still be accepted, `waiting_to_start` are in the study and have not started;
    `excluded` have a verdict that excludes them, `unfiltered` ended after the off-task filter
    ran, `withdrawn` sessions are those that people withdrew, `voided` those that the study team voided,
    `unjudged` people count and ended after judging was last begun, `amended` says that the newest results are
    of answers judged before the protocol was amended, `missing` says what is left to do
    before a draft can be locked, as its set-up does.
    """

    study: Study
    protocol: ProtocolSettings
    state: StudyState
    is_open: bool
    missing: str
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
    voided: int
    excluded: int
    unfiltered: int
    unjudged: int
    to_screen: int
    applications: int
    messages: int
    results_at: datetime | None
    amended: bool

    @property
    def invited(self) -> int:
        """Everybody who was ever asked and may still come, or came."""
        return self.open_invitations + self.people

    @property
    def in_set(self) -> int:
        """Questions of the largest set."""
        return min(self.protocol.batch_size, self.prompts)

    @property
    def coming(self) -> int:
        """Who may still start."""
        return self.open_invitations + self.waiting_to_start

    @property
    def counted(self) -> int:
        """Those who have finished, were filtered and are not excluded, decided or not."""
        return self.ended - self.excluded - self.unfiltered


def study_cards(studies: Iterable[Study], now: datetime) -> list[StudyCard]:
    """A card for each study, in their order; three queries for any number of them, and the list of what is
    missing for each draft.
    """
    listed = list(studies)
    keys = [study.pk for study in listed]
    numbers = _numbers_by_study(keys, now)
    people = _people_by_study(keys, now)
    of_study = ResultSet.objects.filter(run__study__in=keys).order_by().values("run__study")
    newest = ResultSet.objects.filter(pk__in=of_study.annotate(newest=Max("pk")).values("newest"))
    amended = Exists(Amendment.objects.filter(study=OuterRef("run__study")))
    judged_before = ~Q(run__design_hash=F("run__study__design_hash")) & Q(amended)
    columns = ("run__study", "computed_at", "before")
    rows = newest.order_by().annotate(before=ExpressionWrapper(judged_before, BooleanField()))
    results = {key: (at, before) for key, at, before in rows.values_list(*columns)}
    cards = []
    for study in listed:
        protocol, of_people, number = study.protocol, people[study.pk], numbers[study.pk]
        at, is_amended = results.get(study.pk, (None, False))
        state = study_state(study, now, has_ended=of_people["ended"] > 0, has_results=at is not None)
        card = StudyCard(
            study=study,
            protocol=protocol,
            state=state,
            is_open=study_is_open(study, now),
            missing=readiness(study, now).words if study.status == StudyStatus.DRAFT else "",
            planned=planned_people(protocol, number["prompts"]),
            results_at=at,
            amended=is_amended,
            **of_people,
            **{what: number[what] for what in ELSEWHERE},
        )
        cards.append(card)
    return cards


def _people_by_study(keys: Sequence[int], now: datetime) -> Mapping[int, Mapping[str, int]]:
    """What is counted of people and their sessions, all of it in one look at them."""
    runs = Q(session__status=SessionStatus.ACTIVE, session__deadline_at__gte=now)
    counted = {
        "people": Count("pk"),
        "approved": Count("pk", filter=Q(vetting_status=VettingStatus.APPROVED)),
        "waiting_to_start": Count("pk", filter=Q(session=None, vetting_status__in=COMING)),
        "answering": Count("pk", filter=runs),
        "started": Count("session"),
        "ended": Count("pk", filter=Q(session__status__in=ENDED)),
        "withdrawn": Count("pk", filter=Q(session__status=SessionStatus.WITHDRAWN, session__voided_at=None)),
        "voided": Count("pk", filter=Q(session__voided_at__isnull=False)),
    }
    people = Participant.objects.filter(study__in=keys, is_test=False).order_by()
    rows = people.values("study").annotate(**counted).values("study", *counted)
    none = dict.fromkeys(counted, 0)
    numbers = {row.pop("study"): row for row in rows}
    return {key: numbers.get(key, none) for key in keys}


def _numbers_by_study(keys: Sequence[int], now: datetime) -> Mapping[int, Counter[str]]:
    """How many there are of what is `ELSEWHERE`; one query."""
    invitations = Invitation.objects.filter(study__in=keys, is_test=False)
    in_study = {"participant__study__in": keys}
    filtered, judged = ScreeningRun.objects.all(), JudgingRun.objects.filter(purpose=RunPurpose.SCORES)
    # Ended after the newest run of the off-task filter, but for people decided about before.
    decided = current_verdicts().filter(participant=OuterRef("participant"))
    unfiltered = _ended_after(keys, filtered, "ran_at").filter(
        ~Exists(decided), participant__is_test=False, status__in=ENDED
    )
    unfiltered = unfiltered.exclude(filter_ran_after("participant__study", "ended_at"))
    # Each with its path to the study.
    rows: Mapping[str, tuple[str, QuerySet[Any]]] = {
        "prompts": ("version__studies", Prompt.objects.filter(version__studies__in=keys)),
        "sets": ("plan__study", Batch.objects.filter(plan__study__in=keys)),
        "open_invitations": (
            "study", invitations.filter(accepted_at=None, revoked_at=None, expires_at__gt=now)
        ),
        "applications": ("study", applications().filter(study__in=keys)),
        "messages": ("participant__study", unanswered_messages().filter(**in_study)),
        "excluded": ("participant__study", _excluding_verdicts().filter(**in_study)),
        "unfiltered": ("participant__study", unfiltered),
        "unjudged": ("participant__study", _unjudged(_ended_after(keys, judged, "started_at"))),
        "to_screen": ("study", undecided_among(Participant.objects.filter(study__in=keys, is_test=False))),
    }  # fmt: skip
    parts = [
        part.order_by().values(path).annotate(n=Count("pk")).values_list(path, Value(what), "n")
        for what, (path, part) in rows.items()
    ]
    numbers: dict[int, Counter[str]] = {key: Counter() for key in keys}
    for key, what, number in parts[0].union(*parts[1:], all=True):
        numbers[key][what] = number
    return numbers


def _ended_after(keys: Sequence[int], runs: QuerySet[Any], moment: str) -> QuerySet[Session]:
    """Sessions of the studies; of a single one, which may be large, those alone that ended after the newest
    of these runs.
    """
    sessions = Session.objects.filter(participant__study__in=keys)
    if len(keys) != 1:
        return sessions
    newest = runs.filter(study=keys[0]).order_by(f"-{moment}").values(moment)[:1]
    return sessions.filter(ended_at__gt=Coalesce(Subquery(newest), Value(EARLIEST)))


def _excluding_verdicts() -> QuerySet[Verdict]:
    """The verdicts that exclude somebody now, for good."""
    return standing_verdicts().filter(
        decision=VerdictDecision.CONFIRM, leaves_open=LeftOpen.NOTHING,
        participant__session__status__in=ENDED, participant__is_test=False,
    )  # fmt: skip


def _unjudged(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Those that count and ended after judging of their study was last begun, or before there was any."""
    excluded = _excluding_verdicts().filter(participant=OuterRef("participant"))
    begun = JudgingRun.objects.filter(
        study=OuterRef("participant__study"), purpose=RunPurpose.SCORES, started_at__gte=OuterRef("ended_at")
    )
    ended = sessions.filter(participant__is_test=False, status__in=ENDED)
    return ended.filter(~Exists(excluded), ~Exists(begun))
