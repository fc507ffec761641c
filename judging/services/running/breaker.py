"""Tells a dead judge from a bad answer, so that thousands of answers are not sent to a dead one.

It is read off the requests on record, so it holds across workers and from one lease to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from judging.judges.course import LOST, MAX_LOST
from judging.judges.reasons import UnscoredReason
from judging.models import CriterionScore, JudgeCall, JudgingRun, RowOrigin, ScoringRun
from llm.error_replies import SAID
from llm.requests import OK

FAILING_ANSWERS = 3
# Of so many calls, the newest ones, it counts when they came back: failures are faster than verdicts.
NEWEST = 900


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """`outcome` is empty while it is under way, and `ended_at` says nothing then."""

    outcome: str
    answer: int
    sent_at: datetime
    ended_at: datetime
    due_at: datetime | None


@dataclass(frozen=True)
class FailurePattern:
    """So many failures of these kinds in a row, on so many answers: the judge fails for everyone."""

    outcomes: frozenset[str]
    failures: int
    answers: int

    def failures_in(self, newest: Sequence[RecordedCall]) -> list[RecordedCall]:
        """Those of the newest requests, the last to come back first, that show it; none while they do not.

        Requests that an endpoint refused as too many while it refused another one count as one.
        """
        failed: list[RecordedCall] = []
        refused: datetime | None = None  # since when one is under way that was refused, of those after it
        for call in takewhile(lambda call: call.outcome in self.outcomes, newest):
            if call.outcome == UnscoredReason.RATE_LIMITED:
                if refused is not None and call.ended_at > refused:
                    continue
                refused = call.sent_at
            failed.append(call)
        is_pattern = len(failed) >= self.failures and len({call.answer for call in failed}) >= self.answers
        return failed if is_pattern else []


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


# Wrong keys and addresses fail everybody from the first request on, also where few are asked about.
FAILS_ALL = frozenset(reason.value for reason in UnscoredReason if reason.rule.fails_all)


def why_failing(judging_run: JudgingRun, run: ScoringRun, now: datetime) -> str | None:
    """Why this judge is taken to fail for everyone, since the run last began to ask; None while it is not.

    The newest requests all failed, on several answers: a request that one answer's text makes time out keeps
    no other from its score. Nor do failures that overtake requests sent before anything had failed.
    """
    newest = _newest(judging_run, run)
    # Nobody knows what came of a lost call, and after a refused schema the request goes out without it.
    ended = [call for call in newest if call.outcome not in {"", LOST, UnscoredReason.SCHEMA_REJECTED}]
    ended.sort(key=lambda call: call.ended_at, reverse=True)
    under_way = [call.sent_at for call in newest if not call.outcome and call.due_at and call.due_at > now]
    # How many answers the run asks this judge about, as far as it matters.
    rows = CriterionScore.objects.filter(judging_run=judging_run, run=run, asked_with=None)
    rows = rows.exclude(origin=RowOrigin.CACHED)
    answers = len(rows.order_by().values("answer").distinct()[:FAILING_ANSWERS])
    for pattern in (FailurePattern(FAILS_ALL, answers, answers), AGAINST_ENDPOINT, WITHOUT_VERDICT):
        failed = pattern.failures_in(ended)
        if failed and not any(sent_at <= failed[-1].ended_at for sent_at in under_way):
            return sentence(judging_run, run, len(failed))
    return None


def _newest(judging_run: JudgingRun, run: ScoringRun) -> list[RecordedCall]:
    """The newest requests for these scores since the run last began to ask, the last one first.

    What the release before had set aside, without a hash, is no request.
    """
    fields = ("outcome", "answer_id", "called_at", "latency_ms", "due_at", "judging_run_id", "request_sha256")
    calls = JudgeCall.everything.filter(run=run).order_by("-pk").values_list(*fields)[:NEWEST]
    return [
        RecordedCall(outcome, answer, sent_at, sent_at + timedelta(milliseconds=latency), due_at)
        for outcome, answer, sent_at, latency, due_at, of_run, request in calls
        if of_run == judging_run.pk and sent_at >= judging_run.resumed_at and request
    ]


def lost_by_all(judging_run: JudgingRun, run: ScoringRun, *, apart: timedelta) -> bool:
    """Whether whoever asked was gone before a reply, `MAX_LOST` times in a row, about whatever answers.

    What one process had under way when it was gone was sent within `apart`, the longest that a request takes.
    """
    deaths, last = 0, None
    for call in _newest(judging_run, run):
        if call.outcome and call.outcome != LOST:
            return False
        if call.outcome and (last is None or last - call.sent_at > apart):
            deaths, last = deaths + 1, call.sent_at
    return deaths >= MAX_LOST


def sentence(judging_run: JudgingRun, run: ScoringRun, number: int) -> str:
    rows = CriterionScore.objects.filter(judging_run=judging_run, run=run).exclude(unscored_reason="")
    said = rows.order_by("-decided_at", "-pk").values_list("explanation", flat=True).first() or ""
    # Without the endpoint's own words: they may quote an answer, and why a run paused stays for good.
    return f"The judge gave no verdict {number} times in a row. {said.partition(SAID)[0]}".strip()
