"""Files that were made to be taken away, and who took them."""

from typing import Any

from django.db.models import Count, QuerySet

from scoring.models import ExportFile, ExportTaking
from studies.models import Study


def export_files(study: Study) -> QuerySet[Any]:
    """The newest first, with the number of times each was taken."""
    files = ExportFile.objects.filter(study=study).select_related("made_by", "study")
    return files.annotate(taken=Count("takings")).order_by("-made_at")


def takings(study: Study) -> QuerySet[ExportTaking]:
    """Who took which file, the newest first."""
    found = ExportTaking.objects.filter(file__study=study).select_related("file", "taken_by")
    return found.order_by("-taken_at", "-pk")
