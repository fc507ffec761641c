"""Which answers a page's numbers rest on: where private prompts were asked, its reader chooses."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from psychometrics.inference.measure import Scope
from scoring.models import ResultSet
from scoring.selectors.measures import scope_to_show

PARAMETER = "prompts"


def scope_asked(request: HttpRequest, *, choice: bool) -> Scope:
    """All answers, unless the address asks for public prompts only and there is the choice."""
    wanted = request.GET.get(PARAMETER) == Scope.PUBLIC
    return Scope.PUBLIC if wanted and choice else Scope.ALL


def has_choice(results: ResultSet | None) -> bool:
    """Whether these results are told apart by the prompts they rest on."""
    return results is not None and scope_to_show(results) == Scope.PUBLIC


def scope_context(scope: Scope, *, choice: bool) -> dict[str, Any]:
    """What the templates need: whether there is a choice, and the query that keeps it in links."""
    return {
        "choose_scope": choice,
        "public_only": scope == Scope.PUBLIC,
        "scope_query": f"?{PARAMETER}={scope}" if scope == Scope.PUBLIC else "",
    }


def scope_words(scope: Scope, *, choice: bool) -> str:
    """What a figure that is saved alone says; nothing where there are no private prompts."""
    if not choice:
        return ""
    return _("Public prompts only") if scope == Scope.PUBLIC else _("All prompts")
