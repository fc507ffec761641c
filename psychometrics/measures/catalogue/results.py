"""Average and Top, the numbers that stand first: over everything, by category, by task."""

from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import GROUPS, Entry, Need, OnLogistic, Unit

PARTS = ("", "category:NAME")
of_group = partial(Entry, block=Block.RESULTS, groups=GROUPS, subsets=PARTS)
on_scale = partial(of_group, needs=(Need.ITEMS,))
THETAS = (
    on_scale(
        "theta.pool", "theta.pool", Unit.LOGITS, _("every answer by itself, as one epoch of a model"),
        on_logistic=OnLogistic.EMPTY, terminal=True,
    ),
    on_scale(
        "theta.pool.twoway", _("theta.pool by people and prompts"), Unit.LOGITS,
        _("theta.pool with a second interval, where fewer than eight batches share no prompt."),
        on_logistic=OnLogistic.LEFT_OUT, terminal=True,
    ),
    on_scale(
        "theta.ql", "theta_QL", Unit.QL,
        _("quasi-likelihood: the same for any number of answers per prompt; own scale"), terminal=True,
    ),
    on_scale(
        "theta.prompt.analytic", _("theta as published"), Unit.LOGITS,
        _("theta.prompt, as published; takes all answers as independent"), on_logistic=OnLogistic.EMPTY,
        terminal=True,
    ),
)  # fmt: skip
COUNTS = (
    of_group(
        "participants", _("participants"), Unit.COUNT,
        _("People of the group; in a category those of them who answered in it."), terminal=True,
    ),
    of_group("people", _("people"), Unit.COUNT, _("People of the group with a scored answer."), page=False),
    of_group(
        "prompts", _("prompts"), Unit.COUNT, _("Prompts that somebody of the group has a scored answer to."),
        terminal=True,
    ),
    of_group(
        "pairs", _("scored answers"), Unit.COUNT,
        _("Scored answers of the group: to prompts with item parameters, where any prompt has them."),
        terminal=True,
    ),
    of_group(
        "batches", _("batches"), Unit.COUNT,
        _("Batches that the scored answers to prompts with item parameters are of."), page=False,
    ),
    of_group(
        "answers.expected", _("expected answers"), Unit.COUNT,
        _("People times the prompts of their batches."), terminal=True,
    ),
    of_group(
        "answers.missing", _("missing answers"), Unit.COUNT,
        _("Expected answers that are not there: blank, skipped, not reached, not submitted."), terminal=True,
    ),
    of_group(
        "answers.unscored", _("unscored answers"), Unit.COUNT, _("Answers that are there and have no score."),
        terminal=True,
    ),
    of_group(
        "answers.unknown_items", _("answers off the item bank"), Unit.COUNT,
        _("Scored answers to prompts that the item bank does not hold."), terminal=True,
    ),
    of_group(
        "private.prompts", _("private prompts"), Unit.COUNT,
        _("Prompts of a private split among those of the scored answers."), page=False,
    ),
    of_group(
        "private.scored", _("private prompts with a score"), Unit.COUNT,
        _("The same, prompts that the item bank lacks included."), page=False,
    ),
    of_group(
        "k_bar", _("answers per prompt"), Unit.MEAN_COUNT,
        _("Scored answers of the group to a prompt, on average."), terminal=True,
    ),
    of_group(
        "coverage", _("coverage"), Unit.SHARE,
        _("Prompts with a scored answer, as a share of the bank's items or, without one, of all prompts."),
        terminal=True,
    ),
    of_group(
        "raw_mean", _("mean score"), Unit.SCORE, _("Mean score of the group, with an interval by people."),
        terminal=True,
    ),
)  # fmt: skip
of_tasks = partial(Entry, block=Block.RESULTS, groups=GROUPS, needs=(Need.TASKS,), terminal=True)
TASKS = (
    of_tasks(
        "task.accuracy", _("Accuracy (%)"), Unit.PERCENT,
        _("Share of right answers to a task's questions, with an interval by people."),
        subsets=("task:NAME", "task:"),
    ),
    of_tasks(
        "benchmark.macro", _("Macro: mean over tasks"), Unit.PERCENT, _("Mean of the tasks' accuracies."),
    ),
    of_tasks(
        "benchmark.micro", _("Micro: mean over answers"), Unit.PERCENT,
        _("Share of right answers over all tasks."),
    ),
    of_tasks(
        "benchmark.harmonic.published", _("Adjusted harmonic mean as published"), Unit.HARMONIC,
        _(
            "Number of tasks / sum of 1 / (percent + 1), however few questions a task has; shown where they "
            "are enough."
        ),
        needs=(Need.TASKS, Need.BBEH),
    ),
)  # fmt: skip
ENTRIES = (*THETAS, *COUNTS, *TASKS)
