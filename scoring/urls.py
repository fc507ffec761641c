"""Staff pages of a study: overview, screening, results."""

from django.urls import path

from scoring.views.overview import staff_study
from scoring.views.results import staff_results, staff_results_figure
from scoring.views.screening import staff_screening, staff_verdict

STUDY = "staff/studies/<slug:slug>/"

urlpatterns = [
    path(STUDY, staff_study, name="staff_study"),
    path(f"{STUDY}screening/", staff_screening, name="staff_screening"),
    path(f"{STUDY}screening/<str:code>/", staff_verdict, name="staff_verdict"),
    path(f"{STUDY}results/", staff_results, name="staff_results"),
    path(f"{STUDY}results/<int:results_id>.svg", staff_results_figure, name="staff_results_figure"),
]
