"""Average and Top, how much people differ, how sure theta is; estimators of Top that allow for the choice."""

from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import (
    AVERAGE,
    GROUPS,
    PLAIN_CODES,
    TOP,
    Entry,
    Need,
    OnLogistic,
    Unit,
    thetas,
)

PROMPT = Entry(
    "theta.prompt", "theta.prompt", Unit.LOGITS,
    _("mean score of each question, then the logit, as models get over epochs"), block=Block.COHORT,
    groups=GROUPS, needs=(Need.ITEMS,), on_logistic=OnLogistic.EMPTY,
    plain_label=PLAIN_CODES["theta.prompt"],
)  # fmt: skip
of_people = partial(Entry, block=Block.COHORT, needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
PEOPLE = (
    of_people(
        "tau", _("SD of ability between people (tau)"), Unit.LOGITS,
        _(
            "Spread of ability between people by Paule and Mandel, with a Q-profile interval. What people of "
            "one question set have in common is part of it."
        ), plain_label=_("How far people differ in ability"),
    ),
    of_people(
        "residual_sd", _("Residual SD of single answers (s1)"), Unit.LOGITS,
        _("How far single answers of these people scatter around their people's ability."),
        plain_label=_("How far single answers scatter"),
    ),
    of_people(
        "person.se", _("Standard error of one person's theta"), Unit.LOGITS,
        _("Median over people; tenths and the largest are in the details."),
        plain_label=_("Standard error of one person's ability"),
    ),
    of_people(
        "person.reliability", _("Share of the variance of single thetas that is due to people"), Unit.SHARE,
        _("tau² / (tau² + the median of the squared standard errors of single people)."),
        plain_label=_("Share of the variance of single abilities that is due to people"),
    ),
    of_people(
        "person.effective_length", _("Answers a person's theta effectively rests on"), Unit.MEAN_COUNT,
        _("Median over people; tenths and the largest are in the details."),
        plain_label=_("Answers a person's ability effectively rests on"),
    ),
    of_people(
        "person.swing", _("Change of a person's theta if one score goes from 0 to 1"), Unit.LOGITS,
        _("Median over answers; tenths and the largest are in the details."),
        plain_label=_("Change of a person's ability if one score goes from 0 to 1"),
    ),
)  # fmt: skip
DESIGN = Entry(
    "design.batches", _("batches"), Unit.COUNT,
    _("Question sets of the study; the details say whether every question is in one of them only."),
    block=Block.UNCERTAINTY, needs=(Need.ITEMS,), plain_label=_("question sets"),
)  # fmt: skip
component = partial(
    Entry, unit=Unit.LOGITS, meaning=_("Variance component by moments, as a standard deviation."),
    block=Block.UNCERTAINTY, groups=(AVERAGE,), needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT,
)  # fmt: skip
COMPONENTS = (
    component(
        "mixed.sd_people",
        _("Between people (SD of theta, t)"),
        plain_label=_("Between people (SD of ability, t)"),
    ),
    component(
        "mixed.sd_prompts",
        _("Between prompts (SD of y, d)"),
        plain_label=_("Between questions (SD of y, d)"),
    ),
    component("mixed.sd_answers", _("Between answers (SD of y, s)")),
)
of_top = partial(Entry, block=Block.TOP, groups=(TOP,), needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
BY_SIZE = ("", "fraction:PART")
TOPS = (
    of_top(
        "top.paper", _("top.paper (in-sample)"), Unit.LOGITS,
        _(
            "Top as published (top.paper): the published rule. People are chosen by their mean score and "
            "measured on the same answers. Its interval is the published one and ignores the choice; it "
            "hardly ever holds the ability of these people."
        ),
        subsets=BY_SIZE, plain_label=_("Top as published"),
    ),
    of_top(
        "top.paper.ql", _("the same people, theta_QL (in-sample)"), Unit.QL,
        _(
            "Ability on the QL scale (theta_QL) is that of the people of Top as published (top.paper), on "
            "its own scale. The other estimators average abilities of single people or of single folds, "
            "whose ability on the QL scale is often infinite: they have none."
        ),
        subsets=BY_SIZE,
        plain_label=_("the same people, ability on the QL scale (picked by these same scores)"),
    ),
    of_top(
        "top.null", _("top.null, all people equally able"), Unit.LOGITS,
        _(
            "Top by luck alone (top.null): what Top as published (top.paper) would be if nobody were "
            "abler than anybody else. Scores are exchanged between answers expected to be equally good, "
            "or to the same question where it has no item parameters, and the best are chosen anew. SE "
            "and interval are the spread of the draws."
        ), plain_label=_("Top by luck alone, all people equally able"),
    ),
    of_top(
        "top.over_null", _("top.paper less top.null"), Unit.LOGITS,
        _(
            "How far Top as published (top.paper) lies above what equally able people would come to. "
            "Whether that says that people differ, top.null_share tells."
        ), plain_label=_("Top as published less Top by luck alone"),
    ),
    of_top(
        "top.null_share", _("Share of draws as high as top.paper"), Unit.SHARE,
        _(
            "How often equally able people came as high, the study itself counted as one of the draws: "
            "hardly luck below 5 %, borderline below 20 %, luck would do from there on."
        ), plain_label=_("Share of draws as high as Top as published"),
    ),
    of_top(
        "top.crossfit5", "top.crossfit5", Unit.LOGITS,
        _(
            "Top free of the choice (top.crossfit5): chosen on four fifths of each person's answers, "
            "measured on the rest; mean over five folds and a hundred splits. The interval draws people "
            "again and chooses anew in each draw."
        ),
        subsets=BY_SIZE, plain_label=PLAIN_CODES["top.crossfit5"],
    ),
    of_top(
        "top.eb", "top.eb", Unit.LOGITS,
        _(
            "Top drawn to the mean (top.eb): the mean of the highest shrunken abilities. It rests on a "
            "normal distribution of ability: where ability is skewed it is 0.3 to 0.4 too low in "
            "simulations of 195 people, and its interval holds the ability of those it chooses in 33 % of "
            "the studies with exponential ability; where some people paste a model's answers it may be "
            "0.2 too low. Its interval is also too narrow where people hardly differ."
        ),
        subsets=BY_SIZE, plain_label=PLAIN_CODES["top.eb"],
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
