"""What a payer's file says is recorded to the cent and whole, or refused with every problem it has."""

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from batches.models import PaymentReport, Session
from batches.rules.payments import PaymentTerms
from batches.services.payments import payment_rule_set
from studies.models import Participant, Study, User

pytestmark = pytest.mark.django_db
MONEY = "/staff/studies/pay/payments/"


@pytest.fixture
def codes(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    lead: User,
    now: datetime,
) -> list[str]:
    """Of three people who are to be paid."""
    study = make_study(slug="pay", replicates_per_profile=9)
    payment_rule_set(study=study, currency="EUR", terms=PaymentTerms(Decimal(5)), actor=lead, now=now)
    people = [make_person(study) for _ in range(3)]
    for person in people:
        work(person, {"p001": "1"})
    return [person.code for person in people]


def upload(client: Client, text: str) -> tuple[int, str]:
    file = SimpleUploadedFile("payer.csv", text.encode())
    reply = client.post(f"{MONEY}upload/", {"file": file}, follow=True)
    return reply.status_code, re.sub(r"\s+", " ", reply.text)


def recorded() -> list[tuple[Decimal | None, str]]:
    return [(one.amount, one.note) for one in PaymentReport.objects.order_by("pk")]


def test_a_line_with_more_cells_than_columns_is_refused(staff: Client, codes: list[str]) -> None:
    a, b, _c = codes
    for delimiter in (",", ";", "\t"):
        head = f"code{delimiter}state{delimiter}paid_amount"
        lines = [
            delimiter.join((code, "paid", *cells)) for code, cells in ((a, ("12", "50")), (b, ("150", "00")))
        ]
        status, shown = upload(staff, "\n".join([head, *lines]))
        assert status == 422
        for line in (2, 3):
            sentence = f"line {line}: has 4 cells for 3 columns; put cells with a delimiter in quotes"
            assert sentence in shown
    status, shown = upload(staff, f"code,state,note\n{a},paid,first half, the rest in May\n")
    assert (status, "line 2: has 4 cells for 3 columns" in shown) == (422, True)
    assert recorded() == []


@pytest.mark.parametrize(
    ("line", "amount"),
    [
        ("{};paid;12,50", "12.50"),
        ("{};paid;12,5", "12.50"),
        ("{};paid;0,05", "0.05"),
        ("{};paid;150", "150"),
        ("{};paid;12.50", "12.50"),
        ('"{}","paid","12,50"', "12.50"),
        ("{}\tpaid\t12,50", "12.50"),
    ],
)
def test_an_amount_is_read_to_the_cent(staff: Client, codes: list[str], line: str, amount: str) -> None:
    head = "code,state,paid_amount".replace(",", next(mark for mark in ";\t," if mark in line))
    assert upload(staff, f"\ufeff{head}\r\n{line.format(codes[0])}\r\n")[0] == 200
    assert recorded() == [(Decimal(amount), "")]


@pytest.mark.parametrize(
    "amount", ["1.000", "1,000", "1.234,50", "1_0", "1e3", "-5", "12.505", "€5", "٣", "inf"]
)
def test_what_may_be_another_amount_is_refused(staff: Client, codes: list[str], amount: str) -> None:
    status, shown = upload(staff, f"code;state;paid_amount\n{codes[0]};paid;{amount}\n")
    assert status == 422
    assert f"line 2: the amount is &quot;{amount}&quot;; write a number such as 12.50" in shown
    assert recorded() == []


def test_cents_that_fell_into_the_note_are_refused(staff: Client, codes: list[str]) -> None:
    status, shown = upload(staff, f"code,state,paid_amount,note\n{codes[0]},paid,12,50\n")
    assert status == 422
    assert "write 12.50 if that is one amount, and 12.00 if it is not" in shown
    assert upload(staff, f"code,state,paid_amount,note\n{codes[0]},paid,12.00,50\n")[0] == 200
    assert recorded() == [(Decimal(12), "50")]


@pytest.mark.parametrize("columns", ["paid_amount,reference,note", "paid_amount,hours"])
def test_cents_that_fell_into_any_other_column_are_refused(
    staff: Client, codes: list[str], columns: str
) -> None:
    status, shown = upload(staff, f"code,state,{columns}\n{codes[0]},paid,12,50\n")
    assert status == 422
    assert "the amount &quot;12&quot; is followed by &quot;50&quot; in the next cell" in shown
    assert recorded() == []
    semicolons = f"code;state;paid_amount;note\n{codes[0]};paid;12;50\n"
    assert upload(staff, semicolons)[0] == 200, "no comma parts these"
    assert recorded() == [(Decimal(12), "50")]


@pytest.mark.parametrize("cells", [",12.50,", ",,half of it", ",12.50,half of it"])
def test_an_amount_or_a_note_without_a_state_is_not_left_out(
    staff: Client, codes: list[str], cells: str
) -> None:
    a, b, c = codes
    lines = [f"{a},paid,1.00,", f"{b},{cells}", f"{c},,,"]
    status, shown = upload(staff, "\n".join(["code,state,paid_amount,note", *lines]))
    assert status == 422
    assert "line 3: there is an amount or a note and no state; write ordered, paid or failed" in shown
    assert "line 4" not in shown
    assert recorded() == []


def test_a_line_tells_all_that_is_wrong_with_it(staff: Client, codes: list[str]) -> None:
    a, *_ = codes
    text = f"code,state,paid_amount,currency\n{a},paid,x,\nP-NOBODY,posted,y,USD\n{a},paid,1,\n"
    status, shown = upload(staff, f"sep=,\r\n{text}")
    assert status == 422
    for sentence in (
        "line 3: the amount is &quot;x&quot;",
        "line 4: the amount is &quot;y&quot;",
        "line 4: nobody who is to be paid has the code &quot;P-NOBODY&quot;",
        "line 4: the state is &quot;posted&quot;",
        f"line 5: {a} is on line 3 already; keep one line",
    ):
        assert sentence in shown, sentence
    assert recorded() == []


def test_a_note_is_kept_whole_or_refused(staff: Client, codes: list[str]) -> None:
    status, shown = upload(staff, f"code,state,note\n{codes[0]},paid,{'x' * 201}\n")
    assert (status, "line 2: the note has 201 characters; shorten it to 200 at most" in shown) == (422, True)
    status, shown = upload(staff, f"code,state,note\n{codes[0]},paid,a\0b\n")
    assert (status, "line 2, note: contains a NUL character" in shown) == (422, True)
    assert recorded() == []
    worst = 'see;=1, "two"\r\n=3'
    quoted = worst.replace('"', '""')
    assert (
        upload(staff, f'code,state,note\n{codes[0]},paid,"{quoted}"\n{codes[1]},paid,{"x" * 200}\n')[0] == 200
    )
    assert [note for _amount, note in recorded()] == [worst, "x" * 200]
    # as it was downloaded, it says what is known
    file = staff.get(reverse("staff_payments", args=["pay"])).getvalue().decode()
    assert "Recorded: 0. Known before: 2." in upload(staff, file)[1]


def test_every_problem_is_named_and_many_of_a_kind_hide_no_other(staff: Client, codes: list[str]) -> None:
    a, b, c = codes
    lines = [f"P-{n:06},paid,1,"[:-1] for n in range(900)]
    text = "\n".join(
        ["code,state,paid_amount,currency", *lines, f"{a},paid,x,", f"{b},posted,1,USD", f"{c},paid,1,EUR,2"]
    )
    status, shown = upload(staff, text)
    assert status == 422
    for sentence in (
        "Nothing was recorded: 904 problems were found",
        "line 2, 3 and 898 more (here line 2): nobody who is to be paid has the code &quot;P-000000&quot;",
        "line 902: the amount is &quot;x&quot;",
        "line 903: the state is &quot;posted&quot;",
        "line 903: the currency is &quot;USD&quot;",
        "line 904: has 5 cells for 4 columns",
    ):
        assert sentence in shown, sentence
    assert recorded() == []


def test_a_problem_of_a_cell_hides_none_of_its_line(staff: Client, codes: list[str]) -> None:
    a, b, _c = codes
    lines = [f"{a},pa\u00adid,half,US\u200bD,n\0", "P-NOBODY,,1.00,,", f"{b},,x,USD,", f'{b},paid,1,,"open']
    status, shown = upload(staff, "\n".join(["code,state,paid_amount,currency,note", *lines]))
    assert status == 422
    for sentence in (
        "line 2, state: holds U+00AD (invisible)",
        "line 2, currency: holds U+200B (invisible)",
        "line 2, note: contains a NUL character",
        "line 2: the amount is &quot;half&quot;",
        "line 2: the currency is &quot;USD&quot;",
        "line 3: nobody who is to be paid has the code &quot;P-NOBODY&quot;",
        "line 3: there is an amount or a note and no state",
        "line 4: there is an amount or a note and no state",
        "line 4: the amount is &quot;x&quot;",
        "line 4: the currency is &quot;USD&quot;",
        "line 5: is no CSV (unexpected end of data)",
    ):
        assert sentence in shown, sentence
    assert "Nothing was recorded: 11 problems were found" in shown
    assert recorded() == []


def test_a_quotation_mark_that_is_never_closed_swallows_no_lines(staff: Client, codes: list[str]) -> None:
    a, b, _c = codes
    status, shown = upload(staff, f'code,state,note\n{a},paid,"half\n{b},paid,\n')
    assert (status, "line 2: is no CSV (unexpected end of data)" in shown) == (422, True)
    assert recorded() == []
