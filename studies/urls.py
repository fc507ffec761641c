"""Pages about studies and the people in them."""

from django.urls import path

from studies.views.consent import study_consent
from studies.views.home import home
from studies.views.staff import staff_home
from studies.views.vetting import staff_decision, staff_participants

urlpatterns = [
    path("", home, name="home"),
    path("studies/<slug:slug>/consent/", study_consent, name="study_consent"),
    path("staff/", staff_home, name="staff_home"),
    path("staff/studies/<slug:slug>/participants/", staff_participants, name="staff_participants"),
    path("staff/studies/<slug:slug>/participants/<str:code>/", staff_decision, name="staff_decision"),
]
