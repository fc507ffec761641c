"""Who and what is missing, who was left out, and whose answers fit."""

from collections.abc import Iterator
from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, TOP, Entry, Need, OnLogistic, Unit, thetas

of_missing = partial(Entry, block=Block.MISSING)
share = partial(of_missing, groups=GROUPS)
OF_PLACES = _("Share of the group's places; the number is in the details.")
MISSING = (
    share("share.scored", _("scored"), Unit.SHARE, OF_PLACES),
    share("share.unscored", _("answered, no valid verdict (technical)"), Unit.SHARE, OF_PLACES),
    share("share.skipped", _("skipped: seen and left or made empty"), Unit.SHARE, OF_PLACES),
    share("share.not_reached", _("not reached: never shown"), Unit.SHARE, OF_PLACES),
    share("share.not_submitted", _("written, not handed in, and so not counted"), Unit.SHARE, OF_PLACES),
    of_missing(
        "share.absent", _("absent"), Unit.SHARE,
        _("Share of absent answers at a position or in a modality, by reason in the details."),
        groups=(AVERAGE,), subsets=("position:NUMBER", "modality:NAME"),
    ),
    of_missing(
        "absence.test", _("Absent answers of Top, p"), Unit.P_VALUE,
        _("How probable it is that Top leaves as many places or more by chance, at the people's share."),
        groups=(TOP,),
    ),
    *thetas(
        "missing.", Block.MISSING, _("Ability under the assumption about missing answers."),
        subsets=("as-missing", "as-zero", "as-zero:same-people", "bound:SIDE", "delta:NUMBER", "floor:SHARE"),
        needs=(),
    ),
    of_missing(
        "missing.odds_ratio", _("odds ratio"), Unit.ODDS_RATIO,
        _("Odds of leaving a place: logistic regression, errors clustered by person"), groups=(AVERAGE,),
        subsets=("b", "position", "modality:NAME"), needs=(Need.ITEMS,),
    ),
)  # fmt: skip

of_study = partial(Entry, block=Block.EXCLUSIONS)
leaving = partial(of_study, subsets=("REASON",))
REACHED = _("People of the study who came this far.")
NOT_GOING_ON = _("People who came this far and did not go on, by the reason.")
FLOW = (
    of_study("flow.recruited", _("Recruited"), Unit.COUNT, REACHED),
    of_study("flow.approved", _("Approved"), Unit.COUNT, REACHED),
    of_study("flow.started", _("Started"), Unit.COUNT, REACHED),
    of_study("flow.ended", _("Session ended"), Unit.COUNT, REACHED),
    of_study("flow.retained", _("Retained"), Unit.COUNT, REACHED, plain_label=_("Counted")),
    of_study("flow.with_scores", _("With a score: Average"), Unit.COUNT, REACHED),
    of_study("flow.top", _("Top (in-sample)"), Unit.COUNT, REACHED, plain_label=_("Top as picked")),
    leaving("flow.recruited.leaving", _("Recruited, not going on"), Unit.COUNT, NOT_GOING_ON),
    leaving("flow.approved.leaving", _("Approved, not going on"), Unit.COUNT, NOT_GOING_ON),
    leaving("flow.started.leaving", _("Started, not going on"), Unit.COUNT, NOT_GOING_ON),
    leaving("flow.ended.leaving", _("Session ended, not going on"), Unit.COUNT, NOT_GOING_ON),
    leaving(
        "flow.retained.leaving", _("Retained, not going on"), Unit.COUNT, NOT_GOING_ON,
        plain_label=_("Counted, not going on"),
    ),
)  # fmt: skip
NOBODY = _("Ability with nobody left out; where people who are not counted were not judged it has no value.")
BOUND = _(
    "The same with the answers of people who are not counted who were not judged all at 0, or all at 1."
)
ITT = (
    *thetas("itt.", Block.EXCLUSIONS, NOBODY, needs=()),
    *(
        theta
        for bound in ("bound_low", "bound_high")
        for theta in thetas(
            "itt.", Block.EXCLUSIONS, BOUND, needs=(Need.UNJUDGED,), by_logits=OnLogistic.LEFT_OUT,
            suffix=f".{bound}",
        )
    ),
)  # fmt: skip
SPREAD = {"median": _("Median"), "low": _("Lowest"), "high": _("Highest"), "range": _("Range")}
CHOICES = {
    "exclusion": _("Exclusion rule"),
    "missing": _("Missing answers"),
    "aggregation": _("Pooled or by question"),
    "interactions": _("Interactions of these"),
}
WITH_RULES = ("", "not_score_based")
OVER_SPECIFICATIONS = _("Of ability over all analysis choices, or over those that look at no score.")
OF_CHOICE = _("Share of the choice in the variance over analysis choices: eta squared of its main effect.")


def _over_specifications(
    of: str, label: str, plain_label: str, unit: Unit, on_logistic: OnLogistic
) -> Iterator[Entry]:
    """Ability under each specification, its spread over them, and the part of each choice in that."""
    entry = partial(of_study, groups=GROUPS, on_logistic=on_logistic)
    yield entry(
        of, label, unit,
        _("Ability under one rule of exclusion, of missing answers and of putting together."),
        subsets=("RULE;MISSING;AGGREGATION",), plain_label=plain_label,
    )  # fmt: skip
    for what, of_spread in SPREAD.items():
        yield entry(f"{of}.{what}", of_spread, unit, OVER_SPECIFICATIONS, subsets=WITH_RULES)
    for choice, of_choice in CHOICES.items():
        name = f"{of}.share.{choice}"
        yield entry(name, of_choice, Unit.SHARE, OF_CHOICE, subsets=WITH_RULES, needs=(Need.ITEMS,))
    yield of_study(
        f"{of}.range_in_se", _("Range in standard errors"), Unit.ERRORS,
        _("The range in standard errors that other people alone would give."), groups=(AVERAGE,),
        subsets=("not_score_based",), on_logistic=on_logistic, page=of == "multiverse",
    )  # fmt: skip


MULTIVERSE = (
    *_over_specifications(
        "multiverse",
        _("theta of a specification"),
        _("ability of an analysis choice"),
        Unit.LOGITS,
        OnLogistic.LEFT_OUT,
    ),
    *_over_specifications(
        "multiverse.ql",
        _("theta_QL of a specification"),
        _("ability on the QL scale of an analysis choice"),
        Unit.QL,
        OnLogistic.STANDS,
    ),
)
SCREENING = (
    of_study(
        "rule.removed", _("Rule"), Unit.COUNT,
        _("People whom a declared rule leaves out; its conditions are in the details."),
        subsets=("rule:NAME",),
    ),
    of_study(
        "exclusion.rules", _("Rules"), Unit.COUNT,
        _("How many rules that look at no score leave this person out, and on what facts."), about="person",
    ),
    of_study(
        "screening.rated_twice", _("Share of people with two reviewers"), Unit.SHARE,
        _("Of the people whom anybody decided about."),
    ),
    of_study(
        "screening.kappa", _("Cohen's κ of the first two"), Unit.COEFFICIENT,
        _("Agreement of reviewers beyond chance."), needs=(Need.REVIEWERS,),
    ),
    of_study(
        "screening.ac1", _("Gwet's AC1 of the first two"), Unit.COEFFICIENT,
        _("The same, which holds where nearly everybody is decided about alike."), needs=(Need.REVIEWERS,),
    ),
)  # fmt: skip

fit = partial(Entry, block=Block.FIT, needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
FIT = (
    fit(
        "fit.flagged", _("Flagged"), Unit.SHARE,
        _("Share of people whose answers are flagged for review by a statistic."),
        subsets=("statistic:NAME",),
    ),
    fit(
        "fit.residual_sd", _("Residual SD of single answers"), Unit.LOGITS,
        _("How far single answers of these people scatter around what is expected."),
        plain_label=_("Scatter of single answers"),
    ),
    fit(
        "fit.theta_sd", _("SD of ability that is assumed"), Unit.LOGITS,
        _("SD of ability of the people whose answers are simulated for comparison."), page=False,
    ),
    fit(
        "fit.grid", _("People"), Unit.COUNT,
        _("Everybody counted in cells of correlation and outfit, in the details."),
    ),
    fit(
        "fit.correlation", _("Correlation"), Unit.COEFFICIENT,
        _("Whether somebody who is flagged does better on easy questions than on hard ones."), about="person",
        plain_label=_("Follows the difficulty"),
    ),
    fit(
        "fit.outfit", _("Outfit"), Unit.CHI_SQUARE,
        _("How far the answers of somebody who is flagged lie from what is expected."), about="person",
        plain_label=_("Off from what is foretold"),
    ),
)  # fmt: skip
ENTRIES = (*MISSING, *FLOW, *ITT, *MULTIVERSE, *SCREENING, *FIT)
