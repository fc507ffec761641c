"""The judges of the site, for staff, and how an answer is read, for whoever writes it.

The judging of a study is in `reporting.urls`.
"""

from django.urls import path

from judging.views.judges import staff_judge, staff_judge_add, staff_judge_try, staff_judges
from judging.views.readings import answer_reading

urlpatterns = [
    path("sessions/<uuid:session_id>/prompts/<int:position>/reading/", answer_reading, name="answer_reading"),
    path("staff/judges/", staff_judges, name="staff_judges"),
    path("staff/add-judge/", staff_judge_add, name="staff_judge_add"),
    path("staff/judges/<slug:slug>/", staff_judge, name="staff_judge"),
    path("staff/judges/<slug:slug>/try/", staff_judge_try, name="staff_judge_try"),
]
