"""The rows of a judging run: made from its frozen plan, and opened again when it is resumed."""

from datetime import datetime

from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgingRun, RowOrigin, RowState
from judging.services.running.planning import JudgePlan, PlannedRow

ROWS_AT_ONCE = 1000


def rows_create(run: JudgingRun, plan: JudgePlan, now: datetime) -> None:
    """The rows to claim first, in the order in which they will be; then those that they decide, too."""
    leaders = CriterionScore.objects.bulk_create(
        (
            _row_of(
                run, plan, call.own[0], call.request_sha256, now, leads=len(call.own) + len(call.shared) > 1
            )
            for call in plan.calls
        ),
        batch_size=ROWS_AT_ONCE,
    )
    followers = (
        _row_of(run, plan, row, call.request_sha256, now, leader=leader)
        for call, leader in zip(plan.calls, leaders, strict=True)
        for row in (*call.own[1:], *call.shared)
    )
    known = (_row_of(run, plan, row, key, now) for key, row in plan.cached)
    for rows in (followers, known):
        CriterionScore.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def _row_of(
    run: JudgingRun,
    plan: JudgePlan,
    row: PlannedRow,
    key: str,
    now: datetime,
    *,
    leads: bool = False,
    leader: CriterionScore | None = None,
) -> CriterionScore:
    made = CriterionScore(
        judging_run=run,
        run=plan.run,
        answer_id=row.answer_id,
        revision=row.revision,
        criterion_id=row.criterion_id,
        request_sha256=key,
        place=row.place,
        asked_with=leader,
        has_followers=leads,
        available_at=now,
    )
    if row.known is not None:
        made.score, made.confidence, made.explanation = row.known
        made.state, made.origin, made.decided_at = RowState.SCORED, RowOrigin.CACHED, now
    return made


def rows_reopen(run: JudgingRun, now: datetime) -> int:
    """Let rows that the judge's own failures left unscored be asked again."""
    rows = CriterionScore.objects.filter(judging_run=run)
    rows.filter(state=RowState.OPEN, lease=None).update(available_at=now, rounds=0, starts=0)
    failures = [reason.value for reason in UnscoredReason if reason.rule.counts_against_endpoint]
    return rows.filter(state=RowState.UNSCORED, unscored_reason__in=failures).update(
        state=RowState.OPEN, origin="", decided_at=None, lease=None, rounds=0, starts=0, available_at=now
    )
