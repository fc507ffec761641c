"""Which saves may become the current text: two tabs, retries, and requests that overtake each other; and what
an answer and the note beside it may contain.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from formats.wording import gettext_noop

NOTE_MAX_CHARACTERS = 2_000


class SaveDecision(StrEnum):
    """What to do with one save request."""

    ACCEPT = "accept"
    DUPLICATE = "duplicate"
    STALE = "stale"
    SUPERSEDED = "superseded"

    @property
    def sentence(self) -> str:
        """One sentence the participant can be shown."""
        return _SENTENCES[self]


def decide_save(
    *,
    current_revision: int,
    current_tab: str,
    current_sequence: int,
    base_revision: int,
    tab: str,
    sequence: int,
    is_same: bool,
) -> SaveDecision:
    """Decide on a save, given the current revision and who wrote it.

    `tab` is a token made by each open page, `sequence` that page's own running number of saves, and
    `base_revision` the revision the page last knew. A tab follows its own order; another tab may take
    over only from the newest revision. An answer without a revision has number 0 and an empty tab.
    `is_same`: what is sent, with everything beside the text, equals what is stored.
    """
    if tab == current_tab:
        if sequence > current_sequence:
            return SaveDecision.ACCEPT
        is_retry = sequence == current_sequence and is_same
        return SaveDecision.DUPLICATE if is_retry else SaveDecision.SUPERSEDED
    return SaveDecision.ACCEPT if base_revision == current_revision else SaveDecision.STALE


_SENTENCES: Mapping[SaveDecision, str] = {
    SaveDecision.ACCEPT: gettext_noop("Saved."),
    SaveDecision.DUPLICATE: gettext_noop("Saved; this text had already arrived."),
    SaveDecision.STALE: gettext_noop(
        "This answer was changed in another tab or on another device. Nothing was overwritten and your text "
        "stays on this page: choose which of the two texts is your answer."
    ),
    SaveDecision.SUPERSEDED: gettext_noop(
        "A newer save from this page had already arrived, so this one changes nothing."
    ),
}


@dataclass(frozen=True, slots=True)
class TextFault:
    """Why a text cannot be stored: one sentence, with its numbers apart so that it can be translated."""

    sentence: str
    numbers: Mapping[str, int]

    def __str__(self) -> str:
        return self.sentence % {name: f"{number:,}" for name, number in self.numbers.items()}


class _Sentences(NamedTuple):
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
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        # A surrogate code point: a well-formed str has none, JSON escapes can bring one in.
        return TextFault(sentences.broken, {"position": error.start + 1})
    if len(text) > max_characters:
        return TextFault(sentences.long, {"length": len(text), "limit": max_characters})
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
