"""The site's addresses and, beside them, the least a Django view can do to save a text."""

import json

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from django.utils import timezone
from django.views.decorators.http import require_POST

from batches.models import Answer


@login_required
@require_POST
def bare_update(request: HttpRequest, answer_id: int) -> JsonResponse:
    """One update of one row of the table that answers are in; no ownership, order, clock or history."""
    text = json.loads(request.body)["text"]
    Answer.objects.filter(pk=answer_id).update(text=text, saved_at=timezone.now())
    return JsonResponse({"saved": True})


urlpatterns = [path("bare/<int:answer_id>/", bare_update), path("", include("config.urls"))]
