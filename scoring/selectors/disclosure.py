"""What of the numbers of a study may leave the site (`psychometrics.measures.disclosure`)."""

from collections.abc import Callable, Iterable
from functools import partial

from psychometrics.inference.measure import Block, Measure, Scope
from psychometrics.measures.disclosure import disclosure_of
from scoring.models import ResultSet
from scoring.selectors.scopes import study_scopes
from studies.models import Prompt

Rule = Callable[[Block, Scope], Callable[[Measure], bool]]


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
