"""What people agree to: the list of what is recorded, and what text and list are recognised by."""

import hashlib

import pytest

from studies.protocol.consents import RECORDED_SENTENCES, consent_sha256, recorded_items
from studies.protocol.settings import PROFILE_QUESTIONS, ProtocolSettings


def protocol(**values: object) -> ProtocolSettings:
    return ProtocolSettings.model_validate(values)


@pytest.mark.parametrize(
    ("code", "off", "on"),
    [
        ("credential", {"credential_file": "off"}, {"credential_file": "required"}),
        ("profile:field", {"profile_questions": ["level"]}, {"profile_questions": ["field"]}),
        ("practice", {"practice_prompts": []}, {"practice_prompts": ["Try this."]}),
        ("practice_workspace", {"practice_prompts": []}, {"practice_prompts": ["Try this."]}),
        ("check", {"comprehension_check": False}, {"comprehension_check": True}),
        ("note", {"note_per_prompt": False}, {"note_per_prompt": True}),
        ("confidence", {"confidence_per_prompt": False}, {"confidence_per_prompt": True}),
    ],
)
def test_a_setting_puts_what_it_asks_for_on_the_list(
    code: str, off: dict[str, object], on: dict[str, object]
) -> None:
    assert code not in recorded_items(protocol(**off))
    assert code in recorded_items(protocol(**on))
    assert consent_sha256(protocol(**off)) != consent_sha256(protocol(**on))


def test_what_every_study_records_is_always_on_the_list() -> None:
    always = {"email", "consent", "decision", "times", "answers", "revisions", "resources", "messages"}
    assert always <= set(recorded_items(protocol(profile_questions=[], credential_file="off")))


def test_every_profile_question_has_its_sentence() -> None:
    assert {f"profile:{question}" for question in PROFILE_QUESTIONS} <= RECORDED_SENTENCES.keys()


def test_the_order_in_which_questions_are_written_does_not_matter() -> None:
    one, other = (
        protocol(profile_questions=["field", "level"]),
        protocol(profile_questions=["level", "field"]),
    )
    assert consent_sha256(one) == consent_sha256(other)


def test_the_hash_is_known_in_advance() -> None:
    """Stored hashes stay comparable: canonical JSON of the text and the codes."""
    settings = protocol(consent_text="Be it so.", profile_questions=[], practice_prompts=[])
    recorded = '["email","credential","decision","consent","times","answers","revisions","resources"'
    recorded += ',"messages","extra_time","withdrawal"]'
    expected = hashlib.sha256(f'{{"recorded":{recorded},"text":"Be it so."}}'.encode()).hexdigest()
    assert consent_sha256(settings) == expected


def test_another_text_is_another_hash_and_another_budget_is_not() -> None:
    assert consent_sha256(protocol(consent_text="A")) != consent_sha256(protocol(consent_text="B"))
    assert consent_sha256(protocol(time_budget_minutes=10)) == consent_sha256(protocol())
