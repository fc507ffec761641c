"""Results of models, read from files that people and harnesses write."""

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from formats.files import FileRefused
from scoring.readers.model_results.inspect_log import DEFAULT_LOG_LIMITS, read_inspect_log
from scoring.readers.model_results.line_files import read_responses
from scoring.readers.model_results.reading import ResultsFormat, format_of, read_model_results
from scoring.readers.model_results.records import (
    MAX_EPOCHS,
    MAX_PROBLEMS,
    ModelResponse,
    ModelResultsRefused,
    PublishedAbility,
)

MODEL = "openai/gpt-test"


def lines(tmp_path: Path, *values: object, name: str = "scores.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(v if isinstance(v, str) else json.dumps(v) for v in values), encoding="utf-8")
    return path


def response(**changes: object) -> dict[str, object]:
    return {"model": "A", "prompt_id": "p1", "epoch": 1, "score": 0.5, **changes}


def sample(number: int, epoch: int, value: object, **changes: Any) -> dict[str, Any]:
    """A sample as Inspect writes it, shortened to what matters and a few fields that do not."""
    score = {"value": value, "answer": "42", "explanation": "…", "metadata": changes.pop("metadata", None)}
    return {
        "id": f"p{number}",
        "epoch": epoch,
        "input": "Question?",
        "target": "42",
        "messages": [{"role": "user", "content": "Question?"}],
        "output": {"model": MODEL, "choices": [], "completion": "The answer is 42."},
        "scores": {"gim_scorer": score},
        "uuid": "x",
        **changes,
    }


def head(**changes: object) -> dict[str, object]:
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "gim",
            "model": MODEL,
            "model_generate_config": {},
            "created": "2026-01-01T00:00:00",
        },
        "plan": {"name": "plan", "steps": []},
        "stats": {"started_at": "", "completed_at": ""},
        **changes,
    }


def zip_log(tmp_path: Path, samples: list[dict[str, Any]], **members: object) -> Path:
    """An `.eval` log with the members that Inspect writes."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(head()))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps(members.get("header", head())))
    return path


def problems_of(path: Path, **how: Any) -> list[str]:
    with pytest.raises(ModelResultsRefused) as refused:
        read_model_results(path, **how)
    return [str(problem) for problem in refused.value.problems]


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
    table = "model,theta,se\nA,two,0\nA,1\nB,1e999,\nC,1,\nC,2,\nD,,\n"
    assert problems_of(lines(tmp_path, table, name="p.csv")) == [
        "line 2, theta: is text, but a number is expected",
        "line 2, se: is 0.0; write a number above 0",
        "line 3: has 2 cells where the header has 3",
        "line 4, theta: is not a finite number; write an ordinary number",
        "line 6, model: C has a theta already; keep one",
        "line 7, theta: is missing; add it",
    ]


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_an_inspect_log_is_read_whole(kind: str, tmp_path: Path) -> None:
    samples = [sample(1, 1, 0.75), sample(1, 2, 1), sample(2, 1, "C"), sample(2, 2, "P"), sample(3, 1, "I")]
    path = tmp_path / "log.json"
    if kind == "json":
        path.write_text(json.dumps(head(samples=samples)), encoding="utf-8")
    else:
        path = zip_log(tmp_path, samples)
    found = [(one.model, one.prompt_id, one.epoch, one.score) for one in read_model_results(path).responses]
    scores = [("p1", 1, 0.75), ("p1", 2, 1.0), ("p2", 1, 1.0), ("p2", 2, 0.5), ("p3", 1, 0.0)]
    assert found == [(MODEL, *one) for one in scores]


def test_what_failed_in_a_log_is_missing_and_never_zero(tmp_path: Path) -> None:
    judge_error = {"rubric_grades": [{"score": 1.0}, {"score": 0.0, "explanation": "Judge error: timed out"}]}
    samples = [
        sample(1, 1, 0.0, error={"message": "timeout"}),
        sample(2, 1, 0.0, output={"completion": " \n"}),
        sample(3, 1, math.nan),
        sample(4, 1, 0.0, metadata={"parse_error": True}),
        sample(5, 1, 0.5, metadata=judge_error),
        sample(6, 1, "I", metadata={"skipped": True}),
        sample(7, 1, "N"),
        sample(8, 1, 0.0, scores=None),
        sample(9, 1, 0.0),
    ]
    results = read_model_results(zip_log(tmp_path, samples))
    assert [one.prompt_id for one in results.responses if not math.isnan(one.score)] == ["p9"]
    assert results.missing == {
        "the judge failed": 2,
        "the response is empty": 1,
        "the sample failed": 1,
        "the scorer gave no score": 4,
    }


def test_a_thinking_level_is_part_of_the_configuration(tmp_path: Path) -> None:
    spec = {"model": MODEL, "model_generate_config": {"reasoning_effort": "high"}}
    path = zip_log(tmp_path, [sample(1, 1, 1)], header=head(eval=spec))
    assert read_model_results(path).responses[0].model == f"{MODEL}, high"
    assert read_model_results(path, model="Mine").responses[0].model == "Mine"


def test_the_judge_is_the_scorers_model_or_else_the_one_with_that_role(tmp_path: Path) -> None:
    roles = {"grader": {"model": "openai/by-role"}}
    scorers = [{"name": "gim_scorer", "options": {"model": "openai/given"}}, {"name": "other"}]
    for spec, scorer, judge in (
        ({"scorers": scorers, "model_roles": roles}, "gim_scorer", "openai/given"),
        ({"scorers": scorers, "model_roles": roles}, "", "openai/by-role"),  # which of the two is open
        ({"scorers": scorers[:1]}, "", "openai/given"),
        ({"scorers": "none", "model_roles": {"grader": "x"}}, "", ""),
        ({"model_roles": {"grader": {"model": "a\nb"}}}, "", ""),
        ({}, "", ""),
    ):
        log = head(eval={"model": MODEL, **spec}) | {"samples": [sample(1, 1, 0.5)]}
        path = lines(tmp_path, log, name="log.json")
        assert read_inspect_log(path, scorer=scorer).responses[0].judge == judge


def test_a_model_has_one_judge(tmp_path: Path) -> None:
    both = lines(tmp_path, response(judge="a"), response(judge="b", epoch=2))
    with pytest.raises(ModelResultsRefused, match="is another judge than in an earlier line of A"):
        read_responses(both)
    assert read_responses(lines(tmp_path, response(judge=" a "))).responses[0].judge == "a"


def test_of_several_scorers_one_must_be_named(tmp_path: Path) -> None:
    scores = {"strict": {"value": 0.0}, "mild": {"value": 1.0}}
    path = zip_log(tmp_path, [sample(1, 1, 0, scores=scores)])
    assert problems_of(path) == [
        "samples/p1_epoch_1.json: has scores of several scorers ('mild', 'strict'); name one with --scorer"
    ]
    assert read_model_results(path, scorer="mild").responses[0].score == 1.0


def test_problems_of_a_log_name_their_sample(tmp_path: Path) -> None:
    samples = [
        sample(1, 1, 7),
        sample(2, 1, {"a": 1}),
        sample(3, -1, 1),
        sample(4, 1, 1, id=" "),
    ]
    assert problems_of(zip_log(tmp_path, samples)) == [
        "samples/p1_epoch_1.json: has the score 7, which is outside 0 to 1",
        "samples/p2_epoch_1.json: has the score \"{'a': 1}\", which is no number from 0 to 1",
        "samples/p3_epoch_-1.json, epoch: is below 0; write 0 or more",
        "samples/ _epoch_1.json: its id is blank, or begins or ends with white space",
    ]


def test_a_response_that_is_in_a_log_twice_is_a_problem(tmp_path: Path) -> None:
    path = zip_log(tmp_path, [sample(1, 1, 1)])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("samples/again.json", json.dumps(sample(1, 1, 0)))
    assert problems_of(path) == [
        f"samples/again.json, p1, epoch: {MODEL} has two responses to this prompt in epoch 1; keep one"
    ]


def test_a_log_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = zip_log(tmp_path, [sample(1, 1, 1)])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/bomb.json", b" " * 3_000_000)
    with pytest.raises(FileRefused, match=r"samples/bomb\.json: unpacks to more than the 1\.0 MiB left"):
        read_inspect_log(path, limits=replace(DEFAULT_LOG_LIMITS, member_bytes=2**20))
    with pytest.raises(FileRefused, match="unpacks to more than the"):
        read_inspect_log(path, limits=replace(DEFAULT_LOG_LIMITS, unpacked_bytes=2**20))
    with pytest.raises(FileRefused, match="holds 5 files, above the limit of 3"):
        read_inspect_log(path, limits=replace(DEFAULT_LOG_LIMITS, members=3))


def test_archives_that_are_none_or_lie_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04 nothing")
    assert "is no intact zip" in problems_of(path)[0]
    whole = zip_log(tmp_path, [sample(1, 1, 1)]).read_bytes()
    path.write_bytes(whole.replace(b'"version": 2', b'"version": 3', 1)[:-10])
    assert "is no intact zip" in problems_of(path)[0]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("header.json", "{}")
    assert "is compressed by a method that is not read here (12)" in problems_of(path)[0]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.txt", "")
    assert "holds no header.json" in problems_of(path)[0]
    assert "cannot be read" in problems_of(tmp_path / "absent.eval")[0]


@pytest.mark.parametrize(("place", "bytes_there"), [(6, b"\xff"), (46, b"\xff")])
def test_a_zip_with_damaged_bytes_in_its_list_is_refused_in_a_sentence(
    place: int, bytes_there: bytes, tmp_path: Path
) -> None:
    """The version that is needed to unpack, and a name that is said to be UTF-8."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("h\u00e9ader.json", "{}")
    content = bytearray(path.read_bytes())
    start = content.index(b"PK\x01\x02") + place
    content[start : start + 1] = bytes_there
    path.write_bytes(content)
    assert "is no intact zip" in problems_of(path)[0]


def test_a_model_of_very_many_epochs_is_a_slip(tmp_path: Path) -> None:
    rows = [{**response(), "epoch": epoch} for epoch in range(MAX_EPOCHS + 1)]
    assert len(read_responses(lines(tmp_path, *rows[:-1])).responses) == MAX_EPOCHS
    assert f"has more than {MAX_EPOCHS} epochs" in problems_of(lines(tmp_path, *rows))[0]


def test_the_name_given_to_a_log_is_checked_as_that_of_the_log(tmp_path: Path) -> None:
    path = zip_log(tmp_path, [sample(1, 1, 1)])
    with pytest.raises(FileRefused, match="--model: contains the control character U"):
        read_inspect_log(path, model="A\x1b")
    with pytest.raises(FileRefused, match="--model: contains half of a surrogate pair"):
        read_inspect_log(path, model="A\udcff")


def test_a_damaged_member_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(head()))
        archive.writestr("samples/p1_epoch_1.json", json.dumps(sample(1, 1, 1)))
    path.write_bytes(path.read_bytes().replace(b"Question?", b"Question!"))
    assert problems_of(path)[0].startswith("samples/p1_epoch_1.json: is damaged (Bad CRC-32")


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
