"""The broker of embedded mode: messages as files in a folder. Workers take them by `config.file_broker`."""

import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Self


def write_whole(path: Path, text: str) -> None:
    """Let the file appear with all its text: whoever reads while it is written finds none, or the old one."""
    draft = path.with_name(f"{uuid.uuid4()}.draft")
    draft.write_text(text)
    draft.rename(path)


def message_write(folder: Path, queue: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{time.time_ns()}_{uuid.uuid4()}.{queue}.msg", text)


def messages(folder: Path, queue: str) -> list[Path]:
    """The files of the queue, oldest first."""
    folder.mkdir(parents=True, exist_ok=True)
    return sorted(path for path in folder.iterdir() if path.name.partition(".")[2] == f"{queue}.msg")


class FileBroker:
    """`location` is the folder; nothing there takes time."""

    errors = (OSError,)

    def __init__(self, location: str, timeout: float) -> None:
        del timeout
        self._folder = Path(location)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Nothing is open."""

    def put(self, queue: str, message: str) -> None:
        message_write(self._folder / "queue", queue, message)

    def waiting(self, queue: str) -> int:
        return len(messages(self._folder / "queue", queue))

    def sign_write(self, name: str, sign: str, *, keep_seconds: int) -> None:
        """The file stays for ever: what it says holds the time."""
        del keep_seconds
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._folder / name, sign)

    def sign_read(self, name: str) -> str | None:
        path = self._folder / name
        return path.read_text() if path.exists() else None
