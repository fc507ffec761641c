"""Words of the pages for people who are no psychometricians, in place of the exact terms of measures.

Labels, notes and sentences of measures keep the exact terms: files, terminals and exports have them. A page
of the site, and a report, shows the plain word, with the exact term in a tooltip where one has another name
(docs/glossary.md). Each language has its own list, the longest term first. Names that others gave are told to
it and stay as they are.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from presentation.drawings.shapes import Drawing, Text

Rule = tuple[str, str, bool]  # a term (a regular expression), the plain word, whether a tooltip has the term

CODES: Sequence[tuple[str, str, str]] = (  # what rows are called, in English and German
    (r"se\.analytic", "error as published", "veröffentlichter Fehler"),
    (r"se\.participant_boot", "error by people, drawn again", "Fehler nach Personen, neu gezogen"),
    (r"se\.participant", "error by people", "Fehler nach Personen"),
    (r"se\.batch", "error by question sets", "Fehler nach Fragensätzen"),
    (r"se\.twoway", "error by people and questions", "Fehler nach Personen und Fragen"),
    (r"se\.mixed", "error by components", "Fehler nach Komponenten"),
    (r"se\.jackknife_participant", "error leaving out people", "Fehler ohne je eine Person"),
    (r"se\.jackknife_batch", "error leaving out question sets", "Fehler ohne je einen Fragensatz"),
    (r"se\.jackknife_twoway", "error leaving out questions", "Fehler ohne je eine Frage"),
    (r"top\.crossfit5", "Top free of the choice", "Top frei von der Auswahl"),
    (r"top\.paper \(in-sample\)", "Top as published", "Top wie veröffentlicht"),
    (r"top\.paper", "Top as published", "Top wie veröffentlicht"),
    (r"top\.null", "Top by luck alone", "Top allein durch Glück"),
    (r"top\.eb", "Top drawn to the mean", "Top zum Mittel gezogen"),
)
ENGLISH: Sequence[Rule] = (
    *((term, english, True) for term, english, _german in CODES),
    (r"k human = (\S+?), k model = (\S+?)(?=[\s,;)]|$)", r"answers per question: people \1, models \2", True),
    (r"at k = 1\b", "for single answers", False),
    (r"\bfrom k = (\S+?)(?=[\s,;)]|$)", r"from \1 answers per question", False),
    (r"does not depend on k\b", "does not depend on the answers per question", False),
    (r"fewer than k times", "fewer times", False),
    (r"\bwhose k is named", "whose number of answers per question is named", False),
    (r"\ba published k\b", "a published number of answers per question", False),
    (r"^k$", "Answers per question", True),
    (r"^Correlation$", "Follows the difficulty", True),
    (r"^Outfit$", "Off from what is foretold", True),
    (r"^p$", "chance of as much", True),
    (r"^p by Holm$", "the same over all rows", True),
    (r"^Clusters$", "Independent groups", True),
    (r"^Configuration$", "Who", True),
    (r"SD of ability between people \(tau\)", "How far people differ in ability", True),
    (r"Residual SD of single answers \(s1\)", "How far single answers scatter", True),
    (r"\bResidual SD\b", "Scatter", True),
    (
        r"mean residual in logits of single answers",
        "easier (right) or harder (left) for people, in logits",
        False,
    ),
    (r"\bthis cohort\b", "these people", False),
    (r"DIF \(differential item functioning\): a prompt", "A question", True),
    (r"\bwithout DIF\b", "if no question were harder or easier for people than for models", True),
    (r"\bDIF\b", "harder or easier for people than for models", True),
    (r"theta is theta\.pool: the mean", "ability is the mean", True),
    (r"theta_QL", "ability on the QL scale", True),
    (r"theta\.pool", "ability", True),
    (r"theta\.prompt", "ability by question means", True),
    (r"thetas?\.(?:modelled_k1|published|epochs)", "ability", True),
    (r"\ba theta\b", "an ability", True),
    (r"\bthetas\b", "abilities", True),
    (r"(?<!\()\btheta\b", "ability", True),  # not in a formula
    (r"\bTop \(in-sample\)", "Top as picked", True),
    (r"in-sample", "picked by these same scores", True),
    (r"(?<!all )\bpairs\b(?! of rows)", "scored answers", True),
    (r"(?<=per )pair\b", "scored answer", True),
    (r"\bperson fit\b", "unusual answer patterns", True),
    (r"\bslices\b", "breakdowns", True),
    (r"\bspecifications\b", "analysis choices", True),
    (r"\bspecification\b", "analysis choice", True),
    (r"\bunscored\b", "judge failed", True),
    (r" \(intention to treat\)", "", False),
    (r"\bintention to treat\b", "with nobody left out", True),
    (r"\bexcluded people\b", "people who are not counted", True),
    (r"\bretained\b", "counted", True),
    (r"\bexcluded\b", "not counted", True),
    (r"\bfrozen\b", "locked", True),
    (r"\bhash\b", "fingerprint", True),
    (r"^cohort is$", "People are", True),
    (r"^above$", "stronger", True),
    (r"^below$", "weaker", True),
    (r"^not distinguishable$", "cannot be told apart", True),
    (r"\b(?:the )?cohort\b", "people", False),
    (r"\bprompts\b", "questions", False),
    (r"\bprompt\b", "question", False),
    (r"\bbatches\b", "question sets", False),
    (r"\bbatch\b", "question set", False),
)
GERMAN: Sequence[Rule] = (
    *((term, german, True) for term, _english, german in CODES),
    (
        r"k Mensch = (\S+?), k Modell = (\S+?)(?=[\s,;)]|$)",
        r"Antworten je Frage: Menschen \1, Modelle \2",
        True,
    ),
    (r"bei k = 1\b", "für einzelne Antworten", False),
    (r"\baus k = (\S+?)(?=[\s,;)]|$)", r"aus \1 Antworten je Frage", False),
    (r"nicht von k abhängt", "nicht von den Antworten je Frage abhängt", False),
    (r"weniger als k-mal", "seltener", False),
    (r"dessen k angegeben ist", "deren Antworten je Frage angegeben sind", False),
    (r"^k$", "Antworten je Frage", True),
    (r"^Korrelation$", "Folgt der Schwierigkeit", True),
    (r"^Outfit$", "Abweichung vom Erwarteten", True),
    (r"^p$", "so viel durch Zufall", True),
    (r"^p nach Holm$", "dasselbe über alle Zeilen", True),
    (r"^Cluster$", "Unabhängige Gruppen", True),
    (r"^Konfiguration$", "Wer", True),
    (r"Streuung der Fähigkeit zwischen Personen \(SD, tau\)", "Wie weit Personen sich unterscheiden", True),
    (r"Residual-SD einzelner Antworten \(s1\)", "Wie weit einzelne Antworten streuen", True),
    (r"\bResidual-SD\b", "Streuung", True),
    (
        r"mittleres Residuum in Logits einzelner Antworten",
        "leichter (rechts) oder schwerer (links) für Menschen, in Logits",
        False,
    ),
    (r"\b(?:in )?dieser Kohorte\b", "dieser Personen", False),
    (r"DIF \(Differential Item Functioning\): Eine Aufgabe", "Eine Frage", True),
    (r"\bohne DIF\b", "ohne Unterschied zwischen Menschen und Modellen", True),
    (r"\bDIF\b", "schwerer oder leichter für Menschen als für Modelle", True),
    (r"Theta ist theta\.pool: das Mittel", "Fähigkeit ist das Mittel", True),
    (r"theta_QL", "Fähigkeit auf der QL-Skala", True),
    (r"theta\.pool", "Fähigkeit", True),
    (r"theta\.prompt", "Fähigkeit nach Fragenmitteln", True),
    (r"\b(d)as ((?:gepoolte |veröffentlichte )?)Theta\b", r"\1ie \2Fähigkeit", True),
    (r"\bdes (gepoolten )?Theta\b", r"der \1Fähigkeit", True),
    (r"\b(d)asselbe Theta\b", r"\1ieselbe Fähigkeit", True),
    (r"\b(k?ein|ihr|sein) (veröffentlichtes )?Theta\b", r"\1e Fähigkeit", True),
    (r"\beinem (veröffentlichten )?Theta\b", r"einer \1Fähigkeit", True),
    (r"(?<!\()\bTheta\b", "Fähigkeit", True),
    (r"\bTop \(in-sample\)", "Top wie ausgewählt", True),
    (r"„?in-sample“?", "nach denselben Werten ausgewählt", True),
    (r"(?<!alle )\bPaare\b(?! von Zeilen)", "=bewertete Antworten", True),
    (r"\bPaaren\b", "=bewerteten Antworten", True),
    (r"(?<=je )Paar\b", "=bewerteter Antwort", True),
    (r"\bSpezifikationen\b", "Auswertungsweisen", True),
    (r"\bSpezifikation\b", "Auswertungsweise", True),
    (r" \(Intention[- ]to[- ]treat\)", "", False),
    (r"\bIntention to treat\b", "ohne jeden Ausschluss", True),
    (r"\beinbezogenen?\b(?= Person)", "gezählten", True),
    (r"\beinbezogene\b", "gezählte", True),
    (r"\bausgeschlossen\b", "nicht gezählt", True),
    (r"\beingefroren\b", "gesperrt", True),
    (r"\bHash\b", "Fingerabdruck", True),
    (r"^Kohorte ist$", "Menschen sind", True),
    (r"^darüber$", "stärker", True),
    (r"^darunter$", "schwächer", True),
    (r"\bKohorte(?= − )", "Menschen", False),
    (r"\bAufgaben\b", "Fragen", False),
    (r"\bAufgabe\b", "Frage", False),
)
RULES: Mapping[str, Sequence[Rule]] = {"en": ENGLISH, "de": GERMAN}


def names_at_risk(names: Iterable[str]) -> frozenset[str]:
    """Those of the names, as of models and categories, that hold a term; to be left alone (`own`)."""
    return frozenset(str(name) for name in names if name and plain_text(name) != str(name))


def plain_pieces(text: str, own: Collection[str] = ()) -> list[tuple[str, str]]:
    """The text in pieces, each with the exact term that it stands for, or ""; names in `own` stay."""
    names = sorted((name for name in own if name in text), key=len, reverse=True)
    if not names:
        return _parts(text)
    pieces = re.split(r"(?<!\w)(" + "|".join(map(re.escape, names)) + r")(?!\w)", text)
    return [
        one for place, piece in enumerate(pieces) for one in ([(piece, "")] if place % 2 else _parts(piece))
    ]


def plain_text(text: object, own: Collection[str] = ()) -> str:
    """The text in words of the pages, where no tooltip can be; names in `own` stay as they are."""
    return "".join(plain for plain, _exact in plain_pieces(str(text), own))


def plain_html(text: object, own: Collection[str] = ()) -> SafeString:
    """The same for a page; each exact term is a tooltip where it first stands."""
    told: set[str] = set()
    pieces = []
    for plain, exact in plain_pieces(str(text), own):
        if exact and exact.lower() not in told:
            told.add(exact.lower())
            pieces.append(format_html('<abbr title="{}">{}</abbr>', exact, plain))
        else:
            pieces.append(format_html("{}", plain))
    return format_html_join("", "{}", ((piece,) for piece in pieces))


def exact_terms(texts: Iterable[object], own: Collection[str] = ()) -> dict[str, str]:
    """The exact terms that the plain words of these texts stand for: what a tooltip says, for everybody."""
    pieces = (piece for text in dict.fromkeys(map(str, texts)) for piece in plain_pieces(text, own))
    terms = {plain[:1].upper() + plain[1:]: exact for plain, exact in pieces if exact}
    return dict(sorted(terms.items()))


def plain_drawing(drawing: Drawing, own: Collection[str] = ()) -> Drawing:
    """A drawing with its words, and what is told of its points, in words of the pages."""
    marks = tuple(
        replace(mark, text=plain_text(mark.text, _with_shortened(own, mark.text)))
        if isinstance(mark, Text)
        else replace(mark, told=plain_text(mark.told, own))
        if mark.told
        else mark
        for mark in drawing.marks
    )
    return replace(drawing, marks=marks)


def _with_shortened(own: Collection[str], text: str) -> Collection[str]:
    """A drawing may show no more than the beginning of a name."""
    shortened = text.removesuffix("…")
    return [*own, text] if any(name.startswith(shortened) for name in own) else own


def _parts(text: str) -> list[tuple[str, str]]:
    """The text in pieces, each with the exact term that it stands for, or ""."""
    return list(_parts_in((get_language() or "en").split("-")[0], text))


@lru_cache(maxsize=10_000)  # tables say the same words in every row
def _parts_in(language: str, text: str) -> tuple[tuple[str, str], ...]:
    pattern, rules = _rules(language)
    pieces, end = [], 0
    for match in pattern.finditer(text):
        _term, plain, has_other_name = rules[match.lastindex or 0]
        groups = [group for group in match.groups() if group is not None][1:]
        for number, group in enumerate(groups, start=1):
            plain = plain.replace(f"\\{number}", group)
        exact = match.group(0)
        plain = re.sub(r"\\\d", "", plain)
        pieces += [(text[end : match.start()], ""), (_in_case(plain, exact), exact if has_other_name else "")]
        end = match.end()
    return tuple(piece for piece in [*pieces, (text[end:], "")] if piece[0])


def _in_case(plain: str, exact: str) -> str:
    """With a capital where the term had one; after = as it is, for what German writes small after a noun."""
    if plain.startswith("="):
        return plain[1:]
    return plain[:1].upper() + plain[1:] if exact[:1].isupper() else plain


@cache
def _rules(language: str) -> tuple[re.Pattern[str], Mapping[int, Rule]]:
    """All terms as one expression, and the rule of each group that may be the outermost that matched."""
    rules, places, place = RULES.get(language, ENGLISH), {}, 1
    for rule in rules:
        places[place] = rule
        place += 1 + re.compile(rule[0]).groups
    return re.compile("|".join(f"({term})" for term, *_rest in rules), re.IGNORECASE), places
