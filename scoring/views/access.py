"""Staff pages of one study."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import never_cache

from studies.models import Study
from studies.selectors.studies import study_by_slug
from studies.views.access import staff_required

P = ParamSpec("P")
StudyView = Callable[Concatenate[HttpRequest, Study, P], HttpResponse]


def staff_study_required(view: StudyView[P]) -> Callable[..., HttpResponseBase]:
    """Give the view the study of the address; 404 without one, and for whoever is not staff."""

    @wraps(view)
    def for_study(request: HttpRequest, /, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        study = study_by_slug(slug)
        if study is None:
            raise Http404
        return view(request, study, *args, **kwargs)

    return never_cache(staff_required(for_study))
