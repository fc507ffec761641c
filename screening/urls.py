"""Staff pages: whom the screening proposes to exclude."""

from django.urls import path

from screening.views.screening import staff_screening, staff_verdict

urlpatterns = [
    path("staff/studies/<slug:slug>/screening/", staff_screening, name="staff_screening"),
    path("staff/studies/<slug:slug>/screening/<slug:code>/", staff_verdict, name="staff_verdict"),
]
