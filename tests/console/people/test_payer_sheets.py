"""The payer's file as spreadsheet programs leave it: read by the one reader of such tables."""

import re
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from batches.models import PaymentReport, Session
from studies.models import Participant, Study

pytestmark = pytest.mark.django_db
MONEY = "/staff/studies/pay/payments/"
RULE = {
    "currency": "EUR", "flat": "20", "hourly": "0", "hours_cap": "", "bonus": "0", "bonus_answers": "1",
    "pays_withdrawn": "on",
}  # fmt: skip


@pytest.fixture
def codes(
    make_study: Callable[..., Study], make_person: Callable[[Study], Participant],
    work: Callable[..., Session], staff: Client,
) -> list[str]:  # fmt: skip
    study = make_study(slug="pay", replicates_per_profile=9)
    people = [make_person(study) for _ in range(2)]
    for person in people:
        work(person, {"p001": "1"})
    staff.post(f"{MONEY}rule/", RULE)
    return [person.code for person in people]


def upload(client: Client, content: bytes | str) -> str:
    raw = content.encode() if isinstance(content, str) else content
    reply = client.post(f"{MONEY}upload/", {"file": SimpleUploadedFile("payer.csv", raw)}, follow=True)
    return re.sub(r"\s+", " ", reply.text)


def test_semicolons_decimal_commas_names_of_states_and_empty_columns_are_read(
    staff: Client, codes: list[str]
) -> None:
    ada, bob = codes
    text = f"Code;State;Paid_amount;;\r\n{ada};PAID;12,50;;\r\n{bob};Ordered;;;\r\n"
    assert "Recorded: 2. Known before: 0." in upload(staff, text)
    found = PaymentReport.objects.values_list("participant__code", "state", "amount")
    assert {(code, state, amount and str(amount)) for code, state, amount in found} == {
        (ada, "paid", "12.50"), (bob, "ordered", None),
    }  # fmt: skip


def test_every_problem_is_named_those_of_a_kind_as_one_and_nothing_is_recorded(
    staff: Client, codes: list[str]
) -> None:
    ada, bob = codes
    strangers = "".join(f"P-NOB{n:03},paid,1\n" for n in range(300))
    text = f"code,state,paid_amount\n{strangers}{ada},paid,12,50\n{bob}\u200b,paid,1\n"
    shown = upload(staff, text)
    assert "line 302: has 4 cells for 3 columns; put cells with a delimiter in quotes" in shown
    assert "line 303, code: holds U+200B (invisible); remove it" in shown
    assert not PaymentReport.objects.exists()
    shown = upload(staff, f"code,state,paid_amount\n{strangers}")
    assert "Nothing was recorded: 300 problems were found in the file" in shown
    assert (
        "line 2, 3 and 298 more (here line 2): nobody who is to be paid has the code &quot;P-NOB000" in shown
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"PK\x03\x04 xl/workbook.xml", "is an Excel workbook, but CSV is expected; open it and save it as"),
        ("code,state\nP-1,paid\n".encode("utf-16"), "is not UTF-8 but UTF-16; save the file as UTF-8"),
        ("code,state,note\nP-1,paid,J\u00f6rg\n".encode("cp1252"), "line 2: is not UTF-8; save the file as"),
        (b'{"canary": "x", "examples": []}', "is JSON, but CSV is expected; choose the right file"),
    ],
)
def test_a_file_of_another_kind_is_one_sentence(
    staff: Client, codes: list[str], content: bytes, sentence: str
) -> None:
    shown = upload(staff, content)
    assert "Nothing was recorded: 1 problem was found in the file" in shown
    assert sentence in shown
