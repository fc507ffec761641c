"""The records of results, for looking only."""

from django.contrib import admin

from scoring.models import Estimate, ResultSet
from screening.admin import BlindWhileOpen


@admin.register(ResultSet)
class ResultSetAdmin(BlindWhileOpen):
    study_field = "run__study"
    list_display = ["run", "inputs_sha256", "computed_at"]
    list_filter = ["run__study"]
    list_select_related = ["run__study"]


@admin.register(Estimate)
class EstimateAdmin(BlindWhileOpen):
    study_field = "result_set__run__study"
    list_display = ["result_set", "group", "category", "theta", "se", "pairs", "missing", "unscored"]
    list_filter = ["result_set__run__study", "group"]
    list_select_related = ["result_set__run__study"]
