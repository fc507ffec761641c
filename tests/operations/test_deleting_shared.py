"""What studies share is deleted by who uploaded or made it, once, and its files go with it."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from threading import Barrier

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client

from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from operations.services.deleting import Gone, site_row_delete
from studies.bank.building import BankReading
from studies.bank.records import AttachmentRecord, BankRecord, PromptRecord
from studies.models import BankVersion, SiteEvent, User
from studies.protocol.judge_texts import JudgeTexts
from studies.services.banks import bank_import, item_bank_import, judge_protocol_import
from studies.services.clock import server_now
from studies.services.staff.staff import staff_add
from tests.access.attacks import ITEMS

pytestmark = pytest.mark.django_db(transaction=True)
SETTINGS = JudgeSettings(base_url="http://127.0.0.1:9/v1", model="m")
TEXTS = JudgeTexts(
    exact="{question} {answer} {predicted_answer}", rubric="{answer} {model_response} {rubric_string}",
    source="",
)  # fmt: skip


@pytest.fixture
def upload(tmp_path: Path) -> Callable[..., BankVersion]:
    """Import a bank with a question for each of these pictures."""

    def importing(slug: str, *pictures: str, actor: User) -> BankVersion:
        for name in pictures:
            (tmp_path / name).write_bytes(name.encode())
        prompts = tuple(
            PromptRecord(
                prompt_id=name, text="What is this?", gold_answer="1",
                attachments=(
                    AttachmentRecord(
                        name=name, path=name, media_type="image/png", size_bytes=len(name),
                        sha256=hashlib.sha256(name.encode()).hexdigest(),
                    ),
                ),
            )
            for name in pictures
        )  # fmt: skip
        reading = BankReading(bank=BankRecord(format="chiron", prompts=prompts), problems=(), root=tmp_path)
        return bank_import(slug=slug, reading=reading, strict=True, now=server_now(), actor=actor).version

    return importing


@pytest.fixture
def maker() -> User:
    return staff_add(email="maker@example.org", creates_studies=True)[0]


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_only_who_uploaded_or_made_it_and_who_runs_the_site_may(
    upload: Callable[..., BankVersion], maker: User, staff: Client, now: datetime
) -> None:
    other = browser_of(staff_add(email="other@example.org", creates_studies=True)[0])
    judge = judge_add(slug="judge", settings=SETTINGS, actor=maker, now=now)
    items, _ = item_bank_import(slug="items", parameters=ITEMS, now=now, actor=maker)
    texts, _ = judge_protocol_import(slug="texts", texts=TEXTS, now=now, actor=maker)
    rows = [
        ("bank", upload("bank", "a.png", actor=maker).pk, "/staff/banks/bank/1/"),
        ("judge", judge.pk, "/staff/judges/judge/"),
        ("item-bank", items.pk, "/staff/item-banks/"),
        ("judge-texts", texts.pk, "/staff/judge-texts/"),
    ]
    for kind, number, page in rows:
        address = f"/staff/delete/{kind}/{number}/"
        assert address not in other.get(page).text
        for refused in (other.get(address), other.post(address)):
            assert (kind, refused.status_code) == (kind, 403)
            assert "Only who uploaded or made it may delete it" in refused.text
        assert address in browser_of(maker).get(page).text
        assert "It is deleted." in browser_of(maker).post(address, follow=True).text
    unknown = item_bank_import(slug="items", parameters=ITEMS, now=now)[0]  # by a command
    assert browser_of(maker).post(f"/staff/delete/item-bank/{unknown.pk}/").status_code == 403
    assert "It is deleted." in staff.post(f"/staff/delete/item-bank/{unknown.pk}/", follow=True).text


def test_files_that_no_other_bank_has_go_at_once(upload: Callable[..., BankVersion], lead: User) -> None:
    one, two = upload("one", "a.png", "b.png", actor=lead), upload("two", "b.png", actor=lead)

    def kept() -> list[bytes]:
        return sorted(path.read_bytes() for path in Path(settings.MEDIA_ROOT).rglob("*.png"))

    site_row_delete(row=one, typed="", actor=lead, now=server_now())
    assert kept() == [b"b.png"]
    # What is being imported has its files before it has its rows.
    draft = BankVersion.everything.create(
        bank=two.bank, number=0, is_published=False, imported_at=server_now()
    )
    site_row_delete(row=two, typed="", actor=lead, now=server_now())
    assert kept() == [b"b.png"]
    assert BankVersion.everything.get() == draft


def test_who_deletes_what_is_gone_is_told_so(upload: Callable[..., BankVersion], lead: User) -> None:
    version = upload("bank", "a.png", actor=lead)
    site_row_delete(row=version, typed="", actor=lead, now=server_now())
    with pytest.raises(Gone, match="It was deleted already"):
        site_row_delete(row=version, typed="", actor=lead, now=server_now())


def test_of_two_who_delete_at_once_one_does_and_nobody_meets_an_error(
    upload: Callable[..., BankVersion], lead: User
) -> None:
    number, together = upload("bank", "a.png", actor=lead).pk, Barrier(2)

    def delete(client: Client) -> tuple[int, bool, bool]:
        together.wait()
        try:
            said = client.post(f"/staff/delete/bank/{number}/", follow=True)
        finally:
            connections.close_all()
        return said.status_code, "It is deleted." in said.text, "It was deleted already" in said.text

    with ThreadPoolExecutor(2) as pool:
        found = sorted(pool.map(delete, [browser_of(lead), browser_of(lead)]))
    assert (200, True, False) in found
    assert found.count((200, True, False)) == 1
    assert {(200, False, True), (404, False, False)} & set(found)
    assert SiteEvent.objects.count() == 1
