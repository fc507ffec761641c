"""The content digest of a bank."""

import hashlib
import json
from pathlib import Path

from hypothesis import given, strategies as st

from formats.canonical import canonical_json
from studies.bank.chiron_format import read_chiron
from studies.bank.digest import bank_digest
from studies.bank.records import AttachmentRecord, BankRecord, CriterionRecord, PromptRecord

FILLED = st.text(min_size=1, max_size=20).filter(lambda text: text.strip() != "" and "\0" not in text)
PROMPTS = st.lists(
    st.builds(
        PromptRecord,
        prompt_id=FILLED.map(lambda text: text.strip()),
        text=FILLED,
        gold_answer=FILLED,
        labels=st.lists(FILLED, max_size=3).map(tuple),
    ),
    unique_by=lambda prompt: prompt.prompt_id,
    max_size=6,
)


def bank_of(*prompts: PromptRecord, **more: object) -> BankRecord:
    return BankRecord.model_validate({"format": "chiron", "prompts": prompts, **more})


def prompt(**changes: object) -> PromptRecord:
    values = {"prompt_id": "p1", "text": "t", "gold_answer": "1", **changes}
    return PromptRecord.model_validate(values)


def attachment(**changes: object) -> AttachmentRecord:
    values = {"name": "a.png", "path": "a.png", "media_type": "image/png", "size_bytes": 3, "sha256": "00"}
    return AttachmentRecord.model_validate({**values, **changes})


def test_the_digest_is_the_sha256_of_this_very_text() -> None:
    bank = bank_of(prompt(text="é", attachments=(attachment(),)), canaries=("z", "a"))
    text = (
        '{"canaries":["a","z"],"format":"chiron","prompts":[{"attachments":[{"media_type":"image/png",'
        '"name":"a.png","sha256":"00"}],"category":"","citations":"","criteria":[],"gold_answer":"1",'
        '"labels":[],"prompt_id":"p1","solution":"","split":"public","subcategory":"","task":"",'
        '"text":"é","text_format":"plain"}]}'
    )
    assert bank_digest(bank) == hashlib.sha256(text.encode()).hexdigest()


@given(prompts=PROMPTS, data=st.data())
def test_the_order_of_prompts_does_not_matter(prompts: list[PromptRecord], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(prompts))
    assert bank_digest(bank_of(*prompts)) == bank_digest(bank_of(*shuffled))


@given(
    pairs=st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=6),
    data=st.data(),
)
def test_the_order_of_keys_does_not_matter(pairs: dict[str, int | str], data: st.DataObject) -> None:
    clean = {key: value for key, value in pairs.items() if json.dumps(key).isascii()}
    shuffled = dict(data.draw(st.permutations(list(clean.items()))))
    assert canonical_json({"x": clean}) == canonical_json({"x": shuffled})


@given(prompts=PROMPTS.filter(bool), other=FILLED)
def test_another_text_is_another_digest(prompts: list[PromptRecord], other: str) -> None:
    changed = prompts[0].model_copy(update={"text": prompts[0].text + other})
    assert bank_digest(bank_of(*prompts)) != bank_digest(bank_of(changed, *prompts[1:]))


def test_the_place_of_an_attachment_and_the_banks_name_do_not_matter() -> None:
    here = bank_of(prompt(attachments=(attachment(path="media/a.png"),)), name="one")
    there = bank_of(prompt(attachments=(attachment(path="b/a.png"),)), name="two")
    assert bank_digest(here) == bank_digest(there)


def test_the_bytes_of_an_attachment_and_the_order_of_criteria_do_matter() -> None:
    one, two = CriterionRecord(text="one"), CriterionRecord(text="two")
    banks = [
        bank_of(prompt(attachments=(attachment(sha256="01"),))),
        bank_of(prompt(attachments=(attachment(sha256="02"),))),
        bank_of(prompt(criteria=(one, two))),
        bank_of(prompt(criteria=(two, one))),
        bank_of(prompt(), canaries=("c",)),
        bank_of(prompt()),
    ]
    assert len({bank_digest(bank) for bank in banks}) == 6


def test_the_same_lines_elsewhere_in_another_order_are_the_same_bank(tmp_path: Path) -> None:
    lines = [
        '{"id": "a", "text": "x", "gold_answer": "1"}',
        '{"gold_answer": "2",   "text": "y", "id": "b", "labels": []}',
    ]
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    paths[0].write_text("\n".join(lines))
    paths[1].write_text("\r\n\r\n".join(reversed(lines)))
    first, second = (bank_digest(read_chiron(path).bank) for path in paths)
    assert first == second
