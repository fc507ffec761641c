"""Texts of a study in several languages: its own in each, or one sentence that it is in another."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from console.selectors.readiness import readiness
from studies.models import Consent, Participant, Study
from studies.protocol.settings import ProtocolRefused, read_settings
from studies.selectors.told import agreed_sha256
from studies.services.amendments import study_amend
from tests.studies.lifecycle.drafts import draft

pytestmark = pytest.mark.django_db
GERMAN = {"language": "de", "consent_text": "Ich **willige** ein."}


def test_a_german_page_shows_the_german_text_or_says_that_it_is_only_there_in_english(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], now: datetime
) -> None:
    study = make_study(slug="pilot")
    client = Client(HTTP_ACCEPT_LANGUAGE="de")
    client.force_login(make_person(study).user)
    page = client.get("/studies/pilot/consent/").content.decode()
    assert "Diesen Text gibt es nur auf Englisch." in page
    assert '<div lang="en">' in page
    study_amend(study=study, changes={"translations": [GERMAN]}, reason="German", now=now)
    page = client.get("/studies/pilot/consent/").content.decode()
    assert ("<strong>willige</strong>" in page, "nur auf Englisch" in page) == (True, False)
    assert "nur auf Englisch" in client.get("/studies/pilot/instructions/").content.decode()
    english = Client(HTTP_ACCEPT_LANGUAGE="en")
    english.force_login(Participant.objects.get().user)
    assert "only available" not in english.get("/studies/pilot/consent/").content.decode()
    shown = agreed_sha256(Study.objects.get())
    client.post("/studies/pilot/consent/", {"decision": "accept", "shown": shown})
    texts = list(Consent.objects.order_by("pk").values_list("text", flat=True))
    assert (len(texts), texts[-1]) == (2, "Ich **willige** ein.")


def test_the_list_before_the_lock_names_a_language_without_texts(now: datetime) -> None:
    study = draft(now)
    named = [one.sentence for one in readiness(study, now).entries if one.page == "translations"]
    assert named == ["German is a language of this site, and the study has texts that are not in it."]


def test_a_language_is_written_once() -> None:
    with pytest.raises(ProtocolRefused, match='the language "de" twice'):
        read_settings({"translations": [GERMAN, GERMAN]})
