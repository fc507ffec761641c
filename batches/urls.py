"""Pages of participants. Every view checks who asks."""

from django.urls import path

from batches.views import attachments, prompts, sessions, studies

urlpatterns = [
    path("studies/<slug:slug>/", studies.study_home, name="study_home"),
    path("studies/<slug:slug>/start/", studies.start, name="session_start"),
    path("studies/<slug:slug>/withdraw/", studies.withdraw, name="study_withdraw"),
    path("sessions/<uuid:session_id>/", sessions.overview, name="session_overview"),
    path("sessions/<uuid:session_id>/prompts/<int:position>/", prompts.prompt, name="session_prompt"),
    path("sessions/<uuid:session_id>/resources/", sessions.resources, name="session_resources"),
    path("sessions/<uuid:session_id>/submit/", sessions.submit, name="session_submit"),
    path("sessions/<uuid:session_id>/receipt/", sessions.receipt, name="session_receipt"),
    path("attachments/<uuid:token>/<str:name>", attachments.attachment, name="attachment"),
]
