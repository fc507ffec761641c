"""The study team's pages that join several apps, and those of the whole site."""

from django.urls import path

from console.views import amending, locking, mails, previews, questions, setup, studies

STUDY = "staff/studies/<slug:slug>/"
SETUP = f"{STUDY}setup/"
MAILS = f"{STUDY}mails/"

urlpatterns = [
    path(MAILS, mails.staff_mails, name="staff_mails"),
    path(f"{MAILS}digest/wish/", mails.staff_mails_digest, name="staff_mails_digest"),
    path(f"{MAILS}retry/<int:number>/", mails.staff_mails_retry, name="staff_mails_retry"),
    path(f"{MAILS}<slug:kind>/", mails.staff_mails_preview, name="staff_mails_preview"),
    path(f"{MAILS}<slug:kind>/html/", mails.staff_mails_html, name="staff_mails_html"),
    path(f"{MAILS}<slug:kind>/switch/", mails.staff_mails_switch, name="staff_mails_switch"),
    path(f"{MAILS}<slug:kind>/test/", mails.staff_mails_test, name="staff_mails_test"),
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
]
