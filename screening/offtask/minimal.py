"""Minimal content: a placeholder anywhere, or a few words where the prompt asks for more."""

import re
import unicodedata

from psychometrics.exclusions.words import count_words, has_letters_or_digits
from screening.offtask.facts import OfftaskRules, PromptFacts
from screening.offtask.words import allows_short_answer, allows_symbols_only, clauses, quoted, visible

_PLACEHOLDERS = frozenset(
    phrase.strip().casefold()
    for phrase in """
        n/a | n.a | tbd | todo | placeholder | skip | skipped | blah | lorem ipsum
        test | testing | asd | asdf | asdfasdf | qwerty | qwertz
        idk | dunno | i dont know | i don't know | i do not know | dont know | don't know | do not know
        no idea | no clue | not sure | no answer | no comment | no response
        no sé | je ne sais pas | keine ahnung | weiß nicht | ich weiß nicht | non lo so | não sei
        не знаю | לא יודע | לא יודעת | لا أعرف | 不知道 | わからない
    """.replace("\n", "|").split("|")
    if phrase.strip()
)
"""What people write instead of nothing; words that can answer a question (no, none, pass) are not here."""

_ONE_LETTER_REPEATED = re.compile(r"([^\W\d_])\1{3,}")


def minimal_content(text: str, prompt: PromptFacts, rules: OfftaskRules) -> str | None:
    """Return the evidence that a visible text is minimal for this prompt, or None."""
    if not has_letters_or_digits(text) and not allows_symbols_only(prompt):
        kinds = {unicodedata.category(character) for character in text if not character.isspace()}
        # Mathematics or a row of pictures may still say something.
        is_notation = "Sm" in kinds or (len(set(text)) > 3 and "So" in kinds)
        if not is_notation:
            return f"No letter or digit: {quoted(text)}."
    if _is_placeholder(text) and not _is_placeholder(visible(prompt.gold_answer or "")):
        return f"A placeholder: {quoted(text)}."
    words = count_words(text)
    if words > rules.minimal_words or allows_short_answer(prompt, rules) or allows_symbols_only(prompt):
        return None
    expected = "the answer is graded by a rubric"
    if prompt.gold_answer:
        expected = f"the expected answer has {count_words(visible(prompt.gold_answer))} words"
    return f"{words} word{'' if words == 1 else 's'} ({quoted(text)}) where {expected}."


def _is_placeholder(text: str) -> bool:
    """Whether the text is one placeholder, once or over and over, in any case and punctuation."""
    for units in ([" ".join(text.split())], clauses(text), text.split()):
        distinct = set()
        for unit in units:
            folded = unicodedata.normalize("NFKC", unit).casefold().replace("’", "'")
            distinct.add(folded.strip("".join(mark for mark in set(folded) if not mark.isalnum())))
        if len(distinct) != 1:
            continue
        bare = distinct.pop()
        if bare in _PLACEHOLDERS or _ONE_LETTER_REPEATED.fullmatch(bare):
            return True
    return False
