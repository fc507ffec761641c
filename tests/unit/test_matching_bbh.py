import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring.matching.bbh import PATTERNS, UnknownTask, extract, is_correct


def questions(shared_data: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((shared_data / "bbh").glob("*.json")):
        for example in json.loads(path.read_text())["examples"]:
            yield path.stem, example["target"]


@pytest.mark.parametrize(
    ("task", "response", "answer"),
    [
        ("snarks", "(B)", "(B)"),
        ("snarks", "So the answer is (B).", "(B)"),
        ("snarks", "THE ANSWER IS: option (B), I think", "(B)"),
        ("snarks", "The answer is (A). No: the answer is (B).", "(B)"),
        ("snarks", "First the answer is (A), but then the answer is (B)", "(B)"),
        ("snarks", "The answer is (A). That the answer is.", "(A)"),
        ("snarks", "The answer isn't (A), it is (B)", "(A)"),
        ("snarks", "(A) is wrong, so B. The answer is B.", "B"),
        ("snarks", "b.", "b"),
        ("boolean_expressions", "the answer is not True but false", "True"),
        ("boolean_expressions", "False", "False"),
        ("navigate", "Not sure, but yes", "yes"),
        ("formal_fallacies", "The argument is invalid.", "invalid"),
        ("multistep_arithmetic_two", "The answer is: -1,234 in all.", "-1234"),
        ("multistep_arithmetic_two", "\u22125", "-5"),
        ("object_counting", "The answer is\n12", "12"),
        ("dyck_languages", "So the answer is ] ] >.", "] ] >"),
        ("dyck_languages", "I close with `) }` here", ") }"),
        ("word_sorting", "So the answer is barn damp dot. Sorted!", "barn damp dot"),
        ("word_sorting", "barn damp dot.", "barn damp dot"),
        ("movie_recommendation", "So the answer is Monsters, Inc.", "Monsters, Inc"),
        ("object_counting", "a dozen", "a dozen"),
    ],
)
def test_the_answer_is_found_in_the_announced_span_or_the_whole_response(
    task: str, response: str, answer: str
) -> None:
    assert extract(response, task) == answer


@pytest.mark.parametrize(
    ("task", "response", "reference"),
    [
        ("snarks", "B", "(B)"),
        ("snarks", "(b)", "(B)"),
        ("snarks", "(B)", "B"),
        ("sports_understanding", "Yes", "yes"),
        ("object_counting", "1,000", "1000"),
    ],
)
def test_case_brackets_and_thousands_do_not_matter(task: str, response: str, reference: str) -> None:
    assert is_correct(response, reference, task)


@pytest.mark.parametrize(
    ("task", "response", "reference"),
    [
        ("snarks", "(A)", "(B)"),
        ("word_sorting", "barn dot damp", "barn damp dot"),
        ("word_sorting", "So the answer is a b.c d", "a b.c d"),
        ("formal_fallacies", "valid", "invalid"),
        ("web_of_lies", "unknown", "No"),
    ],
)
def test_a_wrong_answer_is_wrong(task: str, response: str, reference: str) -> None:
    assert not is_correct(response, reference, task)


def test_an_unknown_task_is_refused_by_name() -> None:
    with pytest.raises(UnknownTask, match="'chess' is no BIG-Bench Hard task"):
        extract("(A)", "chess")


@pytest.mark.parametrize(
    "form",
    ["{}", "{}.", "So the answer is {}.", "the answer is: {}", "Hm. The answer is {}. Yes (Z) no 3 True."],
)
def test_every_reference_answers_its_own_question(shared_data: Path, form: str) -> None:
    wrong = [
        (task, target)
        for task, target in questions(shared_data)
        if not is_correct(form.format(target), target, task)
    ]

    assert wrong == []


def test_there_is_a_pattern_for_every_task_file(shared_data: Path) -> None:
    assert sorted(PATTERNS) == sorted(path.stem for path in (shared_data / "bbh").glob("*.json"))
