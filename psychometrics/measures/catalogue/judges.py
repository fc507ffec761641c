"""How far judges agree, with each other and with people."""

from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import GROUPS, PLAIN_CODES, Entry, Need, OnLogistic, Unit

LEVELS = tuple(f"level:{level}" for level in ("criterion", "answer", "people"))
of_judges = partial(Entry, block=Block.AGREEMENT, needs=(Need.JUDGES,), subsets=LEVELS)
OF_PANEL = tuple(f"{level};panel" for level in LEVELS[:2])
of_people = partial(of_judges, subsets=("level:ability",), needs=(Need.ITEMS, Need.JUDGES))
of_group = partial(of_people, groups=GROUPS)
of_one = partial(of_group, subsets=("level:ability;judge:JUDGE",))
# In the order of a table: how alike the scores are, how they differ, and what both call met.
AGREEMENT = (
    of_judges(
        "agreement.pearson", _("Pearson's r"), Unit.COEFFICIENT,
        _("How well the scores of one judge follow those of the other on a straight line."),
    ),
    of_judges(
        "agreement.spearman", _("Spearman's ρ"), Unit.COEFFICIENT,
        _("The same for ranks: whether both judges put the scores in the same order."),
    ),
    of_judges(
        "agreement.alpha_interval", _("Krippendorff's α (scores)"), Unit.COEFFICIENT,
        _(
            "Agreement beyond chance with the size of the differences counted: 1 is full agreement, 0 is "
            "what chance gives."
        ),
        subsets=(*LEVELS, *OF_PANEL),
    ),
    of_judges(
        "agreement.alpha_nominal", _("Krippendorff's α (met or not)"), Unit.COEFFICIENT,
        _("The same for scores taken as met (at least 0.5) or not."), subsets=(*LEVELS, *OF_PANEL),
    ),
    of_judges(
        "agreement.ccc", _("Lin's CCC"), Unit.COEFFICIENT,
        _("Like r, but a judge that is stricter or spreads its scores less loses by it."),
    ),
    of_judges(
        "agreement.icc", _("ICC(2,1)"), Unit.COEFFICIENT,
        _("The share of the scores' variance that is due to what was judged, not to the judge."),
    ),
    of_judges(
        "agreement.offset", _("Offset, y − x"), Unit.SCORE_POINTS,
        _("How much more the second judge gives on average, in score points; minus is stricter."),
    ),
    of_judges(
        "agreement.sd_of_differences", _("SD of differences"), Unit.SCORE_POINTS,
        _("How far single differences scatter around the offset."),
    ),
    of_judges(
        "agreement.lower_limit", _("Lower Bland–Altman limit"), Unit.SCORE_POINTS,
        _("Offset − 1.96 SD: few differences lie below it."),
    ),
    of_judges(
        "agreement.upper_limit", _("Upper Bland–Altman limit"), Unit.SCORE_POINTS,
        _("Offset + 1.96 SD: few differences lie above it."),
    ),
    of_judges(
        "agreement.slope", _("Slope of difference on mean"), Unit.COEFFICIENT,
        _("Whether the offset grows (+) or shrinks (−) from low to high scores; 0 is neither."),
    ),
    of_judges(
        "agreement.near_exact", _("Near-exact agreement"), Unit.SHARE,
        _("The share of scored answers less than 0.01 apart."),
    ),
    of_judges(
        "agreement.same_side", _("Same side of 0.5"), Unit.SHARE,
        _("The share of scored answers that both judges call met, or both not."),
    ),
    of_judges(
        "agreement.kappa", _("Cohen's κ"), Unit.COEFFICIENT,
        _(
            "Agreement on met or not beyond chance; it sinks where nearly everything, or nearly nothing, is "
            "met."
        ),
    ),
    of_judges(
        "agreement.pabak", _("PABAK"), Unit.COEFFICIENT,
        _("The same as if met and not met were equally frequent; it does not sink so."),
    ),
    of_judges(
        "agreement.ac1", _("Gwet's AC1"), Unit.COEFFICIENT,
        _("Another companion of κ that holds where nearly everything is met."),
    ),
    of_judges(
        "agreement.met_x", _("Met, by x"), Unit.SHARE,
        _("The share of scored answers to which the first judge gives at least 0.5."),
    ),
    of_judges(
        "agreement.met_y", _("Met, by y"), Unit.SHARE,
        _("The share of scored answers to which the second judge gives at least 0.5."),
    ),
    of_judges(
        "agreement.partial_x", _("Partial scores, by x"), Unit.SHARE,
        _("The share of scored answers to which the first judge gives neither 0 nor 1."),
    ),
    of_judges(
        "agreement.partial_y", _("Partial scores, by y"), Unit.SHARE,
        _("The share of scored answers to which the second judge gives neither 0 nor 1."),
    ),
    of_judges("agreement.mean_x", _("Mean, by x"), Unit.SCORE, _("The first judge's mean score.")),
    of_judges("agreement.mean_y", _("Mean, by y"), Unit.SCORE, _("The second judge's mean score.")),
)  # fmt: skip
OWN = _("Of one judge's scores alone.")
MOVED = _("From the first judge's own answers to the second's, in standard errors under the first.")
CHANGED = _("What the second judge changes ability by on the answers that both scored.")
THETAS = (
    of_people(
        "agreement.theta_order", _("Spearman's ρ of single people's theta"), Unit.COEFFICIENT,
        _(
            "One question set cannot rank people. Item parameters are those of the study's bank under "
            "every judge: a bank recalibrated under each judge needs the models' answers judged by it."
        ),
        on_logistic=OnLogistic.EMPTY, plain_label=_("Spearman's ρ of single people's ability"),
    ),
    of_one("agreement.people", _("people"), Unit.COUNT, OWN),
    of_one(
        "agreement.theta.prompt", "theta.prompt", Unit.LOGITS, OWN, on_logistic=OnLogistic.EMPTY,
        plain_label=PLAIN_CODES["theta.prompt"],
    ),
    of_one(
        "agreement.theta.pool", "theta.pool", Unit.LOGITS, OWN, on_logistic=OnLogistic.EMPTY,
        plain_label=PLAIN_CODES["theta.pool"],
    ),
    of_one("agreement.theta.ql", "theta_QL", Unit.QL, OWN, plain_label=PLAIN_CODES["theta.ql"]),
    of_group(
        "agreement.theta_change", _("Change of theta.pool"), Unit.LOGITS, CHANGED,
        on_logistic=OnLogistic.EMPTY, plain_label=_("Change of ability"),
    ),
    of_group(
        "agreement.theta_change.ql", _("Change of theta_QL"), Unit.QL, CHANGED,
        plain_label=_("Change of ability on the QL scale"),
    ),
    of_group(
        "agreement.theta_moved.prompt", _("Move of theta.prompt"), Unit.ERRORS, MOVED,
        on_logistic=OnLogistic.LEFT_OUT, plain_label=_("Move of ability by question means"),
    ),
    of_group(
        "agreement.theta_moved.pool", _("Move of theta.pool"), Unit.ERRORS, MOVED,
        on_logistic=OnLogistic.LEFT_OUT, plain_label=_("Move of ability"),
    ),
    of_group(
        "agreement.theta_moved.ql", _("Move of theta_QL"), Unit.ERRORS, MOVED,
        plain_label=_("Move of ability on the QL scale"),
    ),
)  # fmt: skip
COUNTS = (
    of_judges(
        "agreement.pairs", _("pairs"), Unit.COUNT,
        _("What both judges scored; of a panel, what two of its judges did."), subsets=(*LEVELS, *OF_PANEL),
        plain_label=_("scored answers"),
    ),
    of_judges(
        "agreement.rows", _("scores asked for"), Unit.COUNT,
        _("Criteria, answers or people that there are, scored or not."), subsets=LEVELS,
    ),
    of_judges(
        "agreement.missing_x", _("missing by x"), Unit.COUNT, _("Those that the first judge has not scored."),
    ),
    of_judges(
        "agreement.missing_y", _("missing by y"), Unit.COUNT,
        _("Those that the second judge has not scored."),
    ),
    of_judges(
        "agreement.outside", _("outside the limits"), Unit.COUNT,
        _("Scored answers whose difference lies beyond the Bland–Altman limits."), subsets=LEVELS[:2],
    ),
    of_judges(
        "agreement.confusion", _("met by both, one or none"), Unit.COUNT,
        _("Scored answers by which of the judges calls them met."),
        subsets=tuple(f"{level};cell:NAME" for level in LEVELS[:2]),
    ),
    of_judges(
        "agreement.differences", _("pairs by mean and difference"), Unit.COUNT,
        _("Scored answers of one mean score and one difference y − x, in steps of 0.05."),
        subsets=tuple(f"{level};cell:PLACE" for level in LEVELS[:2]),
        plain_label=_("scored answers by mean and difference"),
    ),
    of_judges(
        "agreement.warning", _("warning"), Unit.COEFFICIENT,
        _("A number beyond its threshold; the details say which, and the threshold."),
        subsets=tuple(f"{level};warning:NUMBER" for level in (*LEVELS, "level:ability")),
    ),
    of_people(
        "agreement.people_with_theta", _("people with a theta under both"), Unit.COUNT,
        _("People with a score by either judge on a question with item parameters."),
        plain_label=_("people with an ability under both"),
    ),
    of_people(
        "agreement.sd_of_people", _("SD of the change of single thetas"), Unit.LOGITS,
        _("How far the judge scatters single people's abilities."), on_logistic=OnLogistic.EMPTY,
        plain_label=_("SD of the change of single abilities"),
    ),
    of_group(
        "agreement.shared", _("people in both groups"), Unit.COUNT,
        _("People who are in the group under either judge."),
    ),
    *(
        of_judges(f"agreement.{name}", label, Unit.COUNT, meaning, subsets=OF_PANEL)
        for name, label, meaning in (
            ("judges", _("judges"), _("Judges of the panel.")),
            ("scores", _("scores"), _("Scores that any of them gave.")),
            ("single", _("scored once"), _("Units that one judge alone scored.")),
            ("empty", _("scored by none"), _("Units that no judge scored.")),
        )
    ),
    of_judges(
        "agreement.missing", _("missing by judge"), Unit.COUNT,
        _("Units that one judge of the panel has not scored."),
        subsets=tuple(f"{level};judge:NUMBER" for level in OF_PANEL),
    ),
)  # fmt: skip
audited = partial(Entry, block="audit", needs=(Need.AUDIT,), subsets=("all", "sample"))
AGREE = _("Of the judge with people, on the sample as it was drawn and weighted to all verdicts.")
LESS = _("Judge less people, on the sample as it was drawn and weighted to all verdicts.")
OF_BOTH = _("Of the verdicts that both gave.")
of_sample = partial(audited, subsets=("sample",))
AUDIT = (
    audited("audit.kappa", _("Cohen's κ, met or not"), Unit.COEFFICIENT, AGREE),
    audited("audit.pabak", _("PABAK, met or not"), Unit.COEFFICIENT, AGREE),
    audited("audit.ac1", _("Gwet's AC1, met or not"), Unit.COEFFICIENT, AGREE),
    audited("audit.same_side", _("Same side of 0.5, share"), Unit.SHARE, AGREE),
    audited("audit.near_exact", _("Less than 0.01 apart, share"), Unit.SHARE, AGREE),
    audited("audit.offset", _("Offset, judge − people"), Unit.SCORE_POINTS, LESS),
    audited("audit.sd_of_differences", _("SD of differences"), Unit.SCORE_POINTS, LESS),
    audited("audit.mean_human", _("Mean score, people"), Unit.SCORE, OF_BOTH),
    audited("audit.mean_judge", _("Mean score, judge"), Unit.SCORE, OF_BOTH),
    audited("audit.ccc", _("Lin's CCC"), Unit.COEFFICIENT, AGREE),
    audited("audit.pearson", _("Pearson's r"), Unit.COEFFICIENT, AGREE),
    of_sample(
        "audit.drawn", _("Verdicts drawn"), Unit.COUNT,
        _("For people to judge again, those of people who left later included."),
    ),
    of_sample("audit.rated", _("Verdicts rated"), Unit.COUNT, _("Of those that still count.")),
    of_sample("audit.raters", _("Raters"), Unit.COUNT, _("People who judged any of them.")),
)  # fmt: skip
ENTRIES = (*AGREEMENT, *THETAS, *COUNTS, *AUDIT)
