"""What logs of Inspect AI may look like: runs that did not end, samples that do not count, older layouts."""

import json
import math
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scoring.readers.model_results.reading import read_model_results
from scoring.readers.model_results.records import ModelResultsRefused
from tests.support.model_results import MODEL, head, lines, problems_of


def sample(number: int, value: object = "C", **changes: Any) -> dict[str, Any]:
    return {
        "id": f"p{number}", "epoch": 1, "output": {"completion": "42"}, "scores": {"judge": {"value": value}},
        **changes,
    }  # fmt: skip


def log(tmp_path: Path, *samples: dict[str, Any], **changes: object) -> Path:
    return lines(tmp_path, head(samples=samples, **changes), name="log.json")


def scores_of(path: Path, **how: Any) -> dict[str, float | None]:
    responses = read_model_results(path, **how).responses
    return {one.prompt_id: None if math.isnan(one.score) else one.score for one in responses}


def test_a_sample_that_was_invalidated_or_cancelled_is_missing_whatever_its_score(tmp_path: Path) -> None:
    path = log(
        tmp_path,
        sample(1, invalidation={"author": "x", "reason": "wrong target"}),
        sample(2, error={"message": "CancelledError()", "traceback": ""}),
        sample(3, error={"message": "timeout"}, invalidation={}),
        sample(4, "I"),
        invalidated=True,
    )
    assert scores_of(path) == {"p1": None, "p2": None, "p3": None, "p4": 0.0}
    assert read_model_results(path).missing == {
        "the sample was cancelled": 1, "the sample was invalidated": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "notice"),
    [
        (
            {"status": "cancelled", "eval": {"model": MODEL, "dataset": {"samples": 48}}},
            "the run did not end (cancelled): samples 2 of 48",
        ),
        (
            {
                "status": "error",
                "eval": {"model": MODEL, "dataset": {"sample_ids": [1, 2, 3]}, "config": {"epochs": 5}},
            },
            "the run did not end (error): samples 2 of 15",
        ),
        ({"status": "started"}, "the run did not end (started): samples 2"),
        (
            {"status": "success", "results": {"total_samples": 9}},
            "the log does not hold every sample: 2 of 9",
        ),
        ({"status": "success", "results": {"total_samples": 2}}, None),
    ],
)  # fmt: skip
def test_a_run_that_did_not_end_is_imported_and_says_so(
    tmp_path: Path, changes: dict[str, object], notice: str | None
) -> None:
    results = read_model_results(log(tmp_path, sample(1), sample(2), **changes))
    assert len(results.responses) == 2
    assert results.notices == ((notice,) if notice else ())


def test_an_archive_of_a_run_that_is_not_over_has_no_header(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    start = {"version": 2, "eval": {"model": MODEL, "dataset": {"samples": 3}}, "plan": {}}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps(start))
        archive.writestr("samples/p1_epoch_1.json", json.dumps(sample(1)))
    assert read_model_results(path).notices == ("the run did not end (started): samples 1 of 3",)


def test_scores_without_text_count_where_the_log_scores_something_else_than_texts(tmp_path: Path) -> None:
    empty = {"output": {"completion": ""}}
    agents = log(tmp_path, sample(1, "C", **empty), sample(2, "I", **empty), sample(3, "C"))
    assert scores_of(agents) == {"p1": 1.0, "p2": 0.0, "p3": 1.0}, "not the best alone"
    assert read_model_results(agents).notices == ("responses that have a score and no text, and count: 2",)
    texts = log(tmp_path, sample(1, "I", **empty), sample(2, 0, **empty), sample(3, "C"))
    assert scores_of(texts) == {"p1": None, "p2": None, "p3": 1.0}
    assert read_model_results(texts).missing == {"the response is empty": 2}


@pytest.mark.parametrize(
    ("output", "is_empty"),
    [
        ({"choices": []}, True),
        ({"choices": [{"message": {"content": " \n"}}]}, True),
        ({"choices": [{"message": {"content": [{"type": "reasoning", "reasoning": "long"}]}}]}, True),
        ({"completion": "", "choices": [{"message": {"content": "42"}}]}, False),
        ({"choices": [{"message": {"content": [{"type": "text", "text": "42"}]}}]}, False),
        ({"completion": "42", "choices": []}, False),
        ({}, False),
        (None, False),
    ],
)
def test_without_a_completion_the_first_choice_says_what_was_written(
    tmp_path: Path, output: object, is_empty: bool
) -> None:
    path = log(tmp_path, sample(1, "I", output=output), sample(2))
    assert scores_of(path) == {"p1": None if is_empty else 0.0, "p2": 1.0}


def test_a_sample_that_somebody_stopped_counts_as_scored_and_is_told(tmp_path: Path) -> None:
    stopped = {"limit": {"type": "operator", "limit": 1}}
    path = log(tmp_path, sample(1, "P", **stopped), sample(2, limit={"type": "token", "limit": 9.0}))
    assert scores_of(path) == {"p1": 0.5, "p2": 1.0}
    assert read_model_results(path).notices == (
        "samples that somebody stopped, and count as they were scored: 1",
    )


@pytest.mark.parametrize(
    ("value", "score"),
    [
        ("C", 1.0), ("P", 0.5), ("I", 0.0), ("N", None), ("yes", 1.0), ("No", 0.0), ("True", 1.0),
        ("0.25", 0.25), (True, 1.0), (False, 0.0), (1, 1.0), (0.75, 0.75), (None, None), (math.nan, None),
    ],
)  # fmt: skip
def test_letters_words_numbers_and_truth_values_are_scores(
    tmp_path: Path, value: object, score: float | None
) -> None:
    assert scores_of(log(tmp_path, sample(1, value))) == {"p1": score}


def test_of_several_values_of_one_scorer_one_is_named(tmp_path: Path) -> None:
    path = log(tmp_path, sample(1, {"accuracy": 1, "style": 0.5}), sample(2, {"accuracy": 0, "style": 0.25}))
    assert problems_of(path)[0] == (
        "sample 1: has scores of several scorers ('judge.accuracy', 'judge.style'); name one with --scorer"
    )
    assert scores_of(path, scorer="judge.style") == {"p1": 0.5, "p2": 0.25}
    assert problems_of(path, scorer="judge.stile") == [
        "no sample has the score 'judge.stile'; there are 'judge.accuracy', 'judge.style'"
    ]
    assert scores_of(log(tmp_path, sample(1, {"accuracy": 0.5}))) == {"p1": 0.5}


def test_logs_of_version_1_have_one_score_a_sample(tmp_path: Path) -> None:
    old = {"id": 7, "epoch": 1, "output": {"completion": "x"}, "score": {"value": "P", "answer": "x"}}
    path = log(tmp_path, old, old | {"id": 8, "score": None}, version=1)
    assert scores_of(path) == {"7": 0.5, "8": None}


def test_a_sample_that_was_run_again_is_its_last_run(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(head(eval={"model": "older"})))
        archive.writestr("samples/p1_epoch_1.json", json.dumps(sample(1, error={"message": "timeout"})))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("samples/p1_epoch_1.json", json.dumps(sample(1, "C")))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("header.json", json.dumps(head()))
    assert scores_of(path) == {"p1": 1.0}
    assert read_model_results(path).responses[0].model == MODEL


def test_an_archive_is_one_whatever_its_name_says(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(head()))
        archive.writestr("samples/p1_epoch_1.json", json.dumps(sample(1)))
    assert scores_of(path) == {"p1": 1.0}


def test_problems_of_one_kind_are_told_as_one(tmp_path: Path) -> None:
    path = log(tmp_path, *(sample(number, number + 2) for number in range(50)))
    with pytest.raises(ModelResultsRefused) as refused:
        read_model_results(path)
    assert str(refused.value) == "sample 1; sample 2 and 48 more: has the score 2, which is outside 0 to 1"


def test_a_document_of_another_kind_is_named(tmp_path: Path) -> None:
    task = {"canary": "c", "examples": [{"input": "q", "target": "a"}]}
    assert problems_of(lines(tmp_path, task, name="task.json")) == [
        "task.json: is a task file of BIG-Bench, but an Inspect log is expected; choose the right file"
    ]
    harness = {
        "doc_id": 0,
        "doc": {},
        "target": "(A)",
        "filtered_resps": ["(A)"],
        "filter": "x",
        "exact_match": 1.0,
    }
    (problem,) = problems_of(lines(tmp_path, harness, harness | {"filter": "y"}))
    assert "is a sample log of the LM Evaluation Harness, but JSONL" in problem
    assert "write the scores as CSV with the columns model, question and score" in problem
