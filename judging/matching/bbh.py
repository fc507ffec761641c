"""BIG-Bench Hard: what does a response answer, and is that correct? One reader for people and models.

An answer is looked for in the span after the last announcement ("the answer is", "Final answer:"), which ends
at the next full stop that is no decimal point, or with the response. Where nothing is announced, the whole
response has to be the answer as people write it: an option's letter, alone, before its text or before a
reason; an option's text; "No, …"; "12 items"; words with commas between them. A text that only mentions an
option on its way has not chosen it. A span that names two answers, or that denies, doubts or only nears the
one it names ("not 24", "24 is too high", "24?", "about 24"), answers nothing. Where nothing is read in this
way, it is looked for behind words that only lead to it ("Therefore", "I think it is"), before a reason and
behind a conclusion, and an option in a sentence that otherwise has the words of the question only. Numbers
compare as numbers, brackets and lists of words whatever stands between them.

Characters are read as they are meant: full-width letters, typographic signs, emphasis and LaTeX around an
answer make no difference. With these rules the accuracies that the benchmark's authors published for their
outputs come out for all 27 tasks (benchmarks/judging/bbh_outputs.py).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

from judging.matching import bbh_rules_3
from judging.matching.bbh_tasks import (
    CHOICE,
    CLOSING_BRACKETS,
    FREE_TEXT,
    INTEGER,
    PATTERNS,
    TRUTH,
    VALIDITY,
    YES_NO,
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
# What only leads to an answer: left out where nothing was read with it.
_LEAD_IN = re.compile(
    r"""
    (?:
        [=-]+> | [\#=\u2192\u21d2]+ | \.{2,}
        | (?:so|therefore|thus|hence|then|definitely|clearly|obviously|okay?)\b
        | i\ (?:think|believe)\b (?:\ that\b)? | i(?:'ll|\ will|'d)?\ (?:go\ with|take|choose|pick)\b
        | (?:i|you|we)\ (?:have|count|counted|see|get|got|need)\b (?:\ to\ (?:add|close\ with)\b)?
        | (?:it|that|this)? (?:\ ?(?:is|must\ be|has\ to\ be|should\ be)|'s)\b | its\s
        | there\ (?:are|is)\b | (?:in|a)\ total\b (?:\ of\b)? | (?:exactly|add)\b
        | (?:(?:the|my)\ )? (?:(?:final|correct|right|best)\ )?
          (?:answer|ans|antwort|l\u00f6sung|option|choice|solution|result|pick|total|sum|input|output)\b
          (?:\ (?:to|of|for)\ [^.:;\n]{1,60}?(?=\ is\b|\s*:))?
          (?:\s+(?:is|must\ be|should\ be|would\ be|ist)\b)?
          (?:[.=] | \s-\s)?
        | (?:the\ )? (?:\w{1,20}\ ){0,2} (?:number|count)\ of\ [^.:;=\d\n]{1,40}? \s* (?:[:=]|\bis\b)
        | (?:the\ )? (?:\w{1,20}\ ){0,2} (?:brackets?|parenthes[ei]s|sequence) \s* (?::|\b(?:is|are)\b)
        | correct\s*:
    ) [\s,:]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MAX_LEADS = 4
_BEFORE_REASON = re.compile(
    r"(.{1,200}?)[\s,;(\u2013\u2014-]{1,5}(?:because|since|weil|denn)\b", re.DOTALL | re.IGNORECASE
)
_TAKEN_BACK = re.compile(r"\b(?:but|wait|actually|instead|rather|sorry|not\s+sure)\b|\bno,", re.IGNORECASE)
_CONCLUSION = re.compile(
    r".*[\s,;:.](?:so|therefore|thus|hence)\b[\s,:]*(\S.{0,80})", re.DOTALL | re.IGNORECASE
)
_END = re.compile(r"\.(?!\d)")
_LATEX = re.compile(r"\\(?:boxed|text[a-z]{0,2}|math[a-z]{2})\s*\{([^{}]*)\}")
_MAX_NESTED = 4
_EMPHASIS = re.compile(r"[*`$]|\\[()]|(?<!\w)_+|_+(?!\w)")
_DIGITS_APART = re.compile("(?<=[0-9])[\u00a0\u2009\u202f'\u2019](?=[0-9]{3}(?![0-9]))")
_EDGES = " \t\n\"'\u00ab\u00bb\u2039\u203a\u201a\u201e.,;:!"

_HOURS = re.compile(r"(?<=\d)\s+(?=[ap]m\b)", re.IGNORECASE)
_TIMES = re.compile(r"(?<=[ap]m)\s*(?:[\u2010-\u2014-]|\b(?:and|until|till)\b)\s*(?=\d)", re.IGNORECASE)
_OPTION = re.compile(r"^\s*\(([A-Z])\)\s*(.*?)\s*$", re.MULTILINE)
_BRACKETED = re.compile(r"(?<!\w)[(\[]\s*([A-Za-z])\s*[)\]]")
_LEADING = re.compile(
    r"(?P<word>(?:the\s+)?(?:option|choice|letter|answer|statement|sentence)\b[\s:]*)?"
    r"[(\[{\"']*(?P<letter>[A-Za-z])(?!['\w])"
    r"(?P<mark>[)\]}\"']*[^\S\n]*(?:\n|[.:,;!)>(=/\u2192\u2013\u2014-]*))\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_LETTER = re.compile(r"(?<![\w'])([A-Z])(?![\w'])(?!(?<=[AI])\s+[a-z])")
_LETTER_AS_SUBJECT = re.compile(
    r"(?:^|(?<=sentence\s)|(?<=statement\s))([A-Z])(?=\s(?:is|has|are)\b)", re.MULTILINE
)
_REASON = re.compile(r"\(?(?:because|since|as|for|due to|by|so|therefore|weil|denn|da)\b", re.IGNORECASE)
_IS_RIGHT = re.compile(
    r"is (?:(?:the|my) )?(?:final )?(?:answer|choice|(?:correct|right|best|true)"
    r"(?: (?:answer|option|choice|one|statement|sentence))?)",
    re.IGNORECASE,
)
# What goes on like this says something about an option instead of choosing it.
_STATEMENT = re.compile(
    r"(?:is|isn't|are|was|were|would|could|should|can|cannot|may|might|must|seems|looks|sounds|and|or|nor|but|not"
    r"|has|have|does|doesn't|did|if|unless|vs|versus|to)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:(?:\bnot|n't|\bcannot|\bnever|\bneither|\bexcept|\bhardly|\bunlikely|\bbut|\bnowhere near"
    r"|\b(?:far|apart|aside) from|\bdoubt(?:\W+\w+){0,2}|\b(?:rul|exclud)(?:e|ed|ing)(?: out)?|\bwrong"
    r"|\bincorrect)\W+(?:\w+\W+)?(?:be\W+)?"
    r"|\bnot (?:the case|true) that\W(?:\w+\W+){0,5})$",
    re.IGNORECASE,
)
# What goes on like this says that the answer is none: "is wrong", "can't be", "?"; behind an option or a
# number also "too late", "- wrong" and ", no wait". "No, it is not" and "B, not on a Monday" give reasons.
_SAID_OF = (
    r"(?:(?:is|are|was|were|be|been|to|would|could|can|might|may|seems?|looks?|sounds?|'s)\b\W*"
    r"|(?:clearly|definitely|obviously|certainly|simply|just|far|much|way|a bit)\b\W*)"
)
_IS_WRONG = r"(?:wrong|false|incorrect|impossible|excluded|ruled out)(?!\w)"
_IS_NONE = rf"(?:{_IS_WRONG}|(?:not|cannot|never|hardly|unlikely|too|out)(?!\w))"
_CANNOT_BE = r"(?:cannot|\w{2,6}n't)(?!\w)"
_WORD_DENIED = re.compile(rf"\?|{_SAID_OF}{{1,4}}{_IS_NONE}|{_CANNOT_BE}", re.IGNORECASE)
_DENIED = re.compile(
    rf"\?|{_SAID_OF}{{0,4}}{_IS_NONE}|{_CANNOT_BE}"
    rf"|[^\w?]{{0,5}}(?:{_IS_WRONG}|too\s\w+\W*$|no\W*(?:$|wait\b)|[x\u2717\u2718\u274c]\W*$)",
    re.IGNORECASE,
)
_NEAR_CHARACTERS = 60
_CLOSING = " )]}\"'"
_UNDECIDED = re.compile(r"\b(?:not sure|unsure|don't know|do not know|no idea|either)\b", re.IGNORECASE)

_EQUATION = re.compile(
    r"(?:[\s()]*+(?:(?:not|and|or|true|false)\b[\s()]*+)++(?:=++>?|is\b))++\s*(?=(?:true|false)\W*$)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:given the (?:explicitly stated )?premises,?\s)?"
    r"(?:(?:it|this|that|(?:the|this) (?:whole )?\w+)?(?:'s|\s?is|\s?evaluates to|\s?equals)\s)?"
    r"(?:(?:therefore|logically|clearly|deductively)\s)*",
    re.IGNORECASE,
)
_AFTER_WORD = re.compile(
    r"\W*$|\s*[^\w\s?]|(?<=yes)\s+(?!(?:or|and|but|if|unless|maybe|in)\b)"
    r"|\s+(?:because|since|as|you|u|he|she|it|they|we|i|the|this|that|there|argument|deduction|weil)\b",
    re.IGNORECASE,
)
_NOT_VALID = re.compile(
    r"(?:\bnot\s|n't\s)\s*(?:(?:deductively|logically)\s+)?valid\b|\bin-valid\b", re.IGNORECASE
)
# It answers no question.
_NO_THING = re.compile(r"\bno (?=(?:doubt|other|longer|matter|problem|reason)\b)", re.IGNORECASE)
_SHORT = (
    {"t": "True", "f": "False"}
    | dict.fromkeys("y yep yeah yup".split(), "Yes")
    | dict.fromkeys("n nope nah".split(), "No")
)

_CALCULATION = re.compile(r"[\d\s.,+*/x\u00d7\u00f7()^=-]*=\s*")
_NUMBER = re.compile(
    r"(?<![\w.,/])(?:(?<![\w)])([+-])\s?)?(\d{1,3}(?:,\d{3}){1,9}|\d{1,30})(\.\d{1,30})?"
    r"(?![\w/]|\s?[%\u2030]|[.,]\d)",
    re.ASCII,
)
_MINUS = re.compile(
    r"\b(?:minus|negative)\s+(?=\d)|[\u2010-\u2013](?=\s?\d)|^\s*[\u2014\u2015](?=\s?\d)", re.IGNORECASE
)
_DASH = re.compile(r"[^\W\d]\s+-\s+\d")
_NUMBER_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER_WORDS += [
    f"{ten} {one}".strip()
    for ten in _TENS
    for one in ["", *_NUMBER_WORDS[1:10]]
    if (ten, one) != ("twenty", "")
]
_NUMBER_WORD = re.compile(
    rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_NUMBER_WORDS[1:10])}))?"
    rf"|{'|'.join(_NUMBER_WORDS[:20])})\b(?!-)",
    re.IGNORECASE,
)
# Of these a number is only a part.
_MULTIPLIED = re.compile(r"\d\s*(?:dozen|hundred|thousand|million|billion|(?:and a )?half)\b", re.IGNORECASE)
_NEAR_SIGNS = "[<>~\u00b1\u2243\u2245\u2248\u2260\u2264\u2265\u2272\u2273\u221a\u223c]"
_NOT_THE_NUMBER = re.compile(
    r"\b(?:not|no(?! doubt)|or|maybe|about|around|approximately|roughly|almost|nearly|least|most|more|less"
    rf"|fewer|than|over|under|except|minus|plus|if|of|out|wrong|incorrect)\b|n't|{_NEAR_SIGNS}|\d\s*\+|[-+]\s*[-+(]",
    re.IGNORECASE,
)
# What stands beside a number that is not the one meant, or only near it.
_WITHOUT = r"without(?! (?:a |any )?(?:doubt|question))"
_BEFORE_INEXACT = re.compile(
    r"(?:\b(?:about|around|approximately|roughly|circa|ca|some|almost|nearly|near|close to|at (?:least|most)"
    r"|maybe|(?:more|less|fewer|other) than|over|under|above|below|beyond|(?<!adds )(?<!add )up to|double"
    rf"|half(?: of)?|twice|triple|times|{_WITHOUT}(?:\W+\w+){{0,3}})\W*(?:the\W*)?|{_NEAR_SIGNS}\s*)$",
    re.IGNORECASE,
)
_BEHIND_INEXACT = re.compile(
    r"\s*\+|\W{0,3}(?:or (?:so|more|less|fewer|maybe)|at (?:most|least|first)|ish|plus|minus|squared|cubed"
    rf"|off|short|(?:more|less|fewer)\s*(?:$|than)|was (?:my|the) first|{_WITHOUT})\b",
    re.IGNORECASE,
)
_MAX_WORDS = 8
_SMALL_WORDS = frozenset(
    "the a an it is are was has have there this that from one option choice statement sentence".split()
)
_DENIALS = frozenset("not no never wrong incorrect error or except".split())

_LISTED = re.compile(
    r"(?:^|(?<=[\s,;]))(?:\(?\d{1,3}[.):]\s*|\d{1,3}(?:\s+-)?\s+|[-\u2022\u00b7]\s+)(?=[^\W\d]|[\"'])",
    re.MULTILINE,
)
_BETWEEN_WORDS = re.compile(
    r"[\s,;<>/|\u2192\u3001\u00b7\u2022\u2013\u2014]+(?:(?:and|then|&)\s+(?=\S+$))?|[-=]>"
)
_SORTED = re.compile(
    r"^\s*(?:(?:the|in|my|words?|list|order|sequence|sorted|ordered|correct|right|final|alphabetical|alphabetically"
    r"|result|as|follows|are|is)\b\s*){1,8}:",
    re.IGNORECASE,
)
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
    # What follows the last announcement that something follows, or all.
    span, announced = text, False
    for announcement in reversed([*_ANNOUNCED.finditer(text)]):
        end = _END.search(text, announcement.end())
        if following := text[announcement.end() : end.start() if end else None].strip():
            span, announced = following, True
            break
    reading = _read(text, span, pattern, question, announced=announced)
    if not reading.has_form:
        leads = reading.text != _NONE.text
        for simpler in _simpler(span, question, leads=leads):
            again = _read(simpler, simpler, pattern, question, announced=False)
            if again.has_form:
                return again
    return reading


def _read(text: str, span: str, pattern: re.Pattern[str], question: str, *, announced: bool) -> Reading:
    match pattern:
        case _ if pattern is CHOICE:
            options = {letter: _folded(_plain(option)) for letter, option in _OPTION.findall(question)}
            reading = _choice(text, span, options, announced=announced)
            is_settled = reading.has_form or not reading.text
            return reading if is_settled else _in_words_of_question(span, question, options) or reading
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
    reading, pattern = reading_of(response, task, question), pattern_of(task)
    answer = reading.text
    if pattern is INTEGER and (number := _value(answer)) is not None:
        return reading.has_form and number == _value(reference)
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


def _simpler(span: str, question: str, *, leads: bool) -> Iterator[str]:
    """The span without what `leads` to an answer, without the reason behind it, and its conclusion alone."""
    rest = span
    for _ in range(_MAX_LEADS if leads else 0):
        rest, before = rest[found.end() :] if (found := _LEAD_IN.match(rest)) else rest, rest
        if not rest or rest == before:
            break
        yield rest
    has_own_reasons = _BEFORE_REASON.search(question.partition("\nOptions:")[2])
    for text in () if has_own_reasons else (rest, span):
        if (reasoned := _BEFORE_REASON.match(text)) and not _TAKEN_BACK.search(text):
            yield reasoned[1]
    if (concluded := _CONCLUSION.fullmatch(span)) and not _TAKEN_BACK.search(concluded[1]):
        yield concluded[1]


def _in_words_of_question(text: str, question: str, options: Mapping[str, str]) -> Reading | None:
    """The one option that a text names, by its text, its letter or both, in words of the question alone."""
    asked = re.split(r"[.?!\n]\s+", question.partition("\nOptions:")[0].strip())[-1]
    rest, named = _with_times(" ".join(text.split())), set[str]()
    for letter, option in sorted(options.items(), key=lambda one: -len(one[1])):
        whole = re.compile(rf"(?<!\w)(?:an?\s)?{re.escape(option)}(?!\w)", re.IGNORECASE)
        if option and whole.search(rest) and [*options.values()].count(option) == 1:
            rest = whole.sub(" ", rest)
            named.add(letter)
    letters = [*_BRACKETED.finditer(rest), *_OTHER_LETTER.finditer(rest), *_LETTER_AS_SUBJECT.finditer(rest)]
    named |= {found[1].upper() for found in letters}
    words = {*re.findall(r"\w+", rest.casefold())} - {found[1].casefold() for found in letters}
    if len(named) > 1:
        return _NONE
    is_asked = words <= ({*re.findall(r"\w+", asked.casefold())} | _SMALL_WORDS) - _DENIALS
    return Reading(f"({named.pop()})") if options and named and is_asked and "?" not in rest else None


def _folded(text: str) -> str:
    return _with_times(" ".join(text.casefold().split()).strip(_EDGES))


def _with_times(text: str) -> str:
    return _TIMES.sub(" to ", _HOURS.sub("", text))


def _same(text: str, options: Mapping[str, str]) -> list[str]:
    """The letters of the options that a text is, if need be without their article and their common end."""
    if same := [letter for letter, option in options.items() if option == text]:
        return same
    words = [option.split() for option in options.values()]
    ends = sum(1 for _ in takewhile(lambda ends: len({*ends}) == 1, zip(*map(reversed, words), strict=False)))
    cores = [" ".join(each[: len(each) - ends]).removeprefix("the ") for each in words]
    text = text.removeprefix("the ")
    if text.isdecimal() and len(text) < 3:
        text = _NUMBER_WORDS[int(text)]
    return [
        letter
        for letter, each, core in zip(options, words, cores, strict=True)
        if text and text in (core, " ".join(each).removeprefix("the "))
    ]


def _choice(text: str, span: str, options: Mapping[str, str], *, announced: bool) -> Reading:
    bare = span.lstrip("-\u2022= ").strip(_EDGES)
    if same := _same(_folded(text), options) or _same(_folded(bare), options):
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
        if _begins(rest, own):
            behind = rest[len(own) :]
            if _DENIED.match(behind.lstrip(_CLOSING)):
                return _NONE
            named |= {
                other
                for other, option in options.items()
                if option and option != own and re.search(rf"(?<!\w){re.escape(option)}(?!\w)", behind)
            }
        else:
            named |= {other for other, option in options.items() if _begins(rest, option)}
        if named - {letter}:
            return _NONE
        # As it is written: with its brackets, or in small letters.
        written = bare[max(leading.start("letter") - 1, 0) : leading.end("letter") + 1]
        is_bracketed = written in (f"({letter})", f"({letter.lower()})")
        return Reading(f"({letter})" if is_bracketed else leading["letter"])
    if announced and bracketed:
        return _NONE if _is_taken_back(span, bracketed[0]) else Reading(f"({bracketed[0][1]})")
    return Reading(bare, has_form=False)


def _begins(text: str, option: str) -> bool:
    """Whether a text begins with all the words of an option."""
    return bool(option) and text.startswith(option) and not text[len(option) :][:1].isalnum()


def _chosen(leading: re.Match[str], options: Mapping[str, str]) -> str:
    """The letter that a text begins with, where what follows leaves it chosen; else ""."""
    letter, rest, marked = (
        leading["letter"].upper(),
        leading["rest"],
        leading["mark"].strip(" ") or leading["word"],
    )
    if not rest or _REASON.match(rest) or _IS_RIGHT.fullmatch(rest.strip(_EDGES)):
        return letter
    own = options.get(letter, "")
    told = _folded(rest)
    if _begins(told, own) or (" " in told and own.startswith(told)):  # of an option that has full stops
        return letter
    if not marked and not leading["letter"].isupper():
        return ""
    denied = _DENIED if options else _WORD_DENIED  # without the options their texts may stand there
    return letter if marked and not (_STATEMENT.match(rest) or denied.match(rest)) else ""


def _is_taken_back(text: str, found: re.Match[str], denied: re.Pattern[str] = _DENIED) -> bool:
    """Whether what stands before an answer or behind it says that it is none."""
    before = text[max(found.start() - _NEAR_CHARACTERS, 0) : found.start()]
    return bool(_NEGATED.search(before) or denied.match(text[found.end() :].lstrip(_CLOSING)))


def _word(span: str, pattern: re.Pattern[str], *, announced: bool) -> Reading:
    """One of the two words of the task."""
    equation = _EQUATION.match(span) if pattern is TRUTH else None
    text = span[equation.end() :] if equation else span.strip(_EDGES)
    if pattern is VALIDITY:
        text = _NOT_VALID.sub(" invalid", text).strip()
    if pattern.fullmatch(whole := _SHORT.get(text.casefold(), "")):
        return Reading(whole)
    found = [*pattern.finditer(_NO_THING.sub("   ", text) if pattern is YES_NO else text)]
    if not found:
        return Reading(text, has_form=False)
    first = found[0]
    if len({one[0].casefold() for one in found}) > 1 or _is_taken_back(text, first, _WORD_DENIED):
        return _NONE
    leads = text[: first.start()].strip(" ()\"'\n-\u2022=")
    said = not leads or _SUBJECT.fullmatch(leads + " ")
    if announced or (said and _AFTER_WORD.match(text, first.end()) and not _UNDECIDED.search(text)):
        return Reading(first[0])
    return Reading(text, has_form=False)


def _number(span: str, *, announced: bool) -> Reading:
    text = _MINUS.sub("-", span).strip(" \n")
    calculation = _CALCULATION.match(text)
    text = text[calculation.end() :] if calculation else text
    if word := _NUMBER_WORD.match(text):
        text = f"{_NUMBER_WORDS.index(word[0].lower().replace('-', ' '))}{text[word.end() :]}"
    found = [*_NUMBER.finditer(text)]
    values = {f"{one[1] or ''}{one[2]}{one[3] or ''}".removeprefix("+").replace(",", "") for one in found}
    bare, beside = text.strip(_EDGES), _NUMBER.sub("", text)
    if len({Fraction(value) for value in values}) > 1 or _MULTIPLIED.search(text):
        return _NONE
    if found and (any(map(str.isdigit, beside)) or (word and _NUMBER_WORD.match(beside.lstrip(" -")))):
        return _NONE
    if not found or (not announced and _DASH.search(text)):
        return Reading(bare, has_form=False)
    start, end = found[0].span()
    near_before = text[max(start - _NEAR_CHARACTERS, 0) : start]
    is_inexact = _BEFORE_INEXACT.search(near_before) or _BEHIND_INEXACT.match(text, end)
    if _is_taken_back(text, found[0]) or is_inexact:
        return _NONE
    leads = start == 0 and text[end:].lstrip(" ")[:1] in {*":(,;\n"}
    is_short = leads or len(bare.split()) <= _MAX_WORDS
    if announced or (is_short and not _NOT_THE_NUMBER.search(bare)):
        return Reading(min(values, key=len))
    return Reading(bare, has_form=False)


def _brackets(span: str, question: str, *, announced: bool) -> Reading:
    text = re.sub(r"[\s,\"']|\band\b", "", span).removesuffix(".")
    given = _GIVEN_BRACKETS.search(question)
    text = text.removeprefix("".join(given[1].split())) if given else text
    found = CLOSING_BRACKETS.search(text) if announced else CLOSING_BRACKETS.fullmatch(text)
    return Reading(" ".join(found[0])) if found else Reading(span.strip(_EDGES), has_form=False)


def _words(span: str, question: str) -> Reading:
    parts = _BETWEEN_WORDS.split(_SORTED.sub("", span).strip(_EDGES))
    words = [word for part in parts if (word := part.strip(_EDGES + "()[]{}"))]
    given = _GIVEN_LIST.search(question)
    complete = not given or sorted(map(str.casefold, words)) == sorted(given[1].casefold().split())
    return Reading(" ".join(words), has_form=bool(words) and complete)
