"""Average and Top, how much people differ, and how sure theta is."""

from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, Entry, Need, OnLogistic, Unit, thetas

PROMPT = Entry(
    "theta.prompt", "theta.prompt", Unit.LOGITS,
    _("mean score of each prompt, then the logit, as models get over epochs"), block=Block.COHORT,
    groups=GROUPS, needs=(Need.ITEMS,), on_logistic=OnLogistic.EMPTY,
)  # fmt: skip
of_people = partial(Entry, block=Block.COHORT, needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
PEOPLE = (
    of_people(
        "tau", _("SD of ability between people (tau)"), Unit.LOGITS,
        _("Spread of ability between people by Paule and Mandel, with a Q-profile interval."),
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
)  # fmt: skip
