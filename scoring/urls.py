"""Pages of exports. Every view checks who asks."""

from django.urls import path

from studies.views.late import LateViews

exports = LateViews("scoring.views.exports")


STUDY = "staff/studies/<slug:slug>/"

urlpatterns = [
    path(f"{STUDY}exports/", exports.staff_exports, name="staff_exports"),
    path(f"{STUDY}exports/<uuid:file_id>.zip", exports.staff_export_file, name="staff_export_file"),
]
