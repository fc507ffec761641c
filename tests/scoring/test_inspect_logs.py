"""Results of models, read from the logs of Inspect AI."""

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from formats.files import FileRefused
from scoring.readers.model_results.inspect_log import DEFAULT_LOG_LIMITS, read_inspect_log
from scoring.readers.model_results.reading import read_model_results
from tests.support.model_results import MODEL, head, lines, problems_of


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
        sample(2, 1, ["a", 1]),
        sample(3, -1, 1),
        sample(4, 1, 1, id=" "),
    ]
    assert problems_of(zip_log(tmp_path, samples)) == [
        "samples/p1_epoch_1.json: has the score 7, which is outside 0 to 1",
        "samples/p2_epoch_1.json: has the score \"['a', 1]\", which is no number from 0 to 1",
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
