"""Pages about studies and the people in them."""

from django.urls import path

from studies.views.comprehension import study_check
from studies.views.consent import study_consent, study_consent_copy
from studies.views.contact import (
    staff_announcement_withdraw,
    staff_announcements,
    staff_messages,
    staff_thread,
)
from studies.views.home import home, staff_home
from studies.views.invitations import (
    invitation,
    staff_invitation_resend,
    staff_invitation_revoke,
    staff_invitations,
)
from studies.views.profile import staff_credential, study_profile
from studies.views.vetting import staff_decision, staff_participants

urlpatterns = [
    path("", home, name="home"),
    path("studies/<slug:slug>/profile/", study_profile, name="study_profile"),
    path("studies/<slug:slug>/consent/", study_consent, name="study_consent"),
    path("studies/<slug:slug>/consent/copy/", study_consent_copy, name="study_consent_copy"),
    path("studies/<slug:slug>/check/", study_check, name="study_check"),
    path("invitations/<str:token>/", invitation, name="invitation"),
    path("staff/", staff_home, name="staff_home"),
    path("staff/studies/<slug:slug>/invitations/", staff_invitations, name="staff_invitations"),
    path(
        "staff/studies/<slug:slug>/invitations/<int:number>/resend/",
        staff_invitation_resend,
        name="staff_invitation_resend",
    ),
    path(
        "staff/studies/<slug:slug>/invitations/<int:number>/revoke/",
        staff_invitation_revoke,
        name="staff_invitation_revoke",
    ),
    path("staff/studies/<slug:slug>/participants/", staff_participants, name="staff_participants"),
    path(
        "staff/studies/<slug:slug>/participants/<slug:code>/decision/", staff_decision, name="staff_decision"
    ),
    path(
        "staff/studies/<slug:slug>/participants/<slug:code>/credentials/<uuid:token>/",
        staff_credential,
        name="staff_credential",
    ),
    path("staff/studies/<slug:slug>/announcements/", staff_announcements, name="staff_announcements"),
    path(
        "staff/studies/<slug:slug>/announcements/<int:number>/withdraw/",
        staff_announcement_withdraw,
        name="staff_announcement_withdraw",
    ),
    path("staff/studies/<slug:slug>/messages/", staff_messages, name="staff_messages"),
    path("staff/studies/<slug:slug>/messages/<slug:code>/", staff_thread, name="staff_thread"),
]
