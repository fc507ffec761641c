"""Average and Top, how much people differ, how sure theta is; estimators of Top that allow for the choice."""

from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, TOP, Entry, Need, OnLogistic, Unit, thetas

PROMPT = Entry(
    "theta.prompt", "theta.prompt", Unit.LOGITS,
    _("mean score of each prompt, then the logit, as models get over epochs"), block=Block.COHORT,
    groups=GROUPS, needs=(Need.ITEMS,), on_logistic=OnLogistic.EMPTY,
)  # fmt: skip
of_people = partial(Entry, block=Block.COHORT, needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
PEOPLE = (
    of_people(
        "tau", _("SD of ability between people (tau)"), Unit.LOGITS,
        _(
            "Spread of ability between people by Paule and Mandel, with a Q-profile interval. What people of "
            "one question set have in common is part of it."
        ),
    ),
    of_people(
        "residual_sd", _("Residual SD of single answers (s1)"), Unit.LOGITS,
        _("How far single answers of this cohort scatter around their people's ability."),
    ),
    of_people(
        "person.se", _("Standard error of one person's theta"), Unit.LOGITS,
        _("Median over people; tenths and the largest are in the details."),
    ),
    of_people(
        "person.reliability", _("Share of the variance of single thetas that is due to people"), Unit.SHARE,
        _("tau² / (tau² + the median of the squared standard errors of single people)."),
    ),
    of_people(
        "person.effective_length", _("Answers a person's theta effectively rests on"), Unit.MEAN_COUNT,
        _("Median over people; tenths and the largest are in the details."),
    ),
    of_people(
        "person.swing", _("Change of a person's theta if one score goes from 0 to 1"), Unit.LOGITS,
        _("Median over answers; tenths and the largest are in the details."),
    ),
)  # fmt: skip
DESIGN = Entry(
    "design.batches", _("batches"), Unit.COUNT,
    _("Batches of the study; the details say whether every prompt is in one of them only."),
    block=Block.UNCERTAINTY, needs=(Need.ITEMS,),
)  # fmt: skip
component = partial(
    Entry, unit=Unit.LOGITS, meaning=_("Variance component by moments, as a standard deviation."),
    block=Block.UNCERTAINTY, groups=(AVERAGE,), needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT,
)  # fmt: skip
COMPONENTS = (
    component("mixed.sd_people", _("Between people (SD of theta, t)")),
    component("mixed.sd_prompts", _("Between prompts (SD of y, d)")),
    component("mixed.sd_answers", _("Between answers (SD of y, s)")),
)
of_top = partial(Entry, block=Block.TOP, groups=(TOP,), needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
BY_SIZE = ("", "fraction:PART")
TOPS = (
    of_top(
        "top.paper", _("top.paper (in-sample)"), Unit.LOGITS,
        _(
            "top.paper: the published rule. People are chosen by their mean score and measured on the same "
            "answers. Its interval is the published one and ignores the choice; it hardly ever holds the "
            "ability of these people."
        ),
        subsets=BY_SIZE,
    ),
    of_top(
        "top.paper.ql", _("the same people, theta_QL (in-sample)"), Unit.QL,
        _(
            "theta_QL is that of the people of top.paper, on its own scale. The other estimators average "
            "abilities of single people or of single folds, whose theta_QL is often infinite: they have "
            "none."
        ),
        subsets=BY_SIZE,
    ),
    of_top(
        "top.null", _("top.null, all people equally able"), Unit.LOGITS,
        _(
            "top.null: what top.paper would be if nobody were abler than anybody else. Scores are exchanged "
            "between answers expected to be equally good, or to the same prompt where it has no item "
            "parameters, and the best are chosen anew. SE and interval are the spread of the draws."
        ),
    ),
    of_top(
        "top.over_null", _("top.paper less top.null"), Unit.LOGITS,
        _(
            "How far top.paper lies above what equally able people would come to. Whether that says that "
            "people differ, top.null_share tells."
        ),
    ),
    of_top(
        "top.null_share", _("Share of draws as high as top.paper"), Unit.SHARE,
        _(
            "How often equally able people came as high, the study itself counted as one of the draws: "
            "hardly luck below 5 %, borderline below 20 %, luck would do from there on."
        ),
    ),
    of_top(
        "top.crossfit5", "top.crossfit5", Unit.LOGITS,
        _(
            "top.crossfit5: chosen on four fifths of each person's answers, measured on the rest; mean over "
            "five folds and a hundred splits. The interval draws people again and chooses anew in each draw."
        ),
        subsets=BY_SIZE,
    ),
    of_top(
        "top.eb", "top.eb", Unit.LOGITS,
        _(
            "top.eb: the mean of the highest shrunken abilities. It rests on a normal distribution of "
            "ability: where ability is skewed it is 0.3 to 0.4 too low in simulations of 195 people, and its "
            "interval holds the ability of those it chooses in 33 % of the studies with exponential "
            "ability; where some people paste a model's answers it may be 0.2 too low. Its interval is also "
            "too narrow where people hardly differ."
        ),
        subsets=BY_SIZE,
    ),
)  # fmt: skip
ENTRIES = (
    PROMPT,
    *PEOPLE,
    DESIGN,
    *thetas(
        "uncertainty.", Block.UNCERTAINTY,
        _("Ability of Average with the standard error that the subset names, its interval and target."),
        groups=(AVERAGE,), subsets=("se.ERROR",),
    ),
    *COMPONENTS,
    *TOPS,
)  # fmt: skip
