"""Which worker asks what: rows are claimed by lease, many at a time, and no row by two workers.

A worker holds a lease, which it renews while it lives; rows whose lease ran out can be
claimed again, so a worker that is killed loses nothing but the calls it had under way. What a worker says
about a row counts only while the row carries its lease. The machines' clocks must agree within a few seconds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Sum

from judging.judges.interface import Judge, JudgeTask
from judging.judges.reasons import UnscoredReason
from judging.models import (
    CriterionScore,
    JudgeConfig,
    JudgingRun,
    RowOrigin,
    RowState,
    RunState,
    ScoringRun,
    WorkerLease,
)
from judging.selectors.answers import answers_to_judge
from judging.selectors.judging import Position, PromptToJudge, prompts_to_judge
from judging.services.running.cache import KnownVerdict, known_verdicts

MAX_SLOTS = 64
# Rounds, pauses and killed workers come to a few; more means that the row itself ends whoever takes it up.
MAX_STARTS = 20


class BegunTooOften(Exception):
    """A row was claimed again and again without an end, so asking on would only cost money."""


@dataclass(frozen=True, slots=True)
class ClaimedRow:
    """One row that a claimed call decides."""

    pk: int
    place: int
    rounds: int


@dataclass(frozen=True, slots=True)
class ClaimedCall:
    """One call to make, and the rows it decides: the one that was claimed first.

    `positions` are what is asked about, by place.
    """

    rows: tuple[ClaimedRow, ...]
    task: JudgeTask
    positions: tuple[Position, ...]
    answer_id: int
    criterion_id: int | None
    request_sha256: str

    @property
    def leader(self) -> int:
        return self.rows[0].pk


def lease_time() -> timedelta:
    return timedelta(seconds=settings.JUDGING_LEASE_SECONDS)


def lease_begin(
    *, judging_run: JudgingRun, run: ScoringRun, wanted: int, now: datetime
) -> WorkerLease | None:
    """A share of the judge's concurrency, at most `wanted` calls at a time; None where others use it all."""
    with transaction.atomic():
        slots = min(wanted, MAX_SLOTS)
        if run.config_id is not None:
            # Two workers that begin together would both count the same calls as free. Without the key's lock,
            # rows that refer to the judge can be added meanwhile.
            config = JudgeConfig.objects.select_for_update(no_key=True).get(pk=run.config_id)
            slots = min(slots, _slots_free(config, judging_run, now))
        if slots < 1:
            return None
        return WorkerLease.objects.create(
            token=uuid4(),
            run=run,
            judging_run=judging_run,
            judge_id=run.config_id,
            slots=slots,
            started_at=now,
            leased_until=now + lease_time(),
        )


def _slots_free(config: JudgeConfig, judging_run: JudgingRun, now: datetime) -> int:
    """Calls at a time that a further lease may make to this judge.

    All leases alive together stay within its concurrency; and where several runs wait for it, none takes
    more than its part, so that a long run leaves the others something.
    """
    alive = WorkerLease.objects.filter(judge=config, ended_at=None, leased_until__gt=now)
    taken = _slots_of(alive)
    others = _runs_waiting(config, now).exclude(pk=judging_run.pk).count()
    part = -(-config.concurrency // (1 + others))
    return min(config.concurrency - taken, part - _slots_of(alive.filter(judging_run=judging_run)))


def _slots_of(leases: QuerySet[WorkerLease]) -> int:
    return int(leases.aggregate(slots=Sum("slots"))["slots"] or 0)


def _runs_waiting(config: JudgeConfig, now: datetime) -> QuerySet[JudgingRun]:
    """The runs with calls to this judge that nobody is making and that could be made now."""
    rows = CriterionScore.objects.filter(
        judging_run=OuterRef("pk"),
        run__config=config,
        state=RowState.OPEN,
        asked_with=None,
        available_at__lte=now,
    )
    return JudgingRun.objects.filter(Exists(rows), state=RunState.RUNNING)


def lease_renew(lease: WorkerLease, *, clock: Callable[[], datetime]) -> bool:
    """Keep the lease and its rows for another term; False where it should end.

    The run does not go on, or the renewal was not on record before the lease ended: others may have been
    given this worker's place at the judge.
    """
    now = clock()
    until = now + lease_time()
    with transaction.atomic():
        alive = WorkerLease.objects.filter(pk=lease.pk, ended_at=None, leased_until__gt=now)
        if not alive.update(leased_until=until):
            return False
        # A claimed row is available to others from the moment that its lease would end.
        CriterionScore.objects.filter(
            judging_run=lease.judging_run_id, run=lease.run_id, lease=lease.token, state=RowState.OPEN
        ).update(available_at=until)
        goes_on = JudgingRun.objects.filter(pk=lease.judging_run_id, state=RunState.RUNNING).exists()
    # Looked at again: the transaction may have waited for others, or been begun anew, past the old end.
    if clock() >= lease.leased_until:
        return False
    lease.leased_until = until
    return goes_on


def lease_end(lease: WorkerLease, *, now: datetime) -> None:
    """Give the share back, and the rows that were claimed and not asked about.

    `lease.reserved` is what is left to hold: the most that requests can have cost that are on no record.
    """
    with transaction.atomic():
        # The claim is taken back as if it had not been: MAX_STARTS is for rows that end their workers.
        CriterionScore.objects.filter(
            judging_run=lease.judging_run_id, run=lease.run_id, lease=lease.token, state=RowState.OPEN
        ).update(lease=None, available_at=now, starts=F("starts") - 1)
        WorkerLease.objects.filter(pk=lease.pk).update(ended_at=now, reserved=lease.reserved)


class Claims:
    """Claims calls for one lease; prompts are read once. `judge` says what is asked together."""

    def __init__(self, lease: WorkerLease, judge: Judge) -> None:
        self._lease = lease
        self._judge = judge
        self._prompts: dict[int, PromptToJudge] = {}

    def more(self, limit: int, *, now: datetime) -> list[ClaimedCall]:
        """Up to `limit` calls that nobody makes, in the plan's order; none where no row is left to claim."""
        limit = fair_share(self._lease, limit, now)
        while rows := rows_claim(self._lease, limit=limit, now=now):
            if calls := self._to_ask(self._calls(rows, now), now):
                return calls
        return []

    def _calls(self, rows: Sequence[CriterionScore], now: datetime) -> list[ClaimedCall]:
        """The calls of claimed rows whose answers still count. Raises BegunTooOften."""
        if any(row.starts >= MAX_STARTS for row in rows):
            raise BegunTooOften
        texts = self._texts(rows)
        gone = [row.pk for row in rows if (row.answer_id, row.revision) not in texts]
        if gone:
            _rows_give_up(self._lease.token, gone, now)
        followers = _followers_of([row.pk for row in rows if row.has_followers])
        return [
            self._call(row, *texts[row.answer_id, row.revision], followers.get(row.pk, ()))
            for row in rows
            if (row.answer_id, row.revision) in texts
        ]

    def _to_ask(self, calls: Sequence[ClaimedCall], now: datetime) -> list[ClaimedCall]:
        """Those that the judge has not answered since the plan was made, for another study perhaps."""
        requests = [call.request_sha256 for call in calls if call.request_sha256]
        known = known_verdicts(self._lease.run, requests)
        return [
            call
            for call in calls
            if not _rows_take_over(self._lease.token, call.rows, known.get(call.request_sha256, {}), now)
        ]

    def _texts(self, rows: Sequence[CriterionScore]) -> dict[tuple[int, int], tuple[int, str]]:
        """Prompt and text by answer and revision, of answers that still count: no other text is sent."""
        answers = answers_to_judge(self._lease.run.study).order_by()
        found = {
            (pk, revision): (prompt, text)
            for pk, revision, prompt, text in answers.filter(
                pk__in={row.answer_id for row in rows}
            ).values_list("pk", "revision", "prompt_id", "text")
        }
        new = {prompt for prompt, _ in found.values()} - self._prompts.keys()
        self._prompts.update(prompts_to_judge(new))
        return found

    def _call(
        self, row: CriterionScore, prompt_pk: int, text: str, followers: Sequence[ClaimedRow]
    ) -> ClaimedCall:
        prompt = self._prompts[prompt_pk]
        task = replace(prompt.task, answer=text)
        position = next(place for place, pk in prompt.criterion_ids.items() if pk == row.criterion_id)
        return ClaimedCall(
            rows=(ClaimedRow(row.pk, row.place, row.rounds), *followers),
            task=task,
            positions=next(asked for asked in self._judge.judge_calls(task) if position in asked),
            answer_id=row.answer_id,
            criterion_id=row.criterion_id,
            request_sha256=row.request_sha256,
        )


def fair_share(lease: WorkerLease, limit: int, now: datetime) -> int:
    """At most half of this lease's part of what is left: near the end, all workers are to end together."""
    alive = WorkerLease.objects.filter(
        judging_run=lease.judging_run_id, run=lease.run_id, ended_at=None, leased_until__gt=now
    ).count()
    if alive < 2:
        return limit
    left = _rows_to_claim(lease, now)[: 2 * alive * limit].count()
    return min(limit, max(lease.slots, left // (2 * alive)))


def _rows_to_claim(lease: WorkerLease, now: datetime) -> QuerySet[CriterionScore]:
    return CriterionScore.objects.filter(
        judging_run=lease.judging_run_id,
        run=lease.run_id,
        state=RowState.OPEN,
        asked_with=None,
        available_at__lte=now,
    )


@transaction.atomic
def rows_claim(lease: WorkerLease, *, limit: int, now: datetime) -> list[CriterionScore]:
    """Take up to `limit` rows for the lease; none while the run does not go on."""
    # The lock: rows of a run that is cancelled in this very moment may be planned by the next one at once.
    going_on = JudgingRun.objects.select_for_update(no_key=True).filter(state=RunState.RUNNING)
    if going_on.filter(pk=lease.judging_run_id).first() is None:
        return []
    # A row whose lease ran out and that its worker stores at this moment after all is passed over. SQLite
    # knows no locks of rows and needs none: its transactions that write come one after the other.
    rows = list(
        _rows_to_claim(lease, now)
        .select_for_update(skip_locked=True)
        .order_by("available_at", "id")
        .only(
            "answer", "revision", "criterion", "place", "rounds", "request_sha256", "has_followers", "starts"
        )[:limit]
    )
    CriterionScore.objects.filter(pk__in=[row.pk for row in rows]).update(
        lease=lease.token, available_at=now + lease_time(), starts=F("starts") + 1
    )
    return rows


def _followers_of(leaders: Sequence[int]) -> dict[int, tuple[ClaimedRow, ...]]:
    """The rows that the calls of these rows decide as well."""
    found: dict[int, tuple[ClaimedRow, ...]] = {}
    rows = CriterionScore.objects.filter(asked_with__in=leaders, state=RowState.OPEN).order_by("id")
    for leader, pk, place, rounds in rows.values_list("asked_with_id", "pk", "place", "rounds"):
        found[leader] = (*found.get(leader, ()), ClaimedRow(pk, place, rounds))
    return found


def _rows_take_over(
    token: UUID, rows: Sequence[ClaimedRow], known: Mapping[int, KnownVerdict], now: datetime
) -> bool:
    """Decide the rows of a claimed call by verdicts that are known; False where one of them is not."""
    if not all(row.place in known for row in rows):
        return False
    leader, *others = rows
    undecided = CriterionScore.objects.filter(state=RowState.OPEN)
    with transaction.atomic():
        if undecided.filter(pk=leader.pk, lease=token).update(
            **scored(*known[leader.place], RowOrigin.CACHED, now)
        ):
            # These follow the first: they are never claimed, so they carry no lease to ask for.
            for row in others:
                undecided.filter(pk=row.pk).update(**scored(*known[row.place], RowOrigin.CACHED, now))
    return True


def scored(
    score: float | None, confidence: float | None, explanation: str, origin: RowOrigin, now: datetime
) -> dict[str, object]:
    """The fields of a row that has a verdict."""
    return {
        "state": RowState.SCORED.value,
        "origin": origin.value,
        "score": score,
        "confidence": confidence,
        "explanation": explanation,
        "unscored_reason": "",
        "lease": None,
        "decided_at": now,
    }


@transaction.atomic
def _rows_give_up(token: UUID, leaders: Sequence[int], now: datetime) -> None:
    """Decide rows whose answer was changed, withdrawn or excluded after the plan was made: not asked.

    Rows of other answers that were to share such a call get a call of their own.
    """
    followers = CriterionScore.objects.filter(asked_with__in=leaders, state=RowState.OPEN)
    own = list(followers.filter(answer=F("asked_with__answer")).values_list("pk", flat=True))
    CriterionScore.objects.filter(pk__in=own, state=RowState.OPEN).update(**given_up(now))
    CriterionScore.objects.filter(pk__in=leaders, lease=token, state=RowState.OPEN).update(**given_up(now))
    for leader in leaders:
        _promote_follower(leader, now)


def given_up(now: datetime) -> dict[str, object]:
    reason = UnscoredReason.NO_LONGER_COUNTS.value
    return {"state": RowState.UNSCORED, "unscored_reason": reason, "lease": None, "decided_at": now}


def _promote_follower(leader: int, now: datetime) -> None:
    rows = CriterionScore.objects.filter(asked_with=leader, state=RowState.OPEN)
    pks = list(rows.order_by("id").values_list("pk", flat=True))
    if pks:
        CriterionScore.objects.filter(pk=pks[0]).update(
            asked_with=None, has_followers=len(pks) > 1, available_at=now
        )
        CriterionScore.objects.filter(pk__in=pks[1:]).update(asked_with=pks[0])
