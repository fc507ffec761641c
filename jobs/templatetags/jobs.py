"""A job in a page: `{% load jobs %}`, then `{{ job|shown }}`."""

from django import template

from jobs.models import Job
from jobs.shown import JobShown, job_shown
from studies.services.clock import server_now

register = template.Library()


@register.filter
def shown(job: Job) -> JobShown:
    """`{% with it=job|shown %}`: what is to be said of the job now."""
    return job_shown(job, now=server_now())
