"""What no page, file or reply of the study team may tell whom: every address, as every role."""

from collections.abc import Mapping

import pytest

from studies.models import Participant
from studies.roles import Can, Role, rights_of
from tests.access.addresses import addresses
from tests.access.visitors import Visitors
from tests.access.world import World

# What stands in the world for each kind of thing, and the right without which nobody reads it.
TOLD: Mapping[str, tuple[tuple[str, ...], frozenset[Can]]] = {
    "a question": (("Asked-of-people?",), frozenset({Can.SEE_ANSWERS, Can.REVIEW})),
    "an answer": (("Written-in-answer",), frozenset({Can.SEE_ANSWERS, Can.REVIEW})),
    "a message": (("Said-by-nobody-else",), frozenset({Can.INVITE})),
    "a document": (("name-of-a-person.pdf",), frozenset({Can.SEE_PEOPLE})),
    "a profile": (
        ("stem-phd", "STEM PhD"),
        frozenset({Can.SEE_STUDY, Can.SEE_PEOPLE, Can.SEE_PROTOCOL, Can.SEE_RESULTS}),
    ),
}
PAGES = ("staff_", "attachment", "api-1:")


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("role", list(Role))
def test_no_reply_tells_a_role_what_its_table_does_not(role: Role, world: World, visitors: Visitors) -> None:
    rights = rights_of([role])
    forbidden = {word: kind for kind, (words, need) in TOLD.items() if not need & rights for word in words}
    if not rights & {Can.SEE_PEOPLE, Can.INVITE, Can.PAY}:
        people = Participant.objects.filter(study=world.here.study).values_list("user__email", flat=True)
        forbidden |= dict.fromkeys(people, "an address")
    told = []
    for one in addresses():
        if not one.name.startswith(PAGES):
            continue
        for method in ("GET", "POST"):
            reply = visitors.read(role, method, one.path(world.here.ids))
            told += [f"{one.name} {method}: {kind}" for word, kind in forbidden.items() if word in reply]
    assert told == []


def test_reviewers_and_coordinators_read_no_number_that_was_measured(
    world: World, visitors: Visitors
) -> None:
    theirs = [one for one in addresses() if one.name.startswith(PAGES)]
    for role in (Role.REVIEWER, Role.COORDINATOR):
        for one in theirs:
            if one.name.startswith(("staff_results", "staff_measurement", "staff_report", "staff_agreement")):
                assert visitors.ask(role, "GET", one.path(world.here.ids)) == "403"
