"""BIG-Bench as Hugging Face gives it, files of another kind, and questions with two answers."""

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from studies.bank.building import BankReading
from studies.bank.reading import read_bank
from studies.bank.records import BankFormat

ROWS = [
    {"task": "toy task", "input": "q1", "target": "a", "mini": 0},
    {"task": "bbeh_toy_task", "input": "q2", "target": "b", "mini": 1},
    {"task": "Sorting", "input": "q3", "target": "c", "mini": 1},
]


def parquet(path: Path, rows: list[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def ids(reading: BankReading) -> list[tuple[str, str | None, str]]:
    assert reading.problems == ()
    return [(prompt.prompt_id, prompt.gold_answer, prompt.category) for prompt in reading.bank.prompts]


@pytest.mark.parametrize("name", ["train.parquet", "data/train-00000-of-00001.parquet"])
def test_bbeh_is_one_table_whose_ids_count_the_rows_of_a_task(tmp_path: Path, name: str) -> None:
    file = parquet(tmp_path / name, [dict(row) for row in ROWS])
    expected = [
        ("bbeh_toy_task-0001", "a", "toy_task"), ("bbeh_toy_task-0002", "b", "toy_task"),
        ("bbeh_sorting-0001", "c", "sorting"),
    ]  # fmt: skip
    assert ids(read_bank("bbeh", file)) == ids(read_bank("bbeh", tmp_path)) == expected
    assert ids(read_bank("bbeh", file, mini=True)) == expected[1:], "by the mark, with the same ids"


def test_bbh_is_a_table_for_each_task_named_by_file_or_folder(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"input": "q", "target": "Yes"}, {"input": "r", "target": "No"}]
    named = parquet(tmp_path / "a" / "navigate.parquet", rows)
    parquet(tmp_path / "b" / "navigate" / "test-00000-of-00002.parquet", rows[:1])
    parquet(tmp_path / "b" / "navigate" / "test-00001-of-00002.parquet", rows[1:])
    expected = [("bbh_navigate-0001", "Yes", "navigate"), ("bbh_navigate-0002", "No", "navigate")]
    assert ids(read_bank("bbh", named)) == expected
    assert ids(read_bank("bbh", tmp_path / "a")) == ids(read_bank("bbh", tmp_path / "b")) == expected


def test_a_table_without_its_columns_is_one_sentence(tmp_path: Path) -> None:
    file = parquet(tmp_path / "train.parquet", [{"input": "q", "answer": "a"}])
    assert [str(problem) for problem in read_bank("bbeh", file).problems] == [
        "train.parquet, target: is no column of the file; is it the right file?"
    ]


@pytest.mark.parametrize(
    ("bank_format", "sentence"),
    [
        ("chiron", "is a task file of BIG-Bench, but JSONL is expected; choose the right file"),
        ("gim", "is a task file of BIG-Bench, but JSONL is expected; choose the right file"),
        (
            "bbeh",
            "is one file of BIG-Bench Extra Hard, whose questions have their ids from their place among all",
        ),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_task_file_where_something_else_is_expected_is_one_sentence(
    tmp_path: Path, bank_format: BankFormat, sentence: str, indent: int | None
) -> None:
    examples = [{"input": f"q{n}", "target": "a"} for n in range(30)]
    path = tmp_path / "task.json"
    path.write_text(json.dumps({"canary": "c", "examples": examples}, indent=indent))
    (problem,) = map(str, read_bank(bank_format, path).problems)
    assert sentence in problem


def test_lines_that_are_one_document_or_an_office_file_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    path.write_text(
        json.dumps([{"id": f"p{n}", "text": "x", "gold_answer": "1"} for n in range(9)], indent=1)
    )
    (problem,) = map(str, read_bank("chiron", path).problems)
    assert problem.endswith(
        "is one JSON document, but JSONL is expected: an object a line; choose the right file"
    )
    path.write_bytes(b"PK\x03\x04 xl/workbook.xml")
    (problem,) = map(str, read_bank("chiron", path).problems)
    assert problem.endswith("is an Excel workbook, but JSONL is expected; choose the right file")
    path.write_bytes('{"id": "p1"}\n{"id": "p2"}\n'.encode("utf-16"))
    (problem,) = map(str, read_bank("chiron", path).problems)
    assert problem.endswith("is not UTF-8 but UTF-16; save the file as UTF-8")


def test_a_text_with_two_answers_is_told_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    texts = [
        ("p1", "Is it?", "Yes"),
        ("p2", "Is  it? ", "No"),
        ("p3", "Is it?", "Yes"),
        ("p4", "Other?", "No"),
    ]
    path.write_text(
        "\n".join(json.dumps({"id": key, "text": text, "gold_answer": gold}) for key, text, gold in texts)
    )
    reading = read_bank("chiron", path)
    assert [prompt.prompt_id for prompt in reading.bank.prompts] == ["p1", "p2", "p3", "p4"]
    assert [str(notice) for notice in reading.notices] == [
        'p2: has the text of "p1" and another answer; see that both are meant'
    ]


def test_a_whole_number_stays_whole_in_a_column_with_gaps(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"prompt_id": "b1", "prompt": "q", "answer_gtfa": 4.0},
        {"prompt_id": "b2", "prompt": "q2", "answer_gtfa": 4.5},
        {"prompt_id": "b3", "prompt": "q3", "answer_gtfa": None, "rubrics": ["x"]},
    ]  # fmt: skip
    reading = read_bank("gim", parquet(tmp_path / "gim.parquet", [{"rubrics": None, **row} for row in rows]))
    assert [prompt.gold_answer for prompt in reading.bank.prompts] == ["4", "4.5", None]
