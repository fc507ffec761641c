"""Studies rehearsed by simulated people. A study of real people refuses."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv4Address

import httpx
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.core.handlers.wsgi import WSGIHandler
from django.utils import translation
from django.utils.translation import gettext as _

from batches.models import Answer
from batches.rules.statuses import SessionStatus
from operations.rehearsal.answers import PromptKey
from operations.rehearsal.mailbox import KeptMails, Mailbox
from operations.rehearsal.people import draw_people
from operations.rehearsal.taking_part import Site, go_through
from operations.rehearsal.web import WebParticipant
from operations.services.rehearsal_starting import StudyNotOpen, places_of
from studies.bank.records import CriterionRecord
from studies.models import Participant, Study, StudyStatus, User
from studies.services.mails.mails import mails_kept
from studies.services.people.participants import NewPerson, participants_add, people_present
from studies.services.refusals import Refused

# Of one job; what is left over goes on where it is started again.
AT_MOST = timedelta(minutes=30)
MEAN, SPREAD, OFF_TASK, SKIPPED = 0.3, 0.8, 0.15, 0.05


class StudyIsReal(Refused):
    """Simulated people may only enter a study that is marked as simulated."""

    def __init__(self, study: Study) -> None:
        super().__init__(
            _(
                'The study "%(study)s" is not marked as simulated, so simulated people may not enter it; '
                "rehearse a copy of it, or make a study with create_study --simulated."
            )
            % {"study": study.slug}
        )


@dataclass(frozen=True)
class Rehearsed:
    """How many people have come so far, how many of them are through, and what was saved this time."""

    people: int
    through: int
    answers: int


def simulated_people_add(*, study: Study, number: int | None, actor: User | None, now: datetime) -> list[str]:
    """Bring the study to `number` approved simulated people (default: every place); return the addresses of
    those who have not started.

    Profiles are filled in turn. Addresses use the reserved domain example.org: no mail can reach a person.

    Raises:
        StudyIsReal: the study is not marked as simulated.
    """
    if not study.is_simulated:
        raise StudyIsReal(study)
    profiles = [profile.slug for profile in study.protocol.profiles]
    if number is None:
        number = places_of(study)
    wanted = addresses_of(study, number)
    present = people_present(study, wanted)
    people = [
        NewPerson(address, profiles[n % len(profiles)], approved=True)
        for n, address in enumerate(wanted)
        if address not in present
    ]
    participants_add(study=study, people=people, actor=actor, now=now)
    idle = Participant.objects.filter(study=study, session=None).order_by("id")
    return list(idle.values_list("user__email", flat=True))


def addresses_of(study: Study, number: int) -> list[str]:
    """Of the first so many simulated people."""
    return [f"{study.slug}-{n + 1:03d}@example.org" for n in range(number)]


def rehearsal_site(
    study: Study, base_url: str, mailbox: Mailbox | None = None, *, skip_share: float = SKIPPED
) -> Site:
    """The study as simulated people find it at this address; item parameters where its item bank has them."""
    items = {item.prompt_id: item for item in study.item_bank.items.all()} if study.item_bank else {}
    keys = {}
    for prompt in study.bank_version.prompts.prefetch_related("criteria"):
        item = items.get(prompt.prompt_id)
        keys[prompt.prompt_id] = PromptKey(
            prompt_id=prompt.prompt_id,
            gold_answer=prompt.gold_answer,
            criteria=tuple(
                CriterionRecord.model_validate({"text": criterion.text, "check": criterion.check_rule})
                for criterion in prompt.criteria.all()
            ),
            solution=prompt.solution,
            a=getattr(item, "a", None),
            b=getattr(item, "b", None),
        )
    protocol = study.protocol
    questions = protocol.check_questions if protocol.comprehension_check else ()
    check = [question.correct for question in questions]
    return Site(base_url, mailbox, study.slug, keys, protocol.resource_categories, skip_share, check)


def rehearsal_run(
    *,
    study: Study,
    people: int,
    off_task: bool,
    actor: User | None,
    clock: Callable[[], datetime],
    step: Callable[[float, float], None],
) -> Rehearsed:
    """Let simulated people, `people` in all and no more than there are places, answer through the pages.

    The pages are asked inside this process, by the way of every request but the network's: where the site
    listens, and behind what, need not be known. The codes that they sign in with are read here and mailed to
    nobody. Whoever was interrupted goes on, whoever is through does not come again. After half an hour no
    further person begins. With `off_task` some do not answer the questions. `step` hears how far it is, and
    may end it by an exception.

    Raises StudyIsReal, StudyNotOpen, or PageRefused where a page does what no participant expects.
    """
    if study.status != StudyStatus.FROZEN:
        raise StudyNotOpen
    people, began = min(people, places_of(study)), clock()
    simulated_people_add(study=study, number=people, actor=actor, now=began)
    wanted = addresses_of(study, people)
    drawn = draw_people(wanted, mean=MEAN, spread=SPREAD, seed=1, off_task_share=OFF_TASK * off_task)
    # Nobody who takes part in a real study is signed in for, whatever their address.
    rows = Participant.objects.filter(study=study, user__email__in=wanted, user__is_staff=False).exclude(
        user__participations__study__is_simulated=False
    )
    by_email = {row.user.email: row for row in rows.select_related("user", "session")}
    # Asked as by TLS: production refuses anything else.
    host = settings.ALLOWED_HOSTS[0].lstrip(".")
    site = rehearsal_site(study, f"https://{'localhost' if host == '*' else host}")
    saved, through = 0, 0
    for number, person in enumerate(drawn):
        step(number, people)
        participant = by_email.get(person.email)
        session = getattr(participant, "session", None)
        if participant is None or (session and session.status != SessionStatus.ACTIVE):
            through += session is not None
            continue
        if clock() - began > AT_MOST:
            break
        answered = Answer.objects.filter(session=session, has_text=True) if session else Answer.objects.none()
        # The pages choose a language for this thread.
        with translation.override("en"), _signed_in(participant.user, site.base_url) as browser:
            saved += go_through(
                person,
                browser,
                site,
                answered=set(answered.values_list("position", flat=True)),
                step=lambda number=number: step(number, people),  # type: ignore[misc]
            )
        through += 1
    return Rehearsed(people, through, saved)


@contextmanager
def _signed_in(user: User, base_url: str) -> Iterator[WebParticipant]:
    """A browser of this simulated person, who signs in with a code; the sign-in ends with the block."""
    # An address of their own: all people of a study who come from one would read as an attack.
    address = str(IPv4Address("127.1.0.0") + user.pk % 2**16)
    pages = httpx.WSGITransport(app=WSGIHandler(), remote_addr=address)
    with mails_kept() as mails, WebParticipant(base_url, KeptMails(mails), transport=pages) as browser:
        browser.client.headers["X-Forwarded-For"] = address
        try:
            browser.sign_in(user.email)
            yield browser
        finally:
            SessionStore(browser.client.cookies.get(settings.SESSION_COOKIE_NAME)).delete()
