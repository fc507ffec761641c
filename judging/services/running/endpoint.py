"""What the owner of a judge knows of its endpoint: how much it takes at a time, until when it is to be left
alone, and whether it takes schemas. The judge's row keeps what the next owner need not find out again.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from judging.judges.course import LOST
from judging.judges.interface import JudgeResult
from judging.judges.reasons import UnscoredReason
from judging.models import JudgeCall, JudgeConfig, ScoringRun
from judging.services.running.claim import sent_by
from judging.services.running.limits import MAX_CALLS_AT_A_TIME, Limits, Window
from judging.services.running.outages import retry_on_db_outage
from llm.client import USUAL_OUTPUT_TOKENS
from llm.errors import RetryAction
from llm.requests import OK, SchemaUse

# After so many replies in a row that were prose at first, the form is described in words at once.
SLIPS = 2
# What a client is made of: where it changes, the next owner makes another.
OF_CLIENT = ("base_url", "key_variable", "timeout_seconds", "max_output_tokens")
UNDER_WAY_OR_LOST = frozenset({"", LOST})
# Calls come on record nearly in the order in which they are sent: after so many old ones there is no new one.
OLD_CALLS = 100


class Endpoint:
    """`config` is the judge as it was last read, `limits` what may be sent to it, `plain` whether the form of
    replies is described in words.
    """

    def __init__(self, config: JudgeConfig, *, clock: Callable[[], datetime], window: Window) -> None:
        self.config = config
        self.row = JudgeConfig.objects.filter(pk=config.pk)
        self.limits = Limits(window=window)
        self.plain = config.plain_json_at is not None
        self._clock = clock
        self._slips = 0

    def take_over(self) -> None:
        """Count what was sent before: against the limits, and as long as it is under way at the endpoint."""
        self.limits_set()
        self.limits.pace = float(self.config.pace or MAX_CALLS_AT_A_TIME)
        now = self._clock()
        self.elsewhere_count(now, own=())
        recent = retry_on_db_outage(lambda: self._recent(now - self.limits.span))
        # Of whose tokens the endpoint said nothing, as many are taken as of the largest.
        most = max((tokens for _, tokens in recent), default=0) or USUAL_OUTPUT_TOKENS
        for sent_at, tokens in sorted(recent):
            self.limits.note(sent_at, tokens or most)

    @transaction.atomic
    def _recent(self, since: datetime) -> list[tuple[datetime, int]]:
        """When each call since then was sent, at the latest, and its tokens, 0 where they are not known.

        In a transaction, where a server reads no further than is asked for.
        """
        recent, now = [], self._clock()
        for run in ScoringRun.objects.filter(config=self.config):
            calls, old = JudgeCall.everything.filter(run=run).order_by("-pk"), 0
            columns = calls.values_list("called_at", "outcome", "prompt_tokens", "completion_tokens")
            for sent_at, outcome, prompt, completion in columns.iterator(OLD_CALLS):
                if outcome in UNDER_WAY_OR_LOST:  # only its claim's moment is known
                    sent_at = max(sent_at, min(now, sent_by(sent_at)))
                if sent_at > since:
                    recent.append((sent_at, (prompt or 0) + (completion or 0)))
                elif (old := old + 1) == OLD_CALLS:
                    break
        return recent

    def read_again(self) -> bool:
        """Read the judge's settings; whether it is to be asked by another client now."""
        before = [getattr(self.config, name) for name in OF_CLIENT]
        self.config = retry_on_db_outage(self.row.get)
        return before != [getattr(self.config, name) for name in OF_CLIENT]

    def limits_set(self) -> None:
        """Keep to the limits in the judge's settings."""
        config, limits = self.config, self.limits
        limits.concurrency = config.concurrency
        limits.requests, limits.tokens = config.requests_per_minute, config.tokens_per_minute
        limits.held_until = config.held_until

    def elsewhere_count(self, now: datetime, *, own: Collection[UUID]) -> None:
        """Count the calls that are under way beside the owner's `own`."""
        calls = JudgeCall.everything.filter(run__config=self.config, due_at__gt=now)
        others = calls.exclude(uid__in=list(own))
        self.limits.elsewhere = retry_on_db_outage(others.count)

    def settle(self, uid: UUID, result: JudgeResult | None, *, was_sent: bool) -> None:
        """A call is over, if it was sent without a `result` by an error of the program: what that says of the
        limits.
        """
        if not was_sent:
            self.limits.withdraw(uid)
            return
        attempt = result.attempt if result else None
        if attempt is not None and attempt.outcome == OK:
            self.limits.quicken(uid)
        elif result is not None and attempt is not None:
            reason = UnscoredReason(attempt.outcome)
            # It has too much to do; what it refuses for good may repeat such words of an answer.
            waits = result.retry_after is not None and reason.rule.again is RetryAction.WAIT
            if reason is UnscoredReason.RATE_LIMITED or waits:
                self.limits.ease(uid, result.retry_after, self._clock())
        self.limits.settle(uid, attempt.tokens if attempt else None)

    def pace_note(self, owner: UUID) -> None:
        """Let the next owner know until when the endpoint is to be left alone, and how much it takes then.
        One that has begun finds out by itself.
        """
        config, pace = self.config, int(self.limits.pace)
        before = (config.held_until, config.pace)
        config.held_until, config.pace = self.limits.held_until, pace if pace < MAX_CALLS_AT_A_TIME else None
        if before != (config.held_until, config.pace):
            changed = {"held_until": config.held_until, "pace": config.pace}
            # Nor where one has come and gone, and knows better.
            as_left = Q(lease=None, held_until=before[0], pace=before[1])
            retry_on_db_outage(lambda: self.row.filter(Q(lease=owner) | as_left).update(**changed))

    def learn(self, uses: Iterable[tuple[JudgeConfig, SchemaUse]]) -> None:
        """Whether it takes schemas, and holds models to them: no later owner needs to find out.

        Each with the judge as it was asked: what another address shows says nothing of this one.
        """
        address, was_plain = self.config.base_url, self.plain
        for use in [use for config, use in uses if config.base_url == address]:
            self._slips = 0 if use is SchemaUse.HELD else self._slips + (use is SchemaUse.SLIPPED)
            shown = use in {SchemaUse.IN_WORDS, SchemaUse.UNHELD} or self._slips >= SLIPS
            self.plain = self.plain or shown
        if self.plain and not was_plain:
            row = self.row.filter(plain_json_at=None, base_url=address)
            retry_on_db_outage(lambda: row.update(plain_json_at=self._clock()))
