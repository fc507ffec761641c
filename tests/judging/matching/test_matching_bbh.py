import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from judging.judges.local_judges import MatchJudge
from judging.matching.bbh import PATTERNS, UnknownTask, extract, is_correct


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
        ("snarks", "The answer is (A), though (A) is odd", "(A)"),
        ("snarks", "The answer is option B", "B"),
        ("snarks", "(A) is wrong, so B. The answer is B.", "B"),
        ("snarks", "b.", "b"),
        ("boolean_expressions", "the answer is not false", ""),
        ("boolean_expressions", "False", "False"),
        ("navigate", "**Yes**", "Yes"),
        ("formal_fallacies", '"Invalid."', "Invalid"),
        ("multistep_arithmetic_two", "The answer is: -1,234 in all.", "-1234"),
        ("multistep_arithmetic_two", "\u22125", "-5"),
        ("object_counting", "The answer is\n12", "12"),
        ("dyck_languages", "So the answer is ] ] >.", "] ] >"),
        ("dyck_languages", "`) }`", ") }"),
        ("word_sorting", "So the answer is barn damp dot. Sorted!", "barn damp dot"),
        ("word_sorting", "barn damp dot.", "barn damp dot"),
        ("movie_recommendation", "So the answer is Monsters, Inc.", "Monsters, Inc"),
        ("object_counting", "a dozen", "a dozen"),
    ],
)
def test_the_answer_is_found_in_the_announced_span_or_is_the_whole_response(
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
    "response",
    [
        *("A", "a", "(A)", "[A]", "A)", "A.", "A:", "Option A", "option (A).", "**A**", " `(A)`\n"),
        *("Answer A", "Answer: A", "Answer: **A**", "**Answer:** option A"),
    ],
)
def test_an_option_counts_in_any_usual_dress(response: str) -> None:
    assert is_correct(response, "(A)", "snarks")
    assert not is_correct(response, "(B)", "snarks")


@pytest.mark.parametrize(
    ("task", "response", "reference"),
    [
        ("navigate", "Answer: Yes", "Yes"),
        ("object_counting", "**Answer:** 42.", "42"),
        ("word_sorting", "Answer: barn damp dot", "barn damp dot"),
        ("word_sorting", "answer barn dot", "answer barn dot"),
    ],
)
def test_a_label_before_the_whole_answer_does_not_matter(task: str, response: str, reference: str) -> None:
    assert is_correct(response, reference, task)


@pytest.mark.parametrize(
    ("task", "response", "reference"),
    [
        ("snarks", "(A) is ironic, as nobody would say so", "(A)"),
        ("snarks", "I would say (A)", "(A)"),
        ("boolean_expressions", "not ( True ) is the same as not True", "True"),
        ("navigate", "Not sure, but yes", "Yes"),
        ("dyck_languages", "I close with ) } here", ") }"),
        ("object_counting", "I count 3 of 12", "3"),
    ],
)
def test_a_text_that_mentions_an_answer_and_announces_none_is_wrong(
    task: str, response: str, reference: str
) -> None:
    assert not is_correct(response, reference, task)


@pytest.mark.parametrize(
    ("task", "span", "named"),
    [
        ("snarks", "(A) or (B)", ("(A)", "(B)")),
        ("boolean_expressions", "not True but false", ("True", "False")),
        ("web_of_lies", "yes and no", ("Yes", "No")),
        ("formal_fallacies", "valid, not invalid", ("valid", "invalid")),
    ],
)
def test_a_span_that_names_two_choices_is_wrong_for_both(
    task: str, span: str, named: tuple[str, str]
) -> None:
    for reference in named:
        assert not is_correct(f"So the answer is {span}.", reference, task)


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


def test_scores_by_the_earlier_rules_are_those_of_another_judge() -> None:
    earlier = {"kind": "match", "rules": "bbh"}
    assert MatchJudge("bbh").describe() == {**earlier, "version": 4}
    assert MatchJudge("bbeh").describe() == {"kind": "match", "rules": "bbeh"}


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
