"""Agreement as lines for a terminal."""

from collections.abc import Iterator, Sequence

from presentation.numbers import counted, quantity
from presentation.scopes import LEADS
from presentation.tables import terminal_lines
from psychometrics.inference.measure import Scope
from psychometrics.measures.headlines import Lead
from reporting.views.agreement.pairs import StatisticShown
from reporting.views.agreement.tables import PanelShown, ThetaShown

HEAD = ("", "value", "95 % interval", "paper")
THETA_HEAD = (
    "", "judge", "people", "pooled", "SE", "95 % interval", "change", "in SE",
    "theta_QL", "SE", "95 % interval", "change", "as published",
)  # fmt: skip
PAPER = (
    "\"paper\" is the GIM paper's own check: its judges and prompts, and models' answers, not yours. "
    "Where in it: docs/scoring.md."
)


def panel_lines(panel: PanelShown) -> Iterator[str]:
    """All judges at once, theta under each, then every pair in full."""
    yield f"Protocol {panel.protocol_hash[:12]}, pairs of judges: {counted(len(panel.pairs))}"
    for alpha in panel.alphas:
        yield (
            f"All judges at once, {lower(alpha.level)}: {counted(alpha.values['units'])} compared, "
            f"missing by judge {alpha.missing}"
        )
        yield from terminal_lines([HEAD[:3], *(cells(statistic)[:3] for statistic in alpha.statistics)])
    if panel.thetas:
        yield ""
        yield from terminal_lines([THETA_HEAD, *map(theta_cells, panel.thetas)])
    for pair in panel.pairs:
        yield ""
        yield f"== x = {pair.x}, y = {pair.y}"
        for level in [*pair.scores, pair.people]:
            values = level.values
            yield (
                f"{level.name}: {quantity(values['n'], 'pair', 'pairs')} of "
                f"{quantity(values['rows'], 'score', 'scores')}, "
                f"{quantity(values['clusters'], 'cluster', 'clusters')}; "
                f"missing by x {counted(values['missing_x'])}, by y {counted(values['missing_y'])}"
            )
            yield from terminal_lines([HEAD, *map(cells, level.statistics)])
        for warning in pair.warnings:
            yield f"Warning, {lower(warning.level)}: {warning.sentence}"
    yield ""
    yield PAPER


def scope_lines(lead: Lead) -> Iterator[str]:
    """Over which prompts the numbers are, where there are two scopes, and why over these."""
    if not lead.both_exist:
        return
    yield str(LEADS[lead.why])
    if lead.scope == Scope.ALL:
        yield (
            "All of this is over all prompts, private ones included; report and export have the public ones "
            "alone: their numbers differ."
        )


def cells(statistic: StatisticShown) -> Sequence[str]:
    interval = f"{statistic.interval} ({statistic.reason})" if statistic.reason else statistic.interval
    return (str(statistic.name), statistic.value, interval, statistic.published_value)


def theta_cells(theta: ThetaShown) -> Sequence[str]:
    pooled, quasi = theta.pooled, theta.quasi
    return (
        str(theta.group),
        theta.judge,
        counted(theta.people),
        *(pooled.value, pooled.se, pooled.interval, theta.change.value, theta.in_errors),
        *(quasi.value, quasi.se, quasi.interval, theta.quasi_change.value),
        theta.theta,
    )


def lower(text: object) -> str:
    return str(text)[:1].lower() + str(text)[1:]
