"""Sign-in codes out of the folder the embedded mail backend writes to."""

import re
import threading
import time
from email import message_from_bytes
from email.message import Message
from email.policy import default
from pathlib import Path

CODE = re.compile(r"^\s*([A-Z0-9]{3,}(?:-[A-Z0-9]{3,})?)\s*$", re.MULTILINE)


class CodeNotReceived(Exception):
    """No mail with a code came in time; the address stays out of the message."""


class Mailbox:
    """Finds the newest code mailed to an address. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.Lock()
        self.read: set[str] = {file.name for file in folder.glob("*.log")} if folder.is_dir() else set()
        self.codes: dict[str, str] = {}

    def code_for(self, email: str, *, timeout: float = 20.0) -> str:
        """Wait for a code sent after this mailbox was made, and take it."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            with self.lock:
                self.collect()
                if email in self.codes:
                    return self.codes.pop(email)
            time.sleep(0.02)
        raise CodeNotReceived(f"no sign-in code arrived in {self.folder} within {timeout:.0f} s")

    def collect(self) -> None:
        for file in self.folder.glob("*.log"):
            if file.name not in self.read and (code := code_in(file)):
                self.read.add(file.name)
                self.codes[code[0]] = code[1]


def code_in(file: Path) -> tuple[str, str] | None:
    """(address, code) of one mail; None while it is still being written."""
    mail: Message = message_from_bytes(file.read_bytes(), policy=default)
    found = CODE.search(str(mail.get_payload()))
    return (str(mail["To"]).lower(), found[1]) if found and mail["To"] else None
