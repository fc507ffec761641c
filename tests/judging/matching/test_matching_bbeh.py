import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from judging.matching.bbeh import extract, is_correct


def questions(shared_data: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((shared_data / "bbeh" / "benchmark_tasks").glob("*/task.json")):
        for example in json.loads(path.read_text())["examples"]:
            yield path.parent.name, example["target"]


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("42", "42"),
        ("  Yes \n", "yes"),
        ("I think so.\nThe answer is: Yes", "yes"),
        ("The answer is Yes.", "yes"),
        ("The final answer is 7", "7"),
        ("The final answer is: 7.", "7"),
        ("The answer is: 1. No, wait. The answer is: 2.", "2"),
        ("The answer is: The final answer is 3", "3"),
        ("The answer is 4, so The answer is: 5", "5"),
        ("The answer is: 5, that is, The answer is 4", "4"),
        ("so the answer is 4", "so the answer is 4"),
        ("The answer is: $x$", "x"),
        (r"The answer is: $\boxed{B}$", "b"),
        (r"The answer is: \boxed{\text{proved}}.", "proved"),
        (r"\texttt{unknown}", "unknown"),
        (r"\boxed{B} it is", r"\boxed{b} it is"),
        ("The answer is: **(A)**.", "(a)"),
        ("**The answer is: (A)**", "(a)"),
        ("The answer is: B, B, A", "b,b,a"),
        ("The answer is: yes\nbecause no", "yes"),
        ("The answer is: yes.\nbecause no.", "yes"),
        ("The answer is: yes\r\nbecause no", "yes"),
        ("The answer is:", ""),
        ("Done..", "done"),
    ],
)
def test_the_answer_is_found_by_the_rules_in_their_order(response: str, answer: str) -> None:
    assert extract(response) == answer


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("(A)", "A"),
        ("a", "(A)"),
        ("3.0", "3"),
        ("1e3", "1000"),
        ("-7", "-7.00"),
        ("the strangers dog", "the stranger's dog"),
        ("[friday, thursday]", "Friday, Thursday"),
        ("friday,thursday", "[friday, thursday]"),
        ("mango?", "mango"),
        ("B, C, A", "B,C,A"),
        ("Unknown", " unknown "),
    ],
)
def test_a_tolerated_difference_is_no_error(response: str, reference: str) -> None:
    assert is_correct(response, reference)


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("(A)", "(B)"),
        ("(A)", "[(A)]"),
        ("(5)", "5.0"),
        ("5.0", "(5)"),
        ("mango", "mango?"),
        ("3.01", "3"),
        ("nan", "1"),
        ("The answer is:", "5"),
        ("yes no", "yes"),
    ],
)
def test_any_other_difference_is_an_error(response: str, reference: str) -> None:
    assert not is_correct(response, reference)


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "The answer is: {}",
        "Well. The answer is: {}.",
        "The final answer is: **{}**",
        "The answer is {}\nQED",
    ],
)
def test_every_reference_answers_its_own_question_except_those_ending_in_a_full_stop(
    shared_data: Path, form: str
) -> None:
    found = [
        (task, target)
        for task, target in questions(shared_data)
        if not is_correct(form.format(target), target)
    ]

    assert len(found) == 11
    assert {task for task, _ in found} == {"bbeh_linguini"}
    assert all(target.endswith(".") for _, target in found)
