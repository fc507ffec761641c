"""Stores what a judge said: every verdict when it arrives, the answer's score when its last one is there.

An answer's score always follows from its stored verdicts, also where two processes judge the same run: the
row of the answer's score is locked first, and the newest verdict on a criterion replaces the one before
(a failure replaces none).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from scoring.judge.answers import sample_score
from scoring.judge.interface import AnswerVerdict, CriterionVerdict
from scoring.models import AnswerScore, CriterionScore, JudgeCall, ScoringRun
from scoring.selectors.judging import JudgingPlan, PendingAnswer, stored_verdict
from scoring.services.judge_pool import Judged, Question

UNFINISHED = "unfinished"
SCORE_FIELDS = ["revision", "score", "unscored_reason", "judged_at"]


class VerdictStore:
    """The verdicts of one pass. An answer with criteria that were not asked about yet is "unfinished"."""

    def __init__(self, run: ScoringRun, plan: JudgingPlan) -> None:
        self._run = run
        self._plan = plan
        self._judge_protocol = run.study.judge_protocol.sha256 if run.study.judge_protocol else ""

    def settle(self, now: datetime) -> None:
        """Score the answers whose verdicts are all there already: nothing is left to ask for them."""
        with transaction.atomic():
            self._score([pending for pending in self._plan.answers if not pending.left], now)

    def add(self, judged: Sequence[Judged], now: datetime) -> None:
        """Store some verdicts in one short transaction."""
        # In one order everywhere, so that two processes never wait for each other.
        touched = {question.pending.answer_id: question.pending for question, _ in judged}
        answers = [touched[answer_id] for answer_id in sorted(touched)]
        with transaction.atomic():
            self._forget_earlier_texts(answers)
            scores = self._write([self._answer_score(pending, now) for pending in answers])
            self._replace([self._criterion_score(scores, *pair) for pair in judged])
            JudgeCall.objects.bulk_create(call for pair in judged for call in self._calls(*pair, now))
            self._score(answers, now)

    def _forget_earlier_texts(self, answers: Sequence[PendingAnswer]) -> None:
        again = [pending.answer_id for pending in answers if pending.judged_before]
        if again:
            rows = CriterionScore.objects.filter(answer_score__run=self._run, answer_score__answer__in=again)
            rows.exclude(answer_score__revision=F("answer_score__answer__revision")).delete()

    def _replace(self, rows: Sequence[CriterionScore]) -> None:
        """Store the rows in place of earlier ones; a failure never takes the place of a verdict."""
        failed = [row for row in rows if row.score is None]
        judged = CriterionScore.objects.filter(same_criteria(failed), score__isnull=False)
        kept = set(judged.values_list("answer_score", "criterion"))
        new = [
            row
            for row in rows
            if row.score is not None or (row.answer_score_id, row.criterion_id) not in kept
        ]
        CriterionScore.objects.filter(same_criteria(new)).delete()
        CriterionScore.objects.bulk_create(new)

    def _score(self, answers: Sequence[PendingAnswer], now: datetime) -> None:
        """Write the score, or the reason for having none, of those answers that have all their verdicts."""
        known = self._stored_verdicts(answers)
        rows = []
        for pending in answers:
            found = known.get(pending.answer_id, {})
            positions = self._plan.prompts[pending.prompt_pk].task.positions
            if all(position in found for position in positions):
                verdict = sample_score(tuple(found[position] for position in positions))
                rows.append(self._answer_score(pending, now, verdict))
        self._write(rows)

    def _stored_verdicts(
        self, answers: Sequence[PendingAnswer]
    ) -> Mapping[int, Mapping[int | None, CriterionVerdict]]:
        ids = [pending.answer_id for pending in answers]
        rows = CriterionScore.objects.filter(answer_score__run=self._run, answer_score__answer__in=ids)
        found: dict[int, dict[int | None, CriterionVerdict]] = {}
        for row in rows.select_related("answer_score", "criterion"):
            verdict = stored_verdict(row)
            found.setdefault(row.answer_score.answer_id, {})[verdict.position] = verdict
        return found

    def _write(self, rows: Sequence[AnswerScore]) -> dict[int, AnswerScore]:
        stored = AnswerScore.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["run", "answer"], update_fields=SCORE_FIELDS
        )
        return {row.answer_id: row for row in stored}

    def _answer_score(
        self, pending: PendingAnswer, now: datetime, verdict: AnswerVerdict | None = None
    ) -> AnswerScore:
        return AnswerScore(
            run=self._run,
            answer_id=pending.answer_id,
            revision=pending.revision,
            score=verdict.score if verdict else None,
            unscored_reason=(verdict.reason or "") if verdict else UNFINISHED,
            judged_at=now,
        )

    def _criterion_score(
        self, scores: Mapping[int, AnswerScore], question: Question, verdict: CriterionVerdict
    ) -> CriterionScore:
        return CriterionScore(
            answer_score=scores[question.pending.answer_id],
            criterion_id=self._criterion_id(question),
            score=verdict.score,
            confidence=verdict.confidence,
            explanation=verdict.explanation,
            unscored_reason=verdict.reason or "",
        )

    def _calls(self, question: Question, verdict: CriterionVerdict, now: datetime) -> list[JudgeCall]:
        return [
            JudgeCall(
                run=self._run,
                answer_id=question.pending.answer_id,
                criterion_id=self._criterion_id(question),
                request_sha256=call.request_sha256,
                judge_protocol_sha256=self._judge_protocol,
                model=call.model,
                raw_reply=call.raw_reply,
                prompt_tokens=call.prompt_tokens,
                completion_tokens=call.completion_tokens,
                latency_ms=call.latency_ms,
                outcome=call.outcome,
                called_at=now,
            )
            for call in verdict.calls
        ]

    def _criterion_id(self, question: Question) -> int | None:
        return self._plan.prompts[question.pending.prompt_pk].criterion_ids[question.position]


def same_criteria(rows: Sequence[CriterionScore]) -> Q:
    """What is stored on the same criteria of the same answers."""
    same = Q(pk__in=())
    for row in rows:
        same |= Q(answer_score=row.answer_score_id, criterion=row.criterion_id)
    return same
