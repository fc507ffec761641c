"""Sign-in codes and invitation links out of the folder the embedded mail backend writes to."""

import re
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Protocol

from django.core.mail import EmailMessage as DjangoMessage

CODE = re.compile(r"^\s*([A-Z0-9]{3,}(?:-[A-Z0-9]{3,})?)\s*$", re.MULTILINE)
LINK = re.compile(r"https?://\S+/invitations/\S+")
END_OF_MAIL = b"-" * 79 + b"\n"


@dataclass(frozen=True)
class Mail:
    """What one mail brought its addressee; None for what it does not hold."""

    email: str
    code: str | None
    link: str | None


class CodeNotReceived(Exception):
    """No mail with a code came in time; the address stays out of the message."""


class Codes(Protocol):
    """Where a simulated person finds the code that they were mailed."""

    def code_for(self, email: str) -> str: ...


@dataclass(frozen=True)
class KeptMails:
    """Codes in the mails of a rehearsal inside this process, which are sent to nobody."""

    mails: Sequence[DjangoMessage]

    def code_for(self, email: str) -> str:
        """The newest one. Raises CodeNotReceived."""
        for message in reversed(self.mails):
            if message.to == [email] and (code := CODE.search(str(message.body))):
                return code[1]
        raise CodeNotReceived("the sign-in page sent no code")


class Mailbox:
    """Finds the newest code mailed to an address. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.Lock()
        self.read: Counter[str] = Counter()
        self.codes: dict[str, str] = {}
        self.new_mails()

    def code_for(self, email: str, *, timeout: float = 60.0) -> str:
        """Wait for a code sent after this mailbox was made, and take it."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            with self.lock:
                self.codes.update((mail.email, mail.code) for mail in self.new_mails() if mail.code)
                if email in self.codes:
                    return self.codes.pop(email)
            time.sleep(0.02)
        raise CodeNotReceived(f"no sign-in code arrived in {self.folder} within {timeout:.0f} s")

    def new_mails(self) -> list[Mail]:
        """Every mail that came since the last look."""
        new = []
        for file in sorted(self.folder.glob("*.log")):
            with suppress(FileNotFoundError):  # old ones are deleted
                # Two that are sent at the same moment can share a file, whose end is not a whole mail yet.
                contents = file.read_bytes().split(END_OF_MAIL)[:-1]
                for content in contents[self.read[file.name] :]:
                    message: EmailMessage = message_from_bytes(content, policy=default)
                    plain = message.get_body(preferencelist=("plain",))
                    text = str(plain.get_content()) if plain else ""
                    code, link = CODE.search(text), LINK.search(text)
                    new.append(Mail(str(message["To"]).lower(), code and code[1], link and link[0]))
                self.read[file.name] = len(contents)
        return new
