"""What people are told before they agree: the same block in the mail, on the pages behind links, and kept."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import translation

from batches.rules.payments import PaymentTerms
from batches.services.payments import payment_rule_set
from studies.models import Consent, Participant, RecruitingLink, Study, User
from studies.protocol.consents import consent_sha256
from studies.selectors.participants import has_valid_consent
from studies.selectors.told import agreed_sha256, told_lines, told_text
from studies.services.amendments import study_amend
from studies.services.people.consents import consent_record
from studies.services.people.invitation_mails import invitation_mail
from studies.services.people.invitations import invitation_create
from tests.support.told import TOLD

pytestmark = pytest.mark.django_db
BLOCK = [
    ("Who runs it", "Ada Example, Institute of Baselines"),
    ("How to reach them", "study@example.org"),
    ("Your time", "1 hour 30 minutes in one go, for 4 questions"),
    ("Until", "1 June 2030, 12:00 UTC"),
    ("Pay", "20 euros. 12.50 EUR for every hour worked, up to 5 hours."),
    (
        "Leaving",
        "You can withdraw on your own page at any time, without giving a reason. What you wrote is deleted "
        "30 days later.",
    ),
]


@pytest.fixture
def study(make_study: Callable[..., Study], lead: User, now: datetime) -> Study:
    closes_at = now.replace(month=6, day=1, hour=12, minute=0)
    study = make_study(slug="pilot", closes_at=closes_at, time_budget_minutes=90, **TOLD)
    terms = PaymentTerms(hourly=Decimal("12.50"), hours_cap=Decimal(5))
    payment_rule_set(study=study, terms=terms, currency="EUR", now=now, actor=lead)
    return study


def test_the_same_block_is_in_the_mail_behind_both_links_on_the_consent_page_and_in_the_copy(
    study: Study, make_person: Callable[..., Participant], now: datetime
) -> None:
    assert [(line.label, line.text) for line in told_lines(study)] == BLOCK
    invitation = invitation_create(study=study, email="new@example.org", profile="stem-phd", now=now)
    mail = invitation_mail(invitation, "https://site/invitation/x/")
    assert told_text(study) in mail.body
    assert "- the decision on your taking part, with its reason" in mail.body
    assert "20 euros" in str(mail.alternatives[0][0])
    person = make_person(study)
    client = Client()
    client.force_login(person.user)
    link = RecruitingLink.objects.create(
        study=study, profile="stem-phd", token="t" * 20, participant_parameter="pid", opened_at=now
    )
    entry = Client().get(f"/enter/{link.token}/?pid=abc", follow=True).content.decode()
    consent = client.get("/studies/pilot/consent/").content.decode()
    for _label, text in BLOCK:
        assert text.removesuffix(" UTC") in entry
        assert text.removesuffix(" UTC") in consent
    assert [tuple(line) for line in Consent.objects.get().told] == BLOCK
    copy = client.get("/studies/pilot/consent/copy/").content.decode()
    assert "Pay: 20 euros. 12.50 EUR for every hour worked" in copy


def test_what_is_told_is_agreed_to_and_a_later_end_is_no_other_agreement(
    study: Study, make_person: Callable[..., Participant], lead: User, now: datetime
) -> None:
    person = make_person(study)
    assert has_valid_consent(person)
    study_amend(study=study, changes={"closes_at": None}, reason="Longer", now=now)
    assert has_valid_consent(Participant.objects.get())
    amendment = study_amend(study=study, changes={"pay": "30 euros."}, reason="More", now=now)
    assert not has_valid_consent(Participant.objects.get())
    assert amendment.protocol_hash != amendment.protocol_hash_before
    consent_record(participant=Participant.objects.get(), accepted=True, now=now)
    payment_rule_set(study=study, terms=PaymentTerms(flat=Decimal(5)), currency="EUR", now=now, actor=lead)
    assert not has_valid_consent(Participant.objects.get())
    assert [dict(one.told)["Pay"].split(".")[0] for one in Consent.objects.order_by("pk")] == [
        "20 euros", "30 euros",
    ]  # fmt: skip


def test_a_study_that_was_locked_before_keeps_the_hash_its_people_agreed_to(
    make_study: Callable[..., Study], lead: User, now: datetime
) -> None:
    study = make_study()
    payment_rule_set(study=study, terms=PaymentTerms(flat=Decimal(5)), currency="EUR", now=now, actor=lead)
    assert agreed_sha256(study) == consent_sha256(study.protocol)
    assert [line.label for line in told_lines(study)] == ["Your time", "Pay", "Leaving"]


def test_what_people_are_paid_is_told_in_the_readers_language_and_a_change_of_it_asks_anew(
    make_study: Callable[..., Study],
) -> None:
    german = {"language": "de", "pay": "Ein Gutschein über 20 Euro"}
    study = make_study(slug="gutschein", translations=[german], **TOLD)
    with translation.override("de"):
        (told,) = [line.text for line in told_lines(study) if line.label == "Bezahlung"]
        (language,) = [line.text for line in told_lines(study) if line.label == "Sprache"]
        assert "Sprache" not in [line.label for line in told_lines(make_study(slug="kurz"))]
        assert "Sprache: Manches davon" in told_text(make_study(slug="lang"))  # names of profiles
    assert (told, language) == ("Ein Gutschein über 20 Euro", "Manches davon gibt es nur auf Englisch.")
    other = make_study(slug="voucher", translations=[german | {"pay": "Nichts"}], **TOLD)
    assert agreed_sha256(study) != agreed_sha256(other)
