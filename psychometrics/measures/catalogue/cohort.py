"""Average and Top, how much people differ, and how sure theta is."""

from dataclasses import replace
from functools import partial

from formats.wording import gettext_noop
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, Entry, Need, OnLogistic, Unit, thetas

COUNTS = (
    Entry(
        "people", Block.COHORT, gettext_noop("people"), Unit.COUNT,
        gettext_noop("People of the group with a scored answer."), GROUPS, page=False,
    ),
    Entry(
        "prompts", Block.COHORT, gettext_noop("prompts"), Unit.COUNT,
        gettext_noop("Prompts that somebody of the group has a scored answer to."), GROUPS, page=False,
    ),
    Entry(
        "pairs", Block.COHORT, gettext_noop("scored answers"), Unit.COUNT,
        gettext_noop(
            "Scored answers of the group: to prompts with item parameters, where any prompt has them."
        ),
        GROUPS, page=False,
    ),
    Entry(
        "k_bar", Block.COHORT, gettext_noop("answers per prompt"), Unit.MEAN_COUNT,
        gettext_noop("Scored answers of the group to a prompt, on average."), GROUPS, terminal=True,
    ),
    Entry(
        "raw_mean", Block.COHORT, gettext_noop("mean score"), Unit.SCORE,
        gettext_noop("Mean score of the group, with an interval by people."), GROUPS, terminal=True,
    ),
)  # fmt: skip
MEANINGS = {
    "theta.pool": gettext_noop("every answer by itself, as one epoch of a model"),
    "theta.ql": gettext_noop("quasi-likelihood: the same for any number of answers per prompt; own scale"),
    "theta.prompt": gettext_noop("mean score of each prompt, then the logit, as models get over epochs"),
}
THETAS = tuple(
    replace(one, meaning=MEANINGS[one.name], terminal=one.name != "theta.prompt")
    for one in thetas("", Block.COHORT, "")
)
of_people = partial(Entry, block=Block.COHORT, needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
PEOPLE = (
    of_people(
        "tau", label=gettext_noop("SD of ability between people (tau)"), unit=Unit.LOGITS,
        meaning=gettext_noop(
            "Spread of ability between people by Paule and Mandel, with a Q-profile interval."
        ),
    ),
    of_people(
        "residual_sd", label=gettext_noop("Residual SD of single answers (s1)"), unit=Unit.LOGITS,
        meaning=gettext_noop("How far single answers of this cohort scatter around their people's ability."),
    ),
    of_people(
        "person.se", label=gettext_noop("Standard error of one person's theta"), unit=Unit.LOGITS,
        meaning=gettext_noop("Median over people; tenths and the largest are in the details."),
    ),
    of_people(
        "person.reliability", label=gettext_noop(
            "Share of the variance of single thetas that is due to people"
        ),
        unit=Unit.SHARE,
        meaning=gettext_noop("tau² / (tau² + the median of the squared standard errors of single people)."),
    ),
    of_people(
        "person.effective_length", label=gettext_noop("Answers a person's theta effectively rests on"),
        unit=Unit.MEAN_COUNT,
        meaning=gettext_noop("Median over people; tenths and the largest are in the details."),
    ),
    of_people(
        "person.swing", label=gettext_noop("Change of a person's theta if one score goes from 0 to 1"),
        unit=Unit.LOGITS,
        meaning=gettext_noop("Median over answers; tenths and the largest are in the details."),
    ),
)  # fmt: skip
ERRORS = tuple(
    thetas(
        "uncertainty.", Block.UNCERTAINTY,
        gettext_noop(
            "Ability of Average with the standard error that the subset names, its interval and target."
        ),
        groups=(AVERAGE,), subsets=("se.ERROR",),
    )
)  # fmt: skip
DESIGN = Entry(
    "design.batches", Block.UNCERTAINTY, gettext_noop("batches"), Unit.COUNT,
    gettext_noop("Batches of the study; the details say whether every prompt is in one of them only."),
    needs=(Need.ITEMS,),
)  # fmt: skip
component = partial(
    Entry, block=Block.UNCERTAINTY, unit=Unit.LOGITS, groups=(AVERAGE,), needs=(Need.ITEMS,),
    meaning=gettext_noop("Variance component by moments, as a standard deviation."),
    on_logistic=OnLogistic.LEFT_OUT,
)  # fmt: skip
COMPONENTS = (
    component("mixed.sd_people", label=gettext_noop("Between people (SD of theta, t)")),
    component("mixed.sd_prompts", label=gettext_noop("Between prompts (SD of y, d)")),
    component("mixed.sd_answers", label=gettext_noop("Between answers (SD of y, s)")),
)
ENTRIES = (*THETAS, *COUNTS, *PEOPLE, DESIGN, *ERRORS, *COMPONENTS)
