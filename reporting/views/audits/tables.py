"""What an audit found, as text: on its page and on the command line."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

from judging.selectors.judges import run_name
from presentation.catalogue import label_of
from presentation.measures import reason_cell
from presentation.numbers import Text, decimals, percent, span
from presentation.tables import ABSENT
from psychometrics.agreement.audit_records import MIN_COVERED
from psychometrics.agreement.audit_sample import Band, Standing
from psychometrics.inference.estimates import Estimate, Reason
from reporting.views.agreement.tables import NumberShown
from scoring.selectors.audit_results import AuditResult

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
        numbers = [number for line in self.statistics for number in (line.weighted, line.sample)]
        return "" if any(number.value != ABSENT for number in numbers) else numbers[0].reason


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
    judges = []
    for judge in result.judges:
        agreement = judge.found
        # Rounded down: a share just below a threshold is not shown as reaching it.
        covered = agreement.covered
        share = covered if math.isnan(covered) else math.floor(1000 * covered) / 1000
        judges.append(
            JudgeShown(
                name=run_name(judge.run),
                pairs=agreement.pairs,
                unscored=max(result.rated - agreement.pairs, 0),  # no more than is rated now may be stored
                covered=percent(share),
                gap=covered < MIN_COVERED,
                statistics=tuple(
                    StatisticShown(
                        label_of(f"audit.{name}"),
                        _number(agreement.weighted[name]),
                        _number(agreement.sample[name]),
                    )
                    for name in STATISTICS
                ),
            )
        )
    return judges


def strata_shown(result: AuditResult) -> list[StratumShown]:
    strata = []
    for row in result.strata:
        band, _slash, standing = row.stratum.name.partition("/")
        strata.append(
            StratumShown(
                band=BANDS.get(band, band),  # the name itself where this version does not know it
                standing=STANDINGS.get(standing, standing),
                verdicts=row.stratum.verdicts,
                drawn=row.stratum.drawn,
                percent=f"{decimals(row.percent, 1)} %",
                gone=row.gone,
                rated=row.rated,
                same_side=str(row.same_side) if row.rated else ABSENT,
                offset=decimals(row.offset, PLACES),
            )
        )
    return strata


def _number(estimate: Estimate) -> NumberShown:
    return NumberShown(
        value=decimals(estimate.value, PLACES),
        interval="" if math.isnan(estimate.low) else span(estimate.low, estimate.high, PLACES),
        reason=reason_cell(estimate.reason, WHY) if estimate.reason else "",
    )
