"""Which scope's numbers stand first, wherever a study's results are told: one answer for every surface."""

from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.headlines import LEADING, Lead, lead_of
from scoring.models import ResultGroup, ResultSet


def results_lead(results: ResultSet) -> Lead:
    """Of these results, as the study's protocol names it and what is stored of them allows."""
    wanted = Scope(results.run.study.protocol.headline_scope)
    if getattr(results, "has_public_scope", None) is False:  # of those that `newest_study_results` gave
        return lead_of(wanted, ())
    names = (*LEADING, "answers.expected")
    rows = results.measures.filter(block=Block.RESULTS, group=ResultGroup.AVERAGE, subset="", name__in=names)
    return lead_of(wanted, rows.values("scope", "name", "value", "may_leave"))


def scopes_in_order(results: ResultSet) -> list[Scope]:
    """Both scopes, the one that leads first."""
    leading = results_lead(results).scope or Scope.PUBLIC
    return sorted(Scope, key=lambda scope: scope != leading)
