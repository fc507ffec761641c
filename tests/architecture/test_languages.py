"""Every text of the interface exists in every language, and what is compiled is what is written."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils.dates import MONTHS, MONTHS_3, WEEKDAYS, WEEKDAYS_ABBR

ROOT = Path(__file__).resolve().parents[2]
TOOL: dict[str, Callable[..., Any]] = runpy.run_path(str(ROOT / "locale" / "catalogues.py"))
CATALOGUES = [
    (language, domain)
    for language, _ in settings.LANGUAGES
    if language != settings.LANGUAGE_CODE
    for domain in ("django", "djangojs")
]
each_catalogue = pytest.mark.parametrize(("language", "domain"), CATALOGUES)
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[a-z%]|\{\w*\}")


def keys(catalogue: Any) -> set[Any]:
    return {(message.id, message.context) for message in TOOL["texts_in"](catalogue)}


@each_catalogue
def test_every_text_of_the_sources_is_in_the_catalogue_and_no_other(language: str, domain: str) -> None:
    missing_or_gone = keys(TOOL["extracted"](domain)) ^ keys(TOOL["stored"](language, domain))
    assert missing_or_gone == set(), "run: make translations"


@each_catalogue
def test_every_text_is_translated(language: str, domain: str) -> None:
    texts = TOOL["texts_in"](TOOL["stored"](language, domain))
    assert [text.id for text in texts if text.fuzzy or not all(TOOL["strings_of"](text))] == []


@each_catalogue
def test_translations_keep_every_placeholder(language: str, domain: str) -> None:
    def placeholders(text: str) -> set[str]:
        return set(PLACEHOLDER.findall(text))

    for text in TOOL["texts_in"](TOOL["stored"](language, domain)):
        # A singular may say "one" where the plural has a number.
        wanted = [placeholders(form) for form in ([text.id] if isinstance(text.id, str) else text.id)]
        for string in filter(None, TOOL["strings_of"](text)):
            assert placeholders(string) in wanted, text.id


@each_catalogue
def test_the_compiled_catalogue_is_the_written_one(language: str, domain: str) -> None:
    compiled = TOOL["po_file"](language, domain).with_suffix(".mo").read_bytes()
    assert compiled == TOOL["compiled"](TOOL["stored"](language, domain)), "run: make translations"


@pytest.mark.parametrize(
    ("path", "source", "text"),
    [
        ("page.html", '  <p title="{% translate "New text" %}">', "New text"),
        ("page.html", "{% blocktranslate trimmed %}\n  New\n text\n{% endblocktranslate %}", "New text"),
        (
            "page.html",
            "{% blocktranslate count n=n %}{{ n }} hour{% plural %}{{ n }} hours{% endblocktranslate %}",
            ("%(n)s hour", "%(n)s hours"),
        ),
        ("page.html", '{% include "a.html" with first=_("New text") %}', "New text"),
        ("views.py", 'raise Refused(_("New text"))', "New text"),
        ("rules.py", 'SENTENCES = {1: gettext_noop("New " "text")}', "New text"),
        ("forms.py", 'label = gettext_lazy("New text")', "New text"),
        ("views.py", 'ngettext("%(n)d hour", "%(n)d hours", n)', ("%(n)d hour", "%(n)d hours")),
        ("page.js", 'say(gettext("New text"));', "New text"),
        ("page.js", "const say = () => `${gettext('New text')}`;", "New text"),
        ("page.js", 'ngettext("%(n)s hour", "%(n)s hours", n)', ("%(n)s hour", "%(n)s hours")),
    ],
)
def test_the_extraction_finds_a_new_text(path: str, source: str, text: str | tuple[str, str]) -> None:
    assert text in [found for found, _ in TOOL["texts_of"](path, source)]


# Labels and meanings of measures, which files keep and pages say in plain words; what the command prints.
EXACT_TERMS = ("psychometrics/measures/", "studies/protocol/describing.py")
NOT_SHOWN = {
    "en": re.compile(r'(?<![\w.;"])(?:batch(?:es)?|trail|freeze)(?![\w(])', re.IGNORECASE),
    "de": re.compile(r"\b(?:\w*[Pp]aket(?:e[sn]?|s)?|Stapel)\b"),
}


@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_what_is_shown_calls_a_batch_a_question_set(domain: str) -> None:
    """docs/glossary.md has the words; names of settings and of errors, such as se.batch, stay."""
    for message in TOOL["extracted"](domain):
        forms = [message.id] if isinstance(message.id, str) else message.id
        shown = [PLACEHOLDER.sub("", form) for form in forms]
        if not all(path.startswith(EXACT_TERMS) for path, _line in message.locations):
            assert not any(NOT_SHOWN["en"].search(form) for form in shown), message.id
    for message in TOOL["texts_in"](TOOL["stored"]("de", domain)):
        assert not any(map(NOT_SHOWN["de"].search, TOOL["strings_of"](message))), message.id


@each_catalogue
def test_no_text_is_one_of_the_words_that_dates_are_made_of(language: str, domain: str) -> None:
    """Django's "May" is a month; translated as a heading it would be one in every date."""
    dates = {str(word) for names in (MONTHS, MONTHS_3, WEEKDAYS, WEEKDAYS_ABBR) for word in names.values()}
    own = {text.id for text in TOOL["texts_in"](TOOL["stored"](language, domain)) if not text.context}
    assert not own & dates
