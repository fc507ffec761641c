"""Staff pages: what starts the screening. Its page and verdicts are in `reporting.urls`."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from presentation.rail import REVIEW, Entry
from studies.roles import Can
from studies.views.late import LateViews

screening = LateViews("screening.views.screening")

REVIEW.add(
    Entry(
        10,
        _("Screening"),
        "staff_screening",
        "eye",
        Can.REVIEW,
        within=("staff_screening", "staff_verdict"),
        waits="screening",
    )
)

urlpatterns = [
    path(
        "staff/studies/<slug:slug>/screening/filter/",
        screening.staff_screening_filter,
        name="staff_screening_filter",
    ),
]
