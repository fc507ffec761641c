"""Pages of exports. Every view checks who asks."""

from django.urls import path

from scoring.views import exports

STUDY = "staff/studies/<slug:slug>/"

urlpatterns = [
    path(f"{STUDY}exports/", exports.staff_exports, name="staff_exports"),
    path(f"{STUDY}exports/<uuid:file_id>.zip", exports.staff_export_file, name="staff_export_file"),
]
