"""Models beside the cohort, and benchmarks with tasks."""

from functools import partial

from formats.wording import gettext_noop
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, Entry, Need, OnLogistic, Unit, thetas

BESIDE = (Need.ITEMS, Need.MODELS)
OF_MODEL = ("model:NAME",)
of_model = partial(Entry, block=Block.MODELS, subsets=OF_MODEL)
THETAS = tuple(
    thetas(
        "models.", Block.MODELS,
        gettext_noop(
            "Ability of the group, or of a model on the group's prompts at the same number of responses."
        ),
        groups=("", *GROUPS), subsets=("", *OF_MODEL), needs=BESIDE,
    )
)  # fmt: skip
PAIRED = gettext_noop("Cohort minus model, paired on the prompts that both have scores on.")
MODELS = (
    of_model(
        "theta.epochs", label=gettext_noop("theta over epochs"), unit=Unit.LOGITS, needs=BESIDE,
        meaning=gettext_noop("The model as leaderboards report it: the logit of the mean over all epochs."),
        on_logistic=OnLogistic.EMPTY,
    ),
    *THETAS,
    of_model(
        "difference.pool", label=gettext_noop("Cohort − model, theta.pool"), unit=Unit.LOGITS, groups=GROUPS,
        meaning=PAIRED, needs=BESIDE, on_logistic=OnLogistic.EMPTY,
    ),
    of_model(
        "difference.ql", label=gettext_noop("Cohort − model, theta_QL"), unit=Unit.QL, groups=GROUPS,
        meaning=PAIRED, needs=BESIDE,
    ),
    of_model(
        "difference.prompt", label=gettext_noop("Cohort − model, theta.prompt"), unit=Unit.LOGITS,
        groups=GROUPS, meaning=PAIRED, needs=BESIDE, on_logistic=OnLogistic.EMPTY,
    ),
    of_model(
        "theta.published", label=gettext_noop(
            "theta as published"
        ), unit=Unit.LOGITS, needs=(Need.PUBLISHED,),
        meaning=gettext_noop(
            "The theta of a model of which nothing else is known, on its publisher's scale."
        ),
    ),
    of_model(
        "theta.modelled_k1", label=gettext_noop("theta for single responses, modelled"), unit=Unit.LOGITS,
        needs=(Need.ITEMS, Need.PUBLISHED), on_logistic=OnLogistic.EMPTY,
        meaning=gettext_noop(
            "What the published theta would be for single responses; low and high are a range over ways of "
            "responding, no error."
        ),
    ),
    of_model(
        "difference.modelled", label=gettext_noop("Cohort − model, modelled"), unit=Unit.LOGITS,
        groups=(AVERAGE,), needs=(Need.ITEMS, Need.PUBLISHED), on_logistic=OnLogistic.EMPTY,
        meaning=gettext_noop("Cohort minus that band, with the errors of both; it has no verdict."),
    ),
)  # fmt: skip

on_tasks = partial(Entry, block=Block.BENCHMARK, needs=(Need.TASKS,), unit=Unit.PERCENT)
TABLE = (Need.TASKS, Need.TASK_TABLE)
OF_TASK, WITH_TASKS = ("task:NAME",), ("", "task:NAME")
FEWER = gettext_noop(
    "A model of the table at as many answers per task as the cohort gave: mean and 95 % range of draws. The "
    "details have its value on all questions."
)
MATCHED = gettext_noop("Ability on an item bank whose items are the tasks.")
BENCHMARK = (
    on_tasks(
        "task.accuracy.corrected", label=gettext_noop("Corrected for chance (%)"), groups=GROUPS,
        subsets=OF_TASK, meaning=gettext_noop("(accuracy − guessing) / (1 − guessing)."),
    ),
    on_tasks(
        "benchmark.macro.bbh23", label=gettext_noop("Macro over BBH's 23 tasks"), groups=GROUPS,
        needs=(Need.TASKS, Need.BBH),
        meaning=gettext_noop("The same where variants of one task are averaged first."),
    ),
    on_tasks(
        "benchmark.micro.questions", label=gettext_noop("Micro with the benchmark's questions per task"),
        groups=GROUPS, needs=(Need.TASKS, Need.BBEH),
        meaning=gettext_noop("Mean of the tasks' accuracies, weighted by the benchmark's questions."),
    ),
    on_tasks(
        "benchmark.harmonic", label=gettext_noop("Adjusted harmonic mean (1 to 101)"), unit=Unit.HARMONIC,
        groups=GROUPS, needs=(Need.TASKS, Need.BBEH),
        meaning=gettext_noop("Number of tasks / sum of 1 / (percent + 1), the 1 not subtracted."),
    ),
    on_tasks(
        "benchmark.macro.corrected", label=gettext_noop("Macro, corrected for chance"), groups=GROUPS,
        meaning=gettext_noop("Mean of the tasks' accuracies that are corrected for guessing."),
    ),
    on_tasks(
        "theta.task", label="theta", unit=Unit.LOGITS, groups=GROUPS, needs=TABLE, meaning=MATCHED,
        on_logistic=OnLogistic.EMPTY,
    ),
    on_tasks(
        "theta.task.ql", label="theta_QL", unit=Unit.QL, groups=GROUPS, needs=TABLE, meaning=MATCHED,
    ),
    on_tasks(
        "benchmark.macro.model", label=gettext_noop(
            "Macro (%)"
        ), subsets=OF_MODEL, needs=TABLE, meaning=FEWER,
    ),
    on_tasks(
        "benchmark.harmonic.model", label=gettext_noop("Harmonic mean"), unit=Unit.HARMONIC, subsets=OF_MODEL,
        needs=(*TABLE, Need.BBEH), meaning=FEWER,
    ),
    on_tasks(
        "theta.task.model", label="theta", unit=Unit.LOGITS, subsets=OF_MODEL, needs=TABLE, meaning=FEWER,
        on_logistic=OnLogistic.EMPTY,
    ),
    on_tasks(
        "theta.task.ql.model", label="theta_QL", unit=Unit.QL, subsets=OF_MODEL, needs=TABLE, meaning=FEWER,
    ),
    on_tasks(
        "human.average", label=gettext_noop("Average rater (%)"), subsets=WITH_TASKS,
        meaning=gettext_noop("Mean over people of their own accuracy; over tasks the mean of these."),
    ),
    on_tasks(
        "human.max", label=gettext_noop("Best rater (in-sample) (%)"), subsets=WITH_TASKS,
        meaning=gettext_noop("The highest accuracy of one person; over tasks it mixes different people."),
    ),
    on_tasks(
        "human.max.equal", label=gettext_noop("Best of equals (%)"), subsets=WITH_TASKS,
        meaning=gettext_noop("The highest accuracy to be expected if all raters were equally good."),
    ),
    on_tasks(
        "human.top_crossfit", label=gettext_noop("Best people, cross-fitted"),
        meaning=gettext_noop("Accuracy of the best people on answers that did not choose them."),
    ),
)  # fmt: skip
ENTRIES = (*MODELS, *BENCHMARK)
