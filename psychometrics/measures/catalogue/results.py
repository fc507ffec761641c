"""Average and Top, the numbers that stand first: over everything, by category, by task."""

from functools import partial

from formats.wording import gettext_noop
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import GROUPS, Entry, Need, OnLogistic, Unit

PARTS = ("", "category:NAME")
of_group = partial(Entry, block=Block.RESULTS, groups=GROUPS, subsets=PARTS)
on_scale = partial(of_group, needs=(Need.ITEMS,))
THETAS = (
    on_scale(
        "theta.pool", label="theta.pool", unit=Unit.LOGITS, terminal=True, on_logistic=OnLogistic.EMPTY,
        meaning=gettext_noop("every answer by itself, as one epoch of a model"),
    ),
    on_scale(
        "theta.pool.twoway", label=gettext_noop("theta.pool by people and prompts"), unit=Unit.LOGITS,
        terminal=True, on_logistic=OnLogistic.LEFT_OUT,
        meaning=gettext_noop(
            "theta.pool with a second interval, where fewer than eight batches share no prompt."
        ),
    ),
    on_scale(
        "theta.ql", label="theta_QL", unit=Unit.QL, terminal=True,
        meaning=gettext_noop("quasi-likelihood: the same for any number of answers per prompt; own scale"),
    ),
    on_scale(
        "theta.prompt.analytic", label=gettext_noop("theta as published"), unit=Unit.LOGITS, terminal=True,
        on_logistic=OnLogistic.EMPTY,
        meaning=gettext_noop("theta.prompt, as published; takes all answers as independent"),
    ),
)  # fmt: skip
count = partial(of_group, unit=Unit.COUNT)
COUNTS = (
    count(
        "participants", label=gettext_noop("participants"), terminal=True,
        meaning=gettext_noop("People of the group; in a category those of them who answered in it."),
    ),
    count(
        "people", label=gettext_noop("people"), page=False,
        meaning=gettext_noop("People of the group with a scored answer."),
    ),
    count(
        "prompts", label=gettext_noop("prompts"), terminal=True,
        meaning=gettext_noop("Prompts that somebody of the group has a scored answer to."),
    ),
    count(
        "pairs", label=gettext_noop("scored answers"), terminal=True,
        meaning=gettext_noop(
            "Scored answers of the group: to prompts with item parameters, where any prompt has them."
        ),
    ),
    count(
        "batches", label=gettext_noop("batches"), page=False,
        meaning=gettext_noop("Batches that the scored answers to prompts with item parameters are of."),
    ),
    count(
        "answers.expected", label=gettext_noop("expected answers"), terminal=True,
        meaning=gettext_noop("People times the prompts of their batches."),
    ),
    count(
        "answers.missing", label=gettext_noop("missing answers"), terminal=True,
        meaning=gettext_noop(
            "Expected answers that are not there: blank, skipped, not reached, not submitted."
        ),
    ),
    count(
        "answers.unscored", label=gettext_noop("unscored answers"), terminal=True,
        meaning=gettext_noop("Answers that are there and have no score."),
    ),
    count(
        "answers.unknown_items", label=gettext_noop("answers off the item bank"), terminal=True,
        meaning=gettext_noop("Scored answers to prompts that the item bank does not hold."),
    ),
    count(
        "private.prompts", label=gettext_noop("private prompts"), page=False,
        meaning=gettext_noop("Prompts of a private split among those of the scored answers."),
    ),
    count(
        "private.scored", label=gettext_noop("private prompts with a score"), page=False,
        meaning=gettext_noop("The same, prompts that the item bank lacks included."),
    ),
    of_group(
        "k_bar", label=gettext_noop("answers per prompt"), unit=Unit.MEAN_COUNT, terminal=True,
        meaning=gettext_noop("Scored answers of the group to a prompt, on average."),
    ),
    of_group(
        "coverage", label=gettext_noop("coverage"), unit=Unit.SHARE, terminal=True,
        meaning=gettext_noop(
            "Prompts with a scored answer, as a share of the bank's items or, without one, of all prompts."
        ),
    ),
    of_group(
        "raw_mean", label=gettext_noop("mean score"), unit=Unit.SCORE, terminal=True,
        meaning=gettext_noop("Mean score of the group, with an interval by people."),
    ),
)  # fmt: skip
of_tasks = partial(
    Entry, block=Block.RESULTS, unit=Unit.PERCENT, groups=GROUPS, needs=(Need.TASKS,), terminal=True
)
TASKS = (
    of_tasks(
        "task.accuracy", label=gettext_noop("Accuracy (%)"), subsets=("task:NAME", "task:"),
        meaning=gettext_noop("Share of right answers to a task's questions, with an interval by people."),
    ),
    of_tasks(
        "benchmark.macro", label=gettext_noop("Macro: mean over tasks"),
        meaning=gettext_noop("Mean of the tasks' accuracies."),
    ),
    of_tasks(
        "benchmark.micro", label=gettext_noop("Micro: mean over answers"),
        meaning=gettext_noop("Share of right answers over all tasks."),
    ),
    of_tasks(
        "benchmark.harmonic.published", label=gettext_noop("Adjusted harmonic mean as published"),
        unit=Unit.HARMONIC, needs=(Need.TASKS, Need.BBEH),
        meaning=gettext_noop(
            "Number of tasks / sum of 1 / (percent + 1), however few questions a task has; shown where they "
            "are enough."
        ),
    ),
)  # fmt: skip
ENTRIES = (*THETAS, *COUNTS, *TASKS)
