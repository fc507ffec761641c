"""Staff pages: what starts the screening. Its page and verdicts are in `reporting.urls`."""

from django.urls import path

from studies.views.late import LateViews

screening = LateViews("screening.views.screening")


urlpatterns = [
    path(
        "staff/studies/<slug:slug>/screening/filter/",
        screening.staff_screening_filter,
        name="staff_screening_filter",
    ),
]
