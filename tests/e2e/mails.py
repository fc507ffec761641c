"""Links out of the mails that the worker of these tests has sent."""

import re
import time
from email import message_from_bytes
from email.policy import default
from pathlib import Path

from operations.rehearsal.mailbox import END_OF_MAIL

MAIL_SECONDS = 60


def mailed_link(folder: Path, email: str) -> str:
    """The path of the link in the mail to this address, once a worker has sent it."""
    waits_until = time.monotonic() + MAIL_SECONDS
    while not (links := mailed_links(folder, email)):
        assert time.monotonic() < waits_until, f"nothing was mailed to {email}"
        time.sleep(0.2)
    return links[-1]


def mailed_links(folder: Path, email: str) -> list[str]:
    links = []
    for file in sorted(folder.glob("*.log"), key=lambda file: file.stat().st_mtime_ns):
        for mail in file.read_bytes().split(END_OF_MAIL):
            message = message_from_bytes(mail, policy=default)
            plain = message.get_body(preferencelist=("plain",)) if message["To"] else None
            found = re.search(r"(/invitations/\S+/)", plain.get_content() if plain else "")
            if found and message["To"].lower() == email:
                links.append(found[1])
    return links
