"""Which verdicts people judge again: a stratified draw that leans towards what judges disagree about.

A stratum is a band of the first judge's score and how it stands: how the other judges see it or, where no
other judge scored it, how sure the first one is. Of the N_h verdicts of stratum h, n_h are drawn without
replacement, each with probability n_h / N_h; what is found in them counts N_h / n_h times in an estimate of
all verdicts (Horvitz and Thompson 1952). The n_h begin with a few of every stratum; one by one the next goes
to where leaning x N_h / (2 n_h + 1) is largest (Sainte-Laguë, bounded by N_h).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from psychometrics.agreement.two_raters import DECIMALS, MET, NEAR

if TYPE_CHECKING:  # pages say what the strata are; only who draws needs arrays
    import numpy as np

DEFAULT_SIZE = 200  # at least so many for a kappa with people: design of the measurement, section 5
MIN_PER_STRATUM = 5  # of every stratum, where it has so many and the size allows
SURE = 0.95  # a confidence from here on is sure


class Band(StrEnum):
    """Where the first judge's score lies."""

    NONE = "none"  # 0
    LOW = "low"  # above 0, below 0.5
    HIGH = "high"  # from 0.5, below 1
    FULL = "full"  # 1


class Standing(StrEnum):
    """What others say of a verdict; the last two are for verdicts that no other judge scored."""

    AGREE = "agree"  # every other score is within 0.01
    NEAR = "near"  # further away, on the same side of 0.5
    DIFFER = "differ"  # at least one other judge is on the other side of 0.5
    SURE = "sure"  # the judge's confidence is at least 0.95
    UNSURE = "unsure"


LEANING: Mapping[Standing, int] = dict.fromkeys(Standing, 1) | {
    Standing.NEAR: 2,
    Standing.DIFFER: 4,
    Standing.UNSURE: 2,
}


@dataclass(frozen=True, slots=True)
class JudgedVerdict:
    """The first judge's score and confidence in [0, 1], and the scores of those others that gave one.

    `is_public`: its prompt is in the public split.
    """

    key: int
    score: float
    confidence: float
    others: tuple[float, ...] = ()
    is_public: bool = True


@dataclass(frozen=True)
class StratumKind:
    """A band and a standing; `str()` is the stratum's name."""

    band: Band
    standing: Standing

    def __str__(self) -> str:
        return f"{self.band}/{self.standing}"


@dataclass(frozen=True)
class Stratum:
    """How many verdicts a stratum has, and how many of them are drawn."""

    name: str
    verdicts: int
    drawn: int

    @property
    def probability(self) -> float:
        """With which each of its verdicts was drawn, given how many were."""
        return self.drawn / self.verdicts


@dataclass(frozen=True)
class DrawnStratum(Stratum):
    """A stratum, and how many of its verdicts and of those drawn are on public prompts."""

    public_verdicts: int
    public_drawn: int

    @property
    def public(self) -> Stratum:
        """Its public part: given how many of it were drawn, these are a draw from it without replacement."""
        return Stratum(self.name, self.public_verdicts, self.public_drawn)


@dataclass(frozen=True)
class Draw:
    """The strata that have verdicts, in a fixed order; the drawn keys with their stratum, shuffled."""

    strata: tuple[DrawnStratum, ...]
    drawn: tuple[tuple[int, str], ...]


class SizeRefused(ValueError):
    """The size is outside `least` (one of every stratum) to `most` (every verdict)."""

    def __init__(self, size: int, *, least: int, most: int) -> None:
        self.least, self.most = least, most
        super().__init__(f"{size} verdicts cannot be drawn: between {least} and {most} can")


def stratum_of(verdict: JudgedVerdict) -> StratumKind:
    score = round(verdict.score, DECIMALS)
    others = [round(other, DECIMALS) for other in verdict.others]
    if score <= 0:
        band = Band.NONE
    elif score < MET:
        band = Band.LOW
    else:
        band = Band.HIGH if score < 1 else Band.FULL
    if not others:
        standing = Standing.SURE if verdict.confidence >= SURE else Standing.UNSURE
    elif any((other >= MET) != (score >= MET) for other in others):
        standing = Standing.DIFFER
    else:
        far = max(round(abs(other - score), DECIMALS) for other in others)
        standing = Standing.AGREE if far < NEAR else Standing.NEAR
    return StratumKind(band, standing)


def draw_sample(verdicts: Iterable[JudgedVerdict], *, size: int, rng: "np.random.Generator") -> Draw:
    """Draw `size` verdicts; their order on the way in does not matter. Raises SizeRefused."""
    members: dict[StratumKind, list[int]] = {
        StratumKind(band, standing): [] for band in Band for standing in Standing
    }
    public: set[int] = set()
    for verdict in verdicts:
        members[stratum_of(verdict)].append(verdict.key)
        if verdict.is_public:
            public.add(verdict.key)
    strata = allocated({kind: len(keys) for kind, keys in members.items() if keys}, size)
    found = [
        (key, str(kind))
        for kind, number in strata.items()
        for key in rng.choice(sorted(members[kind]), size=number, replace=False).tolist()
    ]
    return Draw(
        strata=tuple(
            DrawnStratum(
                name=str(kind),
                verdicts=len(members[kind]),
                drawn=number,
                public_verdicts=len(public.intersection(members[kind])),
                public_drawn=sum(name == str(kind) and key in public for key, name in found),
            )
            for kind, number in strata.items()
        ),
        drawn=tuple(found[place] for place in rng.permutation(len(found))),
    )


def allocated(sizes: Mapping[StratumKind, int], size: int) -> dict[StratumKind, int]:
    """How many of each stratum are drawn, `size` in all. Raises SizeRefused."""
    most = sum(sizes.values())
    if not max(1, len(sizes)) <= size <= most:
        raise SizeRefused(size, least=len(sizes), most=most)
    few = min(MIN_PER_STRATUM, size // len(sizes))
    numbers = {kind: min(few, there) for kind, there in sizes.items()}
    for _ in range(size - sum(numbers.values())):
        open_kinds = [kind for kind, number in numbers.items() if number < sizes[kind]]
        claims = {kind: LEANING[kind.standing] * sizes[kind] / (2 * numbers[kind] + 1) for kind in open_kinds}
        numbers[max(open_kinds, key=claims.__getitem__)] += 1
    return numbers
