"""The judges of the site; runs of a study and their verdicts; how an answer is read, for whoever writes it.

How far the judging of a study is beside its results is in `reporting.urls`.
"""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from presentation.rail import REVIEW, SITE, Entry
from studies.roles import Can, SiteCan
from studies.views.late import LateViews

judges = LateViews("judging.views.judges")
readings = LateViews("judging.views.readings")
runs = LateViews("judging.views.runs")
verdicts = LateViews("judging.views.verdicts")

STUDY = "staff/studies/<slug:slug>/"
RUN = f"{STUDY}judging/<int:number>/"

REVIEW.add(
    Entry(20, _("Judging"), "staff_judging", "scale", Can.JUDGE, within=("staff_judging", "staff_agreement")),
    Entry(30, _("Audit"), "staff_audits", "check", Can.REVIEW, within=("staff_audit",)),
)
SITE.add(
    Entry(30, _("Judges"), "staff_judges", "scale", SiteCan.MAKE_STUDIES, within=("staff_judge",)),
)

urlpatterns = [
    path(
        "sessions/<uuid:session_id>/prompts/<int:position>/reading/",
        readings.answer_reading,
        name="answer_reading",
    ),
    path("staff/judges/", judges.staff_judges, name="staff_judges"),
    path("staff/add-judge/", judges.staff_judge_add, name="staff_judge_add"),
    path("staff/judges/<slug:slug>/", judges.staff_judge, name="staff_judge"),
    path("staff/judges/<slug:slug>/try/", judges.staff_judge_try, name="staff_judge_try"),
    path(f"{STUDY}judging/random/", verdicts.staff_judging_random, name="staff_judging_random"),
    path(f"{RUN}verdicts/", verdicts.staff_judging_verdicts, name="staff_judging_verdicts"),
    path(f"{RUN}retry/", runs.staff_judging_retry, name="staff_judging_retry"),
    path(RUN, runs.staff_judging_run, name="staff_judging_run"),
    path(f"{RUN}live/", runs.staff_judging_live, name="staff_judging_live"),
    path(f"{RUN}pause/", runs.staff_judging_pause, name="staff_judging_pause"),
    path(f"{RUN}resume/", runs.staff_judging_resume, name="staff_judging_resume"),
    path(f"{RUN}cancel/", runs.staff_judging_cancel, name="staff_judging_cancel"),
]
