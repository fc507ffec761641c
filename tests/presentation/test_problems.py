"""Problems of files and settings are said in the reader's language, by their template."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation import gettext, override

from presentation.problem_sentences import TEMPLATES, WORDS
from presentation.problems import PLACEHOLDER, problem_in_words
from studies.protocol.settings import PILOT_PROFILES

ROOT = Path(__file__).resolve().parents[2]
READERS = (
    "formats/*.py", "studies/bank/*.py", "studies/protocol/judge_texts.py", "studies/protocol/settings.py",
    "scoring/readers/**/*.py", "psychometrics/data/response_matrix_files.py",
    "psychometrics/benchmark/accuracy_table.py",
)  # fmt: skip


def shape(text: str) -> str:
    """The sentence with {} for its values, without place and full stop."""
    text = PLACEHOLDER.sub("{}", text).replace("{} {}", "{}")
    return re.sub(r"^(\{\}|\w+|line \{\}): ", "", text).removesuffix(".")


# No sentences of problems: where texts come from, why a model has no score, what programmers read, places,
# profiles of the pilot, and a message that another one stands for.
OTHERS = {
    "Chiron's own wording", "{} and {} in the folder {}", "{} in the checkout {}", "its check sum differs",
    "Only bbeh has a mini set; read {} without it", "the sample failed", "the response is empty",
    "the sample was cancelled", "the sample was invalidated",
    "the scorer gave no score", "the judge failed", "the archive is closed", "it ends within a header",
    "a member does not begin where the archive says", "at most {} characters",
    *(shape(profile.description) for profile in PILOT_PROFILES),
}  # fmt: skip
VALUES = {"fault": "is missing; add it", "remedy": "; divide percentages by 100", "first": "line 7"}


def strings(tree: ast.Module) -> Iterator[str]:
    """Every text of a module but docstrings, with {name} for what an f-string fills in."""
    within = {id(part) for one in ast.walk(tree) if isinstance(one, ast.JoinedStr) for part in one.values}
    within |= {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for one in ast.walk(tree):
        if id(one) in within:
            continue
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value
        if isinstance(one, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{x}" for part in one.values)


def sentences() -> set[str]:
    paths = [path for pattern in READERS for path in ROOT.glob(pattern)]
    found = {shape(text) for path in paths for text in strings(ast.parse(path.read_text()))}
    return {text for text in found if len(re.findall(r"[^\W\d_]{2,}(?= |;|$)", text)) > 2}


def test_the_list_has_every_sentence_of_the_readers() -> None:
    assert sentences() - {shape(text) for text in (*TEMPLATES, *WORDS)} - OTHERS == set()


@pytest.mark.parametrize("template", dict.fromkeys(TEMPLATES))
@pytest.mark.parametrize(
    ("place", "german"), [("", ""), ("a b.jsonl, line 3, q1: ", "a b.jsonl, Zeile 3, q1: ")]
)
def test_every_sentence_is_recognised(template: str, place: str, german: str) -> None:
    names = [match[1] or match[2] for match in PLACEHOLDER.finditer(template)]
    values = {name: VALUES.get(name, f"'{name} x'") for name in names}

    def filled(text: str, values: dict[str, str]) -> str:
        return PLACEHOLDER.sub(lambda match: values[match[1] or match[2]], text)

    with override("de"):
        said = values | {
            name: {"first": "Zeile 7"}.get(name, gettext(value)) for name, value in values.items()
        }
        assert problem_in_words(place + filled(template, values)) == german + filled(gettext(template), said)


@pytest.mark.parametrize(
    ("english", "german"),
    [
        (
            "bank.jsonl, line 3, q1, text: is a number, but text is expected; put it in quotes",
            "bank.jsonl, Zeile 3, q1, text: ist eine Zahl, erwartet wird Text; setzen Sie es in "
            "Anführungszeichen",
        ),
        (
            "batch_size is below 1; write 1 or more.",
            "batch_size ist kleiner als 1; schreiben Sie 1 oder mehr.",
        ),
        ("is 'x', but 'a', 'b' or 'c' is expected", "ist 'x', erwartet wird 'a', 'b' oder 'c'"),
        ("x" * 1_000 + ": is missing; add it", "x" * 1_000 + ": is missing; add it"),
        ("row 2: has 3 where the first line has 4 cells", "Zeile 2: hat 3, die erste Zeile aber 4 Zellen"),
        (
            "line 1: is missing; add it\nline 2: is unheard of",
            "Zeile 1: fehlt; ergänzen Sie es\nline 2: is unheard of",
        ),
    ],
)
def test_places_and_values_are_kept(english: str, german: str) -> None:
    with override("de"):
        assert problem_in_words(english) == german
    assert problem_in_words(english) == english
