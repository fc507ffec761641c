"""Payments: the rule, the amounts, and the payer's word by file both ways."""

import csv
import io
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from batches.models import PaymentReport, PaymentRule, Session
from batches.rules.payments import PaymentTerms
from batches.selectors.payments import pay_lines
from batches.services.payments import payment_rule_set
from console.selectors.money import pay_numbers
from studies.models import Participant, Study, StudyEvent, User
from tests.access.forms_shown import forms_of

pytestmark = pytest.mark.django_db
MONEY = "/staff/studies/pay/payments/"
RULE = {
    "currency": "EUR", "flat": "20", "hourly": "12.50", "hours_cap": "4", "bonus": "10", "bonus_answers": "2",
    "pays_withdrawn": "on",
}  # fmt: skip


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study(slug="pay", replicates_per_profile=9)


@pytest.fixture
def people(
    study: Study, make_person: Callable[..., Participant], work: Callable[..., Session]
) -> dict[str, Participant]:
    """One hour handed in, five out of time, one withdrawn after an hour, one at work, one to come."""
    found = {end: make_person(study) for end in ("submitted", "expired", "withdrawn", "active", "to_come")}
    for end in ("submitted", "expired", "withdrawn"):
        work(found[end], {"p001": "1", "p002": "2"} if end == "submitted" else {"p001": "1"}, end=end)
    session = work(found["active"], {}, end="active")
    Session.objects.filter(pk=session.pk).update(deadline_at=session.deadline_at.replace(year=2999))
    return found


def page(client: Client, **query: str) -> str:
    return re.sub(r"\s+", " ", client.get(MONEY, query).text)


def upload(client: Client, text: str) -> tuple[int, str]:
    file = SimpleUploadedFile("payer.csv", text.encode())
    reply = client.post(f"{MONEY}upload/", {"file": file}, follow=True)
    return reply.status_code, re.sub(r"\s+", " ", reply.text)


def downloaded(client: Client) -> dict[str, dict[str, str]]:
    reply = client.get(reverse("staff_payments", args=["pay"]))
    return {row["code"]: row for row in csv.DictReader(io.StringIO(reply.getvalue().decode("utf-8-sig")))}


def test_a_rule_is_set_on_the_page_and_the_sums_follow_it_to_the_cent(
    staff: Client, study: Study, people: dict[str, Participant], lead: User
) -> None:
    assert "No rule says yet what people are paid." in page(staff)
    assert {row["owed"] for row in downloaded(staff).values()} == {""}
    assert staff.post(f"{MONEY}rule/", RULE).status_code == 302
    rows = downloaded(staff)
    owed = {end: rows[person.code]["owed"] for end, person in people.items()}
    # 20 + 1 x 12.50 + 10; 20 + 4 of 5 x 12.50; 20 + 12.50; nobody knows yet of the others
    assert owed == {
        "submitted": "42.50",
        "expired": "70.00",
        "withdrawn": "32.50",
        "active": "",
        "to_come": "",
    }
    shown = page(staff)
    assert 'Owed so far</span> <span class="value">145.00 <small>EUR' in shown
    assert '<span class="note"> 3 people </span>' in shown, "the other two are owed nothing that is known"
    assert 'Not known yet</span> <span class="value">2<' in shown
    assert shown.count("no state reported</span>") == 5
    event = StudyEvent.objects.get(kind="payment_rule_set")
    assert (event.actor, event.details["hourly"]) == (lead, "12.50")
    again = re.sub(r"\s+", " ", staff.post(f"{MONEY}rule/", RULE, follow=True).text)
    assert "The rule says this already" in again
    assert PaymentRule.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"currency": "euro"}, "Write the three capital letters"),
        ({"flat": "-1"}, "Write 0 or more"),
        ({"flat": "0", "hourly": "0", "bonus": "0"}, "All amounts are zero"),
        ({"hourly": "12.505"}, "no more than 2 decimal places"),
    ],
)
def test_a_rule_with_a_mistake_keeps_what_was_written(
    staff: Client, study: Study, change: dict[str, str], sentence: str
) -> None:
    reply = staff.post(f"{MONEY}rule/", RULE | change)
    assert reply.status_code == 422
    assert sentence in reply.text
    assert f'value="{next(iter(change.values()))}"' in reply.text
    assert not PaymentRule.objects.exists()


def test_the_second_of_two_who_set_the_rule_is_told_and_overwrites_nothing(
    staff: Client, study: Study, lead: User
) -> None:
    """Two pages that were opened without a rule, then one with the first's."""
    (opened,) = [form for form in forms_of(page(staff), MONEY) if form.name == "staff_money_rule"]
    staff.post(f"{MONEY}rule/", opened.values | RULE | {"flat": "10"})
    told = staff.post(f"{MONEY}rule/", opened.values | RULE | {"flat": "25"})
    assert told.status_code == 409
    assert told.text.count("Another rule was set after you opened this page.") == 1
    assert 'value="25"' in told.text, "what was typed stays"
    assert "10.00 EUR" in re.sub(r"\s+", " ", told.text), "beside what is stored"
    assert PaymentRule.objects.get().flat == 10
    wrong = staff.post(f"{MONEY}rule/", opened.values | RULE | {"flat": "-1"}).text
    for text, status in ((wrong, 409), (told.text, 302)):
        (again,) = [form for form in forms_of(text, MONEY) if form.name == "staff_money_rule"]
        assert staff.post(f"{MONEY}rule/", again.values | {"flat": "25"}).status_code == status
    assert [rule.flat for rule in PaymentRule.objects.all()] == [10, 25]


def test_the_payer_s_states_come_back_by_file_and_the_same_file_changes_nothing(
    staff: Client, people: dict[str, Participant], lead: User
) -> None:
    staff.post(f"{MONEY}rule/", RULE)
    ada, bob, cy = (people[end].code for end in ("submitted", "expired", "withdrawn"))
    text = (
        "code;state;paid_amount;currency;note\n"
        f"{ada};paid;42.50;EUR;\n{bob.lower()};Paid;50;eur;=SUM(A1)\n{cy};failed;;;no account\n"
    )
    assert "Recorded: 3. Known before: 0." in upload(staff, text)[1]
    assert "Recorded: 0. Known before: 3." in upload(staff, text)[1]
    rows = downloaded(staff)
    assert [(rows[code]["state"], rows[code]["paid_amount"]) for code in (ada, bob, cy)] == [
        ("paid", "42.50"), ("paid", "50.00"), ("failed", ""),
    ]  # fmt: skip
    shown = page(staff)
    assert 'Reported as paid</span> <span class="value">92.50' in shown
    assert "1 was paid another amount than is owed" in shown
    assert 'Still to pay</span> <span class="value">32.50' in shown
    assert bob in page(staff, state="differs")
    assert ada not in page(staff, state="differs")
    assert StudyEvent.objects.get(kind="payments_reported").details == {"states": {"paid": 2, "failed": 1}}
    # the list that was downloaded can be sent back as it is
    download = staff.get(reverse("staff_payments", args=["pay"])).getvalue().decode()
    assert "Recorded: 0. Known before: 3." in upload(staff, download)[1]


def test_a_file_with_mistakes_names_each_line_and_nothing_is_recorded(
    staff: Client, people: dict[str, Participant]
) -> None:
    staff.post(f"{MONEY}rule/", RULE)
    ada, bob = people["submitted"].code, people["expired"].code
    status, shown = upload(
        staff,
        f"code,state,paid_amount,currency\n{ada},paid,1,USD\nP-NOBODY,paid,,\n{bob},posted,,\n{ada},paid,,\n",
    )
    assert status == 422
    assert "Nothing was recorded: 4 problems were found" in shown
    for sentence in (
        "line 2: the currency is &quot;USD&quot;, and the rule of the study says EUR",
        "line 3: nobody who is to be paid has the code &quot;P-NOBODY&quot;",
        "line 4: the state is &quot;posted&quot;; write ordered, paid or failed",
        f"line 5: {ada} is on line 2 already; keep one line",
    ):
        assert sentence in shown
    assert not PaymentReport.objects.exists()
    for text, sentence in (
        ("\n", "the file is empty; begin it with the line code,state"),
        ("code,state\n", "The file reports nothing"),
        (f"code,state,State\n{ada},paid,failed\n", "columns that are there twice: state; keep one"),
        (f"code,state,paid_amount\n{ada},paid,1e9999\n", "line 2: the amount is"),
        (f"code,state,paid_amount\n{ada},paid,١٢.505\n", "line 2: the amount is"),
        ("code,state\n" + "P-AAAAAA,paid\n" * 20_001, "more than 20,000 lines; divide it"),
    ):
        status, shown = upload(staff, text)
        assert (status, sentence in shown) == (422, True), sentence
    binary = staff.post(f"{MONEY}upload/", {"file": SimpleUploadedFile("a.csv", b"\xff\xfe\x00")})
    assert "not UTF-8" in binary.text
    assert "Choose the file that the payer sent." in staff.post(f"{MONEY}upload/", {}).text


def test_hundreds_of_people_cost_as_many_queries_as_one(
    staff: Client, study: Study, lead: User, now: datetime, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    payment_rule_set(study=study, currency="EUR", terms=PaymentTerms(Decimal(5)), actor=lead, now=now)
    users = User.objects.bulk_create(User(email=f"p{n:04}@example.org") for n in range(2000))
    people = Participant.objects.bulk_create(
        Participant(
            study=study, user=user, code=f"P-{n:06}", profile="stem-phd", submitted_at=now,
            vetting_status="approved",
        )
        for n, user in enumerate(users)
    )  # fmt: skip
    PaymentReport.objects.bulk_create(
        PaymentReport(participant=person, state="ordered", reported_by=lead, reported_at=now)
        for person in people
    )
    with django_assert_max_num_queries(15):
        shown = page(staff, state="ordered", page="2")
    assert "Page 2 of 40" in shown


@pytest.mark.parametrize("hourly", ["0", "0.01", "12.50", "18", "33.33", "1234.56"])
@pytest.mark.parametrize("cap", [None, Decimal("0.01"), Decimal("2.5")])
def test_the_sums_are_those_of_the_lines_also_where_a_second_is_half_a_cent(
    study: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    lead: User,
    now: datetime,
    hourly: str,
    cap: Decimal | None,
) -> None:
    for seconds in (0, 1, 2, 3, 35, 36, 37, 143, 4_321):
        session = work(make_person(study), {"p001": "1"}, end="submitted")
        ended_at = session.started_at + timedelta(seconds=seconds, milliseconds=999)
        Session.objects.filter(pk=session.pk).update(ended_at=ended_at)
    terms = PaymentTerms(flat=Decimal("0.05"), hourly=Decimal(hourly), hours_cap=cap)
    payment_rule_set(study=study, currency="EUR", terms=terms, actor=lead, now=now)
    rule = PaymentRule.objects.get(study=study)
    sums, numbers = pay_numbers(study, rule, now)
    lines = pay_lines(study, rule, now)
    assert sums.owed == sum(line.owed.total for line in lines if line.owed) > 0
    assert (sums.people, numbers[""]) == (9, 9)
