"""Embedded mode's broker (`studies.services.brokers.files`) as workers read it: a transport of Kombu's.

Kombu's own lets a reader take a file that its writer has opened and not yet written, which ends the worker,
and it ends, too, where the folder is gone. Here a message appears whole, and folders come back by themselves.
"""

import os
from pathlib import Path
from queue import Empty
from typing import Any

import structlog
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

from studies.services.brokers.files import message_write, messages, write_whole

log = structlog.get_logger("chiron.broker")


class Channel(filesystem.Channel):
    """Writes and takes messages by renaming: what another process sees is all or nothing."""

    def _put(self, queue: str, payload: object, **_: object) -> None:  # type: ignore[override]
        message_write(Path(self.data_folder_in), queue, dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for path in self._messages(queue):
            if (text := _taken(path)) is None:
                continue
            try:
                return loads(text)
            except ValueError:
                log.warning("an unreadable message was thrown away", file=path.name)
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._messages(queue))

    def _purge(self, queue: str) -> int:
        return sum(_taken(path) is not None for path in self._messages(queue))

    def _queue_bind(
        self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None
    ) -> None:
        table = self.get_table(exchange)
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        if row not in table:
            self.control_folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.control_folder / f"{exchange}.exchange", dumps([row, *table]))

    def _messages(self, queue: str) -> list[Path]:
        return messages(Path(self.data_folder_in), queue)


class Transport(filesystem.Transport):
    Channel = Channel


def _taken(path: Path) -> str | None:
    """The text of the message, now ours alone; None where another process was faster."""
    mine = path.with_name(f"{path.name}.{os.getpid()}.taken")
    try:
        path.rename(mine)
    except FileNotFoundError:
        return None
    text = mine.read_text()
    mine.unlink(missing_ok=True)
    return text
