"""Which answers a page's numbers rest on: where private prompts were asked, its reader chooses."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from psychometrics.inference.measure import Scope
from scoring.models import ResultSet
from scoring.selectors.measures import scope_to_show

PARAMETER = "prompts"


@dataclass(frozen=True)
class ScopeShown:
    """The answers that numbers rest on, and whether there is a choice: no private prompts, no choice."""

    scope: Scope
    choice: bool

    @property
    def context(self) -> dict[str, Any]:
        """What the templates need: whether there is a choice, and the query that keeps it in links."""
        public = self.scope == Scope.PUBLIC
        return {
            "choose_scope": self.choice,
            "public_only": public,
            "scope_query": f"?{PARAMETER}={self.scope}" if public else "",
        }

    @property
    def words(self) -> str:
        """What a figure that is saved alone says; nothing where there are no private prompts."""
        if not self.choice:
            return ""
        return _("Public prompts only") if self.scope == Scope.PUBLIC else _("All prompts")


def scope_asked(request: HttpRequest, *, choice: bool) -> ScopeShown:
    """All answers, unless the address asks for public prompts only and there is the choice."""
    public = choice and request.GET.get(PARAMETER) == Scope.PUBLIC
    return ScopeShown(Scope.PUBLIC if public else Scope.ALL, choice)


def scope_of_results(request: HttpRequest, results: ResultSet | None) -> ScopeShown:
    """The same, of results: there is a choice where they are told apart by the prompts they rest on."""
    return scope_asked(request, choice=results is not None and scope_to_show(results) == Scope.PUBLIC)
