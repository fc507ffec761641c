"""The judge behind the connections: what each request is answered with, and when."""

import asyncio
import json
import random
import time

from benchmarks.hashed_judge.asks import Ask, AskInvalid, names_keyword, read_ask
from benchmarks.hashed_judge.counts import Counts
from benchmarks.hashed_judge.faults import Faults
from benchmarks.hashed_judge.http import Connection, Head, reply
from benchmarks.hashed_judge.limits import Limits
from benchmarks.hashed_judge.log import CLIENT_LEFT, LogWriter
from benchmarks.hashed_judge.options import JudgeOptions
from benchmarks.hashed_judge.replies import (
    Reply,
    content_for,
    error,
    faulty,
    rate_limited,
    rejected_keyword,
    rejected_parameter,
    retry_date,
)
from benchmarks.hashed_judge.sending import Sender
from benchmarks.hashed_judge.verdicts import Opinion

_STATUS_FAULTS = {"status_500": 500, "status_503": 503, "status_408": 408, "status_409": 409}


class Judge:
    """Answers chat requests as its options say."""

    def __init__(self, options: JudgeOptions, loop: asyncio.AbstractEventLoop) -> None:
        self.connections: set[Connection] = set()
        self.counts = Counts()
        self._options = options
        self._opinion = Opinion(options.judge, options.agreement)
        self._faults = Faults(
            rate=options.faults,
            permanent=options.permanent,
            at_most=options.faults_at_most,
            seed=options.seed,
            kinds=options.fault_kinds,
        )
        self._limits = Limits(
            rpm=options.rpm,
            tpm=options.tpm,
            max_in_flight=options.max_in_flight,
            window_seconds=options.window_seconds,
        )
        self._log = LogWriter(options.log, loop) if options.log else None
        self._sender = Sender(loop, options.stall_seconds, self._sent)
        self._rng = random.Random(options.seed)

    def close(self) -> None:
        if self._log:
            self._log.flush()

    def answer(self, connection: Connection, head: Head, body: bytes) -> None:
        if not head.path.endswith("/chat/completions"):
            self._answer_page(connection, head)
        elif head.method != "POST":
            _page(connection, 405, {"error": {"message": "Send chat requests with POST."}})
        else:
            try:
                ask = read_ask(body)
            except AskInvalid as invalid:
                _page(connection, 400, {"error": {"message": str(invalid), "type": "invalid_request_error"}})
            else:
                self._judge(connection, ask, head.authorized)

    def left(self, connection: Connection) -> None:
        self._sender.cancel(connection, CLIENT_LEFT)

    def _answer_page(self, connection: Connection, head: Head) -> None:
        if head.path == "/health":
            _page(connection, 200, {"status": "ok"})
        elif head.path == "/stats":
            _page(connection, 200, self.counts.as_json())
        else:
            _page(connection, 404, {"error": {"message": "Nothing is here; ask /v1/chat/completions."}})

    def _judge(self, connection: Connection, ask: Ask, authorized: bool) -> None:
        now = time.time()
        number = self.counts.arrived(ask.digest, authorized)
        given, fault, violation = self._decided(ask, number, now)
        self.counts.applied(fault, violation)
        if self._log:
            self._log.arrived(now, number, ask, authorized, self.counts.in_flight, fault, violation)
        delay = (self._options.latency_ms + self._rng.random() * self._options.jitter_ms) / 1000
        self._sender.send(connection, number, given, fault, delay)

    def _decided(self, ask: Ask, number: int, now: float) -> tuple[Reply, str, str]:
        """The reply, the fault and the limit that was broken."""
        if refused := self._dead(number):
            return refused, "dead", ""
        limit = self._limits.refusal(now=now, tokens=ask.prompt_tokens, in_flight=self.counts.in_flight)
        if limit:
            return rate_limited(str(limit.wait_seconds)), "", limit.limit
        if refused := self._rejection(ask):
            return refused, "rejected", ""
        fault = self._faults.fault(ask)
        return self._reply(ask, fault, number, now), fault, ""

    def _dead(self, number: int) -> Reply | None:
        after, until = self._options.dead_after, self._options.dead_until_file
        if after is not None and number >= after:
            return error(401, "This key is not valid any more.", kind="authentication_error")
        if until is not None and until.exists():
            return error(503, "The model is not loaded.")
        return None

    def _rejection(self, ask: Ask) -> Reply | None:
        for keyword in self._options.reject_keyword:
            if names_keyword(ask.response_format, keyword):
                return rejected_keyword(keyword)
        for name in self._options.reject_parameter:
            if name in ask.parameters:
                return rejected_parameter(name)
        return None

    def _reply(self, ask: Ask, fault: str, number: int, now: float) -> Reply:
        if status := _STATUS_FAULTS.get(fault):
            return error(status, "A fault made on purpose; ask again.")
        if fault == "rate_limited_seconds":
            return rate_limited(f"{self._options.wait_seconds:g}")
        if fault == "rate_limited_date":
            return rate_limited(retry_date(now, self._options.wait_seconds))
        return faulty(ask, fault, content_for(ask, self._opinion), number=number)

    def _sent(self, number: int, status: int, completion_tokens: int) -> None:
        self.counts.answered(status)
        if self._log:
            self._log.answered(time.time(), number, status, completion_tokens)


def _page(connection: Connection, status: int, told: object) -> None:
    connection.transport.write(reply(status, json.dumps(told).encode()))
    connection.done()
