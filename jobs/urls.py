"""Pages of jobs. Every view checks who asks."""

from django.urls import path

from studies.views.late import LateViews

views = LateViews("jobs.views")


urlpatterns = [
    path("staff/jobs/<uuid:job_id>/", views.staff_job, name="staff_job"),
    path("staff/jobs/<uuid:job_id>/state/", views.staff_job_state, name="staff_job_state"),
    path("staff/jobs/<uuid:job_id>/list.csv", views.staff_job_file, name="staff_job_file"),
    path("staff/jobs/<uuid:job_id>/cancel/", views.staff_job_cancel, name="staff_job_cancel"),
]
