"""Comments on the question or on a model where an answer should be (GIM, appendix G, pattern a).

A text is off-task only when comments make up most of a short text; beside a real answer they do no harm.
Patterns say how people comment, clause by clause. English only, and kept narrow: their groups `subject` (what
is named) and `value` (the word that judges it) may also be what a prompt is about.
"""

import re
from collections.abc import Sequence

from psychometrics.exclusions.words import count_words
from screening.offtask.facts import Flag, OfftaskRules, PromptFacts, ReasonCode
from screening.offtask.words import allows_short_answer, asks_for_an_opinion, clauses, quoted


def _one_of(words: str) -> str:
    """A group that matches one of the words; `_` inside a word stands for a space, `*` for any ending."""
    choices = sorted(words.split(), key=len, reverse=True)
    return "(?:" + "|".join(re.escape(w).replace("_", " ").replace(r"\*", r"\w*") for w in choices) + ")"


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


_FEW = r"(?:\W+\w+){0,6}?\W+"
_VERY = rf"(?:{_one_of('a an very really quite such so and also overall what')}\W+)*"
_IS = _one_of("is isn't was wasn't are were seems seemed looks looked feels felt could should needs need")
_IT_IS = "(?:" + _one_of("it_is it's this_is it_was this_was that_is that's") + " )?"
_NOT = _one_of("do_not don't did_not didn't cannot can't could_not couldn't")
_FEELING = _one_of("like liked enjoy enjoyed hate hated dislike disliked love loved")

_PERFORMANCE = _one_of(
    "right correct correctly incorrect incorrectly wrong wrongly well good great excellent excellently bad"
    " badly poor poorly accurate accurately inaccurate nice nicely perfect perfectly impressive helpful"
    " unhelpful useful useless detailed clear clearly thorough thoroughly mistake* error* fine ok okay"
    " amazing reasonable solid satisf* confus* fail* struggl* hallucinat* misunderst* terrible awful"
    " brilliant concise comprehensive lazy generic properly successfully easily"
)
_WORDING = _one_of(
    "ambiguous unclear vague confus* bad badly poor poorly good great nice interesting hard harder difficult"
    " easy easier tricky tough challenging fun boring stupid silly weird strange terrible awful clear clearer"
    " well better fine specific reword* rephras* too_long too_short too_complex too_complicated too_broad"
)
_ADJECTIVE = _one_of(
    "good great excellent nice bad poor perfect interesting impressive detailed thorough clear concise"
    " accurate helpful decent hard difficult easy tricky tough challenging confusing fun weird strange"
    " terrible ambiguous unclear vague stupid"
)
_EXCESS = _one_of("hard difficult easy tricky tough vague unclear ambiguous complicated confusing long")

_DOES = _one_of("did got was gave answered performed handled explained failed struggled")
_NAMED_MODEL = _one_of("ai llm llms chatgpt chat_gpt gemini claude copilot language_model* chatbot chatbots")
_THE_MODEL = (
    _one_of("the this that both all") + " (?:ai )?" + _one_of("model models assistant assistants bot")
)
_MODEL = rf"(?P<subject>{_NAMED_MODEL}|gpt[-\w.]*|{_THE_MODEL}|^model(?= {_DOES}))\b"
_RESPONSE_NOUN = rf"(?P<subject>{_one_of('response responses reply output explanation answer answers')})"
_RESPONSE = rf"{_one_of('the this that its their')} (?:\w+ )?{_RESPONSE_NOUN}\b"
_QUESTION_NOUN = rf"(?P<subject>{_one_of('question prompt problem task puzzle riddle wording')}s?)"
_QUESTION = rf"(?:{_one_of('the this that these your')} (?:\w+ )?|^){_QUESTION_NOUN}\b"

_ON_MODEL = _compiled(
    rf"\b{_MODEL}{_FEW}{_PERFORMANCE}\b",
    rf"\b{_PERFORMANCE}{_FEW}{_one_of('by from of with for')} (?:the )?{_MODEL}",
    rf"\b{_one_of('agree disagree impressed happy')} with (?:\w+ )?{_MODEL}",
    rf"^(?:i {_one_of('think feel believe')} )?{_RESPONSE}(?:\W+\w+){{0,4}}?\W+{_IS}{_FEW}"
    rf"(?P<value>{_PERFORMANCE})\b",
    rf"^{_VERY}(?P<value>{_ADJECTIVE}) (?:\w+ )?{_RESPONSE_NOUN}$",
)

_ON_QUESTION = _compiled(
    rf"\b{_QUESTION}(?:\W+\w+){{0,4}}?\W+{_IS}{_FEW}(?P<value>{_WORDING})\b",
    rf"^{_IT_IS}{_VERY}(?P<value>{_ADJECTIVE}) {_QUESTION_NOUN}$",
    rf"^{_one_of('this_one that_one this it')} (?:is|was) {_VERY}(?P<value>{_EXCESS})$",
    rf"\bi {_VERY}(?P<value>{_FEELING}) {_QUESTION}",
    rf"\b{_NOT} (?P<value>understand|follow) {_QUESTION}",
    rf"^{_IT_IS}(?:{_one_of('way far much')} )?too (?P<value>{_EXCESS})(?: for me)?$",
)

_GOES_ON = _compiled(
    rf"^{_VERY}{_one_of('it its they this that which i')}\b{_FEW}{_PERFORMANCE}\b",
    rf"^{_VERY}(?:{_ADJECTIVE}|well (?:done|written|explained|structured))$",
    rf"^{_VERY}i {_one_of('would_rate would_give')}\b",
)
"""Clauses that carry a comment on, but would be no comment by themselves."""

_MAX_LETTERS_PER_WORD = 20
"""A text of few but enormous words is no short comment; it is not searched."""

_MARK_OR_VERSION = re.compile(
    r"\d+(?:\.\d+)?\s*(?:/|out of)\s*\d+|\b(?:gpt|gemini|claude)[- ]?\d[\w.]*", re.IGNORECASE
)
_DETERMINERS = frozenset({"the", "this", "that", "both", "all"})


def comment_flags(text: str, prompt: PromptFacts, rules: OfftaskRules) -> list[Flag[ReasonCode]]:
    """Return a flag per kind of comment when comments dominate a short visible text, else nothing."""
    most = rules.comment_words
    is_short = len(text) <= _MAX_LETTERS_PER_WORD * most and count_words(text) <= most
    if not is_short or asks_for_an_opinion(prompt):
        return []
    pieces = clauses(text)
    by_kind = _by_kind(pieces, prompt)
    comments = [piece for matches in by_kind.values() for piece in matches]
    if not comments or not _dominate(comments, pieces, prompt, rules):
        return []
    return [
        Flag(reason, f"{'; '.join(quoted(match) for match in matches)}.")
        for reason, matches in by_kind.items()
        if matches
    ]


def commenting(text: str, prompt: PromptFacts, reason: ReasonCode) -> list[str]:
    """The clauses of a visible text that are comments of this kind."""
    return _by_kind(clauses(text), prompt).get(reason, [])


def _by_kind(pieces: Sequence[str], prompt: PromptFacts) -> dict[ReasonCode, list[str]]:
    return {
        ReasonCode.COMMENT_ON_QUESTION: _matching(pieces, _ON_QUESTION, prompt),
        ReasonCode.COMMENT_ON_MODEL: _matching(pieces, _ON_MODEL, prompt),
    }


def _matching(pieces: Sequence[str], patterns: Sequence[re.Pattern[str]], prompt: PromptFacts) -> list[str]:
    """The clauses that match, hold no figure, and do not name and value what the prompt is about."""
    prompt_words, matching = _words(prompt.text), []
    for piece in pieces:
        # A number may be an answer, other than a mark like 4/5 or a model's version.
        if any(character.isdigit() for character in _MARK_OR_VERSION.sub("", piece)):
            continue
        matches = filter(None, (pattern.search(_straight(piece)) for pattern in patterns))
        named = (_words(" ".join(match.groupdict().values())) - _DETERMINERS for match in matches)
        if any(not words <= prompt_words for words in named):
            matching.append(piece)
    return matching


def _dominate(
    comments: Sequence[str], pieces: Sequence[str], prompt: PromptFacts, rules: OfftaskRules
) -> bool:
    """Whether hardly anything but comment is there.

    Where a short answer is enough, any clause that is no comment may be that answer, so none may be left.
    """
    off_task = [
        piece
        for piece in pieces
        if piece in comments or any(pattern.search(_straight(piece)) for pattern in _GOES_ON)
    ]
    if allows_short_answer(prompt, rules):
        return len(off_task) == len(pieces)
    return _total_words(off_task) >= rules.comment_share * _total_words(pieces)


def _straight(piece: str) -> str:
    return piece.replace("’", "'")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _total_words(pieces: Sequence[str]) -> int:
    return sum(count_words(piece) for piece in pieces)
