"""The broker of embedded mode: messages as files in a folder.

Kombu's own lets a reader take a file that its writer has opened and not yet written, which ends the worker,
and it ends, too, where the folder is gone. Here a message appears whole, and folders come back by themselves.
"""

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

import structlog
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

log = structlog.get_logger("chiron.broker")


class Channel(filesystem.Channel):
    """Writes and takes messages by renaming: what another process sees is all or nothing."""

    def _put(self, queue: str, payload: object, **_: object) -> None:  # type: ignore[override]
        _write_whole(self._folder() / f"{time.time_ns()}_{uuid.uuid4()}.{queue}.msg", payload)

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
            _write_whole(self.control_folder / f"{exchange}.exchange", [row, *table])

    def _messages(self, queue: str) -> list[Path]:
        """The files of the queue, oldest first."""
        files = self._folder().iterdir()
        return sorted(path for path in files if path.name.partition(".")[2] == f"{queue}.msg")

    def _folder(self) -> Path:
        folder = Path(self.data_folder_in)
        folder.mkdir(parents=True, exist_ok=True)
        return folder


class Transport(filesystem.Transport):
    Channel = Channel


def _write_whole(path: Path, content: object) -> None:
    draft = path.with_name(f"{uuid.uuid4()}.draft")
    draft.write_text(dumps(content))
    draft.rename(path)


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
