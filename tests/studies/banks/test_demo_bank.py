"""The demonstration bank: readable, complete, machine-gradable, and with keys that can be recomputed."""

import json
import re
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from fixtures.demo_bank.answer_keys import COMPUTED_ANSWERS
from fixtures.demo_bank.make_item_bank import FOLDER, main as make_item_bank
from fixtures.demo_bank.make_media import MEDIA, make_media
from formats.item_parameters import read_item_parameters
from judging.matching.checks import is_equal, passes
from studies.bank.chiron_format import read_chiron
from studies.bank.records import PromptRecord

READING = read_chiron(FOLDER / "bank.jsonl")
PROMPTS = {prompt.prompt_id: prompt for prompt in READING.bank.prompts}
RUBRICS = [prompt for prompt in PROMPTS.values() if prompt.grading == "rubric"]
EXACTS = [prompt for prompt in PROMPTS.values() if prompt.grading == "exact"]
SUBCATEGORIES = {
    *("LR-DD", "LR-IF", "QR-CL", "QR-WP", "QR-DA", "SI-PS", "SI-TR", "WK-GK", "WK-DM"),
    *("LN-IT", "LN-TR", "LN-EP", "PR-PL", "PR-EX", "CT-AV", "CT-FT", "CT-BD", "CT-CO"),
}


def _id(prompt: PromptRecord) -> str:
    return prompt.prompt_id


def _failed(prompt: PromptRecord, answer: str) -> list[str]:
    return [
        criterion.text
        for criterion in prompt.criteria
        if criterion.check is None or not passes(criterion.check, answer)
    ]


def test_the_bank_reads_without_a_problem() -> None:
    assert READING.problems == ()
    assert len(PROMPTS) == 48
    assert READING.bank.name == "Demonstration bank"


def test_the_bank_carries_its_canary() -> None:
    (canary,) = READING.bank.canaries
    assert "5800e6fe-afff-4c29-9708-cef52e0770dd" in canary


def test_all_seven_categories_and_eighteen_subcategories_occur() -> None:
    assert Counter(prompt.category for prompt in PROMPTS.values()) == {
        "LR": 7,
        "QR": 8,
        "SI": 7,
        "WK": 6,
        "LN": 7,
        "PR": 6,
        "CT": 7,
    }
    assert {prompt.subcategory for prompt in PROMPTS.values()} == SUBCATEGORIES
    assert all(prompt.subcategory.startswith(f"{prompt.category}-") for prompt in PROMPTS.values())


def test_images_documents_formats_and_splits_are_mixed() -> None:
    modalities = Counter(prompt.modality for prompt in PROMPTS.values())
    assert modalities == {"text": 37, "image": 6, "pdf": 4, "mixed": 1}
    assert Counter(prompt.split for prompt in PROMPTS.values()) == {"public": 38, "private": 10}
    assert Counter(prompt.text_format for prompt in PROMPTS.values())["markdown"] >= 15


def test_half_of_the_prompts_are_graded_by_a_rubric_of_two_to_six_criteria() -> None:
    assert (len(EXACTS), len(RUBRICS)) == (26, 22)
    assert all(2 <= len(prompt.criteria) <= 6 for prompt in RUBRICS)


def test_every_criterion_has_a_machine_check() -> None:
    assert all(criterion.check is not None for prompt in RUBRICS for criterion in prompt.criteria)


@pytest.mark.parametrize("prompt", RUBRICS, ids=_id)
def test_the_solution_passes_every_check(prompt: PromptRecord) -> None:
    assert _failed(prompt, prompt.solution) == []


@pytest.mark.parametrize("prompt", RUBRICS, ids=_id)
def test_an_empty_phrase_and_the_prompt_itself_fail_checks(prompt: PromptRecord) -> None:
    assert _failed(prompt, "I do not know.")
    assert _failed(prompt, prompt.text)


@pytest.mark.parametrize("prompt", EXACTS, ids=_id)
def test_the_gold_answer_equals_itself_and_not_an_empty_phrase(prompt: PromptRecord) -> None:
    assert prompt.gold_answer is not None
    assert is_equal(prompt.gold_answer, prompt.gold_answer)
    assert not is_equal("I do not know.", prompt.gold_answer)


@pytest.mark.parametrize("prompt_id", COMPUTED_ANSWERS)
def test_the_key_agrees_with_the_computed_answer(prompt_id: str) -> None:
    prompt, answer = PROMPTS[prompt_id], COMPUTED_ANSWERS[prompt_id]()
    if prompt.gold_answer is None:
        assert _failed(prompt, answer) == []
    else:
        assert answer == prompt.gold_answer


def test_every_media_file_is_used_and_small() -> None:
    used = {attachment.name for prompt in PROMPTS.values() for attachment in prompt.attachments}
    assert used == {path.name for path in MEDIA.iterdir()}
    assert all(path.stat().st_size < 60_000 for path in MEDIA.iterdir())


def test_the_media_can_be_made_again(tmp_path: Path) -> None:
    made = make_media(tmp_path)
    assert {path.name for path in made} == {path.name for path in MEDIA.iterdir()}
    for path in made:
        if path.suffix == ".png":
            assert np.abs(imread(path) - imread(MEDIA / path.name)).mean() < 0.005, path.name
        else:
            assert _streams(path) == _streams(MEDIA / path.name), path.name


def _streams(path: Path) -> list[bytes]:
    """The contents of a PDF, however its bytes were compressed."""
    found = re.findall(rb"stream\n(.*?)\nendstream", path.read_bytes(), re.DOTALL)
    return [zlib.decompress(stream) for stream in found if stream[:1] == b"x"]


def test_every_prompt_has_item_parameters_from_simulated_models() -> None:
    parameters = read_item_parameters(FOLDER / "item_parameters.json")
    assert [item.prompt_id for item in parameters.items] == list(PROMPTS)
    assert {item.prompt_id: (item.subcategory, item.prompt_set) for item in parameters.items} == {
        prompt.prompt_id: (prompt.subcategory, prompt.split) for prompt in PROMPTS.values()
    }
    assert parameters.n_models == 30
    assert "SIMULATED" in json.loads((FOLDER / "item_parameters.json").read_text())["description"]


def test_the_item_bank_can_be_made_again(tmp_path: Path) -> None:
    make_item_bank(tmp_path)
    made, stored = (read_item_parameters(folder / "item_parameters.json") for folder in (tmp_path, FOLDER))
    assert [item.a for item in made.items] == pytest.approx([item.a for item in stored.items], abs=1e-5)
    assert [item.b for item in made.items] == pytest.approx([item.b for item in stored.items], abs=1e-4)
    assert _abilities(tmp_path) == pytest.approx(_abilities(FOLDER), abs=1e-5)


def _abilities(folder: Path) -> dict[str, float]:
    models = json.loads((folder / "models.json").read_text())["models"]
    return {model["name"]: model["theta"] for model in models}
