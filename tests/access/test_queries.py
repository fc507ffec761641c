"""How many queries each page of the study team takes, whoever of them asks for it."""

from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.services.running.counting import run_count
from scoring.services.audits import audits_compute
from tests.access.addresses import addresses
from tests.access.visitors import Visitors
from tests.access.world import World

MOST = 15
# The report takes what all its chapters take, of which the flow looks at sums by question set and at the
# answers of sessions that are not counted yet; a table has the settings of both scopes.
OVER = {"staff_report": 23, "staff_report_file": 31, "staff_results_table": 19}


def test_no_page_of_the_study_team_takes_more_queries_than_it_may(world: World, visitors: Visitors) -> None:
    # As a worker leaves it within minutes: runs are counted, and people compared with the judges.
    later = timezone.now() + timedelta(hours=1)
    run_count(now=later)
    audits_compute(study=world.here.study, now=later)
    taken = {}
    for one in addresses():
        if not one.route.startswith("staff/"):
            continue
        path = one.path(world.here.ids)
        with CaptureQueriesContext(connection) as captured:
            status = visitors.ask("superuser", "GET", path)
        # The transaction that takes back what a request changed is none of the page's.
        taken[one.name] = len([q for q in captured if "SAVEPOINT" not in q["sql"]]), status
    pages = {name: number for name, (number, status) in taken.items() if status == "200"}
    assert len(pages) > 60
    assert [name for name, (_number, status) in taken.items() if status == "500"] == []
    over = {name: number for name, number in pages.items() if number > OVER.get(name, MOST)}
    assert not over, over
