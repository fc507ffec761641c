"""Reading texts as a person would: visible characters and clauses, and what kind of answer a prompt asks for,
so that a right short answer is never called minimal.
"""

import re

from formats.text_faults import is_blank
from psychometrics.exclusions.words import count_words, has_letters_or_digits
from screening.offtask.facts import OfftaskRules, PromptFacts

_CLAUSE_END = re.compile(
    r"(?<![.!?,;:])[.!?,;:]+(?=\s|$)|[。！？，；：،؛؟]+|\n|\s[-–—]+\s|—|\b(?:but|however|although|though)\b",
    re.IGNORECASE,
)
_QUOTE_CHARACTERS = 120
_ASKS_FOR_FEW_WORDS = re.compile(
    r"\b(?:one|two|three|single|1|2|3)[- ]words?\b"
    r"|\byes (?:or|/) ?no\b|\byes/no\b|\btrue (?:or|/) ?false\b|\btrue/false\b"
    r"|\bmultiple[- ]choice\b"
    r"|\b(?:only|just)(?: with)? (?:the|a|one) (?:single )?(?:\w+ )?"
    r"(?:number|letter|name|word|value|option)\b"
    r"|\b(?:number|letter|name|word|value|option) only\b",
    re.IGNORECASE,
)
_OPTION_LABEL = re.compile(r"(?:^|\s)(?:\(([A-Ha-h1-8])\)|([A-H1-8])[).])(?=\s)")
_ASKS_FOR_AN_OPINION = re.compile(
    r"\b(?:critiqu\w*|feedback|assess\w*|reviews?|reviewer|comment(?:s|ary)?|proofread|rewrit\w*|rephras\w*"
    r"|ambigu\w*|unclear|rating|improve(?:ments?|d)?|opinion)\b"
    r"|\b(?:rate|grade|evaluate|judge)(?: the| this| these| each| how| whether| your| its)*"
    r" (?:\w+ )?(?:quality|texts?|essays?|drafts?|answers?|responses?|arguments?|claims?|models?|questions?"
    r"|statements?|reasoning|well)\b",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    """Return the text without invisible characters, with single spaces, and without empty lines."""
    table = {
        ord(character): " " if character.isspace() else None
        for character in set(text)
        if character != "\n" and is_blank(character)
    }
    lines = (" ".join(line.split()) for line in text.translate(table).split("\n"))
    return "\n".join(line for line in lines if line)


def clauses(text: str) -> list[str]:
    """Split a visible text at sentence and clause ends; pieces without a letter or digit are dropped."""
    pieces = (piece.strip() for piece in _CLAUSE_END.split(text))
    return [piece for piece in pieces if has_letters_or_digits(piece)]


def quoted(text: str) -> str:
    """Return the text in quotation marks for use as evidence, cut to a readable length."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= _QUOTE_CHARACTERS else f'"{line[: _QUOTE_CHARACTERS - 1]}…"'


def allows_short_answer(prompt: PromptFacts, rules: OfftaskRules) -> bool:
    """Whether a few words can be a full answer: the gold answer is short, or so is what the prompt asks for.

    Labels like (a), (b) are options to pick from where the answer is exact; with a rubric they are parts.
    """
    gold = visible(prompt.gold_answer or "")
    if gold and count_words(gold) <= rules.short_gold_words:
        return True
    if _ASKS_FOR_FEW_WORDS.search(prompt.text):
        return True
    labels = {first or second for first, second in _OPTION_LABEL.findall(prompt.text)}
    return prompt.grading == "exact" and len(labels) > 1


def allows_symbols_only(prompt: PromptFacts) -> bool:
    """Whether the expected answer has no letter or digit itself, as in prompts about brackets."""
    gold = visible(prompt.gold_answer or "")
    return bool(gold) and not has_letters_or_digits(gold)


def asks_for_an_opinion(prompt: PromptFacts) -> bool:
    """Whether judging some text may be the task itself, so that a judgement is no sign of being off-task."""
    return bool(_ASKS_FOR_AN_OPINION.search(prompt.text))
