"""Which answers a page's numbers rest on: those that lead, or, where both may be told, those chosen."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from presentation.scopes import LEADS, QUESTIONS
from psychometrics.inference.measure import Scope
from psychometrics.measures.headlines import Lead, LeadReason
from scoring.models import ResultSet
from scoring.selectors.headlines import results_lead
from scoring.selectors.runs import newest_study_results
from studies.models import Study

PARAMETER = "prompts"
NO_RESULTS = Lead(Scope.ALL, LeadReason.ONE_SCOPE)


@dataclass(frozen=True)
class ScopeShown:
    """The answers that numbers rest on, None where none may be told; and what leads on this page."""

    scope: Scope | None
    lead: Lead

    @property
    def context(self) -> dict[str, Any]:
        """What the templates need: the choice, why one leads, and the query that keeps the other in links."""
        is_lead = self.scope == self.lead.scope
        return {
            "choose_scope": self.lead.may_switch,
            "public_only": self.scope == Scope.PUBLIC,
            "lead_scope": self.lead.scope,
            "lead_sentence": LEADS[self.lead.why],
            "scope_query": "" if is_lead else f"?{PARAMETER}={self.scope}",
        }

    @property
    def words(self) -> str:
        """What a figure that is saved alone says; nothing where there are no private prompts."""
        return str(QUESTIONS[self.scope]) if self.lead.both_exist and self.scope else ""


def scope_asked(request: HttpRequest, lead: Lead) -> ScopeShown:
    """What leads, unless the address asks for the other and it may be told."""
    wanted = request.GET.get(PARAMETER)
    chosen = lead.may_switch and wanted in list(Scope)
    return ScopeShown(Scope(wanted) if chosen and wanted else lead.scope, lead)


def scope_of_results(request: HttpRequest, results: ResultSet | None) -> ScopeShown:
    """The same, of results."""
    return scope_asked(request, results_lead(results) if results else NO_RESULTS)


def scope_of_scores(request: HttpRequest, study: Study, *, choice: bool) -> ScopeShown:
    """The same of numbers about judges: `choice` is whether there are any of the public questions alone."""
    return scope_asked(request, lead_of_scores(study, choice=choice))


def lead_of_scores(study: Study, *, choice: bool) -> Lead:
    """As the results lead, which know whether those of all questions may be told beside the public ones;
    before there are any, as the protocol says.
    """
    if not choice:
        return NO_RESULTS
    results = newest_study_results(study)
    lead = results_lead(results) if results else NO_RESULTS
    wanted = Scope(study.protocol.headline_scope)
    return lead if lead.both_exist else Lead(wanted, LeadReason(wanted))
