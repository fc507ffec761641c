"""Response matrices in files: the three formats, and one sentence for everything that is wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from psychometrics.data.response_matrix import ResponseMatrix, response_matrix
from psychometrics.data.response_matrix_files import ResponseMatrixRefused
from psychometrics.irt.transform import Transform
from scoring.readers.response_matrices import read_response_matrix

PUBLISHED = Transform(scale=0.998, offset=0.001)


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def cells(matrix: ResponseMatrix) -> dict[tuple[str, str], float]:
    """Score by configuration and item."""
    entries = matrix.p.tocoo()
    places = zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True)
    return {(matrix.configurations[i], matrix.items[j]): score for i, j, score in places}


def problems_of(path: Path) -> list[str]:
    with pytest.raises(ResponseMatrixRefused) as refused:
        read_response_matrix(path)
    return list(refused.value.problems)


EXPECTED = {("gpt", "p1"): 0.0, ("gpt", "p2"): 0.5, ("o3", "p2"): 1.0}


def test_a_csv_file_with_a_byte_order_mark_blank_lines_and_spaces(tmp_path: Path) -> None:
    path = written(tmp_path / "m.csv", '\ufeffmodel,p1, p2\r\n\r\n"gpt",0,0.5\r\no3, ,1e0\r\n')

    matrix = read_response_matrix(path)

    assert (matrix.configurations, matrix.items) == (("gpt", "o3"), ("p1", "p2"))
    assert cells(matrix) == EXPECTED
    assert matrix.item_counts.tolist() == [1, 2]


@pytest.mark.parametrize("cell", ["0_1", "1e-1 ", "\uff11", "inf", "50%"])
def test_what_is_no_plain_number_is_no_score(tmp_path: Path, cell: str) -> None:
    path = written(tmp_path / "m.csv", f'model,p1,p2\ngpt,0,0.5\no3,1,"{cell}"\n')
    (problem,) = problems_of(path)
    assert problem.startswith("line 3")
    assert f"'p2' is {cell!r}; write a number from 0 to 1" in problem


def test_a_jsonl_file_with_missing_null_and_late_items(tmp_path: Path) -> None:
    lines = '{"configuration": "gpt", "p1": 0, "p2": 0.5, "p3": null}\n{"p2": 1, "configuration": "o3"}\n'

    matrix = read_response_matrix(written(tmp_path / "m.jsonl", lines))

    assert matrix.items == ("p1", "p2", "p3")
    assert cells(matrix) == EXPECTED


def test_a_parquet_file_of_integers_and_floats(tmp_path: Path) -> None:
    table = pyarrow.table({"model": ["gpt", "o3"], "p1": pyarrow.array([0, None]), "p2": [0.5, 1.0]})
    pyarrow.parquet.write_table(table, tmp_path / "m.parquet")

    assert cells(read_response_matrix(tmp_path / "m.parquet")) == EXPECTED


def test_every_bad_cell_row_and_name_of_a_csv_file_is_a_sentence_with_its_line(tmp_path: Path) -> None:
    path = written(
        tmp_path / "m.csv",
        "model,p1,p2\na,1.5,45.5\nb,x,-0.1\nc,0.5\na,0,nan\n,inf,1_0\nd,1,1,1\n",
    )

    assert problems_of(path) == [
        "line 2: the score of 'p1' is 1.5, outside 0 to 1; divide percentages by 100",
        "line 2: the score of 'p2' is 45.5, outside 0 to 1; divide percentages by 100",
        "line 3: the score of 'p1' is 'x'; write a number from 0 to 1 with a decimal point, or nothing",
        "line 3: the score of 'p2' is -0.1, outside 0 to 1",
        "line 4: has 2 where the first line has 3 cells",
        "line 5: the configuration 'a' is on line 2 already; keep one",
        "line 5: the score of 'p2' is NaN; leave the cell empty where there is no score",
        "line 6: the configuration has no name; give it one",
        "line 6: the score of 'p1' is 'inf'; write a number from 0 to 1 with a decimal point, or nothing",
        "line 6: the score of 'p2' is '1_0'; write a number from 0 to 1 with a decimal point, or nothing",
        "line 7: has 4 where the first line has 3 cells",
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "line 1: names no item"),
        ("model\na\n", "line 1: names no item"),
        ("model,p1\n", "the file holds no configuration"),
        ("model,p1\na,\n", "the file holds no score"),
        ("model,p1,p1\na,1,1\n", "line 1: the item 'p1' occurs twice; keep one column"),
        ("model,p1,\na,1,1\n", "line 1: the item ''"),
        (b"model,p1\na\xff,1\n", "line 2: not UTF-8; save the file as UTF-8"),
        ('model,p1\na,"1\n', "line 2: not valid CSV"),
        ('"' + "x" * 200_000, "line 1: not valid CSV"),
        ("model,p1\na\0,1\n", "line 2: the configuration 'a\\x00': contains a NUL character"),
        ("model,p1\n" + "a" * 201 + ",1\n", "line 2: the configuration 'aaaaa"),
    ],
    ids=[
        "empty",
        "no items",
        "no rows",
        "no score",
        "twice",
        "nameless",
        "latin-1",
        "open quote",
        "endless cell",
        "NUL",
        "long name",
    ],
)
def test_a_csv_file_that_is_no_matrix_is_refused(tmp_path: Path, content: str | bytes, sentence: str) -> None:
    assert problems_of(written(tmp_path / "m.csv", content))[0].startswith(sentence)


def test_a_file_full_of_problems_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = written(tmp_path / "m.csv", "model,p1\n" + "".join(f"m{i},2\n" for i in range(500)))

    problems = problems_of(path)

    assert len(problems) == 101
    assert problems[-1] == "100 problems; the rest of the file was not read"


def test_bad_jsonl_lines_are_sentences_with_their_line(tmp_path: Path) -> None:
    lines = [
        '{"configuration": "a", "p1": "0.5"}',
        '{"p1": 0.5}',
        '{"configuration": "b", "p1": true}',
        '{"configuration": "c", "p1": NaN}',
        '{"configuration": "d", "p1": 1, "p1": 1}',
        '{"configuration": "a", "p1": 1}',
        "[1]",
        "{",
        '{"configuration": "e", "p1": ' + "9" * 400 + "}",
        '{"configuration": "\\ud800", "p1": 1}',
    ]

    problems = problems_of(written(tmp_path / "m.jsonl", "\n".join(lines)))

    assert problems[:4] == [
        "line 1: the score of 'p1' is '0.5'; write a number from 0 to 1 with a decimal point, or nothing",
        'line 2: there is no text under "configuration"; name the configuration',
        "line 3: the score of 'p1' is 'True'; write a number from 0 to 1 with a decimal point, or nothing",
        "line 4: the score of 'p1' is NaN; leave the cell empty where there is no score",
    ]
    assert [problem.split(",")[0].split(":")[0] for problem in problems[4:]] == [
        "line 5",
        "line 6",
        "line 7",
        "line 8",
        "line 9",
        "line 10",
    ]
    assert problems[8].endswith("9, outside 0 to 1")
    assert "half of a surrogate pair" in problems[9]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"n": [1], "p1": [0.5]}, "the first column must hold the configurations' names as text"),
        ({"model": ["a"], "p1": ["x"]}, "p1: holds string, but scores are numbers"),
        ({"model": ["a"], "p1": [True]}, "p1: holds bool, but scores are numbers"),
        ({"model": ["a"], "p1": [float("nan")]}, "row 1: the score of 'p1' is NaN"),
        ({"model": ["a", "a"], "p1": [0.0, 1.0]}, "row 2: the configuration 'a' is on row 1 already"),
        ({"model": [None, "a"], "p1": [0.0, 1.0]}, "row 1: the configuration has no name"),
    ],
    ids=["no names", "text", "truth", "NaN", "twice", "nameless"],
)
def test_a_parquet_file_that_is_no_matrix_is_refused(
    tmp_path: Path, columns: dict[str, list[Any]], sentence: str
) -> None:
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "m.parquet")

    assert sentence in problems_of(tmp_path / "m.parquet")[0]


def test_a_parquet_column_that_occurs_twice_is_refused_by_name(tmp_path: Path) -> None:
    table = pyarrow.table([["a"], [0.5], [0.5]], names=["model", "p1", "p1"])
    pyarrow.parquet.write_table(table, tmp_path / "m.parquet")

    assert problems_of(tmp_path / "m.parquet") == ["the item 'p1' occurs twice; keep one column"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    assert "none of .csv, .jsonl and .parquet" in problems_of(written(tmp_path / "m.xlsx", "x"))[0]
    assert "No such file" in problems_of(tmp_path / "none.csv")[0]
    assert "cannot be read as Parquet" in problems_of(written(tmp_path / "m.parquet", "no"))[0]
    assert "Is a directory" in problems_of(folder(tmp_path / "f.csv"))[0]


def folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize("missing", [0.2, 0.9], ids=["well filled", "sparse"])
def test_the_logits_are_those_of_the_scores_whether_full_or_sparse(missing: float) -> None:
    rng = np.random.default_rng(1)
    p = rng.random((10, 20)).round(1)
    p[rng.random(p.shape) < missing] = np.nan

    y = response_matrix([str(i) for i in range(10)], [str(j) for j in range(20)], p).logits(PUBLISHED)

    full = y if isinstance(y, np.ndarray) else np.full(p.shape, np.nan)
    if not isinstance(y, np.ndarray):
        entries = y.tocoo()
        full[entries.row, entries.col] = entries.data
    assert isinstance(y, np.ndarray) == (missing < 0.5)
    assert full == pytest.approx(PUBLISHED.to_logit(p), nan_ok=True)
