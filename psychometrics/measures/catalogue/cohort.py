"""Average and Top, how much people differ, and how sure theta is."""

from functools import partial

from formats.wording import gettext_noop
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, Entry, Need, OnLogistic, Unit, thetas

PROMPT = Entry(
    "theta.prompt", Block.COHORT, "theta.prompt", Unit.LOGITS,
    gettext_noop("mean score of each prompt, then the logit, as models get over epochs"), GROUPS,
    needs=(Need.ITEMS,), on_logistic=OnLogistic.EMPTY,
)  # fmt: skip
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
ENTRIES = (PROMPT, *PEOPLE, DESIGN, *ERRORS, *COMPONENTS)
