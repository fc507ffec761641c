"""The one way to wake the workers: a message that only hints. Whoever reads one looks into the database for
what is to be done.

A message is Celery's (its message protocol, version 2) in the envelope in which Kombu's Redis and file
transports keep one. It is made and handed to the broker here, so that who wakes the workers loads neither of
them, nor any task: see docs/operations.md, "Messages".
"""

import json
import math
import os
import socket
import time
import uuid
from base64 import b64encode
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

CONNECT_SECONDS = 2.0
# After a failure this process sends nothing for a moment: ten hints must not wait ten times, and work that
# the beat took up because nobody listens must not wait for hints about it.
REFUSE_SECONDS = 4.0
# With a worker alive, hints hardly ever wait: each is read at once, even where there is nothing to do.
WAITING_LIMIT = 50

_refuse_until = 0.0
_reason = ""


class NotSent(Exception):
    """No worker will see this message; the sender has to do the work itself. The text holds the remedy."""


class QueueCrowded(NotSent):
    """The broker answers, and messages pile up there."""


class BrokerAway(Exception):
    """The broker cannot be reached in time; the text is the name of the error that said so."""


class Broker(Protocol):
    """Where messages wait in queues, and signs of life are left. Each call ends in bounded time."""

    def put(self, queue: str, message: str) -> None: ...
    def waiting(self, queue: str) -> int: ...
    def sign_write(self, name: str, sign: str, *, keep_seconds: int) -> None: ...
    def sign_read(self, name: str) -> str | None: ...


class BrokerKind(Protocol):
    """What `BROKER["BACKEND"]` names: called, it opens the broker at a location."""

    errors: tuple[type[Exception], ...]

    def __call__(self, location: str, timeout: float) -> AbstractContextManager[Broker]: ...


@contextmanager
def broker(timeout: float) -> Iterator[Broker]:
    """The site's broker, over a connection of its own, so none is left over from before an outage.

    What fails within raises BrokerAway.
    """
    kind: BrokerKind = import_string(settings.BROKER["BACKEND"])
    try:
        with kind(settings.BROKER["LOCATION"], timeout) as opened:
            yield opened
    except kind.errors as error:
        raise BrokerAway(type(error).__name__) from error


def notify_workers(task: str, *, timeout: float = CONNECT_SECONDS, **kwargs: object) -> bool:
    """Tell the workers that there is something to do; False where no worker will hear of it.

    Returns within a few times `timeout` seconds whatever the broker does. An unread hint expires before the
    beat sends its next message.
    """
    try:
        task_send(task, kwargs, timeout=timeout, expires=settings.HINT_SECONDS)
    except NotSent:
        return False
    return True


def task_send(
    task: str,
    kwargs: dict[str, Any],
    *,
    waiting_limit: int = WAITING_LIMIT,
    timeout: float = CONNECT_SECONDS,
    expires: float | None = None,
) -> None:
    """Send a task's message, which is for nobody after `expires` seconds.

    Raises NotSent where the broker cannot be reached in time, or where so many messages wait in the task's
    queue that nobody seems to take them.
    """
    global _refuse_until, _reason  # one broker, so one memory a process
    if time.monotonic() < _refuse_until:
        raise NotSent(_reason)
    try:
        _send(task, kwargs, waiting_limit, timeout, expires)
    except NotSent as refused:
        _refuse_until, _reason = time.monotonic() + REFUSE_SECONDS, str(refused)
        raise


def send_nothing(reason: str) -> None:
    """From now on this process does itself what it would tell the workers of: none hears of it."""
    global _refuse_until, _reason
    _refuse_until, _reason = math.inf, reason


def messages_waiting() -> dict[str, int]:
    """How many messages wait in each queue. Raises NotSent where the broker cannot be reached in time."""
    try:
        with broker(CONNECT_SECONDS) as opened:
            return {queue: opened.waiting(queue) for queue in settings.CELERY_TASK_QUEUES}
    except BrokerAway as error:
        raise NotSent(_("it cannot be reached (%(error)s)") % {"error": error}) from error


def _send(
    task: str, kwargs: dict[str, Any], waiting_limit: int, timeout: float, expires: float | None
) -> None:
    queue = settings.CELERY_TASK_ROUTES.get(task, {}).get("queue", settings.CELERY_TASK_DEFAULT_QUEUE)
    try:
        with broker(timeout) as opened:
            if (waiting := opened.waiting(queue)) >= waiting_limit:
                raise QueueCrowded(
                    f"messages wait in the queue '{queue}' and nobody takes them: {waiting:,}; start a worker"
                )
            opened.put(queue, _message(task, kwargs, queue, expires))
    except BrokerAway as error:
        raise NotSent(f"the broker cannot be reached ({error}); start it, or correct REDIS_URL") from error


def _message(task: str, kwargs: dict[str, Any], queue: str, expires: float | None) -> str:
    task_id = str(uuid.uuid4())
    until = None if expires is None else (datetime.now(UTC) + timedelta(seconds=expires)).isoformat()
    no_further_tasks = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    return json.dumps(
        {
            "body": b64encode(json.dumps([[], kwargs, no_further_tasks]).encode()).decode(),
            "content-type": "application/json",
            "content-encoding": "utf-8",
            "headers": {
                "lang": "py",
                "task": task,
                "id": task_id,
                "root_id": task_id,
                "parent_id": None,
                "group": None,
                "eta": None,
                "expires": until,
                "retries": 0,
                "timelimit": [None, None],
                "argsrepr": "()",
                "kwargsrepr": repr(kwargs),
                "origin": f"{os.getpid()}@{socket.gethostname()}",
            },
            "properties": {
                "correlation_id": task_id,
                "reply_to": "",
                "delivery_mode": 2,
                "priority": 0,
                "delivery_info": {"exchange": queue, "routing_key": queue},
                "body_encoding": "base64",
                "delivery_tag": str(uuid.uuid4()),
                **({} if expires is None else {"expiration": str(int(expires * 1000))}),
            },
        }
    )
