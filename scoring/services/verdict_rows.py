"""Stores what a judge said: every verdict when it arrives, the answer's score when its last one is there."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from scoring.judge.answers import sample_score
from scoring.judge.interface import AnswerVerdict, CriterionVerdict
from scoring.models import AnswerScore, CriterionScore, JudgeCall, ScoringRun
from scoring.selectors.judging import JudgingPlan, PendingAnswer
from scoring.services.judge_pool import Judged, Question

UNFINISHED = "unfinished"
SCORE_FIELDS = ["revision", "score", "unscored_reason", "judged_at"]


class VerdictStore:
    """The verdicts of one pass. An answer with criteria that were not asked about yet is "unfinished"."""

    def __init__(self, run: ScoringRun, plan: JudgingPlan) -> None:
        self._run = run
        self._plan = plan
        self._known: dict[int, dict[int | None, CriterionVerdict]] = {}
        self._judge_protocol = run.study.judge_protocol.sha256 if run.study.judge_protocol else ""

    def add(self, judged: Sequence[Judged], now: datetime) -> None:
        """Store some verdicts in one short transaction."""
        touched = {question.pending.answer_id: question.pending for question, _ in judged}
        new = [pending for answer_id, pending in touched.items() if answer_id not in self._known]
        for pending in new:
            self._known[pending.answer_id] = dict(pending.accepted)
        for question, verdict in judged:
            self._known[question.pending.answer_id][question.position] = verdict
        with transaction.atomic():
            self._forget_failures(new)
            rows = self._answer_scores(list(touched.values()), now)
            CriterionScore.objects.bulk_create(self._criterion_score(rows, *pair) for pair in judged)
            JudgeCall.objects.bulk_create(call for pair in judged for call in self._calls(*pair, now))

    def _forget_failures(self, pending: Sequence[PendingAnswer]) -> None:
        """Make room for new verdicts; the calls behind the old ones stay on record."""
        again = [answer for answer in pending if answer.judged_before]
        if again:
            of_run = CriterionScore.objects.filter(answer_score__run=self._run)
            ids = [answer.answer_id for answer in again]
            of_run.filter(answer_score__answer__in=ids, score__isnull=True).delete()
            outdated = [answer.answer_id for answer in again if not answer.accepted]
            of_run.filter(answer_score__answer__in=outdated).delete()

    def _answer_scores(self, touched: Sequence[PendingAnswer], now: datetime) -> dict[int, AnswerScore]:
        stored = AnswerScore.objects.bulk_create(
            [self._answer_score(pending, now) for pending in touched],
            update_conflicts=True,
            unique_fields=["run", "answer"],
            update_fields=SCORE_FIELDS,
        )
        return {row.answer_id: row for row in stored}

    def _answer_score(self, pending: PendingAnswer, now: datetime) -> AnswerScore:
        verdict = self._answer_verdict(pending)
        return AnswerScore(
            run=self._run,
            answer_id=pending.answer_id,
            revision=pending.revision,
            score=verdict.score if verdict else None,
            unscored_reason=(verdict.reason or "") if verdict else UNFINISHED,
            judged_at=now,
        )

    def _answer_verdict(self, pending: PendingAnswer) -> AnswerVerdict | None:
        """The answer's score, or None while a criterion has not been asked about."""
        known = self._known[pending.answer_id]
        positions = self._plan.prompts[pending.prompt_pk].task.positions
        if any(position not in known for position in positions):
            return None
        return sample_score(tuple(known[position] for position in positions))

    def _criterion_score(
        self, rows: dict[int, AnswerScore], question: Question, verdict: CriterionVerdict
    ) -> CriterionScore:
        return CriterionScore(
            answer_score=rows[question.pending.answer_id],
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
