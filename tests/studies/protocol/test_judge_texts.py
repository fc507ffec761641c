"""The judge's prompt texts: filling them, our own, and reading published ones as data."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studies.protocol.judge_texts import (
    DEFAULT_JUDGE_TEXTS,
    EXACT_PLACES,
    RUBRIC_PLACES,
    JudgeTexts,
    JudgeTextsRefused,
    fill,
    read_judge_texts,
)

EXACT = "Compare {predicted_answer} with {answer} for {question}.\n"
RUBRIC = "Does {model_response} do {rubric_string}? Reference: {answer}\n"


def write_folder(folder: Path, *, exact: str | bytes = EXACT, rubric: str | bytes = RUBRIC) -> Path:
    for name, text in (("exact_answer.txt", exact), ("rubric.txt", rubric)):
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def write_checkout(folder: Path, module: str) -> Path:
    (folder / "src" / "gim").mkdir(parents=True)
    (folder / "src" / "gim" / "scorers.py").write_text(module, encoding="utf-8")
    return folder


def refusal(path: Path) -> str:
    with pytest.raises(JudgeTextsRefused) as refused:
        read_judge_texts(path)
    return str(refused.value).replace(str(path), "PATH")


def test_our_own_texts_have_every_place_and_ask_for_every_field() -> None:
    texts = DEFAULT_JUDGE_TEXTS
    assert all(f"{{{name}}}" in texts.exact for name in EXACT_PLACES)
    assert all(f"{{{name}}}" in texts.rubric for name in RUBRIC_PLACES)
    assert all(name in texts.exact for name in ("explanation", "grade", "confidence", "CORRECT", "INCORRECT"))
    assert all(name in texts.rubric for name in ("explanation", "score", "confidence"))
    assert "less than 0.01" in texts.exact
    assert all("no authority over you" in text for text in (texts.exact, texts.rubric))


def test_our_own_texts_share_no_sentence_with_the_published_ones(shared_data: Path) -> None:
    paper = shared_data.parent / "reference" / "gim-paper.txt"
    if not paper.is_file():
        pytest.skip(f"the paper's text is not at {paper}")
    published = " ".join(paper.read_text(encoding="utf-8").split())
    ours = f"{DEFAULT_JUDGE_TEXTS.exact} {DEFAULT_JUDGE_TEXTS.rubric}".split()
    runs = [" ".join(ours[start : start + 8]) for start in range(len(ours) - 7)]
    assert [run for run in runs if run in published] == []


def test_values_with_braces_and_place_names_are_not_expanded_again() -> None:
    filled = fill(
        "{question} | {answer} | {other} {{answer}} {", question="{answer} {", answer="\\1 {question}"
    )
    assert filled == "{answer} { | \\1 {question} | {other} {\\1 {question}} {"


@given(
    question=st.text(), answer=st.text(), before=st.text(alphabet="ab{} "), between=st.text(alphabet="ab{} ")
)
def test_fill_puts_every_value_in_its_place_and_changes_nothing_else(
    question: str, answer: str, before: str, between: str
) -> None:
    template = f"{before}{{question}}{between}{{answer}}{before}"
    assert fill(template, question=question, answer=answer) == f"{before}{question}{between}{answer}{before}"


def test_a_template_without_values_stays_as_it_is() -> None:
    assert fill("{question}") == "{question}"


def test_the_hash_covers_both_texts_and_not_their_source() -> None:
    texts = JudgeTexts(exact="a", rubric="b", source="x")
    assert texts.sha256 == JudgeTexts(exact="a", rubric="b", source="y").sha256
    assert texts.sha256 != JudgeTexts(exact="b", rubric="a", source="x").sha256


def test_a_folder_of_two_text_files_is_read_as_it_is(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, exact=b"\xef\xbb\xbf" + EXACT.replace("\n", "\r\n").encode())
    assert read_judge_texts(folder) == JudgeTexts(
        exact=EXACT,
        rubric=RUBRIC,
        source=f"exact_answer.txt and rubric.txt in the folder {tmp_path.name}",
    )


@pytest.mark.parametrize(
    "expression",
    [
        '"""Compare {predicted_answer} with {answer} for {question}.\n"""',
        '("Compare {predicted_answer} " "with {answer} for {question}.\\n")',
        '"Compare {predicted_answer} " + ("with {answer} for " + "{question}.\\n")',
        'textwrap.dedent("""\\\n    Compare {predicted_answer} with {answer} for {question}.\n    """)',
        'dedent("""\n    Compare {predicted_answer} with {answer} for {question}.\n    """).lstrip()',
        'cleandoc("""\n    Compare {predicted_answer} with {answer} for {question}.\n    """) + "\\n"',
        '"""\n\nCompare {predicted_answer} with {answer} for {question}.""".strip() + "\\n"',
        '"##Compare {predicted_answer} with {answer} for {question}.\\n##".strip("#")',
    ],
)
@pytest.mark.parametrize("assignment", ["EXACT_ANSWER_PROMPT = ", "EXACT_ANSWER_PROMPT: Final[str] = "])
def test_a_checkout_is_read_without_being_imported(tmp_path: Path, assignment: str, expression: str) -> None:
    module = f"""
raise RuntimeError("this module was run")
import a_package_that_does_not_exist
EXACT_ANSWER_PROMPT = "an earlier value"
{assignment}{expression}
RUBRIC_GRADER_PROMPT = "Does {{model_response}} do {{rubric_string}}? Reference: {{answer}}\\n"
def later():
    EXACT_ANSWER_PROMPT = "a local value"
"""
    assert read_judge_texts(write_checkout(tmp_path, module)) == JudgeTexts(
        exact=EXACT,
        rubric=RUBRIC,
        source=f"src/gim/scorers.py in the checkout {tmp_path.name}",
    )


@pytest.mark.parametrize(
    "expression",
    [
        'f"{question}"',
        'open("x").read()',
        "load()",
        "OTHER",
        '"a".upper()',
        '"a" * 3',
        "5",
        'dedent("a", x=1)',
    ],
)
def test_a_computed_constant_is_refused_with_its_line(tmp_path: Path, expression: str) -> None:
    checkout = write_checkout(tmp_path, f"# comment\nEXACT_ANSWER_PROMPT = {expression}\n")
    assert refusal(checkout) == (
        "src/gim/scorers.py: EXACT_ANSWER_PROMPT is computed on line 2 and only plain strings are read. "
        "Put the two texts into exact_answer.txt and rubric.txt instead."
    )


def test_a_missing_constant_and_a_broken_module_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert refusal(write_checkout(tmp_path / "a", f"EXACT_ANSWER_PROMPT = {EXACT!r}\n")) == (
        "src/gim/scorers.py: the constant RUBRIC_GRADER_PROMPT is missing. "
        "Use another version of the harness, or put the two texts into exact_answer.txt and rubric.txt."
    )
    assert refusal(write_checkout(tmp_path / "b", "x = 1\ndef (:\n")) == (
        "src/gim/scorers.py: line 2 is no Python; get the file again."
    )


def test_a_constant_that_no_database_stores_or_nests_too_deeply_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    module = "EXACT_ANSWER_PROMPT = '\\ud800'\nRUBRIC_GRADER_PROMPT = '\\0'\n"
    assert refusal(write_checkout(tmp_path / "a", module)) == (
        "The exact-answer text contains half of a surrogate pair, which is no character; remove it.\n"
        "The rubric text contains a NUL character (U+0000); remove it."
    )
    endless = " + ".join(["'a'"] * 20_000)
    assert refusal(write_checkout(tmp_path / "b", f"EXACT_ANSWER_PROMPT = {endless}\n")) == (
        "src/gim/scorers.py: is nested too deeply; get the file again."
    )


def test_every_missing_place_of_both_texts_is_named(tmp_path: Path) -> None:
    assert refusal(write_folder(tmp_path, exact="Compare {answer}.", rubric=" ")) == (
        "The exact-answer text lacks {question}, {predicted_answer}; write each where its content belongs.\n"
        "The rubric text lacks {answer}, {model_response}, {rubric_string}; "
        "write each where its content belongs."
    )


def test_a_path_without_judge_texts_says_what_to_give(tmp_path: Path) -> None:
    expected = (
        "PATH: no judge texts found. Give a folder with exact_answer.txt and rubric.txt, "
        "or a checkout of the GIM harness with src/gim/scorers.py."
    )
    assert refusal(tmp_path) == expected
    assert refusal(tmp_path / "missing") == expected


def test_unreadable_text_files_are_refused_by_name(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, exact=b"Compare\n\xff")
    assert refusal(folder) == "PATH/exact_answer.txt: line 2 is not UTF-8; save the file as UTF-8."
    write_folder(tmp_path, exact="a\0b")
    assert refusal(folder) == "PATH/exact_answer.txt: contains a NUL character; remove it."
    write_folder(tmp_path, exact="x" * (2 * 1024 * 1024 + 1))
    assert refusal(folder) == "PATH/exact_answer.txt: is larger than 2 MiB; is it the right file?"
    write_folder(tmp_path)
    (tmp_path / "rubric.txt").unlink()
    assert refusal(folder) == (
        "PATH/rubric.txt: cannot be read (No such file or directory). Both files are needed."
    )
