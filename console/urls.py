"""The study team's pages that join several apps, and those of the whole site."""

from django.urls import path

from console.views import health, history, staff

STUDY = "staff/studies/<slug:slug>/"
HISTORY = f"{STUDY}history/"

urlpatterns = [
    path("staff/team/", staff.staff_team, name="staff_team"),
    path("staff/team.csv", staff.staff_team_file, name="staff_team_file"),
    path("staff/team/<int:number>/", staff.staff_team_change, name="staff_team_change"),
    path("staff/health/", health.staff_health, name="staff_health"),
    path(HISTORY, history.staff_history, name="staff_history"),
    path(f"{STUDY}history.csv", history.staff_history_file, name="staff_history_file"),
    path(f"{HISTORY}protocol.<str:extension>", history.staff_history_protocol, name="staff_history_protocol"),
]
