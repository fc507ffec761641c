from pathlib import Path

import pytest

from judging.matching.response_lines import (
    MatchRules,
    ResponseLine,
    ResponseLinesRefused,
    Verdict,
    read_response_lines,
    verdict_on,
)


def read(tmp_path: Path, content: str | bytes, rules: MatchRules = "bbh") -> list[ResponseLine]:
    path = tmp_path / "responses.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_response_lines(path, rules)


def problems_of(tmp_path: Path, content: str | bytes, rules: MatchRules = "bbh") -> tuple[str, ...]:
    with pytest.raises(ResponseLinesRefused) as refusal:
        read(tmp_path, content, rules)
    return refusal.value.problems


def test_lines_are_read_in_order_and_blank_ones_skipped(tmp_path: Path) -> None:
    content = (
        '\ufeff{"response": "(A)", "reference": "(A)", "task": "snarks", "rater": 7}\r\n\n'
        '{"response": null, "reference": "Yes", "task": "navigate"}'
    )

    assert read(tmp_path, content) == [
        ResponseLine(response="(A)", reference="(A)", task="snarks"),
        ResponseLine(response=None, reference="Yes", task="navigate"),
    ]


def test_bbeh_needs_no_task(tmp_path: Path) -> None:
    (line,) = read(tmp_path, '{"response": "3", "reference": "3.0"}', rules="bbeh")

    assert line.task == "all"
    assert verdict_on(line, "bbeh") == Verdict(extracted="3", correct=True)


@pytest.mark.parametrize("rules", ["bbeh", "bbh"])
@pytest.mark.parametrize("response", [None, "", " \n "])
def test_a_blank_response_is_missing_and_not_wrong(response: str | None, rules: MatchRules) -> None:
    line = ResponseLine(response=response, reference="(A)", task="snarks")

    assert verdict_on(line, rules) == Verdict(extracted=None, correct=None)


def test_each_benchmark_has_its_own_rules() -> None:
    line = ResponseLine(response="Well, the answer is (A) I think.", reference="(A)", task="snarks")

    assert verdict_on(line, "bbh") == Verdict(extracted="(A)", correct=True)
    assert verdict_on(line, "bbeh") == Verdict(extracted="well,the answer is (a) i think", correct=False)


def test_every_problem_is_reported_with_its_line(tmp_path: Path) -> None:
    content = (
        '{"response": 1, "task": "snarks"}\n'
        "(A)\n"
        '["(A)"]\n'
        '{"response": "(A)", "reference": "(A)"}\n'
        '{"response": "(A)", "reference": "(A)", "task": "chess"}\n'
    )

    assert problems_of(tmp_path, content) == (
        "line 1, response: is a number, but text is expected; put it in quotes",
        "line 1, reference: is missing; add it",
        "line 2, JSON: breaks off at column 1 (Expecting value); correct the JSON",
        "line 3, JSON: is a list, but an object in braces is expected",
        "line 4, task: is missing; BIG-Bench Hard compares by task",
        "line 5, task: 'chess' is no BIG-Bench Hard task; use a file name such as 'date_understanding'",
    )


def test_a_file_in_another_encoding_is_refused_at_its_line(tmp_path: Path) -> None:
    content = '{"response": "a", "reference": "a"}\n{"response": "é", "reference": "a"}'.encode("latin-1")

    (problem,) = problems_of(tmp_path, content, rules="bbeh")

    assert problem.startswith("line 2, encoding: has the byte 0xe9 at position 15")


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(ResponseLinesRefused, match=r"nowhere.jsonl: cannot be read \(No such file"):
        read_response_lines(tmp_path / "nowhere.jsonl", "bbeh")
