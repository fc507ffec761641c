"""Over which answers a study has numbers, and which of them may leave the site
(`psychometrics.measures.disclosure`).
"""

from collections.abc import Callable, Iterable
from functools import partial

from psychometrics.data.cohort import PUBLIC
from psychometrics.inference.measure import Block, Measure, Scope
from psychometrics.measures.disclosure import disclosure_of
from scoring.models import ResultSet
from scoring.selectors.bank_items import study_prompts
from studies.models import Prompt, Study

Rule = Callable[[Block, Scope], Callable[[Measure], bool]]


def study_scopes(study: Study) -> tuple[Scope, ...]:
    """All answers and, where its batches hold private prompts, those to public ones: a report's."""
    private = study_prompts(study).exclude(split=PUBLIC)
    return (Scope.ALL, Scope.PUBLIC) if private.exists() else (Scope.ALL,)


def scope_to_leave(study: Study) -> Scope:
    """The only one in which agreement of judges, audits and what is by task leave the site.

    Beside the public scope, which people can compute again from the tables, the other would tell of private
    prompts by the difference.
    """
    return study_scopes(study)[-1]


def results_disclosure(results: ResultSet, headlines: Iterable[Measure]) -> Rule:
    """For a block and a scope of these results, which measures may leave.

    `headlines` are those over all answers.
    """
    study = results.run.study
    public = Prompt.objects.filter(version=study.bank_version, split="public").values_list(
        "prompt_id", flat=True
    )
    split = Scope.PUBLIC in study_scopes(study)
    rule = disclosure_of(headlines, split=split, public=public)
    return lambda block, scope: partial(rule.may_leave, block, scope)
