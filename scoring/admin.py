"""The records of results, for looking only."""

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from scoring.models import MeasureRow, ResultSet
from screening.admin import BlindWhileOpen


@admin.register(ResultSet)
class ResultSetAdmin(BlindWhileOpen):
    study_field = "run__study"
    list_display = ["run", "inputs_sha256", "computed_at"]
    list_filter = ["run__study"]
    list_select_related = ["run__study"]


@admin.register(MeasureRow)
class MeasureRowAdmin(BlindWhileOpen):
    """Numbers of results; those about a person or a prompt are on the pages that explain them."""

    study_field = "results__run__study"
    list_display = ["results", "scope", "name", "group", "subset", "value", "se", "reason"]
    list_filter = ["results__run__study", "scope", "block", "group"]
    list_select_related = ["results__run__study"]
    search_fields = ["name", "subset"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).filter(results__isnull=False, participant="", prompt_id="")
