import math
from pathlib import Path

import pytest

from psychometrics.data.score_table import ScoreTable, ScoreTableRefused, read_score_table
from psychometrics.data.tables import MAX_PROBLEMS

INDEX = {"p1": 0, "p2": 1}


def read(tmp_path: Path, content: str | bytes) -> ScoreTable:
    path = tmp_path / "scores.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_score_table(path, INDEX)


def problems_of(tmp_path: Path, content: str | bytes) -> tuple[str, ...]:
    with pytest.raises(ScoreTableRefused) as refusal:
        read(tmp_path, content)
    return refusal.value.problems


def test_rows_are_gathered_into_groups_in_order_of_first_appearance(tmp_path: Path) -> None:
    table = read(tmp_path, "group,score,prompt_id\nb,0.5,p1\na,1,p2\nb,0,p1\n")

    assert list(table.groups) == ["b", "a"]
    assert table.groups["b"].prompt_index.tolist() == [0, 0]
    assert table.groups["b"].p.tolist() == [0.5, 0.0]
    assert table.groups["a"].prompt_index.tolist() == [1]


def test_without_a_group_column_there_is_one_group(tmp_path: Path) -> None:
    assert list(read(tmp_path, "prompt_id,score\np1,1\n").groups) == ["all"]


@pytest.mark.parametrize("cell", ["", "  ", "NaN", "nan", '""'])
def test_an_empty_or_nan_score_is_missing_and_not_zero(tmp_path: Path, cell: str) -> None:
    group = read(tmp_path, f"prompt_id,score\np1,{cell}\n").groups["all"]

    assert math.isnan(group.p[0])
    assert group.prompt_index.tolist() == [0]


def test_unknown_prompts_are_kept_out_and_counted(tmp_path: Path) -> None:
    table = read(tmp_path, "prompt_id,score,group\nx,1,a\nx,1,b\ny,1,b\np1,1,b\n")

    assert (table.unknown_rows, table.unknown_ids) == (3, {"x", "y"})
    assert list(table.groups) == ["a", "b"]
    assert table.groups["b"].prompt_index.tolist() == [-1, -1, 0]


def test_what_spreadsheets_write_is_read(tmp_path: Path) -> None:
    content = (
        '\ufeffprompt_id , score,"group",note\r\n"p1"," 0.5 ","Profile, ""A""",x\r\n,,,\r\n\r\np2,1,b,\r\n'
    )

    table = read(tmp_path, content)

    assert list(table.groups) == ['Profile, "A"', "b"]
    assert table.groups['Profile, "A"'].p.tolist() == [0.5]
    assert table.ignored_columns == ("note",)


def test_every_problem_is_reported_with_its_line(tmp_path: Path) -> None:
    content = (
        'prompt_id,score,group\np1,1.5,a\np1,-0.1,a\np1,inf,a\np1,half,a\np1,"0,5",a\np1,1\n,1,a\np1,1,\n'
    )

    assert problems_of(tmp_path, content) == (
        "line 2: the score 1.5 is outside 0 to 1; divide percentages by 100",
        "line 3: the score -0.1 is outside 0 to 1",
        "line 4: the score 'inf' is not a number; write 0 to 1 with a decimal point, or nothing",
        "line 5: the score 'half' is not a number; write 0 to 1 with a decimal point, or nothing",
        "line 6: the score '0,5' is not a number; write 0 to 1 with a decimal point, or nothing",
        "line 7: has 2 where the header has 3 cells",
        "line 8: the prompt_id is empty",
        "line 9: the group is empty; name one or leave the whole column out",
    )


def test_a_wrong_header_is_reported_whole(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "prompt_id,group,group\np1,a,a\n") == (
        "line 1: there is no column 'score'; name it in the first line (comma-separated)",
        "line 1: the column 'group' occurs twice; keep one",
    )


@pytest.mark.parametrize(
    "cell", ["0_1", "1e-1 ", "\uff11", "\u0661", "inf", "infinity", "0,5", "0x1", "1/2", "50%", "."]
)
def test_what_is_no_plain_number_is_no_score(tmp_path: Path, cell: str) -> None:
    (problem,) = problems_of(tmp_path, f'prompt_id,score\np1,1\np1,"{cell}"\n')
    assert problem == (
        f"line 3: the score {cell!r} is not a number; write 0 to 1 with a decimal point, or nothing"
    )


def test_a_percentage_is_refused_with_the_remedy(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "prompt_id,score\np1,45\n") == (
        "line 2: the score 45 is outside 0 to 1; divide percentages by 100",
    )


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_an_empty_file_is_refused(tmp_path: Path, content: str) -> None:
    assert problems_of(tmp_path, content) == (
        "the file is empty; the first line must name the columns prompt_id and score",
    )


def test_a_file_with_nothing_but_its_header_is_refused(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "prompt_id,score\n\n") == (
        "the file holds no scores; write one line per response",
    )


def test_a_file_in_another_encoding_is_refused_at_its_line(tmp_path: Path) -> None:
    content = "prompt_id,score,group\np1,1,a\np1,1,é\n".encode("latin-1")

    assert problems_of(tmp_path, content) == ("line 3: not UTF-8; save the file as UTF-8",)


def test_an_open_quote_is_reported_beside_the_other_problems(tmp_path: Path) -> None:
    assert problems_of(tmp_path, 'prompt_id,score\np1,2\np2,"1\n') == (
        "line 2: the score 2 is outside 0 to 1; divide percentages by 100",
        "line 3: not valid CSV (unexpected end of data); see that every quotation mark is closed",
    )


def test_the_reading_stops_after_very_many_problems(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, "prompt_id,score\n" + "p1,2\n" * (2 * MAX_PROBLEMS))

    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1] == f"more than {MAX_PROBLEMS} problems; the rest of the file was not read"


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.csv"

    with pytest.raises(ScoreTableRefused, match=r"cannot read .*nowhere.csv: No such file or directory"):
        read_score_table(path, INDEX)
