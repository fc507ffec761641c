"""Models beside the cohort, and benchmarks with tasks."""

from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import (
    AVERAGE,
    GROUPS,
    PLAIN_CODES,
    Entry,
    Need,
    OnLogistic,
    Unit,
    thetas,
)

BESIDE = (Need.ITEMS, Need.MODELS)
OF_MODEL = ("model:NAME",)
OF_CATEGORY = ("category:NAME;model:NAME",)
of_model = partial(Entry, block=Block.MODELS, subsets=OF_MODEL)
difference = partial(of_model, groups=GROUPS, needs=BESIDE)
of_category = partial(of_model, groups=(AVERAGE,), subsets=OF_CATEGORY, needs=BESIDE, page=False)
IN_CATEGORY = _(
    "A model on the questions of one category that people answered, each as often as they answered it; "
    "single responses."
)
PAIRED = _("People minus model, paired on the questions that both have scores on.")
MODELS = (
    of_model(
        "theta.epochs", _("theta over epochs"), Unit.LOGITS,
        _("The model as leaderboards report it: the logit of the mean over all epochs."), needs=BESIDE,
        on_logistic=OnLogistic.EMPTY, plain_label=_("ability over epochs"),
    ),
    *thetas(
        "models.", Block.MODELS,
        _("Ability of the group, or of a model on the group's questions at the same number of responses."),
        groups=("", *GROUPS), subsets=("", *OF_MODEL), needs=BESIDE,
    ),
    difference(
        "difference.pool", _("Cohort − model, theta.pool"), Unit.LOGITS, PAIRED, on_logistic=OnLogistic.EMPTY,
        plain_label=_("People − model, ability"),
    ),
    difference(
        "difference.ql", _("Cohort − model, theta_QL"), Unit.QL, PAIRED,
        plain_label=_("People − model, ability on the QL scale"),
    ),
    difference(
        "difference.prompt", _("Cohort − model, theta.prompt"), Unit.LOGITS, PAIRED,
        on_logistic=OnLogistic.EMPTY, plain_label=_("People − model, ability by question means"),
    ),
    of_category(
        "models.category.theta.pool", _("A model in a category, theta.pool"), Unit.LOGITS, IN_CATEGORY,
        on_logistic=OnLogistic.EMPTY, plain_label=_("A model in a category, ability"),
    ),
    of_category(
        "models.category.theta.ql", _("A model in a category, theta_QL"), Unit.QL, IN_CATEGORY,
        plain_label=_("A model in a category, ability on the QL scale"),
    ),
    of_category("models.category.raw_mean", _("A model in a category, mean score"), Unit.SCORE, IN_CATEGORY),
    of_model(
        "theta.published", _("theta as published"), Unit.LOGITS,
        _("The ability of a model of which nothing else is known, on its publisher's scale."),
        needs=(Need.PUBLISHED,), plain_label=_("ability as published"),
    ),
    of_model(
        "theta.modelled_k1", _("theta for single responses, modelled"), Unit.LOGITS,
        _(
            "What the published ability would be for single responses; low and high are a range over ways "
            "of responding, no error."
        ),
        needs=(Need.ITEMS, Need.PUBLISHED), on_logistic=OnLogistic.EMPTY,
        plain_label=_("ability for single responses, modelled"),
    ),
    of_model(
        "difference.modelled", _("Cohort − model, modelled"), Unit.LOGITS,
        _("People minus that band, with the errors of both; it has no verdict."), groups=(AVERAGE,),
        needs=(Need.ITEMS, Need.PUBLISHED), on_logistic=OnLogistic.EMPTY,
        plain_label=_("People − model, modelled"),
    ),
)  # fmt: skip

on_tasks = partial(Entry, block=Block.BENCHMARK, needs=(Need.TASKS,))
TABLE = (Need.TASKS, Need.TASK_TABLE)
OF_TASK, WITH_TASKS = ("task:NAME",), ("", "task:NAME")
FEWER = _(
    "A model of the table at as many answers per task as the people gave: mean and 95 % range of draws. "
    "The details have its value on all questions."
)
MATCHED = _("Ability on an item bank whose items are the tasks.")
BENCHMARK = (
    on_tasks(
        "task.accuracy.corrected", _("Corrected for chance (%)"), Unit.PERCENT,
        _("(accuracy − guessing) / (1 − guessing)."), groups=GROUPS, subsets=OF_TASK,
    ),
    on_tasks(
        "benchmark.macro.bbh23", _("Macro over BBH's 23 tasks"), Unit.PERCENT,
        _("The same where variants of one task are averaged first."), groups=GROUPS,
        needs=(Need.TASKS, Need.BBH),
    ),
    on_tasks(
        "benchmark.micro.questions", _("Micro with the benchmark's questions per task"), Unit.PERCENT,
        _("Mean of the tasks' accuracies, weighted by the benchmark's questions."), groups=GROUPS,
        needs=(Need.TASKS, Need.BBEH),
    ),
    on_tasks(
        "benchmark.harmonic", _("Adjusted harmonic mean (1 to 101)"), Unit.HARMONIC,
        _("Number of tasks / sum of 1 / (percent + 1), the 1 not subtracted."), groups=GROUPS,
        needs=(Need.TASKS, Need.BBEH),
    ),
    on_tasks(
        "benchmark.macro.corrected", _("Macro, corrected for chance"), Unit.PERCENT,
        _("Mean of the tasks' accuracies that are corrected for guessing."), groups=GROUPS,
    ),
    on_tasks(
        "theta.task", "theta", Unit.LOGITS, MATCHED, groups=GROUPS, needs=TABLE, on_logistic=OnLogistic.EMPTY,
        plain_label=PLAIN_CODES["theta.pool"],
    ),
    on_tasks(
        "theta.task.ql", "theta_QL", Unit.QL, MATCHED, groups=GROUPS, needs=TABLE,
        plain_label=PLAIN_CODES["theta.ql"],
    ),
    on_tasks("benchmark.macro.model", _("Macro (%)"), Unit.PERCENT, FEWER, subsets=OF_MODEL, needs=TABLE),
    on_tasks(
        "benchmark.harmonic.model", _("Harmonic mean"), Unit.HARMONIC, FEWER, subsets=OF_MODEL,
        needs=(*TABLE, Need.BBEH),
    ),
    on_tasks(
        "theta.task.model", "theta", Unit.LOGITS, FEWER, subsets=OF_MODEL, needs=TABLE,
        on_logistic=OnLogistic.EMPTY, plain_label=PLAIN_CODES["theta.pool"],
    ),
    on_tasks(
        "theta.task.ql.model", "theta_QL", Unit.QL, FEWER, subsets=OF_MODEL, needs=TABLE,
        plain_label=PLAIN_CODES["theta.ql"],
    ),
    on_tasks(
        "human.average", _("Average rater (%)"), Unit.PERCENT,
        _("Mean over people of their own accuracy; over tasks the mean of these."), subsets=WITH_TASKS,
    ),
    on_tasks(
        "human.max", _("Best rater (in-sample) (%)"), Unit.PERCENT,
        _("The highest accuracy of one person; over tasks it mixes different people."), subsets=WITH_TASKS,
        plain_label=_("Best rater (picked by these same scores) (%)"),
    ),
    on_tasks(
        "human.max.equal", _("Best of equals (%)"), Unit.PERCENT,
        _("The highest accuracy to be expected if all raters were equally good."), subsets=WITH_TASKS,
    ),
    on_tasks(
        "human.top_crossfit", _("Best people, cross-fitted"), Unit.PERCENT,
        _("Accuracy of the best people on answers that did not choose them."),
    ),
)  # fmt: skip
ENTRIES = (*MODELS, *BENCHMARK)
