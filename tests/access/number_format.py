"""What is wrong with a number that people read, and the texts in which it may stand."""

import re
from collections.abc import Iterator
from html import unescape

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


def texts(page: str) -> Iterator[str]:
    """What is read of a page, piece by piece."""
    for text in TAG.split(NO_TEXT.sub("<>", page)):
        if shown := " ".join(unescape(text).split()):
            yield shown


def faults(text: str) -> list[str]:
    """What is wrong with the numbers of a text."""
    return [what for what, wrong in WRONG.items() if wrong.search(NAMES.sub("", text))]
