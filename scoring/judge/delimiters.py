"""What could pass for a delimiter in a judge's prompt, as patterns to search a folded answer with.

A prompt sets its parts apart by tags, code fences, headings and labels; those are found in the template.
Marks that chat models use to separate turns, and the fence put around an answer, always count.

Every pattern is linear in the length of the answer: repetitions are possessive, or cannot run past the place
where the next match could begin.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from scoring.judge.folding import folded

# The name of the tags that are put around an answer where the template has none; a mark follows it.
FENCE_NAME = "response_under_test"

SLOT = re.compile(r"\{[a-z_]+\}")
_TAG = re.compile(r"</?([a-z][\w-]*)>")
_FENCE_KINDS = {
    "`~": r"(?:[`~]|&(?:amp;)*+(?:grave|#0*+(?:96|126)|#x0*+(?:60|7e));?)",
    "\"'": r"(?:[\"']|&(?:amp;)*+(?:quot|apos|#0*+(?:34|39)|#x0*+(?:22|27));?)",
}
_RULE_SIGNS = "-=*#_~"

# Letters that digits stand in for.
_DIGITS = {
    "a": "[a4]",
    "e": "[e3]",
    "g": "[g9]",
    "i": "[i1l]",
    "l": "[l1i]",
    "o": "[o0]",
    "s": "[s5]",
    "t": "[t7]",
}
_BETWEEN = r"(?:(?![<>&\n])[\W_])*+"
_IN_TAG = r"(?:(?![<>&])[\W_])*+"

_LESS = r"(?:<|&(?:amp;)*+(?:lt|#0*+60|#x0*+3c);?|\\u003c|\\x3c|%3c)"
_MORE = r"(?:>|&(?:amp;)*+(?:gt|#0*+62|#x0*+3e);?|\\u003e|\\x3e|%3e)"
_SLASH = (
    r"(?:/|\\u00(?:2f|5c)|\\x(?:2f|5c)|\\|&(?:amp;)*+(?:b?sol|#0*+(?:47|92)|#x0*+(?:2f|5c));?|%(?:2f|5c))"
)
# What may stand between a bracket, one or several slashes and a name: nothing that may begin another tag, and
# no round bracket, or a tag made harmless would be one again behind another bracket.
_NOISE = r"(?:(?![<>()&%\\/\u00ab])[\W_])"
_SLASHES = rf"{_NOISE}{{0,3}}+(?:{_SLASH}{_NOISE}{{0,3}}+){{1,3}}+"
# Quotation marks of many languages: brackets with a slash only.
_LESS_OF_END = rf"(?:{_LESS}|\u00ab)"
_MORE_OF_END = rf"(?:{_MORE}|\u00bb)"
_TURN_TAGS = (
    "s|bos|eos|pad|unk|sop|eop|mask|(?:start|end)_of_(?:turn|role|text|image)|system|user|assistant|human|model"
    "|think|thinking|tool_call|tool_calls|tool_response|tool_result|tools|function_call|function_calls"
    "|function_results|extra_id_[0-9]+|end_of_utterance|instructions?"
)
_TURN_BRACKETS = (
    r"/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content|gmask|sop|eop|bos|eos|img)"
)

# What may stand before the words of a heading or a label: bullets, numbers, emphasis, markup.
_LEAD = r"(?:<[a-z][^<>\n]{0,40}>|\\[a-z]++\*?\{|(?!\n)[\W\d_])*+"
_TRAIL = r"(?:</?[a-z0-9]{1,10}>|(?!\n)[\W_])*+$"
_SEPARATOR = r"(?=(?:(?!\n)[^\w:=|])*+[:=|])"
# Speakers and the usual headings of a turn are plain words: in quotes they are somebody's data.
_EMPHASIS = r"(?:(?![\"'\n])[\W\d_])*+"
_COLON = r"(?=[ *_]*+:)"
_TURN_HEADINGS = r"(?:instructions?|input|response)"
_TURN_LABELS = r"(?:system|user|assistant|human|developer)(?:message|prompt|turn)?"


@dataclass(frozen=True)
class Delimiters:
    """`brackets` has groups named open… and close… for the brackets; `lines` matches from a line's start."""

    brackets: re.Pattern[str]
    lines: re.Pattern[str]
    fences: re.Pattern[str] | None


def delimiters_of(template: str) -> Delimiters:
    """The delimiters of a template with slots `{name}`."""
    plain = folded(template).text
    return Delimiters(brackets=_brackets(plain), lines=_lines(plain), fences=_fences(plain))


def _brackets(template: str) -> re.Pattern[str]:
    names = _any_of({_spelled(name, _IN_TAG) for name in _TAG.findall(template)})
    own = _spelled(FENCE_NAME, _IN_TAG)
    kinds = (
        # A closing tag needs no closing bracket to be taken for one, nor does our own fence.
        rf"(?P<open1>{_LESS_OF_END})\s*+(?:(?:{_SLASHES}\s*+)?{own}\w*+|{_SLASHES}\s*+{names}(?![a-z0-9]))"
        rf"(?:\s*+(?P<close1>{_MORE_OF_END}))?",
        rf"(?P<open2>{_LESS})\s*+{names}(?:\s*+/?+(?P<close2>{_MORE})|(?=\s++[a-z]++\s*+=))",
        r"(?P<open3><)[^\S\n]{0,3}\|[^|<>\n]{1,60}\|[^\S\n]{0,3}(?P<close3>>)",
        rf"(?P<open4><)/?(?:{_TURN_TAGS})/?(?P<close4>>)",
        r"(?P<open5><<)/?sys(?P<close5>>>)",
        rf"(?P<open6>\[)\s{{0,3}}{_TURN_BRACKETS}\s{{0,3}}(?P<close6>\])",
    )
    return re.compile("|".join(kinds))


def _lines(template: str) -> re.Pattern[str]:
    lines = template.splitlines()
    headings = {_spelled(line, _BETWEEN) for line in lines if line.startswith("#")} - {""}
    labels = {_spelled(words, _BETWEEN) for words in _labels(lines)} - {""}
    kinds = (
        rf"{_LEAD}{_any_of(headings)}{_TRAIL}",
        rf"{_LEAD}{_any_of(headings | labels)}{_SEPARATOR}",
        rf"{_EMPHASIS}{_TURN_LABELS}{_COLON}",
        rf"[ \t>*_]*+#{_EMPHASIS}{_TURN_HEADINGS}{_COLON}",
        *_rules(template),
    )
    return re.compile("|".join(f"^{kind}" for kind in kinds), re.MULTILINE)


def _labels(lines: list[str]) -> list[str]:
    """The words with a colon before each slot, on its line or, if it begins that, on the one before."""
    labels = []
    for before, line in pairwise(["", *lines]):
        words = SLOT.split(line)[:-1]
        if words and not words[0].strip():
            words[0] = before
        labels += [part for part in words if part.rstrip(" *_`").endswith(":")]
    return labels


def _any_of(patterns: set[str]) -> str:
    return f"(?:{'|'.join(sorted(patterns))})" if patterns else "(?!)"


def _spelled(words: str, between: str) -> str:
    """A pattern for the letters of `words` however they are spaced or punctuated."""
    letters = [character for character in words if character.isalnum()]
    while letters and letters[0].isdigit():
        del letters[0]
    return between.join(_DIGITS.get(letter, re.escape(letter)) for letter in letters)


def _rules(template: str) -> list[str]:
    """Lines of one repeated sign that the template draws."""
    return [
        rf"[^\S\n]*+{re.escape(sign)}{{3,}}[^\S\n]*+$"
        for sign in _RULE_SIGNS
        if re.search(rf"^{re.escape(sign)}{{3,}}\s*$", template, re.MULTILINE)
    ]


def _fences(template: str) -> re.Pattern[str] | None:
    kinds = [rf"{one}{{3,}}" for used, one in _FENCE_KINDS.items() if re.search(rf"([{used}])\1\1", template)]
    return re.compile("|".join(kinds)) if kinds else None
