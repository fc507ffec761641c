"""What no page, file or reply of the study team may tell whom: every address, as every role."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.utils import timezone

from batches.models import Answer
from console.selectors.waiting import digest_waits_of
from console.services.digests import digest_mail
from scoring.models import MeasureRow
from screening.offtask.facts import RULES_VERSION, ParticipantReason
from studies.models import Participant, StudyRole, User
from studies.roles import GRANTABLE, Can, Role, rights_of
from tests.access.addresses import addresses
from tests.access.forms_shown import TYPED, Form, forms_of
from tests.access.visitors import Visitors
from tests.access.world import World
from tests.support.arms import ARMS

# What stands in the world for each kind of thing, and the right without which nobody reads it.
TOLD: Mapping[str, tuple[tuple[str, ...], frozenset[Can]]] = {
    "a question": (("Asked-of-people?",), frozenset({Can.SEE_ANSWERS, Can.REVIEW})),
    "an answer": (("Written-in-answer",), frozenset({Can.SEE_ANSWERS, Can.REVIEW})),
    "a message": (("Said-by-nobody-else",), frozenset({Can.INVITE})),
    "a document": (("name-of-a-person.pdf",), frozenset({Can.SEE_PEOPLE})),
    "an arm": (
        ("human-only", "centaur", "every model you like"),
        frozenset({Can.SEE_PROTOCOL, Can.SEE_RESULTS}),
    ),
    "a profile": (
        ("stem-phd", "STEM PhD"),
        frozenset({Can.SEE_STUDY, Can.SEE_PEOPLE, Can.SEE_PROTOCOL, Can.SEE_RESULTS}),
    ),
}
PAGES = ("staff_", "attachment", "api-1:")
# What one can read; of anything else, as archives and PDF, nothing can be said but who gets it.
READABLE = ("text/", "application/json", "image/svg")


@pytest.fixture(scope="module")
def design() -> dict[str, Any]:
    """The studies compare arms, so that there are some to be told."""
    return {"arms": ARMS}


@pytest.fixture
def flagged(world: World) -> None:
    """Somebody is put before reviewers."""
    answer = Answer.objects.filter(session__participant__study=world.here.study, has_text=True).earliest("pk")
    answer.session.participant.flags.update_or_create(
        rules_version=RULES_VERSION,
        reason=ParticipantReason.MOSTLY_OFF_TASK,
        defaults={"evidence": "3", "flagged_at": timezone.now()},
    )


def filled(form: Form) -> dict[str, list[str]]:
    """What the page would send, with something in each field that people type in."""
    return {
        name: values if any(values) or form.kinds[name] not in TYPED else ["5"]
        for name, values in form.values.items()
    }


@pytest.mark.timeout(1200)
@pytest.mark.usefixtures("flagged")
@pytest.mark.parametrize("role", list(Role))
def test_no_reply_tells_a_role_what_its_table_does_not(role: Role, world: World, visitors: Visitors) -> None:
    # A coordinator with every right that a lead can give reads nothing more than one without.
    StudyRole.objects.filter(study=world.here.study, role=Role.COORDINATOR).update(rights=list(GRANTABLE))
    rights = rights_of([role], given=GRANTABLE)
    forbidden = {word: kind for kind, (words, need) in TOLD.items() if not need & rights for word in words}
    if not rights & {Can.SEE_PEOPLE, Can.INVITE, Can.PAY}:
        people = Participant.objects.filter(study=world.here.study).values_list("user__email", flat=True)
        forbidden |= dict.fromkeys(people, "an address")
    told, read = [], set()
    for one in addresses():
        if not one.name.startswith(PAGES):
            continue
        for method in ("GET", "POST"):
            reply = visitors.read(role, method, one.path(world.here.ids))
            told += [f"{one.name} {method}: {kind}" for word, kind in forbidden.items() if word in reply]
            for form in forms_of(reply, one.path(world.here.ids)):
                replied = visitors.read_form(role, form.path, filled(form))
                told += [f"{form.name} sent: {kind}" for word, kind in forbidden.items() if word in replied]
            read |= {kind for kind, (words, _need) in TOLD.items() if any(word in reply for word in words)}
    assert told == []
    # What a role may read it does read somewhere: the words that are looked for are there.
    assert read == {kind for kind, (_words, need) in TOLD.items() if need & rights}


def test_reviewers_and_coordinators_read_no_number_that_was_measured(
    world: World, visitors: Visitors
) -> None:
    theirs = [one for one in addresses() if one.name.startswith(PAGES)]
    for role in (Role.REVIEWER, Role.COORDINATOR):
        for one in theirs:
            if one.name.startswith(("staff_results", "staff_measurement", "staff_report", "staff_agreement")):
                assert visitors.ask(role, "GET", one.path(world.here.ids)) == "403"


@pytest.mark.usefixtures("flagged")
def test_a_reviewer_gets_no_number_and_no_file_that_cannot_be_looked_into(
    world: World, visitors: Visitors
) -> None:
    measured = MeasureRow.objects.filter(results__run__study=world.here.study).exclude(value=None)
    # Long enough to be no other number.
    numbers = {f"{value:.6f}" for value in measured.values_list("value", flat=True)}
    numbers = {one for one in numbers if not one.endswith("000")}
    assert numbers
    told, closed = [], []
    for one in addresses():
        if one.name.startswith(PAGES):
            response, content = visitors.reply(Role.REVIEWER, "GET", one.path(world.here.ids))
            text = content.decode(errors="replace")
            told += [one.name for number in numbers if number in text]
            if response.status_code == 200 and not response["Content-Type"].startswith(READABLE):
                closed.append(one.name)
    assert told == []
    assert closed == ["attachment"]


@pytest.mark.usefixtures("flagged", "db")
def test_the_digest_of_a_reviewer_names_nobody_and_nothing_of_them(world: World) -> None:
    reviewer = User.objects.get(email="reviewer@team.example.org")
    waits = digest_waits_of(reviewer)
    assert [one.verdicts for one in waits] == [1]
    mail = digest_mail(reviewer, waits, "http://testserver")
    rights = rights_of([Role.REVIEWER])
    words = [word for words, need in TOLD.values() if not need & rights for word in words]
    people = Participant.objects.filter(study=world.here.study)
    words += [*people.values_list("user__email", flat=True), *people.values_list("code", flat=True)]
    said = f"{mail.subject} {mail.body} {mail.alternatives}"
    assert [word for word in words if word in said] == []
