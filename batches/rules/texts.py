"""What an answer and the note beside it may contain."""

from collections.abc import Mapping
from dataclasses import dataclass

from formats.wording import gettext_noop

NOTE_MAX_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class TextFault:
    """Why a text cannot be stored: one sentence, with its numbers apart so that it can be translated."""

    sentence: str
    numbers: Mapping[str, int]

    def __str__(self) -> str:
        return self.sentence % {name: f"{number:,}" for name, number in self.numbers.items()}


@dataclass(frozen=True, slots=True)
class _Sentences:
    nul: str
    broken: str
    long: str


def check_answer_text(text: str, *, max_characters: int) -> TextFault | None:
    """Return why the answer cannot be stored, or None when it can. Length is counted in code points."""
    return _fault(text, max_characters, _ANSWER)


def check_note(note: str) -> TextFault | None:
    """Return why the note beside an answer cannot be stored, or None when it can."""
    return _fault(note, NOTE_MAX_CHARACTERS, _NOTE)


def _fault(text: str, max_characters: int, sentences: _Sentences) -> TextFault | None:
    if "\x00" in text:
        return TextFault(sentences.nul, {"position": text.index("\x00") + 1})
    surrogate = _first_lone_surrogate(text)
    if surrogate is not None:
        return TextFault(sentences.broken, {"position": surrogate + 1})
    if len(text) > max_characters:
        return TextFault(sentences.long, {"length": len(text), "limit": max_characters})
    return None


def _first_lone_surrogate(text: str) -> int | None:
    """Position of a surrogate code point; a well-formed str has none, JSON escapes can bring one in."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None


_ANSWER = _Sentences(
    nul=gettext_noop("The answer has a NUL character at position %(position)s; remove it and save again."),
    broken=gettext_noop(
        "The answer has a broken character at position %(position)s; remove it and save again."
    ),
    long=gettext_noop(
        "The answer is %(length)s characters long and at most %(limit)s are allowed; "
        "shorten it and save again."
    ),
)
_NOTE = _Sentences(
    nul=gettext_noop("The note has a NUL character at position %(position)s; remove it and save again."),
    broken=gettext_noop(
        "The note has a broken character at position %(position)s; remove it and save again."
    ),
    long=gettext_noop(
        "The note is %(length)s characters long and at most %(limit)s are allowed; shorten it and save again."
    ),
)
