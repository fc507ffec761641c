"""BIG-Bench Hard: what does a response answer, and is that correct? One reader for people and models.

An answer is looked for in the span after the last announcement ("the answer is", "Final answer:"), which ends
at the next full stop that is no decimal point, or with the response. Where nothing is announced, the whole
response has to be the answer as people write it: an option's letter, alone, before its text or before a
reason; an option's text; "No, …"; "12 items"; words with commas between them. A text that only mentions an
option on its way has not chosen it. A span that names two answers, or says "not" before the one it names,
answers nothing. Numbers compare as numbers, brackets and lists of words whatever stands between them.

Characters are read as they are meant: full-width letters, typographic signs, emphasis and LaTeX around an
answer make no difference. With these rules the accuracies that the benchmark's authors published for their
outputs come out for all 27 tasks (benchmarks/judging/bbh_outputs.py).
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from judging.matching import bbh_rules_3
from judging.matching.bbh_tasks import (
    CHOICE,
    CLOSING_BRACKETS,
    FREE_TEXT,
    INTEGER,
    PATTERNS,
    TRUTH,
    UnknownTask,
    pattern_of,
)
from judging.matching.checks import plain_characters

__all__ = ["EARLIER", "PATTERNS", "VERSION", "Reading", "UnknownTask", "extract", "is_correct", "reading_of"]

# Goes up with the rules: 1 counted answers that a text only mentions, 2 knew "Answer:" before options alone,
# 3 read people's answers only where they were nothing but the answer.
VERSION = 4
# Those by which runs were begun that may still go on.
EARLIER = (3,)

_ANNOUNCED = re.compile(
    r"""
    \b(?:
        (?<!wrong\ )answer (?: (?:\s+is|'s)\b (?:\s+that\b)? | \s*(?=[:=]) )
        | (?:correct|right|best|final|my)\ (?:option|choice|solution|result) (?: \s+is\b | \s*(?=[:=]) )
        | antwort (?: \s+(?:ist|lautet)\b | \s*(?=[:=]) )
    ) [\s:=]*
    | ^\s* (?: it\ is | it's | i\ (?:choose|chose|pick|picked|select|selected)
        | i(?:\ woul|')d\ (?:choose|pick) ) \b [\s:]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_END = re.compile(r"\.(?!\d)")
_LATEX = re.compile(r"\\(?:boxed|text[a-z]{0,2}|math[a-z]{2})\s*\{([^{}]*)\}")
_MAX_NESTED = 4
_EMPHASIS = re.compile(r"[*`$]|\\[()]|(?<!\w)_+|_+(?!\w)")
_DIGITS_APART = re.compile("(?<=[0-9])[\u00a0\u2009\u202f'\u2019](?=[0-9]{3}(?![0-9]))")
_EDGES = " \t\n\"'\u00ab\u00bb\u2039\u203a\u201a\u201e.,;:!"

_OPTION = re.compile(r"^\s*\(([A-Z])\)\s*(.*?)\s*$", re.MULTILINE)
_BRACKETED = re.compile(r"(?<!\w)[(\[]\s*([A-Za-z])\s*[)\]]")
_LEADING = re.compile(
    r"(?P<word>(?:the\s+)?(?:option|choice|letter|answer)\b[\s:]*)?[(\[\"']*(?P<letter>[A-Za-z])(?!['\w])"
    r"(?P<mark>[)\]\"']*\s*[.:,;!)>\u2013\u2014-]*)\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_LETTER = re.compile(r"(?<![\w'])([A-Z])(?![\w'])(?!(?<=[AI])\s+[a-z])")
_REASON = re.compile(r"\(?(?:because|since|as|for|due to|by|so|therefore|weil|denn|da)\b", re.IGNORECASE)
_IS_RIGHT = re.compile(
    r"is (?:the )?(?:correct|right|best|true)(?: (?:answer|option|choice|one))?", re.IGNORECASE
)
# What goes on like this says something about an option instead of choosing it.
_STATEMENT = re.compile(
    r"(?:is|isn't|are|was|were|would|could|should|can|cannot|may|might|must|seems|looks|sounds|and|or|nor|but|not"
    r"|has|have|does|doesn't|did|if|unless|vs|versus|to)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:\bnot|n't|\bnever|\bneither|\bexcept)\W+(?:\w+\W+)?$", re.IGNORECASE)
_NEAR_CHARACTERS = 60
_UNDECIDED = re.compile(r"\b(?:not sure|unsure|don't know|do not know|no idea|either)\b", re.IGNORECASE)

_EQUATION = re.compile(
    r"[\s()]*(?:(?:not|and|or|true|false)\b[\s()]*)+(?:=+>?|\bis)\s*(?=(?:true|false)\W*$)", re.IGNORECASE
)
_SUBJECT = re.compile(
    r"(?:(?:it|this|that|the (?:whole )?\w+)(?:'s| is| evaluates to| equals)(?: therefore| logically)?\s)?"
    r"(?:deductively\s)?",
    re.IGNORECASE,
)
_AFTER_WORD = re.compile(
    r"\W*$|\s*[^\w\s?]|\s+(?:because|since|as|you|he|she|it|they|we|i|the|this|that|there|argument|deduction|weil)\b",
    re.IGNORECASE,
)

_CALCULATION = re.compile(r"[\d\s.,+*/x\u00d7\u00f7()^=-]*=\s*")
_NUMBER = re.compile(
    r"(?<![\w.,/])(?:(?<![\w)])([+-])\s?)?(\d{1,3}(?:,\d{3}){1,9}|\d{1,30})(\.\d{1,30})?"
    r"(?![\w%/]|[.,]\d)",
    re.ASCII,
)
_MINUS = re.compile(r"\b(?:minus|negative)\s+(?=\d)|[\u2010-\u2013](?=\s?\d)", re.IGNORECASE)
_NUMBER_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
""".split()
_NUMBER_WORD = re.compile(rf"({'|'.join(_NUMBER_WORDS)})\b(?!-)", re.IGNORECASE)
_NOT_THE_NUMBER = re.compile(
    r"\b(?:not|no|or|maybe|about|around|approximately|roughly|almost|nearly|least|most|more|less|fewer|than|over"
    r"|under|except|minus|plus|if|of|out|wrong|incorrect)\b|n't|[<>~]",
    re.IGNORECASE,
)
_MAX_WORDS = 8

_LISTED = re.compile(r"(?:^|(?<=\s))(?:\d+[.)]|[-\u2022])\s+", re.MULTILINE)
_BETWEEN_WORDS = re.compile(r"[\s,;>\u2192]+(?:and\s+(?=\S+$))?|->")
_SORTED = re.compile(r"^\s*(?:sorted|sorted list|list)\s*:", re.IGNORECASE)
_GIVEN_LIST = re.compile(r"\bList:\s*(.+)$")
_GIVEN_BRACKETS = re.compile(r"\bInput:([\s\[\](){}<>]+)$")


@dataclass(frozen=True)
class Reading:
    """What a response answers: `text`, and whether that has the form that the task asks for.

    `text` is blank where two answers are named; where none is, it is the text itself.
    """

    text: str
    has_form: bool = True

    @property
    def shown(self) -> str:
        """The text, an option's letter without its brackets."""
        return self.text[1] if CHOICE.fullmatch(self.text) else self.text


_NONE = Reading("", has_form=False)


def reading_of(response: str, task: str, question: str = "", *, version: int = VERSION) -> Reading:
    """Read a response; with the question, an option's text is told from another's.

    Raises UnknownTask.
    """
    pattern = pattern_of(task)
    if version == bbh_rules_3.VERSION:
        # Those compare whatever they find, so it has the form where nothing of it would be left out today.
        found = bbh_rules_3.extract(response, task)
        today = reading_of(found, task, question)
        return Reading(found, today.has_form and _compared(today.text, pattern) == _compared(found, pattern))
    text = _plain(_LISTED.sub("", response) if pattern is FREE_TEXT else response)
    span, announced = _span(text)
    match pattern:
        case _ if pattern is CHOICE:
            return _choice(text, span, _options(question), announced=announced)
        case _ if pattern is INTEGER:
            return _number(span, announced=announced)
        case _ if pattern is CLOSING_BRACKETS:
            return _brackets(span, question, announced=announced)
        case _ if pattern is FREE_TEXT:
            return _words(span, question)
    return _word(span, pattern, announced=announced)


def extract(response: str, task: str, *, question: str = "", version: int = VERSION) -> str:
    """The answer inside a response; an integer without commas. Blank where two are named.

    Raises UnknownTask.
    """
    return reading_of(response, task, question, version=version).text


def is_correct(
    response: str, reference: str, task: str, *, question: str = "", version: int = VERSION
) -> bool:
    """Whether the extracted answer equals the reference, whatever the case, with (A) = A.

    Raises UnknownTask.
    """
    if version == bbh_rules_3.VERSION:
        return bbh_rules_3.is_correct(response, reference, task)
    answer, pattern = reading_of(response, task, question).text, pattern_of(task)
    if pattern is INTEGER and (number := _value(answer)) is not None:
        return number == _value(reference)
    return bool(answer) and _compared(answer, pattern) == _compared(reference.strip(), pattern)


def _compared(answer: str, pattern: re.Pattern[str]) -> str:
    folded = answer.casefold()
    if pattern is CLOSING_BRACKETS:
        return "".join(folded.split())
    return folded[1] if re.fullmatch(r"\([a-z]\)", folded) else folded


def _value(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ValueError:
        return None


def _plain(text: str) -> str:
    """The text in plain characters, without emphasis, LaTeX and what is invisible."""
    text = plain_characters(_DIGITS_APART.sub("", text))
    if not text.isascii():
        text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    for _ in range(_MAX_NESTED):
        text = _LATEX.sub(r"\1", text)
    return _EMPHASIS.sub("", text).replace("\r\n", "\n").strip()


def _span(text: str) -> tuple[str, bool]:
    """What follows the last announcement that something follows, or all; and whether it was announced."""
    for announcement in reversed([*_ANNOUNCED.finditer(text)]):
        end = _END.search(text, announcement.end())
        if span := text[announcement.end() : end.start() if end else None].strip():
            return span, True
    return text, False


def _options(question: str) -> Mapping[str, str]:
    """The options of a question by their letters."""
    return {letter: _folded(_plain(text)) for letter, text in _OPTION.findall(question)}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(_EDGES)


def _choice(text: str, span: str, options: Mapping[str, str], *, announced: bool) -> Reading:
    bare = span.lstrip("-\u2022= ").strip(_EDGES)
    same = [letter for letter, option in options.items() if option in (_folded(text), _folded(bare))]
    if same:
        return Reading(f"({same[0]})") if len(same) == 1 else _NONE
    bracketed = [found for found in _BRACKETED.finditer(span) if found[1].isupper()]
    named = {found[1] for found in bracketed}
    if len(named) > 1:
        return _NONE
    leading = _LEADING.fullmatch(bare)
    if leading and (letter := _chosen(leading, options)):
        own, rest = options.get(letter, ""), _folded(leading["rest"])
        further = leading["rest"][len(own) :] if _begins(rest, own) else leading["rest"]
        named |= {*_OTHER_LETTER.findall(further)}
        if not _begins(rest, own):
            named |= {other for other, option in options.items() if _begins(rest, option)}
        return _NONE if named - {letter} else Reading(_as_written(leading, letter))
    if announced and bracketed:
        return _NONE if _is_negated(span, bracketed[0].start()) else Reading(f"({bracketed[0][1]})")
    return Reading(bare, has_form=False)


def _begins(text: str, option: str) -> bool:
    """Whether a text begins with all the words of an option."""
    return bool(option) and text.startswith(option) and not text[len(option) :][:1].isalnum()


def _as_written(leading: re.Match[str], letter: str) -> str:
    bracketed = leading.string[leading.start("letter") - 1 : leading.end("letter") + 1]
    return f"({letter})" if bracketed in (f"({letter})", f"({letter.lower()})") else leading["letter"]


def _chosen(leading: re.Match[str], options: Mapping[str, str]) -> str:
    """The letter that a text begins with, where what follows leaves it chosen; else ""."""
    letter, rest, marked = (
        leading["letter"].upper(),
        leading["rest"],
        leading["mark"].strip() or leading["word"],
    )
    if not rest or _REASON.match(rest) or _IS_RIGHT.fullmatch(rest.strip(_EDGES)):
        return letter
    own = options.get(letter, "")
    if _begins(_folded(rest), own):
        return letter
    if not marked and not leading["letter"].isupper():
        return ""
    return letter if marked and not _STATEMENT.match(rest) else ""


def _is_negated(text: str, place: int) -> bool:
    return bool(_NEGATED.search(text[max(place - _NEAR_CHARACTERS, 0) : place]))


def _word(span: str, pattern: re.Pattern[str], *, announced: bool) -> Reading:
    """One of the two words of the task."""
    equation = _EQUATION.match(span) if pattern is TRUTH else None
    text = span[equation.end() :] if equation else span.strip(_EDGES)
    found = [*pattern.finditer(text)]
    if not found:
        return Reading(text, has_form=False)
    first = found[0]
    if len({one[0].casefold() for one in found}) > 1 or _is_negated(text, first.start()):
        return _NONE
    leads = text[: first.start()].strip(" ()\"'\n-\u2022=")
    said = not leads or _SUBJECT.fullmatch(leads + " ")
    if announced or (said and _AFTER_WORD.match(text, first.end()) and not _UNDECIDED.search(text)):
        return Reading(first[0])
    return Reading(text, has_form=False)


def _number(span: str, *, announced: bool) -> Reading:
    calculation = _CALCULATION.match(span)
    text = _MINUS.sub("-", span[calculation.end() :] if calculation else span).strip(" \n")
    text = (
        _NUMBER_WORD.sub(lambda word: str(_NUMBER_WORDS.index(word[1].lower())), text, count=1)
        if (_NUMBER_WORD.match(text))
        else text
    )
    found = [*_NUMBER.finditer(text)]
    values = {f"{one[1] or ''}{one[2]}{one[3] or ''}".removeprefix("+").replace(",", "") for one in found}
    if len({Fraction(value) for value in values}) > 1:
        return _NONE
    bare = text.strip(_EDGES)
    if not found:
        return Reading(bare, has_form=False)
    if _is_negated(text, found[0].start()):
        return _NONE
    if announced or (len(bare.split()) <= _MAX_WORDS and not _NOT_THE_NUMBER.search(bare)):
        return Reading(min(values, key=len))
    return Reading(bare, has_form=False)


def _brackets(span: str, question: str, *, announced: bool) -> Reading:
    text = re.sub(r"[\s,\"']", "", span).removesuffix(".")
    given = _GIVEN_BRACKETS.search(question)
    text = text.removeprefix("".join(given[1].split())) if given else text
    found = CLOSING_BRACKETS.search(text) if announced else CLOSING_BRACKETS.fullmatch(text)
    return Reading(" ".join(found[0])) if found else Reading(span.strip(_EDGES), has_form=False)


def _words(span: str, question: str) -> Reading:
    parts = _BETWEEN_WORDS.split(_SORTED.sub("", span).strip(_EDGES))
    words = [word for part in parts if (word := part.strip(_EDGES + "()[]"))]
    given = _GIVEN_LIST.search(question)
    complete = not given or sorted(map(str.casefold, words)) == sorted(given[1].casefold().split())
    return Reading(" ".join(words), has_form=bool(words) and complete)
