"""How far judges agree, with each other and with people."""

from pydantic import Field, FiniteFloat

from scoring.export.rows.base import Code, Label, PromptId, Row, Run, Scope


class AgreementRow(Row):
    """One row per scope, pair of scoring runs, level and statistic, as newest computed; and
    Krippendorff's alpha of all judges at once. Differences are y - x. Where private prompts were asked,
    all rows are of scope `public`. Statistics are named as in `docs/scoring.md`.
    """

    table = "agreement"

    scope: Scope
    x_run: int | None = Field(
        description="number of the first judge's scoring run in the manifest; absent for all judges at once"
    )
    y_run: int | None = Field(description="number of the second judge's scoring run; absent likewise")
    runs: list[int] = Field(description="numbers of all the runs that are compared")
    level: str = Field(
        description="`criterion` (rubric criteria), `answer`, `people` (each person's mean score), or of "
        "theta `average` and `top` (in-sample: selected on the outcome)"
    )
    statistic: str = Field(
        description="such as `pearson`, `kappa` or `offset`; of `people` also `theta_order` (Spearman's rho "
        "of single people's thetas); of a group `theta_change` and `theta_change.ql` on the same answers, "
        "`theta_moved` (each judge's own, in errors under the first) and, under the one judge in `runs`, "
        "`people`, `theta.prompt`, `theta.pool` and `theta.ql`"
    )
    value: FiniteFloat | None = Field(description="the statistic; absent if it cannot be computed")
    se: FiniteFloat | None = Field(description="its standard error; absent if there is none")
    low: FiniteFloat | None = Field(description="lower end of its 95 % interval; absent if there is none")
    high: FiniteFloat | None = Field(description="upper end of its 95 % interval; absent likewise")
    n: int = Field(description="what was compared: pairs, or what at least two of all judges scored")
    clusters: int = Field(description="independent groups of scores that the interval rests on")
    seed: int | None = Field(default=None, description="of the draws its interval rests on; absent if none")
    resamples: int | None = Field(default=None, description="number of these draws; absent likewise")
    reason: str | None = Field(description="why the value, or only its interval, is absent")


class AuditRow(Row):
    """One row per judge and verdict drawn for people to judge again: of public prompts only, and only
    what counts, as in `scores`. A verdict that is weighted by 1 / inclusion_probability stands for all of
    its stratum (where private prompts were asked, for those on public prompts).
    """

    table = "audit"

    sample: int = Field(description="number of the audit sample within the study, from 1")
    item: int = Field(description="number of the verdict in the sample")
    run: Run
    participant: Code
    prompt_id: PromptId
    label: Label
    criterion: int | None = Field(
        description="place of the criterion in the rubric, from 1; absent for an exact answer"
    )
    stratum: str = Field(
        description="band of the first judge's score (`none`, `low`, `high`, `full`) and how it stands: "
        "other judges `agree`, are `near` or `differ`; without another judge it is `sure` or `unsure`"
    )
    inclusion_probability: FiniteFloat = Field(
        description="probability with which the verdict was drawn: the part drawn of its stratum, where "
        "private prompts were asked of the verdicts on public ones"
    )
    judge_score: FiniteFloat | None = Field(description="score of this run's judge; absent if it gave none")
    human_score: FiniteFloat | None = Field(description="score of the rater; absent if not rated")
    rater: int | None = Field(description="number of the rater within this export; absent if not rated")


class AuditResultRow(Row):
    """One row per scope, audit sample, judge and statistic, computed when the export was made.
    Differences are judge - people. Where private prompts were asked, all rows are of scope `public`: of
    the verdicts on public prompts. The manifest's `audits` say how many each stratum had and how many of
    them were drawn.
    """

    table = "audit_results"

    scope: Scope
    sample: int = Field(description="number of the audit sample within the study, from 1")
    run: Run
    of: str = Field(description="`all` (weighted to all verdicts) or `sample` (as they were drawn)")
    statistic: str = Field(
        description="such as `kappa` or `offset`; `drawn`, `rated` and `raters` count verdicts and people"
    )
    value: FiniteFloat | None = Field(description="the statistic; absent if it cannot be computed")
    se: FiniteFloat | None = Field(default=None, description="its standard error; absent if it has none")
    low: FiniteFloat | None = Field(
        default=None, description="lower end of its 95 % interval; absent if there is none"
    )
    high: FiniteFloat | None = Field(default=None, description="upper end of its 95 % interval; likewise")
    n: int | None = Field(default=None, description="pairs of scores; absent for counts")
    clusters: int | None = Field(default=None, description="answers that the interval in the sample rests on")
    reason: str | None = Field(default=None, description="why the value, or only its interval, is absent")
