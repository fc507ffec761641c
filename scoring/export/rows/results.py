"""Estimates, measures, and what they are compared with: items and models."""

from pydantic import Field, FiniteFloat, JsonValue

from scoring.export.rows.base import Group, Row, Run, Scope


class EstimateRow(Row):
    """One row per scoring run, scope, group and category, from the newest computation of the run. A part
    that is too few to be told has only its counts, and reason_pool says why. Where all scores are 1, or all
    0, an ability is absent and one end of its interval is there alone: it lies above ci_low, or below
    ci_high. expected = missing + unscored + pairs + unknown_items.
    """

    table = "estimates"

    run: Run
    scope: Scope
    group: Group
    category: str = Field(description="category; empty for all prompts together")
    participants: int = Field(
        description="people in the group; in a category those of them who answered in it"
    )
    theta_pool: FiniteFloat | None = Field(description="ability in logits, every answer its own observation")
    se_pool: FiniteFloat | None = Field(description="standard error of theta_pool that `interval` names")
    ci_low_pool: FiniteFloat | None = Field(
        description="lower end of its 95 % interval (t with Bell and McCaffrey's degrees of freedom)"
    )
    ci_high_pool: FiniteFloat | None = Field(description="upper end of its 95 % interval")
    reason_pool: str | None = Field(description="why theta_pool, or only its error and interval, is absent")
    interval: str | None = Field(
        description="error of theta_pool and theta_ql: `se.batch` or `se.twoway` (by people and prompts) for "
        "other people and prompts like these, over all prompts, and in a category of fewer than eight "
        "batches, never narrower than by people alone; "
        "`se.participant` for other people on these prompts"
    )
    clusters: int | None = Field(description="independent groups of answers that this error rests on")
    se_twoway: FiniteFloat | None = Field(
        description="second error of theta_pool, by people and prompts, where two to seven batches share none"
    )
    ci_low_twoway: FiniteFloat | None = Field(description="lower end of its 95 % interval")
    ci_high_twoway: FiniteFloat | None = Field(description="upper end of its 95 % interval")
    theta_ql: FiniteFloat | None = Field(description="theta_QL, ability in logits on a scale of its own")
    se_ql: FiniteFloat | None = Field(description="standard error of theta_ql that `interval` names")
    ci_low_ql: FiniteFloat | None = Field(description="lower end of the 95 % interval of theta_ql")
    ci_high_ql: FiniteFloat | None = Field(description="upper end of the 95 % interval of theta_ql")
    reason_ql: str | None = Field(description="why theta_ql, or only its error and interval, is absent")
    theta: FiniteFloat | None = Field(
        description="as published: from the mean score of each prompt, in logits"
    )
    se: FiniteFloat | None = Field(
        description="as published: analytic error of theta, all answers taken as independent; none of Top"
    )
    ci_low: FiniteFloat | None = Field(description="as published: lower end of the 95 % interval of theta")
    ci_high: FiniteFloat | None = Field(description="as published: upper end of the 95 % interval of theta")
    batches: int = Field(description="batches that the pairs are of")
    pairs: int = Field(
        description="scored answers to prompts of the item bank; without an item bank, all scored ones"
    )
    prompts: int = Field(description="distinct prompts among the pairs")
    responses_per_prompt: FiniteFloat | None = Field(description="pairs / prompts")
    raw_mean: FiniteFloat | None = Field(description="mean score of the pairs")
    coverage: FiniteFloat | None = Field(
        description="prompts / items of the item bank (without one: the study's prompts) in the category"
    )
    expected: int = Field(description="participants times the prompts of their batches")
    missing: int = Field(
        description="expected answers that are not there: blank, skipped, not reached, not submitted"
    )
    unscored: int = Field(description="answers that are there and have no score")
    unknown_items: int = Field(
        description="scored answers to prompts the item bank does not hold; 0 without an item bank"
    )


class TaskRow(Row):
    """One row per scoring run, scope, group and task of a task benchmark."""

    table = "task_accuracies"

    run: Run
    scope: Scope
    group: Group
    task: str = Field(description="task of the benchmark")
    responses: int = Field(description="scored answers")
    accuracy: FiniteFloat | None = Field(
        description="accuracy in percent; absent if nothing, or too little, is scored"
    )
    best_published: str | None = Field(
        description="configuration with the highest published accuracy on the whole task; absent if no table "
        "of models has the task"
    )
    best_published_accuracy: FiniteFloat | None = Field(description="that accuracy in percent")


class MetricRow(Row):
    """One row per scoring run, scope, group and metric of a task benchmark."""

    table = "metrics"

    run: Run
    scope: Scope
    group: Group
    name: str = Field(description="`macro`, `micro` or `adjusted_harmonic_mean`")
    value: FiniteFloat | None = Field(description="value in percent; absent if it cannot be computed")


class ItemRow(Row):
    """One row per item of the study's item bank, in its order, without items of private prompts. Of a
    bank that was calibrated from a table of models by tasks, items are tasks.
    """

    table = "items"

    prompt_id: str = Field(description="id of the item's prompt; of such a bank the name of the task")
    label: str | None = Field(description="short label of the prompt; absent where the study's bank has none")
    a: FiniteFloat = Field(description="discrimination")
    b: FiniteFloat = Field(description="difficulty, in logits")


class ModelRow(Row):
    """One row per test configuration of a model that is imported for the study's item bank: with scores
    in `model_scores`, or with only what somebody published.
    """

    table = "models"

    model: str = Field(description="name of the configuration")
    family: str = Field(description="family of models it belongs to; empty if none was named")
    source: str = Field(description="where its results come from")
    judge: str = Field(description="model that scored its responses; empty if none was named")
    published_theta: FiniteFloat | None = Field(description="theta as published; absent where it has scores")
    published_se: FiniteFloat | None = Field(description="its published standard error; absent likewise")
    epochs: int | None = Field(description="responses per prompt that the published theta rests on")
    sha256: str = Field(description="hash of the file it was imported from")


class ModelScoreRow(Row):
    """One row per model, item of the table `items` or public prompt of the study's batches, and epoch. A
    table of models by tasks is here as accuracies, which are scores of epoch 1.
    """

    table = "model_scores"

    model: str = Field(description="name of the configuration")
    prompt_id: str = Field(description="id of the prompt, or the name of the task")
    label: str | None = Field(description="short label of the prompt; absent where the study's bank has none")
    epoch: int = Field(description="number of the response")
    score: FiniteFloat | None = Field(description="score in [0, 1]; absent if missing, never zero")


class MeasurementRow(Row):
    """One row per scoring run, scope, block, name, group and subset, from the measurement of the run's
    newest results. What a name stands for is said at the end. Rows about one private prompt are left out,
    and so are rows about one person who withdrew; where there are two scopes, those about one person or
    prompt are of the scope `public`.
    """

    table = "measures"

    run: Run
    scope: Scope
    block: str = Field(description="what was measured together, such as `top` or `missing`")
    name: str = Field(description="name of the estimator or statistic, such as `top.crossfit5`")
    group: str | None = Field(
        description="`average`, or `top` (in-sample: selected on the outcome); absent where it is of no group"
    )
    subset: str | None = Field(description="part of the data, such as `category:QR`; absent for all of it")
    participant: str | None = Field(description="code of the person it is about; absent for an aggregate")
    prompt_id: str | None = Field(description="prompt it is about; absent for an aggregate")
    label: str | None = Field(description="short label of the prompt; absent likewise")
    value: FiniteFloat | None = Field(description="the number; absent if it cannot be computed")
    se: FiniteFloat | None = Field(description="its standard error; absent if it has none")
    low: FiniteFloat | None = Field(
        description="lower end of its 95 % interval; absent likewise; without a value what it lies above"
    )
    high: FiniteFloat | None = Field(
        description="upper end of its 95 % interval; absent likewise; without a value what it lies below"
    )
    reason: str | None = Field(description="why the value, or only its interval, is absent")
    n: int | None = Field(description="observations it rests on; absent where that has no meaning")
    people: int | None = Field(description="people it rests on; absent likewise")
    prompts: int | None = Field(description="prompts it rests on; absent likewise")
    clusters: int | None = Field(description="independent groups of observations its interval rests on")
    details: dict[str, JsonValue] = Field(description="further facts by name")
