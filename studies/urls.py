"""Pages about studies and the people in them."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from presentation.rail import PEOPLE, SET_UP, Entry
from studies.roles import Can
from studies.views.late import LateViews

comprehension = LateViews("studies.views.comprehension")
consent = LateViews("studies.views.consent")
contact = LateViews("studies.views.contact")
first_run = LateViews("studies.views.first_run")
home = LateViews("studies.views.home")
invitation_list = LateViews("studies.views.invitation_list")
invitations = LateViews("studies.views.invitations")
profile = LateViews("studies.views.profile")
team = LateViews("studies.views.team")

SET_UP.add(Entry(30, _("Team"), "staff_study_team", "people", Can.GIVE_ROLES, within=("staff_study_team",)))
PEOPLE.add(
    Entry(
        30,
        _("Messages"),
        "staff_messages",
        "mail",
        Can.INVITE,
        within=("staff_message", "staff_thread", "staff_announcement"),
        waits="messages",
    )
)

urlpatterns = [
    path("", home.home, name="home"),
    path("first-run/<str:token>/", first_run.first_run, name="first_run"),
    path("studies/<slug:slug>/profile/", profile.study_profile, name="study_profile"),
    path("studies/<slug:slug>/consent/", consent.study_consent, name="study_consent"),
    path("studies/<slug:slug>/consent/copy/", consent.study_consent_copy, name="study_consent_copy"),
    path("studies/<slug:slug>/check/", comprehension.study_check, name="study_check"),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
    path("staff/studies/<slug:slug>/invitations/", invitations.staff_invitations, name="staff_invitations"),
    path(
        "staff/studies/<slug:slug>/invitations/list/",
        invitation_list.staff_invitations_upload,
        name="staff_invitations_upload",
    ),
    path(
        "staff/studies/<slug:slug>/invitations/<int:number>/resend/",
        invitations.staff_invitation_resend,
        name="staff_invitation_resend",
    ),
    path(
        "staff/studies/<slug:slug>/invitations/<int:number>/revoke/",
        invitations.staff_invitation_revoke,
        name="staff_invitation_revoke",
    ),
    path(
        "staff/studies/<slug:slug>/participants/<slug:code>/credentials/<uuid:token>/",
        profile.staff_credential,
        name="staff_credential",
    ),
    path("staff/studies/<slug:slug>/team/", team.staff_study_team, name="staff_study_team"),
    path(
        "staff/studies/<slug:slug>/team/<int:number>/rights/",
        team.staff_study_team_rights,
        name="staff_study_team_rights",
    ),
    path(
        "staff/studies/<slug:slug>/team/<int:number>/take/",
        team.staff_study_team_take,
        name="staff_study_team_take",
    ),
    path("staff/studies/<slug:slug>/messages/", contact.staff_messages, name="staff_messages"),
    path("staff/studies/<slug:slug>/messages/<slug:code>/", contact.staff_thread, name="staff_thread"),
]
