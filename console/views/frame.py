"""What stands on every page of the study team, whichever room shows it."""

from django.http import HttpRequest

from console.selectors.counting import site_page_facts, study_page_facts
from presentation.rail import PageFacts
from studies.models import Study
from studies.selectors.roles import site_rights, studies_of_staff
from studies.services.clock import server_now
from studies.views.access import rights_here, signed_in


def page_facts(request: HttpRequest, study: Study | None) -> PageFacts:
    """Of a page of this study, or of the site where there is none."""
    user = signed_in(request)
    if not study:
        return site_page_facts(site_rights(user))
    return study_page_facts(study, rights_here(request), studies_of_staff(user), server_now())
