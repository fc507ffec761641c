"""Sign-in codes as the embedded mail backend writes them."""

from pathlib import Path

import pytest

from operations.rehearsal.mailbox import CodeNotReceived, Mail, Mailbox


def mail(to: str, code: str) -> str:
    return f"Subject: Sign in\nTo: {to}\n\nYour code:\n\n{code}\n\n{'-' * 79}\n"


def test_two_mails_of_the_same_moment_can_share_a_file(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path)
    (tmp_path / "1.log").write_text(mail("a@example.org", "AAA-BBB"))
    assert mailbox.code_for("a@example.org") == "AAA-BBB"
    with (tmp_path / "1.log").open("a") as file:
        file.write(mail("b@example.org", "CCC-DDD"))
    assert mailbox.code_for("b@example.org") == "CCC-DDD"


def test_a_code_is_taken_once_and_earlier_mail_is_left(tmp_path: Path) -> None:
    (tmp_path / "1.log").write_text(mail("a@example.org", "AAA-BBB"))
    mailbox = Mailbox(tmp_path)
    with pytest.raises(CodeNotReceived):
        mailbox.code_for("a@example.org", timeout=0.05)
    (tmp_path / "2.log").write_text(mail("a@example.org", "CCC-DDD"))
    assert mailbox.code_for("a@example.org") == "CCC-DDD"
    with pytest.raises(CodeNotReceived):
        mailbox.code_for("a@example.org", timeout=0.05)


def test_a_mail_that_is_still_being_written_is_not_read(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path)
    (tmp_path / "1.log").write_text(mail("a@example.org", "AAA-BBB")[:-40])
    with pytest.raises(CodeNotReceived):
        mailbox.code_for("a@example.org", timeout=0.05)


def test_an_invitation_is_known_by_its_link_and_is_no_code(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path)
    link = "http://127.0.0.1:8000/invitations/aZ_09-x/"
    (tmp_path / "1.log").write_text(f"Subject: Come\nTo: A@example.org\n\nOnce:\n\n{link}\n{'-' * 79}\n")
    (tmp_path / "2.log").write_text(mail("b@example.org", "AAA-BBB"))
    assert mailbox.new_mails() == [
        Mail("a@example.org", None, link),
        Mail("b@example.org", "AAA-BBB", None),
    ]
    assert mailbox.new_mails() == []
