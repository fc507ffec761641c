"""Scores of models as a CSV table, its template, and codes for missing in matrices."""

import csv
import io
import json
import math
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from formats.item_parameters import ItemParameter, ItemParameters
from psychometrics.data.response_matrix_files import ResponseMatrixRefused, read_response_matrix
from scoring.models import ModelConfiguration, ModelScore
from scoring.readers.model_results.reading import read_model_results
from studies.bank.reading import read_bank
from studies.models import ItemBank
from studies.services.banks import bank_import, item_bank_import
from tests.support.model_results import lines, problems_of
from tests.support.waited_for import waited_for

PUBLIC, PRIVATE = ("p1", "=p2"), "p3"


@pytest.fixture
def item_bank(tmp_path: Path, now: datetime) -> ItemBank:
    """Of two public questions, a private one, and one that no question bank has."""
    path = tmp_path / "questions.jsonl"
    prompts = [
        {
            "id": one,
            "text": f"Question {one}?",
            "gold_answer": "1",
            "split": "private" if one == PRIVATE else "public",
        }
        for one in (*PUBLIC, PRIVATE)
    ]
    path.write_text("\n".join(map(json.dumps, prompts)))
    bank_import(slug="questions", reading=read_bank("chiron", path), strict=True, now=now)
    items = tuple(ItemParameter(one, a=1.0, b=0.0) for one in (*PUBLIC, PRIVATE, "p4"))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


def test_a_table_of_scores_is_read_with_epoch_1_by_default(tmp_path: Path) -> None:
    table = "\ufeffModel;Question;Score;Family\r\nA;p1;0,5;F\r\nA;p2;;F\r\nB;p1;1;\r\n"
    found = read_model_results(lines(tmp_path, table, name="scores.csv"))
    assert [(one.model, one.prompt_id, one.epoch, one.family) for one in found.responses] == [
        ("A", "p1", 1, "F"), ("A", "p2", 1, "F"), ("B", "p1", 1, ""),
    ]  # fmt: skip
    assert [one.score for one in found.responses if not math.isnan(one.score)] == [0.5, 1.0]
    assert found.missing == {"no score": 1}
    epochs = "model,prompt_id,epoch,score,\nA,p1,1,0,\nA,p1,2,1.0,\n"
    found = read_model_results(lines(tmp_path, epochs, name="scores.csv"))
    assert [(one.epoch, one.score) for one in found.responses] == [(1, 0.0), (2, 1.0)]


@pytest.mark.parametrize(
    "table",
    [
        'model,question,score\nA,p1,"0,5"\n',
        "sep=;\r\nModel;Question;Score\r\nA;p1;0,5\r\n;;\r\n",
        "model\tprompt_id\tscore\tepoch\rA\tp1\t0.5\t1\r",
        "sep=,\nmodel,prompt_id,score\nA,p1,0.5\n",
    ],
)
def test_scores_are_read_as_spreadsheet_programs_leave_them(tmp_path: Path, table: str) -> None:
    (found,) = read_model_results(lines(tmp_path, table, name="scores.csv")).responses
    assert (found.model, found.prompt_id, found.epoch, found.score) == ("A", "p1", 1, 0.5)


def test_published_abilities_are_known_behind_a_line_that_says_what_parts_cells(tmp_path: Path) -> None:
    path = lines(tmp_path, "sep=;\r\nmodel;theta;se\r\nA;1,25;0,5\r\n", name="scores.csv")
    (found,) = read_model_results(path).published
    assert (found.model, found.theta, found.se) == ("A", 1.25, 0.5)


def test_what_nobody_sees_in_the_name_of_a_model_is_named(tmp_path: Path) -> None:
    table = "model,question,score\nA,p1,1\nA\u200b,p2,1\n"
    assert problems_of(lines(tmp_path, table, name="scores.csv")) == [
        "line 3, model: holds U+200B (invisible); remove it"
    ]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            "model,question,score,epoch\nA,p1,0,75\nA,p2,1,1\n",
            '"0" is followed by "75" in the next cell; write 0.75',
        ),
        ("model,question,score,epoch\nA,p1,0,5\nA,p1,0,25\n", '"0" is followed by "5"'),
        ("model,theta,se\nA,1,25\n", "write 1.25 if that is one number, and 1.0 if it is not"),
        ("model,question,score,epoch\nA,p1,0,1\nA,p1,0,2\nA,p1,1,3\n", ""),
        ("model,question,score,epoch\nA,p1,0.0,75\n", ""),
        ("model;question;score;epoch\nA;p1;0;75\n", ""),
        ("model,theta,se\nA,1.0,25\n", ""),
    ],
)
def test_a_number_that_may_have_fallen_apart_is_not_guessed(tmp_path: Path, table: str, told: str) -> None:
    path = lines(tmp_path, table, name="scores.csv")
    if told:
        assert told in problems_of(path)[0]
        assert problems_of(path)[0].startswith("line 2, ")
    else:
        read_model_results(path)


def test_problems_of_a_table_of_scores_are_told_by_kind(tmp_path: Path) -> None:
    rows = "".join(f"A,p{n},{n}\n" for n in range(2, 802))
    table = f"model,question,score\n{rows}A,\u200bp1,1\nA,p1,0,5\n,p1,1\n"
    path = lines(tmp_path, table, name="scores.csv")
    with pytest.raises(Exception) as refused:  # noqa: PT011  # its text is what is read
        read_model_results(path)
    assert str(refused.value).splitlines() == [
        "line 2, 3 and 798 more, score: is above 1; write 1 or less",
        "line 802, question: holds U+200B (invisible); remove it",
        "line 803: has 4 cells for 3 columns; put cells with a delimiter in quotes",
        "line 804, p1, model: is missing; add it",
    ]
    assert len(problems_of(path)) == 803


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("model,score\nA,1\n", "line 1: missing columns: question; begin the file with model,question,score"),
        ("model,question,score\n", "the file holds no results; is it the right file?"),
        ("model,question,score\nA,p1,\n", "scores.csv: no line has a score; fill in the column score"),
        ("model,question,score,note\nA,p1,1,x\n", "line 2, p1, note: is not a known field; remove it"),
    ],
)  # fmt: skip
def test_a_table_that_is_none_of_scores_is_one_sentence(tmp_path: Path, table: str, sentence: str) -> None:
    (problem,) = problems_of(lines(tmp_path, table, name="scores.csv"))
    assert problem.startswith(sentence)


@pytest.mark.django_db
def test_the_template_has_the_public_questions_and_comes_back_filled_in(
    item_bank: ItemBank, staff: Client, tmp_path: Path
) -> None:
    address = f"{reverse('staff_models_template')}?bank={item_bank.pk}"
    assert address in staff.get(reverse("staff_models_upload")).text
    template = b"".join(staff.get(address)).decode().removeprefix("\ufeff")
    rows = list(csv.reader(io.StringIO(template)))
    assert rows == [
        ["model", "question", "score", "epoch"], ["my-model", "'=p2", "", "1"], ["my-model", "p1", "", "1"],
    ]  # fmt: skip
    out = io.StringIO()
    call_command("import_models", "items", template=True, stdout=out)
    assert list(csv.reader(io.StringIO(out.getvalue()))) == rows

    chosen = {"item_bank": item_bank.pk, "source": "Own runs"}
    empty = staff.post(reverse("staff_models_upload"), chosen | {"file": _file(template)})
    assert "no line has a score" in waited_for(staff, empty).text
    filled = template.replace("'=p2,,", "'=p2,0.25,").replace("p1,,", "p1,1,")
    stored = staff.post(reverse("staff_models_upload"), chosen | {"file": _file(filled)})
    assert "Models imported: 1 new, 0 replaced, 0 unchanged." in waited_for(staff, stored).text
    assert dict(ModelScore.objects.values_list("prompt_id", "score")) == {"=p2": 0.25, "p1": 1.0}


@pytest.mark.django_db
def test_a_bank_of_questions_that_nobody_has_gives_an_example(now: datetime, staff: Client) -> None:
    parameters = ItemParameters((ItemParameter("x1", a=1.0, b=0.0),), 0.998, 0.001, 2.5)
    bank = item_bank_import(slug="alone", parameters=parameters, now=now)[0]
    address = reverse("staff_models_template")
    template = b"".join(staff.get(address, {"bank": bank.pk})).decode()
    assert "x1" not in template
    assert "question-1" in template
    for unknown in ("0", "x", "9" * 40):
        assert staff.get(address, {"bank": unknown}).status_code == 404


@pytest.mark.django_db
def test_the_page_says_what_a_log_of_a_run_that_did_not_end_holds(
    item_bank: ItemBank, staff: Client, tmp_path: Path
) -> None:
    scores = {"judge": {"value": {"strict": 0, "mild": 1}}}
    sample = {"id": "p1", "epoch": 1, "output": {"completion": "x"}, "scores": scores}
    head = {"version": 2, "status": "cancelled", "eval": {"model": "m", "dataset": {"samples": 48}}}
    log = json.dumps(head | {"samples": [sample]})
    chosen = {"item_bank": item_bank.pk, "source": "Own runs"}
    several = staff.post(reverse("staff_models_upload"), chosen | {"file": _file(log, "log.json")})
    assert "judge.mild" in waited_for(staff, several).text
    sent = chosen | {"file": _file(log, "log.json"), "scorer": "judge.mild"}
    stored = waited_for(staff, staff.post(reverse("staff_models_upload"), sent))
    assert "the run did not end (cancelled): samples 1 of 48" in stored.text
    assert ModelScore.objects.get().score == 1.0
    excel = staff.post(
        reverse("staff_models_upload"), chosen | {"file": _file("PK\x03\x04xl/", "scores.xlsx")}
    )
    assert "is an Excel workbook, but CSV is expected; open it and save it as CSV UTF-8." in excel.text
    assert ModelConfiguration.objects.count() == 1


@pytest.mark.django_db
def test_what_is_missing_and_what_is_left_out_is_told_in_the_language_of_the_reader(
    item_bank: ItemBank, staff: Client
) -> None:
    table = "model,question,score\nA,p1,1\nA,p3,\n" + "".join(f"A,x{n},1\n" for n in range(1_500))
    sent = {"item_bank": item_bank.pk, "source": "Own runs", "file": _file(table)}
    staff.cookies["django_language"] = "de"
    told = waited_for(staff, staff.post(reverse("staff_models_upload"), sent)).text
    assert "Importierte Modelle: 1 neu, 0 ersetzt, 0 unverändert." in told
    assert "Gelesene Bewertungen: 1.502, gespeichert: 2." in told
    assert "<li>Fehlend, weil no score: 1</li>" in told
    assert "Fragen: 1.500; Antworten darauf: 1.500.</li>" in told


@pytest.mark.django_db
def test_the_printed_table_has_a_row_a_question_whatever_its_id_holds(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps({"id": "a\rb", "text": "Which?", "gold_answer": "1", "split": "public"}))
    bank_import(slug="questions", reading=read_bank("chiron", path), strict=True, now=now)
    parameters = ItemParameters((ItemParameter("a\rb", a=1.0, b=0.0),), 0.998, 0.001, 2.5)
    item_bank_import(slug="items", parameters=parameters, now=now)
    out = io.StringIO()
    call_command("import_models", "items", template=True, stdout=out)
    assert out.getvalue() == 'model,question,score,epoch\nmy-model,"a\rb",,1\n'


@pytest.mark.django_db
def test_the_command_asks_for_a_file_or_prints_the_table(item_bank: ItemBank, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Name the file with the results, or print a table"):
        call_command("import_models", "items")
    with pytest.raises(CommandError, match="is a folder, but a file is expected; name the file in it"):
        call_command("import_models", "items", str(tmp_path), source="x")


def _file(text: str, name: str = "scores.csv") -> io.BytesIO:
    file = io.BytesIO(text.encode())
    file.name = name
    return file


@pytest.fixture
def refused(tmp_path: Path) -> Callable[[bytes], list[str]]:
    def read(content: bytes) -> list[str]:
        path = tmp_path / "matrix.csv"
        path.write_bytes(content)
        with pytest.raises(ResponseMatrixRefused) as refusal:
            read_response_matrix(path)
        return str(refusal.value).splitlines()

    return read


def test_codes_for_missing_in_a_matrix_are_told_and_not_divided(
    refused: Callable[[bytes], list[str]],
) -> None:
    assert refused(b"model,q1,q2\nm1,1,9\nm2,0,99\nm3,-1,45\n") == [
        "line 2: the score of 'q2' is 9.0, outside 0 to 1; if 9 stands for missing, leave the cell empty",
        "line 3: the score of 'q2' is 99.0, outside 0 to 1; if 99 stands for missing, leave the cell empty",
        "line 4: the score of 'q1' is -1.0, outside 0 to 1; if -1 stands for missing, leave the cell empty",
        "line 4: the score of 'q2' is 45.0, outside 0 to 1; divide percentages by 100",
    ]


def test_what_nobody_sees_in_the_names_of_a_matrix_is_named(refused: Callable[[bytes], list[str]]) -> None:
    assert refused("model,q1,\u200bq2\nm1,1,0\n".encode()) == [
        "line 1: the item '\\u200bq2': holds U+200B (invisible); remove it"
    ]
    assert refused("model,q1\nm1,1\nm1\u00ad,0\n".encode()) == [
        "line 3: the configuration 'm1\\xad': holds U+00AD (invisible); remove it"
    ]


def test_a_matrix_has_empty_columns_at_its_end_and_is_no_workbook(
    refused: Callable[[bytes], list[str]], tmp_path: Path
) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("model,q1,q2,,\nm1,1,0.5,,\nm2,,0,,\n")
    assert read_response_matrix(path).items == ("q1", "q2")
    assert refused(b"model,q1,,\nm1,1,,\nm2,1,,x\n") == [
        "line 1: the item '': is blank; write something or leave the entry out"
    ]
    assert refused(b"model,q1,,\nm1,1,,,x\n") == ["line 2: has 5 where the first line has 2 cells"]
    assert refused(b"model,q1\nm1,0,\n") == ["line 2: has 3 where the first line has 2 cells"], "as in 0,5"
    assert refused(b"PK\x03\x04\xff xl/workbook.xml") == [
        "is an Excel workbook, but CSV is expected; open it and save it as CSV UTF-8"
    ]
    assert refused("model,q1\nm1,1\n".encode("utf-16")) == ["is not UTF-8 but UTF-16; save the file as UTF-8"]
    many = b"model,q1\n" + b"".join(b"m%d,7\n" % n for n in range(60))
    assert refused(many) == [
        "line 2, 3 and 58 more: the score of 'q1' is 7.0, outside 0 to 1; divide percentages by 100"
    ]
