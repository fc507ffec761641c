"""Staff pages: the planner; of a study its judging beside its results, agreement, audits, results, report."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from presentation.rail import RESULTS, SITE, Entry
from studies.roles import Can, SiteCan
from studies.views.late import LateViews

judging = LateViews("reporting.views.judging")
results = LateViews("reporting.views.results")
agreement = LateViews("reporting.views.agreement.pages")
audits = LateViews("reporting.views.audits.pages")
rating = LateViews("reporting.views.audits.rating")
measurement = LateViews("reporting.views.measurement.pages")
planner = LateViews("reporting.views.planner.pages")
report = LateViews("reporting.views.report.pages")


STUDY = "staff/studies/<slug:slug>/"
RUN = f"{STUDY}judging/<int:number>/"

RESULTS.add(
    Entry(
        10,
        _("Results"),
        "staff_results",
        "bars",
        Can.SEE_RESULTS,
        within=("staff_results", "staff_measurement", "staff_report", "staff_checklist"),
    )
)
SITE.add(Entry(50, _("Planner"), "staff_planner", "lines", SiteCan.PLAN, within=("staff_planner",)))

urlpatterns = [
    path("staff/planner/", planner.staff_planner, name="staff_planner"),
    path(
        "staff/planner/half-width.<str:extension>", planner.staff_planner_figure, name="staff_planner_figure"
    ),
    path(f"{STUDY}judging/", judging.staff_judging, name="staff_judging"),
    path(f"{STUDY}agreement/", agreement.staff_agreement, name="staff_agreement"),
    path(
        f"{STUDY}agreement/<int:agreement_id>/<str:figure>.<str:extension>",
        agreement.staff_agreement_figure,
        name="staff_agreement_figure",
    ),
    path(f"{STUDY}audits/", rating.staff_audits, name="staff_audits"),
    path(f"{STUDY}audits/<int:sample>/", rating.staff_audit_rate, name="staff_audit_rate"),
    path(f"{RUN}audit/", audits.staff_audit, name="staff_audit"),
    path(f"{RUN}audit/<int:sample>/", audits.staff_audit_sample, name="staff_audit_sample"),
    path(f"{RUN}audit/<int:sample>/sheet.csv", audits.staff_audit_sheet, name="staff_audit_sheet"),
    path(f"{STUDY}report/", report.staff_report, name="staff_report"),
    path(f"{STUDY}report/checklist/", report.staff_checklist, name="staff_checklist"),
    path(f"{STUDY}report/report.<str:extension>", report.staff_report_file, name="staff_report_file"),
    path(f"{STUDY}results/", results.staff_results, name="staff_results"),
    path(f"{STUDY}results/recompute/", results.staff_results_recompute, name="staff_results_recompute"),
    path(f"{STUDY}results/<int:results_id>.csv", results.staff_results_table, name="staff_results_table"),
    path(
        f"{STUDY}results/<int:results_id>.<str:extension>",
        results.staff_results_figure,
        name="staff_results_figure",
    ),
    path(f"{STUDY}results/<str:block>/", measurement.staff_measurement, name="staff_measurement"),
    path(
        f"{STUDY}results/<int:results_id>/<str:block>/<int:number>.csv",
        measurement.staff_measurement_table,
        name="staff_measurement_table",
    ),
    path(
        f"{STUDY}results/<int:results_id>/<str:block>/<str:figure>.<str:extension>",
        measurement.staff_measurement_figure,
        name="staff_measurement_figure",
    ),
]
