"""The two prompt texts a language-model judge is given, and reading them from where they are published.

A text has named places. Exact answers: {question}, {answer} (the gold target), {predicted_answer}. Rubric
criteria, one call each: {answer} (the gold answer), {model_response}, {rubric_string}.

A third text asks about several criteria in one call. It is always this project's own, whatever texts are
imported: nobody has published one.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from formats.canonical import canonical_sha256
from formats.text_faults import storage_fault
from studies.protocol.judge_defaults import BATCHED_RUBRIC_TEXT, EXACT_ANSWER_TEXT, RUBRIC_TEXT
from studies.protocol.python_constants import NotAString, string_constant

EXACT_PLACES = ("question", "answer", "predicted_answer")
RUBRIC_PLACES = ("answer", "model_response", "rubric_string")
EXACT_FILE = "exact_answer.txt"
RUBRIC_FILE = "rubric.txt"
HARNESS_FILE = "src/gim/scorers.py"
EXACT_CONSTANT = "EXACT_ANSWER_PROMPT"
RUBRIC_CONSTANT = "RUBRIC_GRADER_PROMPT"
MAX_FILE_BYTES = 2 * 1024 * 1024


class JudgeTextsRefused(Exception):
    """The judge's texts cannot be used; carries one sentence per problem."""

    def __init__(self, *sentences: str) -> None:
        self.sentences = sentences
        super().__init__("\n".join(sentences))


@dataclass(frozen=True)
class JudgeTexts:
    """Both templates; `source` says in words where they come from and is no part of the hash."""

    exact: str
    rubric: str
    source: str

    @property
    def sha256(self) -> str:
        """Hex sha256 over the two texts."""
        return canonical_sha256({"exact": self.exact, "rubric": self.rubric})


# Of the text for several criteria a call; it names that text in the record of a judge.
BATCHED_TEXT_SHA256 = canonical_sha256({"batched_rubric": BATCHED_RUBRIC_TEXT})
DEFAULT_JUDGE_TEXTS = JudgeTexts(EXACT_ANSWER_TEXT, RUBRIC_TEXT, source="Chiron's own wording")


def fill(template: str, **values: str) -> str:
    """The template with every `{name}` of `values` replaced by its value, in one pass.

    All other braces stay as they are, and a value that itself contains `{name}` is not expanded again.
    """
    if not values:
        return template
    names = "|".join(re.escape(name) for name in values)
    return re.sub(rf"\{{({names})\}}", lambda place: values[place[1]], template)


def read_judge_texts(path: Path) -> JudgeTexts:
    """The texts from a folder of two text files, or from a checkout of the public GIM harness.

    Raises JudgeTextsRefused with every problem found and what to do about it.
    """
    if (path / EXACT_FILE).is_file() or (path / RUBRIC_FILE).is_file():
        exact, rubric = _read_file(path / EXACT_FILE), _read_file(path / RUBRIC_FILE)
        source = f"{EXACT_FILE} and {RUBRIC_FILE} in the folder {path.resolve().name[:200]}"
    elif (path / HARNESS_FILE).is_file():
        module = _read_file(path / HARNESS_FILE)
        exact, rubric = _read_constant(module, EXACT_CONSTANT), _read_constant(module, RUBRIC_CONSTANT)
        source = f"{HARNESS_FILE} in the checkout {path.resolve().name[:200]}"
    else:
        raise JudgeTextsRefused(
            f"{path}: no judge texts found. Give a folder with {EXACT_FILE} and {RUBRIC_FILE}, "
            f"or a checkout of the GIM harness with {HARNESS_FILE}."
        )
    problems = [
        *_text_problems("exact-answer", exact, EXACT_PLACES),
        *_text_problems("rubric", rubric, RUBRIC_PLACES),
    ]
    if problems:
        raise JudgeTextsRefused(*problems)
    return JudgeTexts(exact=exact, rubric=rubric, source=source)


def _read_file(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JudgeTextsRefused(
            f"{path}: cannot be read ({error.strerror}). Both files are needed."
        ) from None
    if len(content) > MAX_FILE_BYTES:
        raise JudgeTextsRefused(
            f"{path}: is larger than {MAX_FILE_BYTES // 1024**2} MiB; is it the right file?"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise JudgeTextsRefused(f"{path}: line {line} is not UTF-8; save the file as UTF-8.") from None
    if "\0" in text:
        raise JudgeTextsRefused(f"{path}: contains a NUL character; remove it.")
    return text.replace("\r\n", "\n")


def _read_constant(module: str, name: str) -> str:
    try:
        text = string_constant(module, name)
    except SyntaxError as error:
        fault = f"line {error.lineno} is no Python; get the file again."
    except RecursionError:
        fault = "is nested too deeply; get the file again."
    except NotAString as error:
        fault = (
            f"{name} is computed on line {error.line} and only plain strings are read. "
            f"Put the two texts into {EXACT_FILE} and {RUBRIC_FILE} instead."
        )
    else:
        if text is not None:
            return text
        fault = (
            f"the constant {name} is missing. Use another version of the harness, "
            f"or put the two texts into {EXACT_FILE} and {RUBRIC_FILE}."
        )
    raise JudgeTextsRefused(f"{HARNESS_FILE}: {fault}")


def _text_problems(label: str, text: str, places: tuple[str, ...]) -> list[str]:
    if fault := storage_fault(text):
        return [f"The {label} text {fault}."]
    missing = [f"{{{name}}}" for name in places if f"{{{name}}}" not in text]
    if not missing:
        return []
    return [f"The {label} text lacks {', '.join(missing)}; write each where its content belongs."]
