"""The study team's pages that join several apps, and those of the whole site."""

from django.urls import path

from console.views import amending, decisions, locking, money, people, previews, questions, setup, studies

STUDY = "staff/studies/<slug:slug>/"
SETUP = f"{STUDY}setup/"
PERSON = f"{STUDY}participants/<slug:code>/"

urlpatterns = [
    path("staff/new-study/", studies.staff_study_new, name="staff_study_new"),
    path(SETUP, setup.staff_setup, name="staff_setup"),
    path(f"{SETUP}lock/", locking.staff_lock, name="staff_lock"),
    path(f"{SETUP}lock/confirm/", locking.staff_lock_confirm, name="staff_lock_confirm"),
    path(f"{SETUP}close/", locking.staff_setup_close, name="staff_setup_close"),
    path(f"{SETUP}plan/", studies.staff_setup_plan, name="staff_setup_plan"),
    path(f"{SETUP}protocol.json", locking.staff_setup_file, name="staff_setup_file"),
    path(f"{SETUP}import/", locking.staff_setup_import, name="staff_setup_import"),
    path(f"{SETUP}preview/<slug:page>/", previews.staff_setup_preview, name="staff_setup_preview"),
    path(f"{SETUP}<slug:page>/", setup.staff_setup_step, name="staff_setup_step"),
    path(f"{SETUP}<slug:page>/save/", setup.staff_setup_save, name="staff_setup_save"),
    path(f"{STUDY}amendments/", amending.staff_amend, name="staff_amend"),
    path(f"{STUDY}amendments/<slug:page>/", amending.staff_amend_step, name="staff_amend_step"),
    path(f"{STUDY}questions/", questions.staff_questions, name="staff_questions"),
    path(f"{STUDY}questions/sets/", questions.staff_questions_sets, name="staff_questions_sets"),
    path(f"{STUDY}questions/build/", questions.staff_questions_build, name="staff_questions_build"),
    path(f"{STUDY}questions/<str:label>/", questions.staff_question, name="staff_question"),
    path(f"{STUDY}payments/", money.staff_money, name="staff_money"),
    path(f"{STUDY}payments/rule/", money.staff_money_rule, name="staff_money_rule"),
    path(f"{STUDY}payments/upload/", money.staff_money_upload, name="staff_money_upload"),
    path(f"{STUDY}participants/", people.staff_participants, name="staff_participants"),
    path(f"{STUDY}people.csv", people.staff_participants_file, name="staff_participants_file"),
    path(f"{PERSON}decision/", decisions.staff_decision, name="staff_decision"),
    path(f"{PERSON}promote/", decisions.staff_person_promote, name="staff_person_promote"),
    path(f"{PERSON}replace/", decisions.staff_person_replace, name="staff_person_replace"),
    path(f"{PERSON}remind/", decisions.staff_person_remind, name="staff_person_remind"),
]
