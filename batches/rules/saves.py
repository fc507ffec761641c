"""Which saves may become the current text: two tabs, retries, and requests that overtake each other."""

from collections.abc import Mapping
from enum import StrEnum

from formats.wording import gettext_noop


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
        return _within_one_tab(sequence=sequence, current_sequence=current_sequence, is_same=is_same)
    return SaveDecision.ACCEPT if base_revision == current_revision else SaveDecision.STALE


def _within_one_tab(*, sequence: int, current_sequence: int, is_same: bool) -> SaveDecision:
    if sequence > current_sequence:
        return SaveDecision.ACCEPT
    is_retry = sequence == current_sequence and is_same
    return SaveDecision.DUPLICATE if is_retry else SaveDecision.SUPERSEDED


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
