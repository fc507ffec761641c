"""What is wrong with a number that people read, and the texts in which it may stand."""

import re
from collections.abc import Collection, Iterator
from html import unescape

from django.apps import apps
from django.db import models

NO_TEXT = re.compile(r"<(script|style|code|pre|textarea|svg|title)\b.*?</\1>|<!--.*?-->", re.DOTALL)
TAG = re.compile(r"<[^>]*>", re.DOTALL)
WRONG = {
    "an ASCII minus": re.compile(r"(?<![\w.,)\]/-])-\d"),
    "thousands not set apart": re.compile(r"(?<![\w.,:/#+−-])(?!(19|20|21)\d\d\b)\d{4,}(?![\w:-])"),
    "a unit twice": re.compile(r"%\s*%|\b(logits?|EUR|USD|hours?|minutes?|seconds?|min|h|s|Stunden?) \1\b"),
    "one of many": re.compile(
        r"(?<![\d.,:/−-])1 (?:\w+ )?(people|questions|answers|prompts|sets|models|verdicts|scores|"
        r"rows|lines|files|criteria|pairs|messages|sessions|minutes|hours|days|groups|clusters|calls|items|"
        r"responses|tokens|places|studies|batches|tasks|categories|mails|invitations|applications|"
        r"samples|tables|configurations|choices|specifications|Personen|Fragen|Antworten|Aufgaben|"
        r"Fragensätze|Modelle|Modellen|Urteile|Urteilen|Wertungen|Zeilen|Dateien|Kriterien|Paare|Nachrichten|"
        r"Sitzungen|Minuten|Stunden|Tage|Tagen|Gruppen|Clustern|Anfragen|Plätze|Studien|Bewerbungen|"
        r"Einladungen|Stellen|Spezifikationen|Entscheidungen)\b"
    ),
}
# A seed, and the number of a paper, are names.
NAMES = re.compile(r"arXiv [\d.]+|^[\d,.]+, \d{6,}$|[Ss]eed \d+|Startwert \d+")
DIGITS = re.compile(r"\b\d{6,}\b")


def texts(page: str) -> Iterator[str]:
    """What is read of a page, piece by piece."""
    for text in TAG.split(NO_TEXT.sub("<>", page)):
        if shown := " ".join(unescape(text).split()):
            yield shown


def faults(text: str, named: Collection[str] = ()) -> list[str]:
    """What is wrong with the numbers of a text; digits with which one of `named` begins are no number."""

    def unless_named(found: re.Match[str]) -> str:
        return "" if any(name.startswith(found[0]) for name in named) else found[0]

    numbers = DIGITS.sub(unless_named, NAMES.sub("", text))
    return [what for what, wrong in WRONG.items() if wrong.search(numbers)]


def hexadecimal_names() -> set[str]:
    """Every stored fingerprint and UUID: pages name them by their first digits, which may all be decimal."""
    return {
        str(name).replace("-", "")
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.UUIDField)
        or (isinstance(field, models.CharField) and field.max_length == 64)
        for name in model._default_manager.values_list(field.name, flat=True)
    }
