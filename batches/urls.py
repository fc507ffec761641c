"""Pages of participants, and the study team's page of one. Every view checks who asks."""

from django.urls import path

from studies.views.late import LateViews

attachments = LateViews("batches.views.attachments")
entering = LateViews("batches.views.entering")
practice = LateViews("batches.views.practice")
prompts = LateViews("batches.views.prompts")
sessions = LateViews("batches.views.sessions")
staff = LateViews("batches.views.staff")
studies = LateViews("batches.views.studies")


PERSON = "staff/studies/<slug:slug>/participants/<slug:code>/"

urlpatterns = [
    path("enter/<str:token>/", entering.entry, name="entry"),
    path("studies/<slug:slug>/", studies.study_home, name="study_home"),
    path("studies/<slug:slug>/instructions/", studies.instructions, name="study_instructions"),
    path("studies/<slug:slug>/practice/<int:number>/", practice.practice, name="study_practice"),
    path("studies/<slug:slug>/start/", studies.start, name="session_start"),
    path("studies/<slug:slug>/help/", studies.study_help, name="study_help"),
    path("studies/<slug:slug>/my-data/", studies.study_data, name="study_data"),
    path("studies/<slug:slug>/withdraw/", studies.withdraw, name="study_withdraw"),
    path("sessions/<uuid:session_id>/", sessions.overview, name="session_overview"),
    path("sessions/<uuid:session_id>/prompts/<int:position>/", prompts.prompt, name="session_prompt"),
    path("sessions/<uuid:session_id>/questions/", prompts.questions, name="session_questions"),
    path("sessions/<uuid:session_id>/resources/", sessions.resources, name="session_resources"),
    path("sessions/<uuid:session_id>/submit/", sessions.submit, name="session_submit"),
    path("sessions/<uuid:session_id>/receipt/", sessions.receipt, name="session_receipt"),
    path("attachments/<uuid:token>/<str:name>", attachments.attachment, name="attachment"),
    path("staff/studies/<slug:slug>/payments.csv", staff.staff_payments, name="staff_payments"),
    path(PERSON, staff.staff_person, name="staff_person"),
    path(f"{PERSON}<slug:action>/", staff.staff_person_action, name="staff_person_action"),
]
