"""Pages of the study team that join several parts of the product."""

from django.urls import path

from console.views import decisions, people

STUDY = "staff/studies/<slug:slug>/"
PERSON = f"{STUDY}participants/<slug:code>/"

urlpatterns = [
    path(f"{STUDY}participants/", people.staff_participants, name="staff_participants"),
    path(f"{STUDY}people.csv", people.staff_participants_file, name="staff_participants_file"),
    path(f"{PERSON}decision/", decisions.staff_decision, name="staff_decision"),
    path(f"{PERSON}promote/", decisions.staff_person_promote, name="staff_person_promote"),
    path(f"{PERSON}replace/", decisions.staff_person_replace, name="staff_person_replace"),
    path(f"{PERSON}remind/", decisions.staff_person_remind, name="staff_person_remind"),
]
