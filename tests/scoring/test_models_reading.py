"""Results of models, read from files that people write."""

import json
import math
from pathlib import Path

import pytest

from scoring.readers.model_results.reading import ResultsFormat, format_of, read_model_results, read_responses
from scoring.readers.model_results.records import (
    MAX_EPOCHS,
    MAX_PROBLEMS,
    ModelResponse,
    ModelResultsRefused,
    PublishedAbility,
)
from tests.support.model_results import head, lines, problems_of


def response(**changes: object) -> dict[str, object]:
    return {"model": "A", "prompt_id": "p1", "epoch": 1, "score": 0.5, **changes}


def test_a_line_is_a_response_and_null_is_missing(tmp_path: Path) -> None:
    path = lines(tmp_path, response(family="F"), "", response(prompt_id="p2", score=None, family="F"))
    results = read_model_results(path)
    assert results.responses[0] == ModelResponse("A", "p1", 1, 0.5, "F")
    assert math.isnan(results.responses[1].score)
    assert results.missing == {"no score": 1}


def test_every_problem_of_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        response(score=1.5),
        response(scor=1),
        '{"model": ',
        response(epoch=True),
        response(),
        response(),
        response(prompt_id="p2", family="F"),
        '{"model": "B", "prompt_id": "p1", "epoch": 1, "score": NaN}',
        response(model="x" * 191),
        response(model="a\0b"),
    )
    assert problems_of(path) == [
        "line 1, p1, score: is above 1; write 1 or less",
        "line 2, p1, scor: is not a known field; remove it or correct its name",
        "line 3, JSON: breaks off at column 11 (Expecting value); correct the JSON",
        "line 4, p1, epoch: is true or false, but a whole number is expected",
        "line 6, p1, epoch: A has two responses to this prompt in epoch 1; keep one",
        "line 7, p2, family: is another family than in an earlier line of A; write the same one, or none",
        "line 8, p1, score: is not a finite number; write an ordinary number",
        "line 9, p1, model: is longer than 190 characters; shorten it",
        "line 10, p1, model: contains a NUL character (U+0000); remove it",
    ]


def test_a_score_that_is_not_named_is_a_problem_and_not_missing(tmp_path: Path) -> None:
    value = response()
    del value["score"]
    assert problems_of(lines(tmp_path, value)) == ["line 1, p1, score: is missing; add it"]


def test_a_name_as_long_as_a_file_is_told_by_its_beginning(tmp_path: Path) -> None:
    assert problems_of(lines(tmp_path, response(**{"x" * 90_000: 1}))) == [
        f"line 1, p1, {'x' * 100}…: is not a known field; remove it or correct its name"
    ]


def test_reading_stops_after_many_problems(tmp_path: Path) -> None:
    found = problems_of(lines(tmp_path, *["{"] * (MAX_PROBLEMS + 50)))
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1] == f"more than {MAX_PROBLEMS} problems; the rest of the file was not read"


def test_published_thetas_are_read_from_lines_and_from_tables(tmp_path: Path) -> None:
    one = {"model": "A", "theta": 2.04, "se": 0.06, "epochs": 5, "source": "Figure 1"}
    expected = (PublishedAbility("A", 2.04, 0.06, 5, "Figure 1"), PublishedAbility("B", -1.0))
    assert read_model_results(lines(tmp_path, one, {"model": "B", "theta": -1})).published == expected
    table = "\ufeffmodel,theta,se,epochs,source\nA,2.04,0.06,5,Figure 1\nB,-1,,,\n"
    assert read_model_results(lines(tmp_path, table, name="p.csv")).published == expected


def test_problems_of_a_table_are_named_with_their_line(tmp_path: Path) -> None:
    table = "model,theta,se\nA,two,0\nA,1,5,0\nB,1e999,\nC,1,\nC,2,\nD,,\n"
    assert problems_of(lines(tmp_path, table, name="p.csv")) == [
        "line 2, theta: is text, but a number is expected",
        "line 2, se: is 0.0; write a number above 0",
        "line 3: has 4 cells for 3 columns; put cells with a delimiter in quotes",
        "line 4, theta: is not a finite number; write an ordinary number",
        "line 6, model: C has a theta already; keep one",
        "line 7, theta: is missing; add it",
    ]


def test_a_model_has_one_judge(tmp_path: Path) -> None:
    both = lines(tmp_path, response(judge="a"), response(judge="b", epoch=2))
    with pytest.raises(ModelResultsRefused, match="is another judge than in an earlier line of A"):
        read_responses(both)
    assert read_responses(lines(tmp_path, response(judge=" a "))).responses[0].judge == "a"


def test_a_model_of_very_many_epochs_is_a_slip(tmp_path: Path) -> None:
    rows = [{**response(), "epoch": epoch} for epoch in range(MAX_EPOCHS + 1)]
    assert len(read_responses(lines(tmp_path, *rows[:-1])).responses) == MAX_EPOCHS
    assert f"has more than {MAX_EPOCHS} epochs" in problems_of(lines(tmp_path, *rows))[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "is a list, but an object is expected"),
        ('{"eval": {}}', "eval.model: is missing; add it"),
        (json.dumps(head()), "holds no samples; write the log with its samples"),
        (json.dumps(head(samples=[])), "the file holds no results; is it the right file?"),
        ("[" * 100_000, "is nested too deeply; flatten it"),
        ("", "is empty; is it the right file?"),
    ],
)
def test_other_json_is_refused_in_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in problems_of(lines(tmp_path, text, name="log.json"))[0]


def test_the_format_is_told_by_name_and_first_line(tmp_path: Path) -> None:
    assert format_of(Path("x.EVAL")) == format_of(Path("x.json")) == ResultsFormat.INSPECT
    assert format_of(Path("x.csv")) == ResultsFormat.PUBLISHED
    assert format_of(lines(tmp_path, response())) == ResultsFormat.RESPONSES
    assert format_of(lines(tmp_path, {"model": "A", "theta": 1})) == ResultsFormat.PUBLISHED
