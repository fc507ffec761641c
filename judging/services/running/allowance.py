"""One worker's part of a judge's limits per minute: the grant it uses now, and the one it has queued for."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from judging.judges.windows import NOTHING, Amount, Window
from judging.models import JudgeConfig, JudgeGrant
from judging.services.running.limits import grant_hasten, grant_queue, grant_withdraw, grants_correct
from judging.services.running.outages import retry_on_db_outage
from llm.attempts import Attempt

PACE_SECONDS = 1.0
HASTEN_SECONDS = 1.0


class Allowance:
    """What may be sent. Most is called under the gate's lock and asks no database.

    `refill`, `correct` and `close` do; they belong to the gate's own thread.
    """

    def __init__(self, config: JudgeConfig, *, window: Window, clock: Callable[[], datetime]) -> None:
        self._judge_id = config.pk
        self._most_tokens = config.tokens_per_minute
        self._window = window
        self._clock = clock
        self._grant: JudgeGrant | None = None
        self._left = NOTHING
        self._ahead: JudgeGrant | None = None
        self._unused: dict[int, Amount] = {}
        self._let_through: deque[tuple[float, int]] = deque()
        self._scale = 1.0
        self._looked_at = self._corrected_at = time.monotonic()

    def tokens(self, estimate: int) -> int:
        """The estimate for one request in the light of what replies really took."""
        if self._most_tokens is None:
            return estimate
        # One request that took too much must not seem impossible for ever.
        return max(estimate, min(round(estimate * self._scale), self._most_tokens))

    def has(self, tokens: int) -> bool:
        """Whether a request of so many tokens is covered now."""
        grant = self._grant
        return grant is not None and self._left.covers(Amount(1, tokens)) and self.is_valid(grant)

    def take(self, tokens: int) -> JudgeGrant | None:
        """The grant that covers a request of so many tokens now, less these."""
        if not self.has(tokens):
            return None
        self._left = self._left.minus(Amount(1, tokens))
        self._let_through.append((time.monotonic(), tokens))
        return self._grant

    def is_valid(self, grant: JudgeGrant) -> bool:
        """Whether a request may still be sent by it."""
        age = self._clock() - grant.granted_at
        return timedelta(0) <= age <= timedelta(seconds=self._window.valid)

    def take_back(self, grant: JudgeGrant, tokens: int) -> None:
        """Nothing was sent after all."""
        self._note(grant.pk, Amount(1, tokens))

    def settle(self, grant: JudgeGrant, tokens: int, call: Attempt) -> None:
        """Put right what a request took, where the endpoint says it."""
        if call.prompt_tokens is None or call.completion_tokens is None:
            return
        used = call.prompt_tokens + call.completion_tokens
        self._scale = max(self._scale, self._scale * used / max(tokens, 1))
        self._note(grant.pk, Amount(0, tokens - used))

    def _note(self, pk: int, amount: Amount) -> None:
        self._unused[pk] = self._unused.get(pk, NOTHING).plus(amount)

    def pace(self) -> Amount:
        """What was let through in the last second; called under the lock."""
        since = time.monotonic() - PACE_SECONDS
        while self._let_through and self._let_through[0][0] < since:
            self._let_through.popleft()
        return Amount(len(self._let_through), sum(tokens for _, tokens in self._let_through))

    def refill(self, waiting: Sequence[int], pace: Amount, latest: Callable[[datetime], datetime]) -> None:
        """Queue for a grant, or see whether the one ahead can come earlier. Raises LimitTooLow."""
        if self._ahead is None:
            self.correct()
            self._ahead = retry_on_db_outage(
                lambda: grant_queue(
                    judge_id=self._judge_id,
                    waiting=waiting,
                    pace=pace,
                    window=self._window,
                    latest=latest,
                    clock=self._clock,
                )
            )
            self._looked_at = time.monotonic()
        elif self._ahead.granted_at > self._clock() and time.monotonic() - self._looked_at > HASTEN_SECONDS:
            self.correct()
            ahead, self._looked_at = self._ahead, time.monotonic()
            retry_on_db_outage(lambda: grant_hasten(ahead, window=self._window, clock=self._clock))

    def advance(self) -> bool:
        """Use the grant ahead once its moment has come; called under the lock."""
        if self._ahead is None or self._ahead.granted_at > self._clock():
            return False
        self._leave_grant()
        self._grant, self._ahead = self._ahead, None
        self._left = Amount(self._grant.requests, self._grant.tokens)
        return True

    def _leave_grant(self) -> None:
        if self._grant is not None:
            self._note(self._grant.pk, self._left)
        self._grant, self._left = None, NOTHING

    def correct(self) -> None:
        """Bring the rows up to what was used."""
        unused, self._unused = self._unused, {}
        self._corrected_at = time.monotonic()
        if unused:
            retry_on_db_outage(lambda: grants_correct(unused))

    def correct_if_due(self) -> None:
        if time.monotonic() - self._corrected_at > HASTEN_SECONDS:
            self.correct()

    def seconds_ahead(self) -> float | None:
        """How long until the grant ahead may be used; None where there is none."""
        if self._ahead is None:
            return None
        return max(0.0, (self._ahead.granted_at - self._clock()).total_seconds())

    def close(self) -> None:
        """Give back what is left, so that others need not wait for it."""
        self._leave_grant()
        self.correct()
        ahead = self._ahead
        if ahead is not None:
            retry_on_db_outage(lambda: grant_withdraw(ahead))
