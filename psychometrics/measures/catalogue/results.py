"""Average and Top, the numbers that stand first: over everything, by category, by task."""

from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import GROUPS, PLAIN_CODES, Entry, Need, OnLogistic, Unit

PARTS = ("", "category:NAME")
of_group = partial(Entry, block=Block.RESULTS, groups=GROUPS, subsets=PARTS)
on_scale = partial(of_group, needs=(Need.ITEMS,))
THETAS = (
    on_scale(
        "theta.pool", "theta.pool", Unit.LOGITS, _("every answer by itself, as one epoch of a model"),
        on_logistic=OnLogistic.EMPTY, terminal=True, plain_label=PLAIN_CODES["theta.pool"],
    ),
    on_scale(
        "theta.pool.twoway", _("theta.pool by people and prompts"), Unit.LOGITS,
        _(
            "Ability (theta.pool) with a second interval, where fewer than eight question sets share no "
            "question."
        ),
        on_logistic=OnLogistic.LEFT_OUT, terminal=True, plain_label=_("ability by people and questions"),
    ),
    on_scale(
        "theta.ql", "theta_QL", Unit.QL,
        _("quasi-likelihood: the same for any number of answers per question; own scale"), terminal=True,
        plain_label=PLAIN_CODES["theta.ql"],
    ),
    on_scale(
        "theta.prompt.analytic", _("theta as published"), Unit.LOGITS,
        _("ability by question means (theta.prompt), as published; takes all answers as independent"),
        on_logistic=OnLogistic.EMPTY, terminal=True, plain_label=_("ability as published"),
    ),
)  # fmt: skip
COUNTS = (
    of_group(
        "participants", _("participants"), Unit.COUNT,
        _("People of the group; in a category those of them who answered in it."), terminal=True,
    ),
    of_group("people", _("people"), Unit.COUNT, _("People of the group with a scored answer."), page=False),
    of_group(
        "prompts", _("prompts"), Unit.COUNT,
        _("Questions that somebody of the group has a scored answer to."),
        terminal=True, plain_label=_("questions"),
    ),
    of_group(
        "pairs", _("scored answers"), Unit.COUNT,
        _("Scored answers of the group: to questions with item parameters, where any question has them."),
        terminal=True,
    ),
    of_group(
        "batches", _("batches"), Unit.COUNT,
        _("Question sets that the scored answers to questions with item parameters are of."), page=False,
        plain_label=_("question sets"),
    ),
    of_group(
        "answers.expected", _("expected answers"), Unit.COUNT,
        _("People times the questions of their question sets."), terminal=True,
    ),
    of_group(
        "answers.missing", _("missing answers"), Unit.COUNT,
        _("Expected answers that are not there: blank, skipped, not reached, not submitted."), terminal=True,
    ),
    of_group(
        "answers.unscored", _("unscored answers"), Unit.COUNT, _("Answers that are there and have no score."),
        terminal=True, plain_label=_("answers the judge failed on"),
    ),
    of_group(
        "answers.unknown_items", _("answers off the item bank"), Unit.COUNT,
        _("Scored answers to questions that the item bank does not hold."), terminal=True,
    ),
    of_group(
        "private.prompts", _("private prompts"), Unit.COUNT,
        _("Questions of a private split among those of the scored answers."), page=False,
        plain_label=_("private questions"),
    ),
    of_group(
        "private.scored", _("private prompts with a score"), Unit.COUNT,
        _("The same, questions that the item bank lacks included."), page=False,
        plain_label=_("private questions with a score"),
    ),
    of_group(
        "k_bar", _("answers per prompt"), Unit.MEAN_COUNT,
        _("Scored answers of the group to a question, on average."), terminal=True,
        plain_label=_("answers per question"),
    ),
    of_group(
        "coverage", _("coverage"), Unit.SHARE,
        _(
            "Questions with a scored answer, as a share of the bank's items or, without one, of all "
            "questions."
        ),
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
