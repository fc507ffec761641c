"""Comments on the question or on a model where an answer should be (GIM, appendix G, pattern a).

A text is off-task only when comments make up most of a short text; beside a real answer they do no harm.
"""

import re
from collections.abc import Sequence

from psychometrics.exclusions.words import count_words
from screening.offtask.comment_patterns import GOES_ON, ON_MODEL, ON_QUESTION
from screening.offtask.expectations import allows_short_answer, asks_for_an_opinion
from screening.offtask.facts import AnswerFlag, OfftaskRules, PromptFacts, ReasonCode
from screening.offtask.words import clauses, quoted

_MAX_LETTERS_PER_WORD = 20
"""A text of few but enormous words is no short comment; it is not searched."""

_MARK_OR_VERSION = re.compile(
    r"\d+(?:\.\d+)?\s*(?:/|out of)\s*\d+|\b(?:gpt|gemini|claude)[- ]?\d[\w.]*", re.IGNORECASE
)
_DETERMINERS = frozenset({"the", "this", "that", "both", "all"})


def comment_flags(text: str, prompt: PromptFacts, rules: OfftaskRules) -> list[AnswerFlag]:
    """Return a flag per kind of comment when comments dominate a short visible text, else nothing."""
    if not _is_short(text, rules) or asks_for_an_opinion(prompt):
        return []
    pieces = clauses(text)
    found = {
        ReasonCode.COMMENT_ON_QUESTION: _matching(pieces, ON_QUESTION, prompt),
        ReasonCode.COMMENT_ON_MODEL: _matching(pieces, ON_MODEL, prompt),
    }
    comments = [piece for matches in found.values() for piece in matches]
    if not comments or not _dominate(comments, pieces, prompt, rules):
        return []
    return [AnswerFlag(reason, _evidence(matches)) for reason, matches in found.items() if matches]


def _is_short(text: str, rules: OfftaskRules) -> bool:
    most = rules.comment_words
    return len(text) <= _MAX_LETTERS_PER_WORD * most and count_words(text) <= most


def _matching(pieces: Sequence[str], patterns: Sequence[re.Pattern[str]], prompt: PromptFacts) -> list[str]:
    asked = _words(prompt.text)
    return [piece for piece in pieces if any(_comments(pattern, piece, asked) for pattern in patterns)]


def _comments(pattern: re.Pattern[str], piece: str, asked: set[str]) -> bool:
    """Whether the clause matches, holds no figure, and does not name and value what the prompt is about."""
    match = pattern.search(_straight(piece))
    if match is None or _holds_a_figure(piece):
        return False
    named = _words(" ".join(match.groupdict().values())) - _DETERMINERS
    return not named <= asked


def _dominate(
    comments: Sequence[str], pieces: Sequence[str], prompt: PromptFacts, rules: OfftaskRules
) -> bool:
    """Whether hardly anything but comment is there.

    Where a short answer is enough, any clause that is no comment may be that answer, so none may be left.
    """
    off_task = [piece for piece in pieces if piece in comments or _goes_on(piece)]
    if allows_short_answer(prompt, rules):
        return len(off_task) == len(pieces)
    return _total_words(off_task) >= rules.comment_share * _total_words(pieces)


def _goes_on(piece: str) -> bool:
    return any(pattern.search(_straight(piece)) for pattern in GOES_ON)


def _holds_a_figure(piece: str) -> bool:
    """Whether there is a number that may be an answer, other than a mark like 4/5 or a model's version."""
    return any(character.isdigit() for character in _MARK_OR_VERSION.sub("", piece))


def _straight(piece: str) -> str:
    return piece.replace("’", "'")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _total_words(pieces: Sequence[str]) -> int:
    return sum(count_words(piece) for piece in pieces)


def _evidence(matches: Sequence[str]) -> str:
    return f"{'; '.join(quoted(match) for match in matches)}."
