"""Files that were made to be taken away, who took them, and under what terms the data are published."""

from typing import Any

from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from scoring.export.publication import Publication, authors_of
from scoring.models import ExportContents, ExportFile, ExportTaking, PublicationSettings
from studies.models import Study, StudyEvent
from studies.services.events import LEAVING


def left_files(files: QuerySet[Any]) -> QuerySet[Any]:
    """Those of the files that were begun before somebody left their study."""
    left = StudyEvent.objects.filter(study=OuterRef("study"), kind__in=LEAVING).order_by()
    number = Subquery(left.values("study").annotate(number=Count("pk")).values("number"))
    left_since = Coalesce(number, 0, output_field=IntegerField())
    found: QuerySet[Any] = files.annotate(left=left_since).filter(departures__lt=F("left"))
    return found


def export_files(study: Study) -> QuerySet[Any]:
    """The newest first, with the number of times each was taken."""
    files = ExportFile.objects.filter(study=study).select_related("made_by", "study")
    return files.annotate(taken=Count("takings")).order_by("-made_at")


def newest_file(study: Study, contents: ExportContents) -> ExportFile | None:
    """The newest of these contents that was not deleted."""
    files = ExportFile.objects.filter(study=study, contents=contents, deleted_at=None)
    return files.order_by("-made_at").first()


def takings(study: Study) -> QuerySet[ExportTaking]:
    """Who took which file, the newest first."""
    found = ExportTaking.objects.filter(file__study=study).select_related("file", "taken_by")
    return found.order_by("-taken_at", "-pk")


def publication_of(study: Study) -> Publication:
    """What was said about publishing the study; everything is empty where nothing was."""
    settings = PublicationSettings.objects.filter(study=study).first()
    if settings is None:
        return Publication()
    return Publication(settings.title, authors_of(settings.authors), settings.licence, settings.doi)
