"""Pages that join several apps: the studies of the site, one of them at a glance, and live."""

from django.urls import path

from console.views import live, live_actions, overview, studies

STUDY = "staff/studies/<slug:slug>/"
LIVE = f"{STUDY}live/"

urlpatterns = [
    path("staff/", studies.staff_home, name="staff_home"),
    path(STUDY, overview.staff_study, name="staff_study"),
    path(LIVE, live.staff_live, name="staff_live"),
    path(f"{LIVE}state/", live.staff_live_state, name="staff_live_state"),
    path(f"{LIVE}table.csv", live.staff_live_table, name="staff_live_table"),
    path(f"{LIVE}message/", live_actions.staff_live_message, name="staff_live_message"),
    path(f"{LIVE}recruiting/", live_actions.staff_live_pause, name="staff_live_pause"),
    path(f"{LIVE}<slug:action>/", live_actions.staff_live_act, name="staff_live_act"),
]
