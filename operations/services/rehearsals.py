"""Fills a simulated study with simulated people. A study of real people refuses."""

from datetime import datetime

from batches.models import Batch
from batches.selectors.plans import people_per_batch
from studies.models import Participant, Study, User
from studies.services.people.participants import NewPerson, participants_add
from studies.services.refusals import Refused


class StudyIsReal(Refused):
    """Simulated people may only enter a study that is marked as simulated."""

    def __init__(self, study: Study) -> None:
        super().__init__(
            f'study "{study.slug}" is not marked as simulated, so simulated people may not enter it; '
            "make a rehearsal study with create_study --simulated"
        )


def simulated_people_add(*, study: Study, number: int | None, actor: User | None, now: datetime) -> list[str]:
    """Bring the study to `number` approved simulated people (default: every place); return their addresses.

    Profiles are filled in turn. Addresses use the reserved domain example.org: no mail can reach a person.

    Raises:
        StudyIsReal: the study is not marked as simulated.
    """
    if not study.is_simulated:
        raise StudyIsReal(study)
    profiles = [profile.slug for profile in study.protocol.profiles]
    if number is None:
        number = Batch.objects.filter(plan__study=study).count() * people_per_batch(study.protocol)
    people = [
        NewPerson(f"{study.slug}-{n + 1:03d}@example.org", profiles[n % len(profiles)], approved=True)
        for n in range(study.participants.count(), number)
    ]
    participants_add(study=study, people=people, actor=actor, now=now)
    idle = Participant.objects.filter(study=study, session=None).order_by("id")
    return list(idle.values_list("user__email", flat=True))
