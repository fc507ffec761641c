"""Lists of people as spreadsheet programs leave them, by page and by command."""

import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.translation import override

from studies.forms.people_file import read_people, read_people_lines
from studies.models import Invitation, Participant, Study
from studies.services.people.participants import EmailInvalid, normal_email
from studies.services.people.people_import import PeopleRefused, participants_import

pytestmark = pytest.mark.django_db
UPLOAD = "/staff/studies/pilot/invitations/list/"


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pilot")


def said(content: bytes) -> list[str]:
    return [str(problem) for problem in read_people_lines(content).problems]


def test_empty_columns_of_a_spreadsheet_are_read_over(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("email,profile,,\nanna@example.org,stem-phd,,\nole@example.org,stem-phd,,\n")
    call_command("import_participants", "pilot", str(path))
    assert Participant.objects.filter(study=study).count() == 2


def test_an_address_with_a_character_that_nobody_sees_says_which(study: Study, client: Client) -> None:
    assert said(
        "email,profile\nnina@example.org\u00a0,stem-phd\n\u200bole@example.org,stem-phd\n".encode()
    ) == ["line 3, email: holds U+200B (invisible); remove it"]
    with pytest.raises(EmailInvalid, match=r'"ole@example\.org" is no e-mail address: it holds U\+2060'):
        normal_email("ole@exam\u2060ple.org")
    assert normal_email(" Ole@Example.org\u00a0") == "ole@example.org"


def test_profiles_and_statuses_are_taken_by_their_names(study: Study, now: datetime) -> None:
    profile = study.protocol.profiles[0]
    lines = f"a@example.org,{profile.name.upper()},Approved\nb@example.org,{profile.slug},\n"
    content = f"email,profile,status\n{lines}"
    participants_import(study=study, reading=read_people_lines(content.encode()), now=now)
    found = Participant.objects.order_by("user__email").values_list("profile", "vetting_status")
    assert list(found) == [(profile.slug, "approved"), (profile.slug, "submitted")]


def test_eight_hundred_problems_of_a_kind_are_one(study: Study, now: datetime, staff: Client) -> None:
    rows = "".join(f"p{n}@example.org,astronaut\n" for n in range(800))
    content = f"email,profile\n{rows}nobody,stem-phd\n".encode()
    with pytest.raises(PeopleRefused) as refused:
        participants_import(study=study, reading=read_people_lines(content), now=now)
    head, *kinds = str(refused.value).splitlines()
    assert head == "Nobody was added; problems found: 801"
    assert len(kinds) == 2
    assert kinds[0].startswith('line 2, 3 and 798 more, profile: "astronaut" is no profile of this study')
    file = io.BytesIO(content)
    file.name = "people.csv"
    shown = staff.post(UPLOAD, {"file": file}).text
    assert "801 problems were found" in " ".join(shown.split())
    assert shown.count("is no profile of this study") == 1
    with override("de"):
        with pytest.raises(PeopleRefused) as german:
            participants_import(study=study, reading=read_people_lines(content), now=now)
        assert "Zeile 2, 3 und 798 weitere, profile: " in str(german.value)
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"PK\x03\x04 xl/workbook.xml", "is an Excel workbook, but CSV is expected; open it and save it as"),
        (b"\xd0\xcf\x11\xe0" + bytes(500), "is an Excel workbook, but CSV is expected"),
        (b"%PDF-1.7", "is a PDF, but CSV is expected; choose the right file"),
        (b'{"canary": "x", "examples": []}', "is JSON, but CSV is expected; choose the right file"),
        ("email,profile\nj\u00f6rg@example.org,stem-phd\n".encode("utf-16"), "is not UTF-8 but UTF-16; save"),
        ("email,profile\nj\u00f6rg@example.org,stem-phd\n".encode("cp1252"), "line 2: is not UTF-8; save"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_one_sentence_by_page_and_command(
    study: Study, staff: Client, tmp_path: Path, settings: LazySettings, content: bytes, sentence: str
) -> None:
    settings.SITE_URL = "https://study.example.org"
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    for command in ("import_participants", "invite_participants"):
        with pytest.raises(CommandError) as refused:
            call_command(command, "pilot", str(path))
        assert str(refused.value).splitlines()[1].startswith(sentence)
    file = io.BytesIO(content)
    file.name = "people.csv"
    shown = " ".join(staff.post(UPLOAD, {"file": file}).text.split())
    assert "Nobody was invited: 1 problem was found" in shown
    assert sentence in shown
    assert not Invitation.objects.exists()


def test_a_folder_is_one_sentence(tmp_path: Path) -> None:
    (problem,) = map(str, read_people(tmp_path).problems)
    assert problem == f"{tmp_path}: is a folder, but a file is expected; name the file in it"
