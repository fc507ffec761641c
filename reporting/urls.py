"""Staff pages: the planner; of a study overview, a run of its judges, agreement, audits, results, report."""

from django.urls import path

from reporting.views.agreement.pages import staff_agreement, staff_agreement_figure
from reporting.views.audits.pages import staff_audit, staff_audit_sample, staff_audit_sheet
from reporting.views.judging_run import (
    staff_judging_cancel,
    staff_judging_live,
    staff_judging_pause,
    staff_judging_resume,
    staff_judging_run,
)
from reporting.views.measurement.pages import staff_measurement, staff_measurement_figure
from reporting.views.overview import staff_study
from reporting.views.planner.pages import staff_planner, staff_planner_figure
from reporting.views.report.pages import staff_checklist, staff_report, staff_report_file
from reporting.views.results import staff_results, staff_results_figure

STUDY = "staff/studies/<slug:slug>/"
RUN = f"{STUDY}judging/<int:number>/"

urlpatterns = [
    path("staff/planner/", staff_planner, name="staff_planner"),
    path("staff/planner/half-width.svg", staff_planner_figure, name="staff_planner_figure"),
    path(STUDY, staff_study, name="staff_study"),
    path(RUN, staff_judging_run, name="staff_judging_run"),
    path(f"{RUN}live/", staff_judging_live, name="staff_judging_live"),
    path(f"{RUN}pause/", staff_judging_pause, name="staff_judging_pause"),
    path(f"{RUN}resume/", staff_judging_resume, name="staff_judging_resume"),
    path(f"{RUN}cancel/", staff_judging_cancel, name="staff_judging_cancel"),
    path(f"{STUDY}agreement/", staff_agreement, name="staff_agreement"),
    path(
        f"{STUDY}agreement/<int:agreement_id>/<str:figure>.svg",
        staff_agreement_figure,
        name="staff_agreement_figure",
    ),
    path(f"{RUN}audit/", staff_audit, name="staff_audit"),
    path(f"{RUN}audit/<int:sample>/", staff_audit_sample, name="staff_audit_sample"),
    path(f"{RUN}audit/<int:sample>/sheet.csv", staff_audit_sheet, name="staff_audit_sheet"),
    path(f"{STUDY}report/", staff_report, name="staff_report"),
    path(f"{STUDY}report/checklist/", staff_checklist, name="staff_checklist"),
    path(f"{STUDY}report/report.<str:extension>", staff_report_file, name="staff_report_file"),
    path(f"{STUDY}results/", staff_results, name="staff_results"),
    path(f"{STUDY}results/<int:results_id>.svg", staff_results_figure, name="staff_results_figure"),
    path(f"{STUDY}results/<str:block>/", staff_measurement, name="staff_measurement"),
    path(
        f"{STUDY}results/<int:results_id>/<str:block>/<str:figure>.<str:extension>",
        staff_measurement_figure,
        name="staff_measurement_figure",
    ),
]
