"""Pages say plain words, in both languages; exact terms with another name are tooltips, and in files."""

import re

import pytest
from django.utils import translation

from presentation.catalogue import ABILITY, code_label, label_of
from presentation.tables import PlainWord, table_of
from presentation.templatetags.numbers import term_html
from psychometrics.measures.catalogue import CATALOGUE

EXACT = {
    "en": r"\b(?:prompts?|batch(es)?|cohort|retained|in-sample|unscored|thetas?|pairs|specifications?|DIF)\b",
    "de": r"\b(?:Aufgaben?|in-sample|Thetas?|Paaren?|Spezifikation(?:en)?|DIF)\b|theta",
}


@pytest.mark.parametrize(
    ("language", "plain", "exact"),
    [
        ("en", "Off from what is foretold", "Outfit"),
        ("de", "Abweichung vom Erwarteten", "Outfit"),
    ],
)
def test_a_measure_has_a_plain_label_and_keeps_its_exact_one(language: str, plain: str, exact: str) -> None:
    with translation.override(language):
        label = label_of("fit.outfit")
        assert isinstance(label, PlainWord)
        assert (label, label.code) == (plain, exact)
        assert term_html(label) == f'<abbr title="{exact}">{plain}</abbr>'


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_label_of_a_page_is_an_exact_term(language: str) -> None:
    with translation.override(language):
        labels = [label_of(name) for name, entry in CATALOGUE.items() if entry.page]
    assert not [label for label in labels if re.search(EXACT[language], label)]


@pytest.mark.parametrize(
    ("language", "plain"),
    [("en", "ability on the QL scale, error by question sets"),
     ("de", "Fähigkeit auf der QL-Skala, Fehler nach Fragensätzen")],
)  # fmt: skip
def test_codes_of_rows_have_a_plain_word(language: str, plain: str) -> None:
    with translation.override(language):
        label = code_label("theta.ql, se.batch")
    assert isinstance(label, PlainWord)
    assert (label, label.code) == (plain, "theta_QL, se.batch")


def test_what_has_no_plain_word_stays() -> None:
    assert code_label("k") == "k"
    assert not isinstance(code_label("k"), PlainWord)
    assert term_html("theta <b>") == "theta &lt;b&gt;"


def test_the_head_of_a_column_keeps_its_exact_term() -> None:
    with translation.override("de"):
        head = table_of("", [], [(ABILITY, str)]).head[0]
    assert isinstance(head, PlainWord)
    assert (head, head.code) == ("Fähigkeit", "Theta")
