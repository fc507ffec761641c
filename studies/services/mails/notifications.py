"""Messages that only hint: whoever reads one looks into the database for what is to be done."""

import time
from typing import Any

from celery import current_app
from django.conf import settings
from django.utils.translation import gettext as _
from kombu import Connection
from kombu.exceptions import KombuError

from presentation.numbers import counted

CONNECT_SECONDS = 2
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
    **options: Any,
) -> None:
    """Send a task's message over a connection of its own, so none is left over from before an outage.

    Raises NotSent where the broker cannot be reached in time, or where so many messages wait in the task's
    queue that nobody seems to take them.
    """
    global _refuse_until, _reason  # one broker, so one memory a process
    if time.monotonic() < _refuse_until:
        raise NotSent(_reason)
    try:
        _send(task, kwargs, waiting_limit, timeout, options)
    except NotSent as refused:
        _refuse_until, _reason = time.monotonic() + REFUSE_SECONDS, str(refused)
        raise


def messages_waiting() -> dict[str, int]:
    """How many messages wait in each queue. Raises NotSent where the broker cannot be reached in time."""
    try:
        with _connection(CONNECT_SECONDS) as connection:
            connection.ensure_connection(max_retries=0, timeout=CONNECT_SECONDS)
            channel: Any = connection.default_channel
            return {queue.name: channel._size(queue.name) for queue in settings.CELERY_TASK_QUEUES}
    except _connection_errors() as error:
        sentence = _("it cannot be reached (%(error)s)") % {"error": type(error).__name__}
        raise NotSent(sentence) from error


def _send(
    task: str, kwargs: dict[str, Any], waiting_limit: int, timeout: float, options: dict[str, Any]
) -> None:
    try:
        with _connection(timeout) as connection:
            connection.ensure_connection(max_retries=0, timeout=timeout)  # type: ignore[arg-type]  # any number
            queue = current_app.amqp.router.route(dict(options), task)["queue"].name
            channel: Any = connection.default_channel
            if (waiting := channel._size(queue)) >= waiting_limit:
                raise QueueCrowded(
                    f"messages wait in the queue '{queue}' and nobody takes them: {counted(waiting)}; "
                    "start a worker"
                )
            current_app.send_task(task, kwargs=kwargs, connection=connection, retry=False, **options)
    except _connection_errors() as error:
        kind = type(error).__name__
        raise NotSent(f"the broker cannot be reached ({kind}); start it, or correct REDIS_URL") from error


def _connection(timeout: float) -> Connection:
    timeouts = {"socket_connect_timeout": timeout, "socket_timeout": timeout}
    return current_app.connection_for_write(connect_timeout=timeout, transport_options=timeouts)


def _connection_errors() -> tuple[type[BaseException], ...]:
    connection = _connection(CONNECT_SECONDS)
    return (*connection.connection_errors, *connection.channel_errors, KombuError, OSError)
