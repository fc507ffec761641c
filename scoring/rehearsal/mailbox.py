"""Sign-in codes out of the folder the embedded mail backend writes to."""

import re
import threading
import time
from collections import Counter
from email import message_from_bytes
from email.message import Message
from email.policy import default
from pathlib import Path

CODE = re.compile(r"^\s*([A-Z0-9]{3,}(?:-[A-Z0-9]{3,})?)\s*$", re.MULTILINE)

END_OF_MAIL = b"-" * 79 + b"\n"


class CodeNotReceived(Exception):
    """No mail with a code came in time; the address stays out of the message."""


class Mailbox:
    """Finds the newest code mailed to an address. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.Lock()
        self.read: Counter[str] = Counter()
        self.codes: dict[str, str] = {}
        self.new_codes()

    def code_for(self, email: str, *, timeout: float = 20.0) -> str:
        """Wait for a code sent after this mailbox was made, and take it."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            with self.lock:
                self.codes.update(self.new_codes())
                if email in self.codes:
                    return self.codes.pop(email)
            time.sleep(0.02)
        raise CodeNotReceived(f"no sign-in code arrived in {self.folder} within {timeout:.0f} s")

    def new_codes(self) -> list[tuple[str, str]]:
        """(address, code) of every mail that came since the last look."""
        new = []
        for file in sorted(self.folder.glob("*.log")):
            codes = codes_in(file)
            new += codes[self.read[file.name] :]
            self.read[file.name] = len(codes)
        return new


def codes_in(file: Path) -> list[tuple[str, str]]:
    """(address, code) of every whole mail; two that are sent at the same moment can share a file."""
    *mails, _ = file.read_bytes().split(END_OF_MAIL)
    return [code for mail in mails if (code := code_in(mail))]


def code_in(mail: bytes) -> tuple[str, str] | None:
    """(address, code) of one mail, None where it holds no code."""
    message: Message = message_from_bytes(mail, policy=default)
    found = CODE.search(str(message.get_payload()))
    return (str(message["To"]).lower(), found[1]) if found and message["To"] else None
