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
    spans: list[tuple[int, int, ReasonCode]] = []
    for reason in reasons if text else ():
        if reason == ReasonCode.NO_ANSWER:
            continue
        clauses = [] if reason == ReasonCode.MINIMAL_CONTENT else commenting(visible(text), prompt, reason)
        of_reason = []
        for clause in clauses:
            # Whatever blanks stand between its words in the text itself.
            as_written = re.compile(r"\s+".join(map(re.escape, clause.split())))
            of_reason += [(*match.span(), reason) for match in as_written.finditer(text)]
        spans += of_reason or [(0, len(text), reason)]
    spans.sort()
    pieces = []
    # Cut at every beginning and end of a span.
    edges = sorted({0, len(text), *(edge for start, end, _reason in spans for edge in (start, end))})
    for start, end in pairwise(edges):
        within = dict.fromkeys(reason for first, last, reason in spans if first <= start and end <= last)
        pieces.append(Piece(text[start:end], tuple(within)))
    return tuple(pieces)
