"""The way of a study's people from recruited to Top, in steps (after CONSORT: Schulz, Altman, Moher 2010).

Every step says how many people reach it and why the others do not. The counts come from stored facts that
were taken at different moments, so a remainder is named and never hidden: `OTHER` of the step before it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from formats.wording import gettext_noop as _

REJECTED, WAITING, NOT_STARTED = "rejected", "waiting", "not_started"
WITHDRAWN, VOIDED, ACTIVE = "withdrawn", "voided", "active"
EXCLUDED, UNSCORED = "excluded", "without_score"
OTHER = "other"
LEAVING_NAMES: Mapping[str, str] = {
    REJECTED: _("rejected"),
    WAITING: _("not decided about"),
    NOT_STARTED: _("did not start"),
    WITHDRAWN: _("withdrew"),
    VOIDED: _("session voided by the study team"),
    ACTIVE: _("session is running"),
    UNSCORED: _("without a score"),
    OTHER: _("for another reason"),
}


@dataclass(frozen=True)
class FlowStep:
    """A box of the diagram: how many are here, and how many of them do not go on, by reason."""

    key: str
    people: int
    leaving: Mapping[str, int]


def flow_steps(counts: Mapping[str, int], excluded: Mapping[str, int]) -> Iterator[FlowStep]:
    """The steps in their order. Top is part of those with a score, so nobody leaves before it.

    `counts` of people by step, with those who were rejected, are active, withdrew
    or had their session voided; `excluded` by reason.
    "top" is 0 where fewer than its size have a score. Each step's remainder, people who neither go on nor
    leave for a named reason, has a name as well.
    """
    reasons = {f"{EXCLUDED}:{reason}": people for reason, people in excluded.items()}
    steps: list[tuple[str, dict[str, int], str]] = [
        ("recruited", {REJECTED: counts["rejected"]}, WAITING),
        ("approved", {}, NOT_STARTED),
        ("started", {name: counts.get(name, 0) for name in (WITHDRAWN, VOIDED, ACTIVE)}, OTHER),
        ("ended", reasons, OTHER),
        ("retained", {}, UNSCORED),
        ("with_scores", {}, ""),
    ]
    for (key, leaving, remainder), (following, *_rest) in pairwise(steps):
        rest = counts[key] - counts[following] - sum(leaving.values())
        named = {**leaving, remainder: leaving.get(remainder, 0) + rest}
        yield FlowStep(key, counts[key], {reason: number for reason, number in named.items() if number})
    yield FlowStep("with_scores", counts["with_scores"], {})
    yield FlowStep("top", counts["top"], {})
