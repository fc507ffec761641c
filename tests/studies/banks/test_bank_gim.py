"""The public GIM layout: JSONL, Parquet, folders, and cells that were mangled on the way."""

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from formats.files import Limits
from studies.bank.digest import bank_digest
from studies.bank.gim_format import read_gim
from studies.bank.records import PromptRecord

PDF = b"%PDF-1.4\n"
PNG = b"\x89PNG\r\n\x1a\n"


def row(**changes: object) -> dict[str, object]:
    return {
        "prompt_id": "g1",
        "labels": "rubrics, math",
        "prompt": "Solve $x+1=2$.",
        "attachments": [],
        "answer_gtfa": "1",
        "rubrics": None,
        "solution_reasoning": None,
        "citations": None,
        **changes,
    }


def write_jsonl(path: Path, *rows: dict[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def write_parquet(path: Path, *rows: dict[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)
    return path


def only_prompt(folder: Path, **changes: object) -> PromptRecord:
    reading = read_gim(write_jsonl(folder / "gim.jsonl", row(**changes)))
    assert reading.problems == ()
    return reading.bank.prompts[0]


def sentences(folder: Path, **changes: object) -> list[str]:
    reading = read_gim(write_jsonl(folder / "gim.jsonl", row(**changes)))
    return [str(problem) for problem in reading.problems]


def test_a_row_becomes_a_markdown_prompt(tmp_path: Path) -> None:
    prompt = only_prompt(
        tmp_path,
        category="LR-IF",
        category_name="Logical Reasoning",
        solution_reasoning="Because.",
        citations=["a", "b"],
    )
    assert prompt == PromptRecord(
        prompt_id="g1",
        text="Solve $x+1=2$.",
        text_format="markdown",
        gold_answer="1",
        category="LR",
        subcategory="LR-IF",
        labels=("rubrics", "math"),
        solution="Because.",
        citations="a\nb",
    )


@pytest.mark.parametrize("absent", [None, "", "  ", "nan", "NaN", "none", "None", float("nan")])
def test_absent_values_are_absent_in_every_spelling(tmp_path: Path, absent: object) -> None:
    prompt = only_prompt(
        tmp_path,
        answer_gtfa=absent,
        rubrics=["Says why."],
        labels=absent,
        attachments=absent,
        solution_reasoning=absent,
        citations=absent,
        category=absent,
    )
    assert prompt.gold_answer is None
    assert (prompt.labels, prompt.attachments) == ((), ())
    assert (prompt.solution, prompt.citations, prompt.category) == ("", "", "")


@pytest.mark.parametrize("absent", [None, "", "nan", [], "[]", [""], float("nan")])
def test_no_rubric_means_exact_grading(tmp_path: Path, absent: object) -> None:
    assert only_prompt(tmp_path, rubrics=absent).grading == "exact"


@pytest.mark.parametrize(
    "rubrics",
    [
        ['It\'s "so".', "Says [why]."],
        ['It\'s "so".', "", None, "Says [why]."],
        """["It's \\"so\\".", "Says [why]."]""",
        """['It\\'s "so".', 'Says [why].']""",
        """ ['It\\'s "so".',\n "Says [why]."] """,
    ],
)
def test_a_rubric_is_read_from_a_list_or_from_its_text(tmp_path: Path, rubrics: object) -> None:
    prompt = only_prompt(tmp_path, rubrics=rubrics)
    assert [criterion.text for criterion in prompt.criteria] == ['It\'s "so".', "Says [why]."]
    assert prompt.grading == "rubric"


@pytest.mark.parametrize("rubrics", ["Says why.", "['a' 'b']", "[__import__('os')]", "['a'", {"a": 1}, 5])
def test_a_rubric_that_is_no_list_is_a_problem_and_never_run(tmp_path: Path, rubrics: object) -> None:
    assert sentences(tmp_path, rubrics=rubrics) == [
        "line 1, g1, rubrics: is no list of texts; write it as a list, or leave it empty"
    ]


def test_a_number_is_taken_as_the_text_of_an_answer_or_an_id(tmp_path: Path) -> None:
    prompt = only_prompt(tmp_path, prompt_id=17, answer_gtfa=2.5)
    assert (prompt.prompt_id, prompt.gold_answer) == ("17", "2.5")


def test_blank_and_unusable_cells_are_named_by_column(tmp_path: Path) -> None:
    assert sentences(
        tmp_path, prompt_id=None, prompt="nan", answer_gtfa="none", rubrics=[5], split="secret"
    ) == [
        "line 1, prompt_id: is blank; write something or leave the entry out",
        "line 1, prompt: is blank; write something or leave the entry out",
        "line 1, rubrics[1].text: is a number, but text is expected; put it in quotes",
        "line 1, split: is 'secret', but 'public' or 'private' is expected",
    ]


@pytest.mark.parametrize("listed", ["media/g1/a.png", "g1/a.png"])
@pytest.mark.parametrize("as_text", [False, True])
def test_media_are_found_with_and_without_the_media_folder_in_the_path(
    tmp_path: Path, listed: str, as_text: bool
) -> None:
    (tmp_path / "media" / "g1").mkdir(parents=True)
    (tmp_path / "media" / "g1" / "a.png").write_bytes(PNG)
    prompt = only_prompt(tmp_path, attachments=str([listed]) if as_text else [listed])
    assert [attachment.path for attachment in prompt.attachments] == ["media/g1/a.png"]


def test_a_folder_is_read_with_all_its_shards_and_the_splits_in_their_names(tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "a.pdf").write_bytes(PDF)
    write_parquet(tmp_path / "data" / "public-00000-of-00002.parquet", row(attachments=["media/a.pdf"]))
    write_parquet(tmp_path / "data" / "public-00001-of-00002.parquet", row(prompt_id="g2"))
    write_jsonl(tmp_path / "data" / "private.jsonl", row(prompt_id="g3"), row(prompt_id="g1"), row(prompt=""))
    write_jsonl(tmp_path / ".cache" / "old.jsonl", row(prompt_id="hidden"))

    reading = read_gim(tmp_path)

    splits = {prompt.prompt_id: prompt.split for prompt in reading.bank.prompts}
    assert splits == {"g3": "private", "g1": "private", "g2": "public"}
    used = "is already used in data/private.jsonl, line 2; give each prompt its own id"
    assert [str(problem) for problem in reading.problems] == [
        "data/private.jsonl, line 3, g1, prompt: is blank; write something or leave the entry out",
        f"data/private.jsonl, line 3, g1, prompt_id: {used}",
        f"data/public-00000-of-00002.parquet, line 1, g1, prompt_id: {used}",
    ]


def test_jsonl_and_parquet_with_the_same_rows_are_the_same_bank(tmp_path: Path) -> None:
    rows = [
        row(rubrics=["Says why."], answer_gtfa=None, category=None),
        row(prompt_id="g2", rubrics=None, category="QR-CL"),
    ]
    jsonl = read_gim(write_jsonl(tmp_path / "a.jsonl", *rows))
    parquet = read_gim(write_parquet(tmp_path / "b.parquet", *rows))
    assert (jsonl.problems, parquet.problems) == ((), ())
    assert bank_digest(jsonl.bank) == bank_digest(parquet.bank)


def test_a_parquet_file_that_is_none_or_lacks_a_column_is_one_problem(tmp_path: Path) -> None:
    fake = tmp_path / "fake.parquet"
    fake.write_bytes(b"PAR1 nothing here")
    other = write_parquet(tmp_path / "other.parquet", {"prompt_id": "x", "question": "?"})
    (unreadable,) = read_gim(fake).problems
    assert str(unreadable).startswith("cannot be read as Parquet (")
    assert [str(problem) for problem in read_gim(other).problems] == [
        "prompt: is no column of the file; is it the right file?"
    ]


def test_a_parquet_file_with_a_damaged_page_is_one_problem(tmp_path: Path) -> None:
    damaged = write_parquet(tmp_path / "damaged.parquet", row())
    content = bytearray(damaged.read_bytes())
    content[10:60] = bytes(byte ^ 0x5A for byte in content[10:60])
    damaged.write_bytes(content)
    (problem,) = read_gim(damaged).problems
    assert str(problem).startswith("cannot be read as Parquet (")


def test_an_attachment_over_the_limit_leaves_its_prompt_out(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(PDF + b"x" * 11)
    path = write_jsonl(tmp_path / "gim.jsonl", row(attachments=["a.pdf"]), row(prompt_id="g2"))
    reading = read_gim(path, limits=Limits(attachment_bytes=19))
    assert [prompt.prompt_id for prompt in reading.bank.prompts] == ["g2"]
    assert [str(problem) for problem in reading.problems] == [
        'line 1, g1, attachments[1]: "a.pdf" is 20 bytes, above the limit of 19 bytes; make it smaller'
    ]


def test_a_folder_without_data_files_is_a_problem(tmp_path: Path) -> None:
    assert [str(problem) for problem in read_gim(tmp_path).problems] == [
        "the folder holds no .jsonl or .parquet file; give the dataset's folder or one of its files"
    ]


def test_a_canary_column_is_kept_once(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "gim.jsonl", row(canary="C1"), row(prompt_id="g2", canary="C1"))
    assert read_gim(path).bank.canaries == ("C1",)
    assert sentences(tmp_path, canary=5) == [
        "line 1, canary: is a number, but text is expected; put it in quotes"
    ]


def test_the_published_problems_are_read_but_for_the_one_without_its_image(shared_data: Path) -> None:
    reading = read_gim(shared_data / "gim" / "appendix_c.jsonl")
    assert len(reading.bank.prompts) == 10
    assert [str(problem) for problem in reading.problems] == [
        'line 3, p35802646, attachments[1]: "media/p35802646/maze.png" is missing; '
        "put the file there or correct the path"
    ]
    assert {prompt.grading for prompt in reading.bank.prompts} == {"rubric"}
    assert sum(len(prompt.criteria) for prompt in reading.bank.prompts) == 49
    categories = {prompt.category for prompt in reading.bank.prompts}
    assert categories == {"LR", "QR", "SI", "WK", "LN", "PR", "CT"}
