"""Answers to BIG-Bench Hard as people write them: right ones count in their forms, and no wrong one does."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from judging.matching import bbh
from judging.matching.bbh import extract, is_correct, reading_of

QUESTION = "Which day is it?\nOptions:\n(A) Monday\n(B) Tuesday\n(C) Monday or Tuesday\n(D) an unknown day"
SORTED = "Sort the following words alphabetically: List: plum fig it&t kiwi"
BRACKETS = "Complete the rest of the sequence. Input: [ < ("

RIGHT = {
    ("date_understanding", "(B)"): [
        "B", "b", "(b)", "[B]", "B.", "b)", "B!", "(B) Tuesday", "B) Tuesday", "B. Tuesday.", "B: Tuesday",
        "B - Tuesday", "B \u2013 Tuesday", "b) tuesday", "Option B: Tuesday", "Option B is correct.",
        "(B) is the right answer", "I choose B", "It is (B).", "B, because the list starts on Monday",
        "(B) since it follows", "B\nbecause it follows", "Answer: B", "Final answer: (B)", "Answer = B",
        "Final answer: **(B) Tuesday**", "The correct option is (B)", "My answer is B",
        "Correct answer is (B)",
        "The answer is B because the list starts on Monday.", "The answer's B",
        "So, the answer is: B, I think",
        "Antwort: B", "Die Antwort lautet B.", "**B**", "__B__", "`(B)`", "\u201eB\u201c", "\u00abB\u00bb",
        "\u201c(B)\u201d", "\uff08\uff22\uff09", "\uff22", "\u24b7", "\u249d", "\U0001d401", "B\u200b",
        "\ufeffB",
        r"$\boxed{B}$", r"The answer is \(\boxed{\text{B}}\).", "- (B)",
        "I thought (A). No, the answer is (B)",
        "Therefore, B", "So B", "I think it is B", "I'd go with B", "It must be B", "Definitely (B)",
        "Solution: B", "Ans. B", "Final answer - B", "=> B", "\u2192 B", "{B}",
        "B\n\nThe list starts on Monday.",
        "(B) is correct because it follows", "B is my answer", "The answer must be B", "It is not A, so B",
        "The answer to the question is (B)", "B = Tuesday", "B (Tuesday)", "(B) since (A) is too early",
    ],
    ("navigate", "No"): [
        "No, you do not return.", "no", "NO!", "No - you end elsewhere", "No you do not", "**No**",
        "Answer: no",
        "No, it is not", "No, not at all", "No, that is too far", "no, it can't be", "nope",
        "No - not the start",
        "No.\nYou end 3 steps north", "It is no", "\u201eNo\u201c",
        "The answer is No, because you end elsewhere", "n", "I think no", "You end elsewhere, so no.",
    ],
    ("sports_understanding", "yes"): [
        "Yes he does", "yep", "Yes, not a doubt", "Yes, it isn't far-fetched", "Yes, it is plausible.",
        "yes!", "Final answer: yes", "Yes, no doubt",
        "yes plausible", "Y",
        "Yes, because no other player does that",
    ],
    ("formal_fallacies", "invalid"): [
        "The argument is invalid.", "The argument is deductively invalid", "It's invalid",
        "Deductively invalid",
        "Invalid argument", "invalid, because a premise is missing", "Answer: **invalid**",
        "The argument is not valid", "isn't valid", "not deductively valid", "in-valid", "So it is invalid",
        "Given the premises, the argument is clearly invalid.",
    ],
    ("boolean_expressions", "False"): [
        "F", "It evaluates to False", "Result: False", "Therefore False",
        "not True and True = False and True = False",
        "False, since not ( True ) is False",
        "= False", "not ( True ) = False", "not ( True ) is False", "It is false.",
    ],
    ("object_counting", "12"): [
        "12 items", "12.0", "+12", "12.", "twelve", "Twelve animals", "12 (twelve)", "I count 12 items.",
        "There are 12 fruits in total", "= 12", "Total: 12", "\uff11\uff12", "8 + 4 = 12", "Answer: 12",
        "$12$",
        "The answer is twelve.", "The total number is 12.", "I have twelve fruits.", "There are twelve",
        "a total of 12", "Number of fruits: 12", "12 because the 4 stoves do not count",
        "It adds up to 12", "12, no doubt", "12 without doubt",
        "The answer is 12, if I counted right", "The answer is a total of 12",
        "The answer is 12 kinds of fruit",
        "The answer is 12, not counting the stoves", "12, with some fruit named twice",
        "12 (a plum, a fig, a pear, a lime, a nut and whatever else there grows)", "8 \u2013 4 + 8 = 12",
    ],
    ("multistep_arithmetic_two", "-1234"): [
        "-1,234", "\u22121234", "\u20131234", "- 1234", "-1234.0", "minus 1234", "-1\u202f234",
        "(1 - 2) = -1234",
        "The answer is \u22121,234.", "-1'234", "\u20141234",
    ],
    ("multistep_arithmetic_two", "24"): ["twenty-four", "Twenty four", "The answer is twenty-four."],
    ("word_sorting", "fig it&t kiwi plum"): [
        "fig, it&t, kiwi, plum", "Fig It&t Kiwi Plum", "fig; it&t; kiwi; plum", "fig\nit&t\nkiwi\nplum",
        "1. fig\n2. it&t\n3. kiwi\n4. plum", "- fig\n- it&t\n- kiwi\n- plum", "fig, it&t, kiwi, and plum",
        "fig it&t kiwi plum.", "Sorted: fig it&t kiwi plum", "The answer is: fig, it&t, kiwi, plum.",
        "The sorted list is: fig, it&t, kiwi, plum", "In alphabetical order: fig it&t kiwi plum",
        "(1) fig (2) it&t (3) kiwi (4) plum", "1 - fig\n2 - it&t\n3 - kiwi\n4 - plum",
        "fig / it&t / kiwi / plum",
        "fig < it&t < kiwi < plum", "fig\u3001it&t\u3001kiwi\u3001plum", "{fig, it&t, kiwi, plum}",
        "fig \u2192 it&t \u2192 kiwi \u2192 plum", "fig -> it&t -> kiwi -> plum",
        "\"fig\", \"it&t\", \"kiwi\", \"plum\"", "['fig', 'it&t', 'kiwi', 'plum']",
    ],
    ("dyck_languages", ") > ]"): [
        "The missing brackets are ) > ]", "...) > ]", ") and > and ]",
        ")>]", ") , > , ]", "`)>]`", "The answer is )>]", "\uff09 > ]", "Answer: ) > ].",
    ],
}  # fmt: skip
WRONG = {
    ("date_understanding", "(B)"): [
        "not (B)", "Not B", "The answer is not B", "The answer is not (A) but (B)", "The answer isn't (B)",
        "either A or B", "A or B", "B or A", "(A) or (B)", "B/A", "A, B", "B, C", "Not (A), it is (C)",
        "B is wrong",
        "(B) is wrong", "B isn't right", "I do not think it is B", "(B) would be right if it were so",
        "bird",
        "B, but maybe A", "The answer is (C), not (B)", "Answer: not B", "The wrong answer: (B)",
        "anything but B",
        "So not B", "I think it is not B", "A, because (B) is wrong", "A because it is first, no, wait, B",
        "Is it B?",
        "B?", "(B)?", "Answer: B?", "It can't be B", "B can't be it", "I doubt it's B", "B is ruled out",
        "rule out B", "The answer is hardly (B)", "The answer is anything but (B)", "The answer can't be (B)",
        "The answer is unlikely to be (B)",
        "so (A) or (B)", "B is not the answer", "B is my second choice", "B\nA", "B = A",
        "(A) since (B) is late",
        "Answer: A\nFinal answer: C", "I would say (B)", "Bananas", "BC", "It is not B", "neither A nor B",
    ],
    ("navigate", "No"): [
        "No one", "no idea", "Yes and no", "Not sure", "Yes, no", "No, wait, yes", "Not no",
        "I have no answer",
        "The answer is not no", "no way to know", "No doubt", "No other way", "I do not think no",
        "so yes", "y", "No?", "No is wrong", "No can't be right", "The answer is anything but no",
        "Answer: no?",
        "I doubt it's no", "hardly no",
    ],
    ("formal_fallacies", "invalid"): [
        "invalid?", "invalid is wrong", "hardly invalid", "not invalid", "The argument is not invalid",
        "valid or invalid", "valid", "not in-valid", "So valid",
    ],
    ("formal_fallacies", "valid"): [
        "not valid", "It is not the case that it is valid", "isn't valid", "invalid",
        "far from valid", "It cannot be valid",
    ],
    ("boolean_expressions", "False"): ["not False", "The answer is not False", "not ( False ) = True"],
    ("object_counting", "12"): [
        "I considered 12 but 13", "12 or 13", "not 12", "about 12", "more than 12", "12.5", "12,5",
        "The answer is 12.5.",
        "-12", "12%", "12th", "10-12", "3 of 12", "12/3", "1/12", "at least 12", "13 because 4+8 = 12",
        "12^2", "12\u00b2",
        "12 dozen", "12 1/2", "12 and a half", "12 hundred", "12+", "\u224812", "\u226512", ".12", "12 %",
        "so 13", "-(12)",
        "12 is too low", "12 seems too many", "It can't be 12", "It cannot be 12", "12 can't be right",
        "hardly 12",
        "I doubt it is 12", "12?", "Is it 12?", "12 is impossible", "anything but 12", "nowhere near 12",
        "close to 12", "below 12", "up to 12", "circa 12", "12 at first", "12 was my first guess", "12-ish",
        "12 or so", "twice 12", "without the figs 12", "12 without the figs", "12 \u2717", "12, no wait",
        "The answer is about 12", "The answer is less than 12", "The answer cannot be 12", "Answer: 12?",
        "The answer is 12 or so", "The answer is far from 12", "Answer: <12", "The answer is 12 at most",
        "The answer is twelve, wrong", "Twelve is too few",
        "not twelve", "I have twelve hundred", "I thought 12 was wrong", "twelve or thirteen",
        "The answer is 12 or 13", "120",
    ],
    ("multistep_arithmetic_two", "-5"): ["5", "+5", "-5 or 5", "5 - 10", "- 50", "--5", "Total - 5"],
    ("multistep_arithmetic_two", "20"): ["twenty-four", "twenty four", "twenty hundred"],
    ("word_sorting", "fig it&t kiwi plum"): [
        "fig, kiwi, it&t, plum", "fig it&t kiwi", "not fig it&t kiwi plum",
    ],
    ("dyck_languages", ") > ]"): ["]>)", "( > ]", ") > ] >", ") ]"],
}  # fmt: skip


def each(answers: dict[tuple[str, str], list[str]]) -> Iterator[tuple[str, str, str]]:
    for (task, reference), responses in answers.items():
        for response in responses:
            yield task, reference, response


def asked(task: str) -> str:
    return {"date_understanding": QUESTION, "word_sorting": SORTED, "dyck_languages": BRACKETS}.get(task, "")


@pytest.mark.parametrize(("task", "reference", "response"), each(RIGHT))
def test_a_right_answer_counts_with_and_without_its_question(
    task: str, reference: str, response: str
) -> None:
    for question in {"", asked(task)}:
        assert is_correct(response, reference, task, question=question)
        assert reading_of(response, task, question).has_form


@pytest.mark.parametrize(("task", "reference", "response"), each(WRONG))
def test_a_wrong_or_undecided_answer_never_does(task: str, reference: str, response: str) -> None:
    for question in {"", asked(task)}:
        assert not is_correct(response, reference, task, question=question)


@pytest.mark.parametrize(
    ("response", "read"),
    [
        ("Tuesday", "(B)"),
        ("tuesday.", "(B)"),
        ("The answer is Tuesday", "(B)"),
        ("B Tuesday", "B"),
        ("(C) Monday or Tuesday", "(C)"),
        ("(B) Monday", ""),
        ("(B) Monday, I think", ""),
        ("(A) Mondays are odd", "(A)"),
        ("(B) the second one", "(B)"),
        ("(B) Tuesday is wrong", ""),
        ("(B) Tuesday can't be", ""),
        ("B) Tuesday - wrong", ""),
        ("B Tuesday is too late", ""),
        ("(B) Tuesday?", ""),
        ("B, wrong", "B, wrong"),
        ("The answer is (B), no wait", ""),
        ("(B) too late", "(B) too late"),
        ("B. No.", "B. No"),
        ("(B) Tuesday is right", "(B)"),
        ("(B) Tuesday, not a weekend", "(B)"),
        ("(B) Tuesday, as it can't be earlier", "(B)"),
        ("B, it is not early", "B"),
        ("Wednesday", "Wednesday"),
    ],
)
def test_with_the_question_an_options_text_is_told_from_anothers(response: str, read: str) -> None:
    assert extract(response, "date_understanding", question=QUESTION) == read


@pytest.mark.parametrize(
    ("response", "read"),
    [
        ("a kite", "a"), ("A line", "(B)"), ("Two sides: 2", "Two sides: 2"), ("It draws a kite.", "(A)"),
        ("kite (A)", "(A)"), ("kite (B)", ""), ("A line (B)", "(B)"),
        ("The path is no kite", "The path is no kite"),
        ("A kite or a line", ""), ("A path", "A path"),
    ],
)  # fmt: skip
def test_an_option_counts_in_a_sentence_of_the_questions_words_alone(response: str, read: str) -> None:
    question = "This path draws a\nOptions:\n(A) kite\n(B) line"
    assert extract(response, "geometric_shapes", question=question) == read


@pytest.mark.parametrize(
    ("response", "read"),
    [
        ("the owl", "(B)"), ("owl", "(B)"), ("The owl is the last", "(B)"), ("the last", "the last"),
        ("owl or emu", "owl or emu"), ("not the owl", "not the owl"),
    ],
)  # fmt: skip
def test_what_all_options_end_with_may_be_left_out(response: str, read: str) -> None:
    question = "Which is it?\nOptions:\n(A) The emu is the last\n(B) The owl is the last"
    assert extract(response, "logical_deduction_three_objects", question=question) == read


@pytest.mark.parametrize(
    "response", ["6pm-9pm", "6 pm \u2013 9 pm", "From 6pm to 9pm", "between 6pm and 9pm"]
)
def test_a_span_of_time_is_read_however_it_is_written(response: str) -> None:
    question = "Between what times was it?\nOptions:\n(A) 6pm to 9pm\n(B) 7am to 11am"
    assert extract(response, "temporal_sequences", question=question) == "(A)"


def test_an_option_may_itself_deny_and_have_full_stops() -> None:
    question = "Which is it?\nOptions:\n(A) Wasn't it. So it was.\n(B) Not so. It was."
    for letter, text in (("A", "Wasn't it. So it was."), ("B", "Not so. It was.")):
        assert extract(f"The answer is ({letter}) {text}", "snarks", question=question) == f"({letter})"


def test_a_whole_sequence_counts_where_the_question_tells_what_was_given() -> None:
    assert extract("[ < ( ) > ]", "dyck_languages", question=BRACKETS) == ") > ]"
    assert not reading_of("[ < ( ) > ]", "dyck_languages").has_form


@pytest.mark.parametrize(
    ("task", "response"),
    [
        ("snarks", "I would say (A)"),
        ("snarks", "A or B"),
        ("navigate", "maybe so"),
        ("object_counting", "many"),
        ("word_sorting", "fig and plum"),
        ("dyck_languages", "close them"),
        ("formal_fallacies", "The conclusion follows"),
    ],
)
def test_what_has_no_form_is_known_as_such(task: str, response: str) -> None:
    assert not reading_of(response, task, asked(task)).has_form


def test_the_third_version_still_reads_as_it_did() -> None:
    cases = {"(B) Tuesday": "(B) Tuesday", "The answer is 12.5": "The answer is 12.5", "(B)": "(B)"}
    assert [extract(text, "snarks", version=3) for text in cases] == ["(B) Tuesday", "12", "(B)"]
    assert not is_correct("(B) Tuesday", "(B)", "snarks", version=3)
    assert [reading_of(text, "snarks", version=3).has_form for text in ("(B)", "(B) Tuesday")] == [
        True,
        False,
    ]


def test_an_option_copied_whole_is_read_as_its_letter_and_no_other(shared_data: Path) -> None:
    wrong = []
    for path in sorted((shared_data / "bbh").glob("*.json")):
        for example in json.loads(path.read_text())["examples"][::8]:
            options = re.findall(r"^\(([A-Z])\) (.*?)\s*$", example["input"], re.MULTILINE)
            texts = [text for _, text in options]
            for letter, text in options:
                if texts.count(text) > 1 or not re.fullmatch(r"\([A-Z]\)", example["target"]):
                    continue
                is_right = example["target"] == f"({letter})"
                forms = (f"({letter}) {text}", f"{letter}) {text}", f"Final answer: ({letter}) {text}", text)
                wrong += [
                    (path.stem, form)
                    for form in forms
                    if is_correct(form, example["target"], path.stem, question=example["input"]) != is_right
                ]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        r"\text{" * 20_000, "the answer is. " * 7_000, "1" * 100_000, "1," * 50_000, "(" * 100_000,
        "( " * 50_000,
        "not " * 25_000, "A or " * 20_000, "] " * 50_000, "= " * 50_000, "1. " * 33_000, "\n" * 100_000,
        "B " * 50_000,
        "answer:" * 14_000, "_" * 100_000, "a, " * 33_000,
    ],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_no_text_takes_long_to_read(text: str) -> None:
    for task in (
        "snarks",
        "navigate",
        "boolean_expressions",
        "object_counting",
        "dyck_languages",
        "word_sorting",
    ):
        bbh.reading_of(text, task, asked(task))
