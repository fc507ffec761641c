"""Tells a dead judge from a bad answer, so that thousands of answers are not sent to a dead one.

It is read off the requests on record, so it holds across workers and from one lease to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from judging.judges.course import LOST
from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgeCall, JudgingRun, RowOrigin, ScoringRun
from llm.error_replies import SAID
from llm.requests import OK

FAILING_ANSWERS = 3


@dataclass(frozen=True)
class FailurePattern:
    """So many failures of these kinds in a row, on so many answers: the judge fails for everyone."""

    outcomes: frozenset[str]
    failures: int
    answers: int

    def failures_of(self, newest: Sequence[tuple[str, int]]) -> int:
        """How many of the newest requests, given as outcome and answer, show it; 0 while they do not."""
        failed = [answer for _, answer in takewhile(lambda call: call[0] in self.outcomes, newest)]
        return len(failed) if len(failed) >= self.failures and len(set(failed)) >= self.answers else 0


AGAINST_ENDPOINT = FailurePattern(
    frozenset(reason.value for reason in UnscoredReason if reason.rule.counts_against_endpoint),
    failures=16,
    answers=FAILING_ANSWERS,
)
# An answer may bring these about by itself: refused, cut off, no such JSON. Not every answer does.
WITHOUT_VERDICT = FailurePattern(
    frozenset(reason.value for reason in UnscoredReason) - {OK, UnscoredReason.NO_LONGER_COUNTS.value},
    failures=48,
    answers=12,
)


def _fails_all(answers: int) -> FailurePattern:
    """Wrong keys and addresses fail everybody from the first request on, also where few are asked about."""
    return FailurePattern(
        frozenset(reason.value for reason in UnscoredReason if reason.rule.fails_all), answers, answers
    )


def why_failing(judging_run: JudgingRun, run: ScoringRun) -> str | None:
    """Why this judge is taken to fail for everyone, since the run last began to ask; None while it is not.

    The newest requests all failed, on several answers: a request that one answer's text makes time out keeps
    no other from its score.
    """
    calls_made = JudgeCall.objects.filter(
        judging_run=judging_run, run=run, called_at__gte=judging_run.resumed_at
    )
    # Nobody knows what came of a lost call, and after a refused schema the request goes out without it.
    told = calls_made.exclude(outcome__in=[LOST, UnscoredReason.SCHEMA_REJECTED])
    newest = told.order_by("-pk")
    calls = list(newest.values_list("outcome", "answer_id")[: WITHOUT_VERDICT.failures])
    for watch in (_fails_all(_answers_planned(judging_run, run)), AGAINST_ENDPOINT, WITHOUT_VERDICT):
        if number := watch.failures_of(calls):
            return sentence(judging_run, run, number)
    return None


def _answers_planned(judging_run: JudgingRun, run: ScoringRun) -> int:
    """How many answers the run asks this judge about, up to `FAILING_ANSWERS`."""
    rows = CriterionScore.objects.filter(judging_run=judging_run, run=run, asked_with=None)
    rows = rows.exclude(origin=RowOrigin.CACHED)
    return len(rows.order_by().values("answer").distinct()[:FAILING_ANSWERS])


def sentence(judging_run: JudgingRun, run: ScoringRun, number: int) -> str:
    rows = CriterionScore.objects.filter(judging_run=judging_run, run=run).exclude(unscored_reason="")
    said = rows.order_by("-decided_at", "-pk").values_list("explanation", flat=True).first() or ""
    # Without the endpoint's own words: they may quote an answer, and why a run paused stays for good.
    return f"The judge gave no verdict {number} times in a row. {said.partition(SAID)[0]}".strip()
