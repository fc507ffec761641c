"""Where in a text the evidence of a flag stands, for reviewers to see it in its place."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from screening.offtask.comments import commenting
from screening.offtask.facts import PromptFacts, ReasonCode
from screening.offtask.words import visible


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text; `reasons` are those whose evidence it is, none for what stands between."""

    text: str
    reasons: tuple[ReasonCode, ...] = ()


def marked(text: str, prompt: PromptFacts, reasons: Iterable[ReasonCode]) -> tuple[Piece, ...]:
    """The whole text in pieces, so that joining their texts gives the text back.

    A minimal answer is evidence as a whole, a comment by its clauses; one that later rules no longer find in
    the text is evidence as a whole, too: what was flagged never goes unmarked.
    """
    spans = sorted(span for reason in reasons for span in _spans(text, prompt, reason))
    pieces = []
    # Cut at every beginning and end of a span.
    edges = sorted({0, len(text), *(edge for start, end, _reason in spans for edge in (start, end))})
    for start, end in pairwise(edges):
        within = dict.fromkeys(reason for first, last, reason in spans if first <= start and end <= last)
        pieces.append(Piece(text[start:end], tuple(within)))
    return tuple(pieces)


def _spans(text: str, prompt: PromptFacts, reason: ReasonCode) -> list[tuple[int, int, ReasonCode]]:
    if reason == ReasonCode.NO_ANSWER or not text:
        return []
    spans: list[tuple[int, int, ReasonCode]] = []
    if reason != ReasonCode.MINIMAL_CONTENT:
        for clause in commenting(visible(text), prompt, reason):
            # Whatever blanks stand between its words in the text itself.
            as_written = re.compile(r"\s+".join(map(re.escape, clause.split())))
            spans += [(*match.span(), reason) for match in as_written.finditer(text)]
    return spans or [(0, len(text), reason)]
