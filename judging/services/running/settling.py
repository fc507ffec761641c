"""From decided rows to the scores of answers. What is derived here can always be derived again."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Max

from batches.models import Answer
from judging.judges.interface import CriterionVerdict, sample_score
from judging.models import AnswerScore, CriterionScore, JudgingRun, RowState, ScoringRun
from judging.selectors.judging import JudgingState, Position, counted_rows, judging_state, stored_verdict
from studies.models import Criterion
from studies.services.database import one_of_many_writes

ANSWERS_AT_ONCE = 500
SCORE_FIELDS = ["revision", "score", "unscored_reason", "judged_at"]
AnswerRevision = tuple[int, int]


def answers_settle(*, judging_run: JudgingRun, run: ScoringRun, now: datetime) -> int:
    """Score the answers whose rows are all decided and that have no score of them yet; return how many."""
    rows = CriterionScore.objects.filter(judging_run=judging_run, run=run)
    undecided = rows.filter(state=RowState.OPEN).values("answer")
    decided = rows.exclude(answer__in=undecided).values("answer", "revision").annotate(last=Max("decided_at"))
    judged = AnswerScore.objects.filter(run=run).values_list("answer", "revision", "judged_at")
    settled = {(answer, revision): judged_at for answer, revision, judged_at in judged}
    ready = [
        (row["answer"], row["revision"])
        for row in decided.order_by("answer_id")
        if (at := settled.get((row["answer"], row["revision"]))) is None or at < row["last"]
    ]
    for start in range(0, len(ready), ANSWERS_AT_ONCE):
        made = answer_scores(run, ready[start : start + ANSWERS_AT_ONCE], now)
        with one_of_many_writes():
            scores_store(made)
    return len(ready)


def answers_complete(*, run: ScoringRun, now: datetime) -> None:
    """Score the answers that have all their verdicts and no score, as a cancelled run may leave them."""
    unscored = [(row.answer_id, row.revision) for row in counted_rows(run) if not row.scored]
    for start in range(0, len(unscored), ANSWERS_AT_ONCE):
        some = answer_scores(run, unscored[start : start + ANSWERS_AT_ONCE], now)
        if made := [score for score in some if score.score is not None]:
            with one_of_many_writes():
                scores_store(made)


def scores_store(scores: Sequence[AnswerScore]) -> None:
    AnswerScore.objects.bulk_create(
        scores, update_conflicts=True, unique_fields=["run", "answer"], update_fields=SCORE_FIELDS
    )


def answer_scores(run: ScoringRun, answers: Sequence[AnswerRevision], now: datetime) -> list[AnswerScore]:
    pks = [answer for answer, _ in answers]
    verdicts = _decided_verdicts(run, pks)
    prompts = dict(Answer.objects.filter(pk__in=pks).values_list("pk", "prompt_id"))
    criteria: dict[int, list[Position]] = {}
    rows = Criterion.objects.filter(prompt__in=set(prompts.values())).order_by("position")
    for prompt, position in rows.values_list("prompt_id", "position"):
        criteria.setdefault(prompt, []).append(position)
    scores = []
    for answer, revision in answers:
        decided = verdicts.get((answer, revision), {})
        # All that must be judged before the answer has a score: its criteria, else the answer as a whole.
        positions = criteria.get(prompts[answer], [None])
        if all(position in decided for position in positions):
            verdict = sample_score(tuple(decided[position] for position in positions))
            reason = verdict.reason or ""
            scores.append(
                AnswerScore(
                    run=run, answer_id=answer, revision=revision, score=verdict.score,
                    unscored_reason=reason, judged_at=now,
                )
            )  # fmt: skip
    return scores


def _decided_verdicts(
    run: ScoringRun, answers: Sequence[int]
) -> dict[AnswerRevision, dict[Position, CriterionVerdict]]:
    """What stands on each position: a verdict, else the newest reason for having none."""
    rows = CriterionScore.objects.filter(run=run, answer__in=answers).exclude(state=RowState.OPEN)
    decided: dict[AnswerRevision, dict[Position, CriterionVerdict]] = {}
    for row in rows.select_related("criterion").order_by("pk"):
        verdict = stored_verdict(row)
        kept = decided.setdefault((row.answer_id, row.revision), {})
        before = kept.get(verdict.position)
        if before is None or before.score is None:
            kept[verdict.position] = verdict
    return decided


def scoring_run_note_end(*, run: ScoringRun, now: datetime) -> JudgingState:
    """Stamp the run as finished exactly when every answer that counts has a score."""
    state = judging_state(run)
    if (state.left == 0) != (run.finished_at is not None):
        run.finished_at = now if state.left == 0 else None
        run.save(update_fields=["finished_at"])
    return state
