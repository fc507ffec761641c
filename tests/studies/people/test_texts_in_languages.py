"""Texts of a study in several languages: its own in each, or one sentence that it is in another."""

import re
from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from console.selectors.readiness import readiness
from studies.models import ComprehensionAttempt, Consent, Participant, Study
from studies.protocol.settings import TEXTS, TOLD_TEXTS, ProtocolRefused, read_settings
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
    assert named == [
        "German is a language of this site, and these are not in it: Consent, Instructions, Tools, Receipt, "
        "Payment, Contact, Profiles, Practice, Kinds of resources."
    ]


def test_what_is_read_one_by_one_is_in_the_readers_language_or_said_not_to_be(
    make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    asked = {"question": "Which?", "options": ["This.", "That."], "correct": 2}
    settings = {"comprehension_check": True, "check_questions": [asked], "practice_prompts": ["Try this."]}
    lists = {"practice_prompts": ["Probieren Sie."], "check_questions": ["Welche?\nDiese.\nJene."]}
    translated: dict[bool, list[object]] = {False: [], True: [GERMAN | lists]}
    for is_in, texts in ((False, ("Which?", "Try this.")), (True, ("Jene.", "Probieren Sie."))):
        study = make_study(slug=f"in-{is_in}".lower(), translations=translated[is_in], **settings)
        client = Client(HTTP_ACCEPT_LANGUAGE="de")
        client.force_login(make_person(study).user)
        pages = [f"/studies/{study.slug}/{part}/" for part in ("check", "practice/1")]
        for address, text in zip(pages, texts, strict=True):
            page = client.get(address, follow=True).content.decode()
            assert ("nur auf Englisch" in page, text in page) == (not is_in, True)
    page = client.get(pages[0]).content.decode()
    sent = dict(re.findall(r'name="(attempt|shown)" value="(\w+)"', page))
    client.post(pages[0], {**sent, "question-1": "1"})
    (tried,) = ComprehensionAttempt.objects.get().choices
    assert tried == {"question": "Welche?", "answer": "Diese.", "right": False}


def test_names_of_profiles_arms_and_resources_are_translated_as_a_whole_or_not_at_all() -> None:
    german = {
        "language": "de",
        "profiles": ["Physik", "Recht"],
        "arms": ["Mit Modell.", "Ohne Modell."],
        "resource_categories": ["Bücher"],
    }
    profiles = [{"slug": slug, "name": slug, "description": slug} for slug in ("physics", "law")]
    arms = [{"slug": slug, "instructions": slug} for slug in ("with", "without")]
    settings = read_settings(
        {
            "profiles": profiles,
            "arms": arms,
            "resource_categories": ["Books", "Web"],
            "translations": [german],
        }
    )
    assert settings.entries_in("profiles", "de") == (("Physik", "Recht"), "de")
    assert settings.entries_in("profiles", "en") == (("physics", "law"), "en")
    assert settings.arm_instructions("without", "de") == "Ohne Modell."
    assert settings.entries_in("resource_categories", "de") == (("Books", "Web"), "en")


def test_lists_that_are_not_there_change_no_hash() -> None:
    stored = read_settings({"translations": [GERMAN]}).model_dump(mode="json")["translations"]
    assert set(stored[0]) == {"language", *TEXTS} - set(TOLD_TEXTS)


def test_a_language_is_written_once() -> None:
    with pytest.raises(ProtocolRefused, match='the language "de" twice'):
        read_settings({"translations": [GERMAN, GERMAN]})
