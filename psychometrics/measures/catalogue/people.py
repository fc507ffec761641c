"""Who and what is missing, who was left out, and whose answers fit."""

from functools import partial

from formats.wording import gettext_noop
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, TOP, Entry, Need, OnLogistic, Unit, thetas

share = partial(Entry, block=Block.MISSING, unit=Unit.SHARE, groups=GROUPS)
OF_PLACES = gettext_noop("Share of the group's places; the number is in the details.")
MISSING = (
    share("share.scored", label=gettext_noop("scored"), meaning=OF_PLACES),
    share("share.unscored", label=gettext_noop("answered, no valid verdict (technical)"), meaning=OF_PLACES),
    share("share.skipped", label=gettext_noop("skipped: seen and left or made empty"), meaning=OF_PLACES),
    share("share.not_reached", label=gettext_noop("not reached: never shown"), meaning=OF_PLACES),
    share("share.not_submitted", label=gettext_noop(
        "written, not handed in, and so not counted"
    ), meaning=OF_PLACES),
    Entry(
        "share.absent", Block.MISSING, gettext_noop("absent"), Unit.SHARE,
        gettext_noop("Share of absent answers at a position or in a modality, by reason in the details."),
        (AVERAGE,), ("position:NUMBER", "modality:NAME"),
    ),
    Entry(
        "absence.test", Block.MISSING, gettext_noop("Absent answers of Top, p"), Unit.P_VALUE,
        gettext_noop(
            "How probable it is that Top leaves as many places or more by chance, at the cohort's share."
        ),
        (TOP,),
    ),
    *thetas(
        "missing.", Block.MISSING, gettext_noop("Ability under the assumption about missing answers."),
        subsets=("as-missing", "as-zero", "as-zero:same-people", "bound:SIDE", "delta:NUMBER", "floor:SHARE"),
        needs=(),
    ),
    Entry(
        "missing.odds_ratio", Block.MISSING, gettext_noop("odds ratio"), Unit.ODDS_RATIO,
        gettext_noop("Odds of leaving a place: logistic regression, errors clustered by person"),
        (AVERAGE,), ("b", "position", "modality:NAME"), needs=(Need.ITEMS,),
    ),
)  # fmt: skip

step = partial(Entry, block=Block.EXCLUSIONS, unit=Unit.COUNT)
REACHED = gettext_noop("People of the study who came this far.")
NOT_GOING_ON = gettext_noop("People who came this far and did not go on, by the reason.")
FLOW = (
    step("flow.recruited", label=gettext_noop("Recruited"), meaning=REACHED),
    step("flow.approved", label=gettext_noop("Approved"), meaning=REACHED),
    step("flow.started", label=gettext_noop("Started"), meaning=REACHED),
    step("flow.ended", label=gettext_noop("Session ended"), meaning=REACHED),
    step("flow.retained", label=gettext_noop("Retained"), meaning=REACHED),
    step("flow.with_scores", label=gettext_noop("With a score: Average"), meaning=REACHED),
    step("flow.top", label=gettext_noop("Top (in-sample)"), meaning=REACHED),
    step(
        "flow.recruited.leaving", label=gettext_noop("Recruited, not going on"), meaning=NOT_GOING_ON,
        subsets=("REASON",),
    ),
    step(
        "flow.approved.leaving", label=gettext_noop("Approved, not going on"), meaning=NOT_GOING_ON,
        subsets=("REASON",),
    ),
    step(
        "flow.started.leaving", label=gettext_noop("Started, not going on"), meaning=NOT_GOING_ON,
        subsets=("REASON",),
    ),
    step(
        "flow.ended.leaving", label=gettext_noop("Session ended, not going on"), meaning=NOT_GOING_ON,
        subsets=("REASON",),
    ),
    step(
        "flow.retained.leaving", label=gettext_noop("Retained, not going on"), meaning=NOT_GOING_ON,
        subsets=("REASON",),
    ),
)  # fmt: skip
NOBODY = gettext_noop("Ability with nobody left out; where excluded people were not judged it has no value.")
BOUND = gettext_noop(
    "The same with the answers of excluded people who were not judged all at 0, or all at 1."
)
ITT = (
    *thetas("itt.", Block.EXCLUSIONS, NOBODY, needs=()),
    *(
        one
        for bound in ("bound_low", "bound_high")
        for one in thetas(
            "itt.", Block.EXCLUSIONS, BOUND, needs=(Need.UNJUDGED,), by_logits=OnLogistic.LEFT_OUT,
            suffix=f".{bound}",
        )
    ),
)  # fmt: skip
SPREAD = {
    "median": gettext_noop("Median"),
    "low": gettext_noop("Lowest"),
    "high": gettext_noop("Highest"),
    "range": gettext_noop("Range"),
}
CHOICES = {
    "exclusion": gettext_noop("Exclusion rule"),
    "missing": gettext_noop("Missing answers"),
    "aggregation": gettext_noop("Pooled or by prompt"),
    "interactions": gettext_noop("Interactions of these"),
}
WITH_RULES = ("", "not_score_based")
OVER_SPECIFICATIONS = gettext_noop("Of ability over all specifications, or over those that look at no score.")
OF_CHOICE = gettext_noop(
    "Share of the choice in the variance over specifications: eta squared of its main effect."
)
MULTIVERSE = tuple(
    entry
    for of, label, unit, on_logistic in (
        ("multiverse", gettext_noop("theta of a specification"), Unit.LOGITS, OnLogistic.LEFT_OUT),
        ("multiverse.ql", gettext_noop("theta_QL of a specification"), Unit.QL, OnLogistic.STANDS),
    )
    for entry in (
        Entry(
            of, Block.EXCLUSIONS, label, unit,
            gettext_noop("Ability under one rule of exclusion, of missing answers and of putting together."),
            GROUPS, ("RULE;MISSING;AGGREGATION",), on_logistic=on_logistic,
        ),
        *(
            Entry(
                f"{of}.{what}", Block.EXCLUSIONS, label, unit, OVER_SPECIFICATIONS, GROUPS, WITH_RULES,
                on_logistic=on_logistic,
            )
            for what, label in SPREAD.items()
        ),
        *(
            Entry(
                f"{of}.share.{choice}", Block.EXCLUSIONS, label, Unit.SHARE, OF_CHOICE, GROUPS, WITH_RULES,
                needs=(Need.ITEMS,), on_logistic=on_logistic,
            )
            for choice, label in CHOICES.items()
        ),
        Entry(
            f"{of}.range_in_se", Block.EXCLUSIONS, gettext_noop("Range in standard errors"), Unit.ERRORS,
            gettext_noop("The range in standard errors that other people alone would give."),
            (AVERAGE,), ("not_score_based",), on_logistic=on_logistic, page=of == "multiverse",
        ),
    )
)  # fmt: skip
SCREENING = (
    Entry(
        "rule.removed", Block.EXCLUSIONS, gettext_noop("Rule"), Unit.COUNT,
        gettext_noop("People whom a declared rule leaves out; its conditions are in the details."),
        subsets=("rule:NAME",),
    ),
    Entry(
        "exclusion.rules", Block.EXCLUSIONS, gettext_noop("Rules"), Unit.COUNT,
        gettext_noop("How many rules that look at no score leave this person out, and on what facts."),
        about="person",
    ),
    Entry(
        "screening.rated_twice", Block.EXCLUSIONS, gettext_noop("Share of people with two reviewers"),
        Unit.SHARE, gettext_noop("Of the people whom anybody decided about."),
    ),
    Entry(
        "screening.kappa", Block.EXCLUSIONS, gettext_noop("Cohen's κ of the first two"), Unit.COEFFICIENT,
        gettext_noop("Agreement of reviewers beyond chance."), needs=(Need.REVIEWERS,),
    ),
    Entry(
        "screening.ac1", Block.EXCLUSIONS, gettext_noop("Gwet's AC1 of the first two"), Unit.COEFFICIENT,
        gettext_noop("The same, which holds where nearly everybody is decided about alike."),
        needs=(Need.REVIEWERS,),
    ),
)  # fmt: skip

fit = partial(Entry, block=Block.FIT, needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
FIT = (
    fit(
        "fit.flagged", label=gettext_noop("Flagged"), unit=Unit.SHARE, subsets=("statistic:NAME",),
        meaning=gettext_noop("Share of people whose answers are flagged for review by a statistic."),
    ),
    fit(
        "fit.residual_sd", label=gettext_noop("Residual SD of single answers"), unit=Unit.LOGITS,
        meaning=gettext_noop("How far single answers of this cohort scatter around what is expected."),
    ),
    fit(
        "fit.theta_sd", label=gettext_noop("SD of ability that is assumed"), unit=Unit.LOGITS, page=False,
        meaning=gettext_noop("SD of ability of the people whose answers are simulated for comparison."),
    ),
    fit(
        "fit.grid", label=gettext_noop("People"), unit=Unit.COUNT,
        meaning=gettext_noop("Everybody counted in cells of correlation and outfit, in the details."),
    ),
    fit(
        "fit.correlation", label=gettext_noop("Correlation"), unit=Unit.COEFFICIENT, about="person",
        meaning=gettext_noop(
            "Whether somebody who is flagged does better on easy prompts than on hard ones."
        ),
    ),
    fit(
        "fit.outfit", label=gettext_noop("Outfit"), unit=Unit.CHI_SQUARE, about="person",
        meaning=gettext_noop("How far the answers of somebody who is flagged lie from what is expected."),
    ),
)  # fmt: skip
ENTRIES = (*MISSING, *FLOW, *ITT, *MULTIVERSE, *SCREENING, *FIT)
