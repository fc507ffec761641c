"""Pages of exports. Every view checks who asks."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from presentation.rail import RESULTS, Entry
from studies.roles import Can
from studies.views.late import LateViews

exports = LateViews("scoring.views.exports")


STUDY = "staff/studies/<slug:slug>/"

RESULTS.add(Entry(20, _("Export"), "staff_exports", "down", Can.EXPORT, within=("staff_export",)))

urlpatterns = [
    path(f"{STUDY}exports/", exports.staff_exports, name="staff_exports"),
    path(f"{STUDY}exports/<uuid:file_id>.zip", exports.staff_export_file, name="staff_export_file"),
]
