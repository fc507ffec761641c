"""The judges of the site, for staff, and how an answer is read, for whoever writes it.

The judging of a study is in `reporting.urls`.
"""

from django.urls import path

from studies.views.late import LateViews

judges = LateViews("judging.views.judges")
readings = LateViews("judging.views.readings")


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
