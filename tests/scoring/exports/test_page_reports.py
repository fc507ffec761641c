"""What open pages reported is in the export of events, without what names a device."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from batches.rules.contact import PageReport
from batches.services.contact import page_report
from batches.services.starting import session_start
from scoring.selectors.export_people import event_rows
from studies.models import Participant, Study

pytestmark = pytest.mark.django_db


def test_reports_of_pages_are_exported_without_the_device(
    make_study: Callable[..., Study], make_person: Callable[..., Participant]
) -> None:
    study, now = make_study(), timezone.now()
    session = session_start(participant=make_person(study), now=now - timedelta(minutes=30))
    reports = (PageReport("laptop", failed_saves=3, failing_seconds=60, lost_seconds=70), PageReport("phone"))
    for second, report in enumerate(reports):
        page_report(
            user_id=session.participant.user_id,
            session_id=session.pk,
            report=report,
            now=now + timedelta(seconds=10 * second),
        )
    rows = {row.kind: row for row in event_rows(study) if row.scope == "session"}
    assert rows["saves_failed"].details == {"failed_saves": 3, "for_seconds": 70, "saved_since": True}
    assert rows["contact_lost"].details == {"for_seconds": 70, "measured_by": "page"}
    assert rows["two_devices"].details == {}
    assert not any("laptop" in str(row) or "phone" in str(row) for row in rows.values())
