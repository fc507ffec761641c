"""What the person who asks may do in a study: for pages that show or leave out a button."""

from django.http import HttpRequest

from studies.models import Study
from studies.roles import Can
from studies.views.access import signed_in


def may(request: HttpRequest, study: Study, can: Can) -> bool:
    """Whether the person has this right in the study. Guards of pages are `study_page`."""
    return signed_in(request).is_staff
