"""Staff pages: what starts the screening. Its page and verdicts are in `reporting.urls`."""

from django.urls import path

from screening.views.screening import staff_screening_filter

urlpatterns = [
    path(
        "staff/studies/<slug:slug>/screening/filter/", staff_screening_filter, name="staff_screening_filter"
    ),
]
