"""The judges of the site, for staff, and how an answer is read, for whoever writes it.

The judging of a study is in `reporting.urls`.
"""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from presentation.rail import REVIEW, SITE, Entry
from studies.roles import Can, SiteCan
from studies.views.late import LateViews

judges = LateViews("judging.views.judges")
readings = LateViews("judging.views.readings")

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
]
