import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from formats.item_parameters import (
    ItemParameter,
    ItemParameters,
    ItemParametersRefused,
    read_item_parameters,
    write_item_parameters,
)

PARAMETERS = ItemParameters(
    items=(
        ItemParameter("p1", a=1.25, b=-0.1, subcategory="QR-DA", prompt_set="public"),
        ItemParameter("p2", a=0.1 + 0.2, b=13.0, subcategory="Räumlich"),
    ),
    squeeze_scale=0.998,
    squeeze_offset=0.001,
    sigma_hat=2.5,
    n_models=53,
    r_squared=0.67,
)


def file_with(tmp_path: Path, **changes: Any) -> Path:
    """A valid file with some top-level keys replaced; None removes a key."""
    content = {
        "version": 1,
        "model": "2PL_logit_normal",
        "description": "A bank of one item.",
        "transform": {"squeeze_scale": 0.998, "squeeze_offset": 0.001, "formula": "for people"},
        "calibration": {"sigma_hat": 2.5, "convergence_steps": 10_007},
        "items": {"p1": {"a": 1.0, "b": 0, "subcategory": "QR-DA", "prompt_set": "public"}},
    } | changes
    path = tmp_path / "bank.json"
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return path


def text_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "bank.json"
    path.write_text(text)
    return path


def problems_of(path: Path) -> list[str]:
    with pytest.raises(ItemParametersRefused) as refusal:
        read_item_parameters(path)
    assert str(refusal.value) == "\n".join(str(problem) for problem in refusal.value.problems)
    return [str(problem) for problem in refusal.value.problems]


def test_what_was_written_is_read_back_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "bank.json"

    write_item_parameters(path, PARAMETERS, description="Two items.")

    assert read_item_parameters(path) == PARAMETERS
    assert json.loads(path.read_text(encoding="utf-8"))["calibration"]["n_prompts_calibrated"] == 2


def test_descriptive_keys_are_ignored_and_optional_ones_may_be_absent(tmp_path: Path) -> None:
    path = file_with(tmp_path, items={"p1": {"a": 2, "b": -1.5, "note": "for people"}}, version=None)

    parameters = read_item_parameters(path)

    assert parameters.items == (ItemParameter("p1", a=2.0, b=-1.5),)
    assert parameters.sigma_hat == 2.5
    assert parameters.n_models is None


def test_the_digest_depends_on_the_numbers_and_not_on_the_order_of_the_items() -> None:
    reordered = replace(PARAMETERS, items=PARAMETERS.items[::-1])
    recalibrated = replace(PARAMETERS, sigma_hat=2.6)

    assert len(PARAMETERS.digest) == 64
    assert reordered.digest == PARAMETERS.digest
    assert recalibrated.digest != PARAMETERS.digest


def test_every_problem_of_a_file_is_reported_at_once(tmp_path: Path) -> None:
    path = file_with(
        tmp_path,
        transform={"squeeze_scale": 1.0, "squeeze_offset": 0.001},
        calibration={"sigma_hat": 0},
        items={
            "p1": {"a": -1.0, "b": 0.0},
            "p2": {"a": 0, "b": float("nan")},
            "p3": {"a": "1.0", "b": float("-inf")},
            "p4": {"b": 1.0},
            "p5": 3,
            " p6": {"a": True, "b": 0.0},
        },
    )

    assert problems_of(path) == [
        "transform: squeeze_scale + squeeze_offset must be below 1, or a score of 1 has no logit",
        "calibration.sigma_hat: is 0; write a number above 0",
        "p1, a: is -1.0; write a number above 0",
        "p2, a: is 0; write a number above 0",
        "p2, b: is not a finite number; write an ordinary number",
        "p3, a: is text, but a number is expected",
        "p3, b: is not a finite number; write an ordinary number",
        "p4, a: is missing; add it",
        "p5: is a number, but an object is expected",
        " p6: begins or ends with white space; remove it",
        " p6, a: is true or false, but a number is expected",
    ]


def test_a_repeated_prompt_is_refused_although_json_allows_it(tmp_path: Path) -> None:
    path = text_file(
        tmp_path,
        '{"transform": {"squeeze_scale": 0.998, "squeeze_offset": 0.001}, "calibration": {"sigma_hat": 2},'
        ' "items": {"p1": {"a": 1, "b": 0}, "p2": {"a": 0, "b": 0}, "p1": {"a": 2, "b": 0}}}',
    )

    assert problems_of(path) == [
        "the key 'p1' occurs twice; keep one",
        "p2, a: is 0; write a number above 0",
    ]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"items": {}}, "items: has too few entries; at least 1 is needed"),
        ({"items": None}, "items: is missing; add it"),
        ({"items": []}, "items: is a list, but an object is expected"),
        ({"calibration": None}, "calibration: is missing; add it"),
        (
            {"transform": {"squeeze_scale": 0.998}},
            "transform.squeeze_offset: is missing; add it",
        ),
        (
            {"transform": {"squeeze_scale": 0.998, "squeeze_offset": 0}},
            "transform.squeeze_offset: is 0; write a number above 0",
        ),
        (
            {"model": "3PL"},
            "model: is '3PL', but '2PL_logit_normal' or '2PL_logistic' is expected",
        ),
        ({"version": 2}, "version: is 2, but 1 is expected"),
        ({"items": {"p1": {"a": 1e200, "b": 0}}}, "p1, a: is above 1000000; write 1000000 or less"),
        ({"items": {"p1": {"a": 1, "b": -1e7}}}, "p1, b: is below -1000000; write -1000000 or more"),
        (
            {"items": {"p1": {"a": 1, "b": 10**400}}},
            "p1, b: is not a finite number; write an ordinary number",
        ),
        (
            {"items": {"p1": {"a": 1, "b": 0, "subcategory": "s" * 101}}},
            "p1, subcategory: is longer than 100 characters; shorten it",
        ),
        (
            {"items": {"p1": {"a": 1, "b": 0, "prompt_set": "s" * 21}}},
            "p1, prompt_set: is longer than 20 characters; shorten it",
        ),
        (
            {"calibration": {"sigma_hat": 2.5, "n_models": 2**31}},
            "calibration.n_models: is above 2147483647; write 2147483647 or less",
        ),
        (
            {"items": {"p1": {"a": 1, "b": 0, "subcategory": "\ud800"}}},
            "p1, subcategory: contains half of a surrogate pair, which is no character; remove it",
        ),
        (
            {"items": {"\ud800": {"a": 1, "b": 0}}},
            "\\ud800: contains half of a surrogate pair, which is no character; remove it",
        ),
        ({"items": {"p" * 201: {"a": 1, "b": 0}}}, f"{'p' * 201}: is longer than 200 characters; shorten it"),
        ({"items": {" ": {"a": 1, "b": 0}}}, " : is blank; write something or leave the entry out"),
        (
            {"items": {"p1": {"a": 1, "b": 0, "subcategory": None}}},
            "p1, subcategory: is null, but text is expected; put it in quotes",
        ),
        (
            {"calibration": {"sigma_hat": 2.5, "n_models": 3.0}},
            "calibration.n_models: is a number, but a whole number is expected",
        ),
        (
            {"calibration": {"sigma_hat": 2.5, "r_squared": 1.5}},
            "calibration.r_squared: is above 1; write 1 or less",
        ),
        ({"transform": 3}, "transform: is a number, but an object is expected"),
    ],
)
def test_a_wrong_part_is_named(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    assert problems_of(file_with(tmp_path, **changes)) == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1: not JSON (Expecting property name enclosed in double quotes); correct the file"),
        ("", "line 1: not JSON (Expecting value); correct the file"),
        ("[1]", "is a list, but an object is expected"),
        ("[" * 200_000, "nested too deeply to be an item-parameter file"),
    ],
)
def test_a_file_that_is_no_item_bank_is_refused_with_its_reason(
    tmp_path: Path, text: str, problem: str
) -> None:
    assert problems_of(text_file(tmp_path, text)) == [problem]


def test_a_number_of_thousands_of_digits_is_refused(tmp_path: Path) -> None:
    assert problems_of(text_file(tmp_path, '{"items": ' + "9" * 5000 + "}")) == [
        "holds a number of thousands of digits; write an ordinary number"
    ]


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bank.json"
    path.write_bytes('{"items": "ü"}'.encode("latin-1"))

    assert problems_of(path) == [f"{path} is not UTF-8 (byte 12); save it as UTF-8"]


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.json"

    assert problems_of(path) == [
        f"cannot read {path}: No such file or directory; name a readable item-parameter file"
    ]


def test_the_published_bank_is_read_whole(shared_data: Path) -> None:
    parameters = read_item_parameters(shared_data / "gim" / "irt_params.json")

    assert len(parameters.items) == 615
    assert parameters.items[0] == ItemParameter("p00079911", 2.867392, -1.434466, "PR-EX", "public")
    assert parameters.sigma_hat == 2.530444383621216
    assert parameters.n_models == 53
