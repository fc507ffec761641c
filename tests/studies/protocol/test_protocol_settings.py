"""The settings of a study and the hash of a frozen protocol."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from studies.protocol.consents import RECORDED_SENTENCES, recorded_items
from studies.protocol.fingerprint import design_hash, protocol_hash
from studies.protocol.settings import PILOT_PROFILES, ProtocolRefused, ProtocolSettings, read_settings


def refusals(**values: object) -> tuple[str, ...]:
    with pytest.raises(ProtocolRefused) as refused:
        read_settings(values)
    return refused.value.sentences


def hash_of(settings: ProtocolSettings, **changes: str | None) -> str:
    digests = {"bank_digest": "b", "item_bank_digest": "i", "judge_protocol_hash": "j", **changes}
    return design_hash(
        settings,
        bank_digest=digests["bank_digest"] or "",
        item_bank_digest=digests["item_bank_digest"],
        judge_protocol_hash=digests["judge_protocol_hash"],
    )


def test_the_defaults_are_the_published_pilot() -> None:
    settings = read_settings({})
    assert (settings.batch_size, settings.time_budget_minutes, settings.top_size) == (20, 300, 15)
    assert [profile.slug for profile in settings.profiles] == [
        "stem-undergraduate",
        "stem-phd",
        "non-stem-undergraduate",
    ]
    assert settings.replicates_per_profile == 2
    assert (settings.overdue_rule, settings.missing_rule) == ("saved_counts", "as_missing")
    assert (settings.judge_kind, settings.match_rules) == ("llm", None)
    assert settings.late_tolerance_seconds == 10


def test_settings_survive_being_stored_as_json() -> None:
    settings = read_settings({"judge_kind": "match", "match_rules": "bbh", "resource_categories": ["Books"]})
    assert read_settings(settings.model_dump(mode="json")) == settings


def test_the_default_texts_name_no_vendor_and_what_is_recorded_is_listed() -> None:
    settings = ProtocolSettings()
    texts = " ".join(
        (settings.instructions, settings.allowed_tools, settings.consent_text, *settings.resource_categories)
    )
    vendors = r"google|gemini|openai|gpt|anthropic|claude|labelbox|arxiv"
    assert re.search(vendors, texts, re.IGNORECASE) is None
    shown = " ".join(RECORDED_SENTENCES[code] for code in recorded_items(settings))
    assert re.search(vendors, shown, re.IGNORECASE) is None
    for recorded in ("e-mail address", "profile", "every version", "first opened each question", "resources"):
        assert recorded in shown


def test_all_wrong_settings_are_named_together() -> None:
    assert refusals(
        batch_size=0, time_budget_minutes="300", overdue_rule="none", sample=3, instructions=" "
    ) == (
        "batch_size is below 1; write 1 or more.",
        "time_budget_minutes is text, but a whole number is expected.",
        "overdue_rule is 'none', but 'saved_counts' or 'submitted_only' is expected.",
        "instructions is blank; write the text participants are to see.",
        "sample is not a known field; remove it or correct its name.",
    )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"judge_kind": "match"},
            'match_rules is needed by the judge "match"; give it or choose another judge.',
        ),
        (
            {"match_rules": "bbeh"},
            'match_rules is only for the judge "match"; leave it out or choose that judge.',
        ),
        (
            {"judge_kind": "command"},
            'judge_command is needed by the judge "command"; give it or choose another judge.',
        ),
        (
            {"judge_kind": "checks", "judge_command": "units"},
            'judge_command is only for the judge "command"; leave it out or choose that judge.',
        ),
        (
            {"judge_kind": "oracle", "judge_command": "units"},
            "judge_kind is 'oracle', but 'llm', 'match', 'checks' or 'command' is expected.",
        ),
        ({"profiles": []}, "profiles has no entries; write at least one."),
        (
            {"profiles": [PILOT_PROFILES[0], PILOT_PROFILES[0]]},
            'profiles uses the slug "stem-undergraduate" twice; give every profile its own.',
        ),
        (
            {"profiles": [{"slug": "STEM PhD", "name": "x", "description": "y"}]},
            'profiles[1].slug is "STEM PhD"; '
            "use lower-case letters, digits and single hyphens, such as stem-phd.",
        ),
        (
            {"profiles": [{"slug": "x", "name": " ", "description": "y"}]},
            "profiles[1].name is blank; write the text participants are to see.",
        ),
        (
            {"resource_categories": ["Books", "books "]},
            'resource_categories names "books" twice; keep one of them.',
        ),
        ({"consent_text": "a\0"}, "consent_text contains a NUL character (U+0000); remove it."),
        (
            {"instructions": "a\ud800"},
            "instructions contains half of a surrogate pair, which is no character; remove it.",
        ),
        ({"top_size": True}, "top_size is true or false, but a whole number is expected."),
        ({"assembly_seed": -1}, "assembly_seed is below 0; write 0 or more."),
        ({"late_tolerance_seconds": 301}, "late_tolerance_seconds is above 300; write 300 or less."),
        (
            {"time_budget_minutes": 1, "late_tolerance_seconds": 60},
            "late_tolerance_seconds reaches the whole time budget; lower it or raise the budget.",
        ),
        (
            {"answer_max_characters": 1_000_001},
            "answer_max_characters is above 1000000; write 1000000 or less.",
        ),
    ],
)
def test_a_wrong_setting_is_named_with_its_remedy(values: dict[str, object], sentence: str) -> None:
    assert refusals(**values) == (sentence,)


def test_the_hash_is_stable_and_moves_with_every_part() -> None:
    settings = ProtocolSettings()
    stored = read_settings(settings.model_dump(mode="json"))
    hashes = [
        hash_of(settings),
        hash_of(settings.model_copy(update={"top_size": 16})),
        hash_of(settings.model_copy(update={"instructions": "Answer."})),
        *(hash_of(read_settings({"judge_kind": "command", "judge_command": name})) for name in ("a", "b")),
        hash_of(settings, bank_digest="b2"),
        hash_of(settings, item_bank_digest="i2"),
        hash_of(settings, item_bank_digest=None),
        hash_of(settings, judge_protocol_hash="j2"),
        hash_of(settings, judge_protocol_hash=None),
        hash_of(settings, item_bank_digest="j", judge_protocol_hash="i"),
    ]
    assert hash_of(stored) == hashes[0]
    assert re.fullmatch("[0-9a-f]{64}", hashes[0])
    assert len(set(hashes)) == len(hashes)


def test_the_hash_of_a_protocol_moves_with_its_opening_times_and_knows_moments_not_spellings() -> None:
    noon = datetime(2030, 5, 1, 12, tzinfo=UTC)
    design = hash_of(ProtocolSettings())
    hashes = [
        protocol_hash(design, opens_at=None, closes_at=None),
        protocol_hash(design, opens_at=noon, closes_at=None),
        protocol_hash(design, opens_at=None, closes_at=noon),
        protocol_hash(design, opens_at=None, closes_at=noon + timedelta(microseconds=1)),
        protocol_hash("another design", opens_at=None, closes_at=noon),
    ]
    assert len({design, *hashes}) == 6
    there = noon.astimezone(timezone(timedelta(hours=2)))
    assert protocol_hash(design, opens_at=None, closes_at=there) == hashes[2]


def test_arms_are_none_or_several_with_names_of_their_own() -> None:
    arms = [{"slug": slug, "instructions": "Do it."} for slug in ("alone", "with-ai")]
    settings = read_settings({"arms": arms})
    assert settings.arm_slugs == ("alone", "with-ai")
    assert settings.has_fixed_places
    assert not read_settings({}).has_fixed_places
    assert read_settings({"assembly": "matrix"}).has_fixed_places
    with pytest.raises(ProtocolRefused, match="arms has one entry; write two or more, or none"):
        read_settings({"arms": arms[:1]})
    with pytest.raises(ProtocolRefused, match='arms uses the slug "alone" twice'):
        read_settings({"arms": [arms[0], arms[0]]})
    with pytest.raises(ProtocolRefused, match=r"arms\[2\]\.slug"):
        read_settings({"arms": [arms[0], {**arms[1], "slug": "With AI"}]})


def test_that_a_person_has_an_arm_is_said_in_the_list_of_what_is_recorded() -> None:
    arms = [{"slug": slug, "instructions": "Do it."} for slug in ("alone", "with-ai")]
    assert "arm" in recorded_items(read_settings({"arms": arms}))
    assert "arm" not in recorded_items(read_settings({}))
