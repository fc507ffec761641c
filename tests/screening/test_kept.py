"""Numbers over a large study are kept until something happens, those of others never."""

from collections.abc import Callable
from typing import Any

import pytest

from screening.selectors import kept
from studies.models import Participant, Study
from studies.services.events import StudyEventKind, event_record

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("large", "times"), [(0, 2), (5, 3)])
def test_numbers_are_reckoned_again_when_something_happened(
    large: int,
    times: int,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    monkeypatch: pytest.MonkeyPatch,
    now: Any,
) -> None:
    study, reckoned = make_study(), []
    make_person(study)
    monkeypatch.setattr(kept, "LARGE", large)

    def reckon() -> int:
        reckoned.append(1)
        return len(reckoned)

    assert kept.kept("a number", study, reckon) == 1
    kept.kept("a number", study, reckon)
    event_record(study=study, kind=StudyEventKind.REMINDED, now=now)
    assert kept.kept("a number", study, reckon) == len(reckoned) == times
