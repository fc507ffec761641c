"""What an audit found, as text: on its page and on the command line."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

from judging.selectors.naming import run_name
from presentation.catalogue import label_of
from presentation.measures import reason_cell
from presentation.numbers import Text, decimals, percent, span
from presentation.tables import ABSENT
from psychometrics.agreement.audit_records import MIN_COVERED, AuditAgreement
from psychometrics.agreement.audit_sample import Band, Standing
from psychometrics.inference.estimates import Estimate, Reason
from reporting.views.agreement.tables import NumberShown
from scoring.selectors.audit_results import AuditedJudge, AuditResult

PLACES = 3
# In the order in which they are read.
STATISTICS = (
    "kappa", "pabak", "ac1", "same_side", "near_exact", "offset", "sd_of_differences", "mean_human",
    "mean_judge", "ccc", "pearson",
)  # fmt: skip
WHY: Mapping[str, Text] = {
    Reason.NO_PAIRS.value: gettext_lazy("nothing is rated yet"),
    Reason.TOO_FEW_PAIRS.value: gettext_lazy("too little is rated"),
}
BANDS: Mapping[str, Text] = {
    Band.NONE.value: gettext_lazy("0"),
    Band.LOW.value: gettext_lazy("above 0, below 0.5"),
    Band.HIGH.value: gettext_lazy("from 0.5, below 1"),
    Band.FULL.value: gettext_lazy("1"),
}
STANDINGS: Mapping[str, Text] = {
    Standing.AGREE.value: gettext_lazy("other judges agree"),
    Standing.NEAR.value: gettext_lazy("another judge is near"),
    Standing.DIFFER.value: gettext_lazy("another judge differs"),
    Standing.SURE.value: gettext_lazy("no other judge; sure"),
    Standing.UNSURE.value: gettext_lazy("no other judge; unsure"),
}


@dataclass(frozen=True)
class StatisticShown:
    """One line: over all verdicts, and in the sample as it was drawn."""

    name: Text
    weighted: NumberShown
    sample: NumberShown


@dataclass(frozen=True)
class JudgeShown:
    """One judge beside people. `unscored`: rated items to which this judge gave no score."""

    name: str
    pairs: int
    unscored: int
    covered: str
    gap: bool
    statistics: tuple[StatisticShown, ...]

    @property
    def why_nothing(self) -> Text:
        """Why there is no number at all; blank where there is one."""
        numbers = [number for one in self.statistics for number in (one.weighted, one.sample)]
        return "" if any(one.value != ABSENT for one in numbers) else numbers[0].reason


@dataclass(frozen=True)
class StratumShown:
    """One stratum in words."""

    band: Text
    standing: Text
    verdicts: int
    drawn: int
    percent: str
    gone: int
    rated: int
    same_side: str
    offset: str


def judges_shown(result: AuditResult) -> list[JudgeShown]:
    return [_judge_shown(judge, result.rated) for judge in result.judges]


def strata_shown(result: AuditResult) -> list[StratumShown]:
    return [
        StratumShown(
            *_stratum_words(one.stratum.name),
            verdicts=one.stratum.verdicts,
            drawn=one.stratum.drawn,
            percent=f"{decimals(one.percent, 1)} %",
            gone=one.gone,
            rated=one.rated,
            same_side=str(one.same_side) if one.rated else ABSENT,
            offset=decimals(one.offset, PLACES),
        )
        for one in result.strata
    ]


def _stratum_words(name: str) -> tuple[Text, Text]:
    """Band and standing of a stratum's name; the name itself where this version does not know it."""
    band, _slash, standing = name.partition("/")
    return BANDS.get(band, band), STANDINGS.get(standing, standing)


def _judge_shown(judge: AuditedJudge, rated: int) -> JudgeShown:
    found = judge.found
    return JudgeShown(
        name=run_name(judge.run),
        pairs=found.pairs,
        unscored=max(rated - found.pairs, 0),  # no more than is rated now may be stored
        covered=_percent(found.covered),
        gap=found.covered < MIN_COVERED,
        statistics=tuple(_statistics(found)),
    )


def _statistics(found: AuditAgreement) -> Iterator[StatisticShown]:
    for name in STATISTICS:
        yield StatisticShown(
            label_of(f"audit.{name}"), _number(found.weighted[name]), _number(found.sample[name])
        )


def _number(estimate: Estimate) -> NumberShown:
    return NumberShown(
        value=decimals(estimate.value, PLACES),
        interval="" if math.isnan(estimate.low) else span(estimate.low, estimate.high, PLACES),
        reason=reason_cell(estimate.reason, WHY) if estimate.reason else "",
    )


def _percent(share: float) -> str:
    """Rounded down: a share just below a threshold is not shown as reaching it."""
    return percent(share if math.isnan(share) else math.floor(1000 * share) / 1000)
