"""The project's own bank format."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from formats.files import Limits
from studies.bank.chiron_format import read_chiron
from studies.bank.records import ContainsCheck, WordCountCheck

BLANK = "is blank; write something or leave the entry out"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8


def write_lines(folder: Path, *lines: str | Mapping[str, object]) -> Path:
    path = folder / "bank.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def line(**changes: object) -> dict[str, object]:
    return {"id": "p1", "text": "How many?", "gold_answer": "12", **changes}


def sentences(folder: Path, *lines: str | Mapping[str, object]) -> list[str]:
    return [str(problem) for problem in read_chiron(write_lines(folder, *lines)).problems]


def test_the_documented_example_is_a_valid_bank(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "bank-format.md"
    example = re.search(r"```jsonl\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "flags.png").write_bytes(PNG)

    reading = read_chiron(write_lines(tmp_path, *example[1].splitlines()))

    assert reading.problems == ()
    assert reading.root == tmp_path
    assert reading.bank.name == "A small example"
    assert reading.bank.canaries == ("EXAMPLE CANARY 0000",)
    cube, flags, prime = reading.bank.prompts
    assert (cube.prompt_id, cube.gold_answer, cube.grading, cube.modality) == (
        "ex-001",
        "12",
        "exact",
        "text",
    )
    assert flags.text_format == "markdown"
    assert flags.criteria[0].check == ContainsCheck(any_of=("red", "crimson"), ignore_case=True)
    assert (flags.grading, flags.modality, flags.labels) == ("rubric", "image", ("flags",))
    assert flags.attachments[0].path == "media/flags.png"
    assert flags.attachments[0].size_bytes == 16
    assert [criterion.check for criterion in prime.criteria] == [None, WordCountCheck(maximum=30)]
    assert prime.split == "private"


def test_every_field_and_check_kind_is_documented() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "bank-format.md").read_text(encoding="utf-8")
    from_code = [
        "id",
        "text",
        "format",
        "gold_answer",
        "criteria",
        "category",
        "subcategory",
        "task",
        "labels",
    ]
    from_code += ["split", "attachments", "solution", "citations", "contains", "excludes", "number"]
    from_code += ["word_count", "equals"]
    assert [name for name in from_code if f"`{name}`" not in page] == []


def test_a_valid_prompt_survives_the_problems_of_the_others(tmp_path: Path) -> None:
    path = write_lines(tmp_path, line(id="good"), line(id="bad", text=" "), "{", line(id="fine"))
    reading = read_chiron(path)
    assert [prompt.prompt_id for prompt in reading.bank.prompts] == ["good", "fine"]
    assert [problem.line for problem in reading.problems] == [2, 3]


def test_all_problems_of_one_prompt_are_reported_together(tmp_path: Path) -> None:
    broken = {
        "id": "p1",
        "text": "",
        "format": "html",
        "criteria": [
            {"text": "ok"},
            {"text": " ", "check": {"kind": "number", "value": "7", "tolerance": -1}},
        ],
        "lables": ["x"],
        "attachments": ["none.png"],
    }
    assert sentences(tmp_path, broken) == [
        "line 1, p1, text: is blank; write something or leave the entry out",
        "line 1, p1, format: is 'html', but 'plain' or 'markdown' is expected",
        "line 1, p1, criteria[2].text: is blank; write something or leave the entry out",
        "line 1, p1, criteria[2].check.value: is text, but a number is expected",
        "line 1, p1, criteria[2].check.tolerance: is below 0; write 0 or more",
        'line 1, p1, lables: is not a known field; did you mean "labels"?',
        'line 1, p1, attachments[1]: "none.png" is missing; put the file there or correct the path',
    ]


def test_neither_answer_nor_rubric_is_a_problem(tmp_path: Path) -> None:
    message = "gold_answer, criteria: both are absent; a prompt needs an answer or a rubric to be graded"
    bare = {"id": "p1", "text": "Why?"}
    assert sentences(tmp_path, bare, line(id="p2", gold_answer=None, criteria=[])) == [
        f"line 1, p1, {message}",
        f"line 2, p2, {message}",
    ]


def test_a_repeated_id_names_the_first_line_and_the_first_prompt_is_kept(tmp_path: Path) -> None:
    reading = read_chiron(write_lines(tmp_path, line(text="first"), line(id="p2"), line(text="second")))
    assert [prompt.text for prompt in reading.bank.prompts] == ["first", "How many?"]
    assert [str(problem) for problem in reading.problems] == [
        "line 3, p1, id: is already used in line 1; give each prompt its own id"
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"id": ""}, "line 1, id: is blank; write something or leave the entry out"),
        ({"id": " p1"}, "line 1,  p1, id: begins or ends with white space; remove it"),
        ({"id": 7}, "line 1, id: is a number, but text is expected; put it in quotes"),
        ({"gold_answer": 12}, "line 1, p1, gold_answer: is a number, but text is expected; put it in quotes"),
        ({"gold_answer": ""}, "line 1, p1, gold_answer: is blank; write something or leave the entry out"),
        ({"text": None}, "line 1, p1, text: is null, but text is expected; put it in quotes"),
        ({"text": "a\0b"}, "line 1, p1, text: contains a NUL character (U+0000); remove it"),
        (
            {"text": "a\ud800b"},
            "line 1, p1, text: contains half of a surrogate pair, which is no character; remove it",
        ),
        ({"labels": "a, b"}, "line 1, p1, labels: is text, but a list is expected"),
        ({"split": "secret"}, "line 1, p1, split: is 'secret', but 'public' or 'private' is expected"),
        ({"category": "c" * 101}, "line 1, p1, category: is longer than 100 characters; shorten it"),
        ({"attachments": "a.png"}, "line 1, p1, attachments: is text, but a list of paths is expected"),
        ({"attachments": [1]}, "line 1, p1, attachments[1]: is a number, but a path in quotes is expected"),
        ({"criteria": ["x"]}, "line 1, p1, criteria[1]: is text, but an object is expected"),
    ],
)
def test_a_bad_field_is_named_with_its_remedy(
    tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    assert sentences(tmp_path, line(**changes)) == [sentence]


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        ({"any_of": ["x"]}, 'check: names no kind; add a "kind"'),
        (
            {"kind": "regex"},
            "check: has the unknown kind 'regex'; "
            "use one of 'contains', 'excludes', 'number', 'word_count', 'equals'",
        ),
        ({"kind": "contains", "any_of": []}, "check.any_of: has no entries; write at least one"),
        ({"kind": "contains", "any_of": [" "]}, f"check.any_of[1]: {BLANK}"),
        ({"kind": "equals"}, "check.any_of: is missing; add it"),
        (
            {"kind": "excludes", "none_of": ["x"], "ignore_case": 1},
            "check.ignore_case: is a number, but true or false is expected",
        ),
        ({"kind": "number", "value": True}, "check.value: is true or false, but a number is expected"),
        (
            {"kind": "number", "value": float("inf")},
            "check.value: is not a finite number; write an ordinary number",
        ),
        ({"kind": "word_count"}, "check: needs a minimum, a maximum or both"),
        ({"kind": "word_count", "minimum": 5, "maximum": 4}, "check: has a minimum above its maximum"),
        (
            {"kind": "word_count", "maximum": 4.5},
            "check.maximum: is a number, but a whole number is expected",
        ),
        (
            {"kind": "equals", "any_of": ["x"], "ignore_case": True},
            "check.ignore_case: is not a known field; remove it or correct its name",
        ),
    ],
)
def test_an_impossible_check_is_named_with_its_remedy(
    tmp_path: Path, check: dict[str, object], sentence: str
) -> None:
    criteria = [{"text": "ok", "check": check}]
    assert sentences(tmp_path, line(criteria=criteria)) == [f"line 1, p1, criteria[1].{sentence}"]


def test_an_id_may_have_200_characters_and_no_more(tmp_path: Path) -> None:
    reading = read_chiron(write_lines(tmp_path, line(id="x" * 200), line(id="y" * 201)))
    assert [len(prompt.prompt_id) for prompt in reading.bank.prompts] == [200]
    assert [problem.message for problem in reading.problems] == ["is longer than 200 characters; shorten it"]


def test_a_field_that_appears_twice_is_not_silently_overwritten(tmp_path: Path) -> None:
    twice = '{"id": "p1", "text": "a", "gold_answer": "1", "text": "b"}'
    assert sentences(tmp_path, twice) == [
        'line 1, JSON: cannot be used: the field "text" appears twice in one object; keep one'
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"id": }', "line 1, JSON: breaks off at column 8 (Expecting value); correct the JSON"),
        ("[1]", "line 1, JSON: is a list, but an object in braces is expected"),
        ("[" * 200_000, "line 1, JSON: is nested too deeply; flatten it"),
        ("9" * 5_000, "line 1, JSON: holds a number of thousands of digits; write an ordinary number"),
        (
            '{"id": "p\0"}',
            "line 1, encoding: contains a NUL character (U+0000); remove it",
        ),
    ],
)
def test_a_broken_line_is_reported_with_its_place(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentences(tmp_path, text) == [sentence]


def test_a_byte_that_is_not_utf8_is_reported_with_line_and_position(tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    good = json.dumps(line()).encode()
    path.write_bytes(good + b'\n{"id": "caf\xe9"}\n')
    reading = read_chiron(path)
    assert len(reading.bank.prompts) == 1
    assert [str(problem) for problem in reading.problems] == [
        "line 2, encoding: has the byte 0xe9 at position 12, which is not UTF-8; save as UTF-8"
    ]


def test_byte_order_mark_blank_lines_crlf_and_line_separators_are_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    text = json.dumps(line(text="one\u2028two\x85three"), ensure_ascii=False)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n\r\n\n")
    reading = read_chiron(path)
    assert reading.problems == ()
    assert reading.bank.prompts[0].text == "one\u2028two\x85three"


def test_an_unknown_version_or_header_field_is_reported_and_the_prompts_still_read(tmp_path: Path) -> None:
    header = {"chiron_bank": 2, "name": 5, "title": "x"}
    reading = read_chiron(write_lines(tmp_path, header, line()))
    assert [str(problem) for problem in reading.problems] == [
        "line 1, title: is not a known field; the fields are chiron_bank, name, canary, categories",
        "line 1, chiron_bank: names a version this program does not read; write 1",
        "line 1, name: is a number, but text is expected; put it in quotes",
    ]
    assert len(reading.bank.prompts) == 1
    assert reading.bank.name == ""


def test_the_canary_is_kept_although_another_field_of_the_header_is_wrong(tmp_path: Path) -> None:
    header = {"chiron_bank": 1, "name": 5, "canary": "CANARY", "licence": "?"}
    reading = read_chiron(write_lines(tmp_path, header, line()))
    assert [problem.field for problem in reading.problems] == ["licence", "name"]
    assert reading.bank.canaries == ("CANARY",)


def test_a_canary_that_cannot_be_stored_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    header = {"chiron_bank": 1, "name": "a\0", "canary": "\udfff"}
    assert sentences(tmp_path, header, line()) == [
        "line 1, name: contains a NUL character (U+0000); remove it",
        "line 1, canary: contains half of a surrogate pair, which is no character; remove it",
    ]


def test_a_missing_empty_or_too_large_file_and_a_folder_are_one_problem_each(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b" \n")
    big = write_lines(tmp_path, line())
    header_only = tmp_path / "header.jsonl"
    header_only.write_text('{"chiron_bank": 1}')
    limits = Limits(bank_bytes=20)

    def only_problem(path: Path) -> str:
        (problem,) = read_chiron(path, limits=limits).problems
        return str(problem)

    missing = tmp_path / "missing.jsonl"
    reason = "cannot be read (No such file or directory); check the path and its rights"
    assert only_problem(missing) == f"{missing}: {reason}"
    assert only_problem(tmp_path) == f"{tmp_path}: is a folder, but a file is expected; name the file in it"
    assert only_problem(empty) == f"{empty}: is empty; is it the right file?"
    assert only_problem(big) == f"{big}: is 55 bytes, above the limit of 20 bytes; split it"
    assert only_problem(header_only) == "the bank holds no prompts; give a file with at least one"
