"""Staff pages: the screening, its start, verdicts and the ledger."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from presentation.rail import REVIEW, Entry
from studies.roles import Can
from studies.views.late import LateViews

pages = LateViews("screening.views.pages")

SCREENING = "staff/studies/<slug:slug>/screening/"

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
    path(SCREENING, pages.staff_screening, name="staff_screening"),
    path(f"{SCREENING}filter/", pages.staff_screening_filter, name="staff_screening_filter"),
    path(f"{SCREENING}ledger/", pages.staff_screening_ledger, name="staff_screening_ledger"),
    path(f"{SCREENING}ledger.csv", pages.staff_screening_ledger_csv, name="staff_screening_ledger_csv"),
    path(f"{SCREENING}verdict/<slug:code>/", pages.staff_verdict, name="staff_verdict"),
]
