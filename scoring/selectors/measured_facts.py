"""What blocks of the measurement look at beside the cohort, read from the database."""

from psychometrics.data.cohort import Cohort
from psychometrics.inference.measure import Scope
from psychometrics.irt.bank import ItemBank as ItemArrays
from psychometrics.measures.inputs import (
    BenchmarkFacts,
    Facts,
    JudgeFacts,
    ModelFacts,
    OtherJudge,
    ScreeningFacts,
)
from scoring.models import ResultSet
from scoring.selectors.hidden_items import public_arrays
from scoring.selectors.judge_effects import (
    confidence_counts,
    current_scores,
    judge_names,
    other_runs,
    study_judge_names,
    unscored_reasons,
)
from scoring.selectors.leaderboards import leaderboard_of
from scoring.selectors.task_tables import guessing_rates, table_columns
from screening.selectors.exclusion_facts import decisions_by_rater, excluded_by_reason, exclusion_facts
from studies.models import Study


def measured_facts(
    results: ResultSet, everyone: Cohort, items: ItemArrays | None, scope: Scope = Scope.ALL
) -> Facts:
    """The facts of one scope. `items`: parameters of prompts; None where the study's items are tasks."""
    study, public_only = results.run.study, scope == Scope.PUBLIC
    return Facts(
        top_size=study.protocol.top_size,
        flow=results.flow,
        screening=screening_facts(study, everyone, public_only=public_only),
        judge=judge_facts(results, public_only=public_only),
        models=model_facts(study, items, public_only=public_only) if items else None,
        benchmark=benchmark_facts(study, public_only=public_only),
    )


def screening_facts(study: Study, everyone: Cohort, *, public_only: bool) -> ScreeningFacts:
    codes = [person.code for person in everyone.people]
    people = exclusion_facts(study, codes, public_only=public_only)
    return ScreeningFacts(people, excluded_by_reason(study), decisions_by_rater(study))


def judge_facts(results: ResultSet, *, public_only: bool) -> JudgeFacts:
    run, others = results.run, other_runs(results.run)
    return JudgeFacts(
        names=study_judge_names(run),
        confidences=confidence_counts(run, public_only=public_only),
        unscored=unscored_reasons(run, public_only=public_only),
        others=tuple(
            OtherJudge(name, other.pk, current_scores(other))
            for other, name in zip(others, judge_names(others), strict=True)
        ),
    )


def model_facts(study: Study, items: ItemArrays, *, public_only: bool) -> ModelFacts | None:
    bank = study.item_bank
    if bank is None:
        return None
    if public_only:
        items = public_arrays(study, items)
    return ModelFacts(bank.slug, items, leaderboard_of(bank, items))


def benchmark_facts(study: Study, *, public_only: bool) -> BenchmarkFacts | None:
    rules = study.protocol.match_rules
    if rules is None:
        return None
    return BenchmarkFacts(rules, tuple(table_columns(study)), guessing_rates(study, public_only=public_only))
