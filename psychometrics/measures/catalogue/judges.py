"""How far judges agree, with each other and with people."""

from functools import partial

from formats.wording import gettext_noop
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import GROUPS, Entry, Need, OnLogistic, Unit

LEVELS = tuple(f"level:{level}" for level in ("criterion", "answer", "people"))
of_judges = partial(Entry, block=Block.AGREEMENT, needs=(Need.JUDGES,), subsets=LEVELS)
OF_PANEL = tuple(f"{level};panel" for level in LEVELS[:2])
of_group = partial(of_judges, groups=GROUPS, subsets=("level:ability",), needs=(Need.ITEMS, Need.JUDGES))
of_one = partial(of_group, subsets=("level:ability;judge:JUDGE",))
# In the order of a table: how alike the scores are, how they differ, and what both call met.
AGREEMENT = (
    of_judges(
        "agreement.pearson", label=gettext_noop("Pearson's r"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop(
            "How well the scores of one judge follow those of the other on a straight line."
        ),
    ),
    of_judges(
        "agreement.spearman", label=gettext_noop("Spearman's ρ"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop("The same for ranks: whether both judges put the scores in the same order."),
    ),
    of_judges(
        "agreement.alpha_interval", subsets=(*LEVELS, *OF_PANEL),
        label=gettext_noop("Krippendorff's α (scores)"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop(
            "Agreement beyond chance with the size of the differences counted: 1 is full agreement, 0 "
            "is what chance gives."
        ),
    ),
    of_judges(
        "agreement.alpha_nominal", subsets=(*LEVELS, *OF_PANEL),
        label=gettext_noop("Krippendorff's α (met or not)"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop("The same for scores taken as met (at least 0.5) or not."),
    ),
    of_judges(
        "agreement.ccc", label=gettext_noop("Lin's CCC"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop(
            "Like r, but a judge that is stricter or spreads its scores less loses by it."
        ),
    ),
    of_judges(
        "agreement.icc", label=gettext_noop("ICC(2,1)"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop(
            "The share of the scores' variance that is due to what was judged, not to the judge."
        ),
    ),
    of_judges(
        "agreement.offset", label=gettext_noop("Offset, y − x"), unit=Unit.SCORE_POINTS,
        meaning=gettext_noop(
            "How much more the second judge gives on average, in score points; minus is stricter."
        ),
    ),
    of_judges(
        "agreement.sd_of_differences", label=gettext_noop("SD of differences"), unit=Unit.SCORE_POINTS,
        meaning=gettext_noop("How far single differences scatter around the offset."),
    ),
    of_judges(
        "agreement.lower_limit", label=gettext_noop("Lower Bland–Altman limit"), unit=Unit.SCORE_POINTS,
        meaning=gettext_noop("Offset − 1.96 SD: few differences lie below it."),
    ),
    of_judges(
        "agreement.upper_limit", label=gettext_noop("Upper Bland–Altman limit"), unit=Unit.SCORE_POINTS,
        meaning=gettext_noop("Offset + 1.96 SD: few differences lie above it."),
    ),
    of_judges(
        "agreement.slope", label=gettext_noop("Slope of difference on mean"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop(
            "Whether the offset grows (+) or shrinks (−) from low to high scores; 0 is neither."
        ),
    ),
    of_judges(
        "agreement.near_exact", label=gettext_noop("Near-exact agreement"), unit=Unit.SHARE,
        meaning=gettext_noop("The share of pairs less than 0.01 apart."),
    ),
    of_judges(
        "agreement.same_side", label=gettext_noop("Same side of 0.5"), unit=Unit.SHARE,
        meaning=gettext_noop("The share of pairs that both judges call met, or both not."),
    ),
    of_judges(
        "agreement.kappa", label=gettext_noop("Cohen's κ"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop(
            "Agreement on met or not beyond chance; it sinks where nearly everything, or nearly "
            "nothing, is met."
        ),
    ),
    of_judges(
        "agreement.pabak", label=gettext_noop("PABAK"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop("The same as if met and not met were equally frequent; it does not sink so."),
    ),
    of_judges(
        "agreement.ac1", label=gettext_noop("Gwet's AC1"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop("Another companion of κ that holds where nearly everything is met."),
    ),
    of_judges(
        "agreement.met_x", label=gettext_noop("Met, by x"), unit=Unit.SHARE,
        meaning=gettext_noop("The share of pairs to which the first judge gives at least 0.5."),
    ),
    of_judges(
        "agreement.met_y", label=gettext_noop("Met, by y"), unit=Unit.SHARE,
        meaning=gettext_noop("The share of pairs to which the second judge gives at least 0.5."),
    ),
    of_judges(
        "agreement.partial_x", label=gettext_noop("Partial scores, by x"), unit=Unit.SHARE,
        meaning=gettext_noop("The share of pairs to which the first judge gives neither 0 nor 1."),
    ),
    of_judges(
        "agreement.partial_y", label=gettext_noop("Partial scores, by y"), unit=Unit.SHARE,
        meaning=gettext_noop("The share of pairs to which the second judge gives neither 0 nor 1."),
    ),
    of_judges(
        "agreement.mean_x", label=gettext_noop("Mean, by x"), unit=Unit.SCORE,
        meaning=gettext_noop("The first judge's mean score."),
    ),
    of_judges(
        "agreement.mean_y", label=gettext_noop("Mean, by y"), unit=Unit.SCORE,
        meaning=gettext_noop("The second judge's mean score."),
    ),
)  # fmt: skip
OWN = gettext_noop("Of one judge's scores alone.")
MOVED = gettext_noop(
    "From the first judge's own answers to the second's, in standard errors under the first."
)
THETAS = (
    of_judges(
        "agreement.theta_order", label=gettext_noop("Spearman's ρ of single people's theta"),
        unit=Unit.COEFFICIENT, subsets=("level:ability",), needs=(Need.ITEMS, Need.JUDGES),
        meaning=gettext_noop(
            "One batch cannot rank people. Item parameters are those of the study's bank under every "
            "judge: a bank recalibrated under each judge needs the models' answers judged by it."
        ),
        on_logistic=OnLogistic.EMPTY,
    ),
    of_one("agreement.people", label=gettext_noop("people"), unit=Unit.COUNT, meaning=OWN),
    of_one(
        "agreement.theta.prompt", label="theta.prompt", unit=Unit.LOGITS, meaning=OWN,
        on_logistic=OnLogistic.EMPTY,
    ),
    of_one(
        "agreement.theta.pool", label="theta.pool", unit=Unit.LOGITS, meaning=OWN,
        on_logistic=OnLogistic.EMPTY,
    ),
    of_one("agreement.theta.ql", label="theta_QL", unit=Unit.QL, meaning=OWN),
    of_group(
        "agreement.theta_change", label=gettext_noop("Change of theta.pool"), unit=Unit.LOGITS,
        meaning=gettext_noop("What the second judge changes theta by on the answers that both scored."),
        on_logistic=OnLogistic.EMPTY,
    ),
    of_group(
        "agreement.theta_change.ql", label=gettext_noop("Change of theta_QL"), unit=Unit.QL,
        meaning=gettext_noop("What the second judge changes theta by on the answers that both scored."),
    ),
    of_group(
        "agreement.theta_moved.prompt", label=gettext_noop("Move of theta.prompt"), unit=Unit.ERRORS,
        meaning=MOVED, on_logistic=OnLogistic.LEFT_OUT,
    ),
    of_group(
        "agreement.theta_moved.pool", label=gettext_noop("Move of theta.pool"), unit=Unit.ERRORS,
        meaning=MOVED, on_logistic=OnLogistic.LEFT_OUT,
    ),
    of_group(
        "agreement.theta_moved.ql", label=gettext_noop("Move of theta_QL"), unit=Unit.ERRORS, meaning=MOVED,
    ),
)  # fmt: skip
of_people = partial(of_judges, subsets=("level:ability",), needs=(Need.ITEMS, Need.JUDGES))
COUNTS = (
    of_judges(
        "agreement.pairs", label=gettext_noop("pairs"), unit=Unit.COUNT, subsets=(*LEVELS, *OF_PANEL),
        meaning=gettext_noop("What both judges scored; of a panel, what two of its judges did."),
    ),
    of_judges(
        "agreement.rows", label=gettext_noop("scores asked for"), unit=Unit.COUNT, subsets=LEVELS,
        meaning=gettext_noop("Criteria, answers or people that there are, scored or not."),
    ),
    of_judges(
        "agreement.missing_x", label=gettext_noop("missing by x"), unit=Unit.COUNT,
        meaning=gettext_noop("Those that the first judge has not scored."),
    ),
    of_judges(
        "agreement.missing_y", label=gettext_noop("missing by y"), unit=Unit.COUNT,
        meaning=gettext_noop("Those that the second judge has not scored."),
    ),
    of_judges(
        "agreement.outside", label=gettext_noop("outside the limits"), unit=Unit.COUNT, subsets=LEVELS[:2],
        meaning=gettext_noop("Pairs whose difference lies beyond the Bland–Altman limits."),
    ),
    of_judges(
        "agreement.confusion", label=gettext_noop("met by both, one or none"), unit=Unit.COUNT,
        subsets=tuple(f"{level};cell:NAME" for level in LEVELS[:2]),
        meaning=gettext_noop("Pairs by which of the judges calls them met."),
    ),
    of_judges(
        "agreement.differences", label=gettext_noop("pairs by mean and difference"), unit=Unit.COUNT,
        subsets=tuple(f"{level};cell:PLACE" for level in LEVELS[:2]),
        meaning=gettext_noop("Pairs of one mean score and one difference y − x, in steps of 0.05."),
    ),
    of_judges(
        "agreement.warning", label=gettext_noop("warning"), unit=Unit.COEFFICIENT,
        subsets=tuple(f"{level};warning:NUMBER" for level in (*LEVELS, "level:ability")),
        meaning=gettext_noop("A number beyond its threshold; the details say which, and the threshold."),
    ),
    of_people(
        "agreement.people_with_theta", label=gettext_noop("people with a theta under both"), unit=Unit.COUNT,
        meaning=gettext_noop("People with a score by either judge on a prompt with item parameters."),
    ),
    of_people(
        "agreement.sd_of_people", label=gettext_noop("SD of the change of single thetas"), unit=Unit.LOGITS,
        meaning=gettext_noop("How far the judge scatters single people's thetas."),
        on_logistic=OnLogistic.EMPTY,
    ),
    of_group(
        "agreement.shared", label=gettext_noop("people in both groups"), unit=Unit.COUNT,
        meaning=gettext_noop("People who are in the group under either judge."),
    ),
    *(
        of_judges(f"agreement.{name}", label=label, unit=Unit.COUNT, subsets=OF_PANEL, meaning=meaning)
        for name, label, meaning in (
            ("judges", gettext_noop("judges"), gettext_noop("Judges of the panel.")),
            ("scores", gettext_noop("scores"), gettext_noop("Scores that any of them gave.")),
            ("single", gettext_noop("scored once"), gettext_noop("Units that one judge alone scored.")),
            ("empty", gettext_noop("scored by none"), gettext_noop("Units that no judge scored.")),
        )
    ),
    of_judges(
        "agreement.missing", label=gettext_noop("missing by judge"), unit=Unit.COUNT,
        subsets=tuple(f"{level};judge:NUMBER" for level in OF_PANEL),
        meaning=gettext_noop("Units that one judge of the panel has not scored."),
    ),
)  # fmt: skip
audited = partial(Entry, block="audit", needs=(Need.AUDIT,), subsets=("all", "sample"))
AGREE = gettext_noop("Of the judge with people, on the sample as it was drawn and weighted to all verdicts.")
LESS = gettext_noop("Judge less people, on the sample as it was drawn and weighted to all verdicts.")
AUDIT = (
    audited("audit.kappa", label=gettext_noop("Cohen's κ, met or not"), unit=Unit.COEFFICIENT, meaning=AGREE),
    audited("audit.pabak", label=gettext_noop("PABAK, met or not"), unit=Unit.COEFFICIENT, meaning=AGREE),
    audited("audit.ac1", label=gettext_noop("Gwet's AC1, met or not"), unit=Unit.COEFFICIENT, meaning=AGREE),
    audited("audit.same_side", label=gettext_noop("Same side of 0.5, share"), unit=Unit.SHARE, meaning=AGREE),
    audited(
        "audit.near_exact", label=gettext_noop("Less than 0.01 apart, share"), unit=Unit.SHARE, meaning=AGREE
    ),
    audited("audit.offset", label=gettext_noop(
        "Offset, judge − people"
    ), unit=Unit.SCORE_POINTS, meaning=LESS),
    audited(
        "audit.sd_of_differences", label=gettext_noop(
            "SD of differences"
        ), unit=Unit.SCORE_POINTS, meaning=LESS
    ),
    audited(
        "audit.mean_human", label=gettext_noop("Mean score, people"), unit=Unit.SCORE,
        meaning=gettext_noop("Of the verdicts that both gave."),
    ),
    audited(
        "audit.mean_judge", label=gettext_noop("Mean score, judge"), unit=Unit.SCORE,
        meaning=gettext_noop("Of the verdicts that both gave."),
    ),
    audited("audit.ccc", label=gettext_noop("Lin's CCC"), unit=Unit.COEFFICIENT, meaning=AGREE),
    audited("audit.pearson", label=gettext_noop("Pearson's r"), unit=Unit.COEFFICIENT, meaning=AGREE),
    audited(
        "audit.drawn", label=gettext_noop("Verdicts drawn"), unit=Unit.COUNT, subsets=("sample",),
        meaning=gettext_noop("For people to judge again, those of people who left later included."),
    ),
    audited(
        "audit.rated", label=gettext_noop("Verdicts rated"), unit=Unit.COUNT, subsets=("sample",),
        meaning=gettext_noop("Of those that still count."),
    ),
    audited(
        "audit.raters", label=gettext_noop("Raters"), unit=Unit.COUNT, subsets=("sample",),
        meaning=gettext_noop("People who judged any of them."),
    ),
)  # fmt: skip
ENTRIES = (*AGREEMENT, *THETAS, *COUNTS, *AUDIT)
