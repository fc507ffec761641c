"""Who may do what: every address, as every role, by every method, against the tables of this folder.

A line of a table is an address and methods that are answered alike; a cell is the status for a role. For
redirects: `in` leads to the sign-in page, `2f` to a second factor, `->` elsewhere. In table_own.txt the
addresses name the participant's own study and session, in table_others.txt one part of each belongs to
another study and its people. "-1f" is without a second factor; a "colleague" takes part in the same study,
who is "elsewhere" in the other. "staff" has no part in a study; lead, coordinator, reviewer, analyst have
that part in the participant's study and none in the other.

To see what has changed, or to add an address: CHIRON_WRITE_ACCESS_TABLE=1 with these tests writes the tables
as they are observed; then read the difference line by line before committing it.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from studies.models import StudyRole
from studies.roles import GRANTABLE, Can, Role
from tests.access.addresses import RECORDS, addresses
from tests.access.asking import METHODS, ROLES, Answers, Row, observed
from tests.access.visitors import Visitors
from tests.access.world import World

# Each part is an item of its own, so that several processes take them; to write, one has them all.
PARTS = {"records": "admin:", "staff a-l": "staff_[a-l]", "staff m-z": "staff_[m-z]", "people": ""}
WRITES = bool(os.environ.get("CHIRON_WRITE_ACCESS_TABLE"))
HEADING = " ".join([f"{'':58}", *(f"{role:>11}" for role in ROLES)])


def part_of(name: str) -> str:
    """The part that an address belongs to, or a line of a table."""
    return "" if WRITES else next(part for part, begins in PARTS.items() if re.match(begins, name))


pytestmark = [pytest.mark.timeout(2400), pytest.mark.usefixtures("brief_refusals", "brief_rails")]
in_parts = pytest.mark.parametrize("part", [""] if WRITES else list(PARTS))


def table_lines(cells: Mapping[str, Answers]) -> Iterator[str]:
    """Methods of an address that are answered alike share a line."""
    for name, by_method in cells.items():
        alike: dict[Row, list[str]] = defaultdict(list)
        for method in METHODS:
            alike[by_method[method]].append(method)
        for row, methods in alike.items():
            named = f"{name} {','.join(methods)}"
            yield " ".join([f"{named:58}", *(f"{cell:>11}" for cell in row)]).rstrip()


def records_folded(cells: dict[str, Answers]) -> dict[str, Answers]:
    """The administrator's records as one entry for each kind of page, and those that differ from it."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in cells:
        if found := RECORDS.match(name):
            kinds[found[3]].append(name)
    for kind, names in kinds.items():
        usual, _ = Counter(tuple(sorted(cells[name].items())) for name in names).most_common(1)[0]
        cells[f"admin: all records {kind}"] = dict(usual)
        for name in names:
            if tuple(sorted(cells[name].items())) == usual:
                del cells[name]
    return cells


@in_parts
def test_every_address_answers_every_role_as_the_table_says(
    part: str, world: World, visitors: Visitors
) -> None:
    own = [(one.name, one.path(world.here.ids)) for one in addresses() if part_of(one.name) == part]
    assert_answers("table_own.txt", part, table_lines(records_folded(observed(visitors, own))))


@in_parts
def test_what_belongs_to_others_is_answered_as_the_table_says(
    part: str, world: World, visitors: Visitors
) -> None:
    foreign = [(name, path) for name, path in of_others(world) if part_of(name) == part]
    assert_answers("table_others.txt", part, table_lines(observed(visitors, foreign)))


# What each right of a coordinator opens by itself, and nothing else does.
BOTH = ("GET", "POST")
OPENED = {
    Can.DECIDE_PEOPLE: {
        "staff_person_action GET",
        *(
            f"{page} {method}" for method in BOTH
            for page in (
                "staff_decision", "staff_person_promote", "staff_person_replace",
                "staff_person_action withdraw",
            )
        ),
    },
    Can.GIVE_TIME: {
        "staff_person_action withdraw GET",
        *(f"{page} {method}" for method in BOTH for page in ("staff_live_act", "staff_person_action")),
    },
    Can.PAUSE: {"staff_live_pause GET", "staff_live_pause POST"},
    Can.VOID: {"staff_live_act void GET", "staff_live_act void POST"},
}  # fmt: skip
# What else an address does than the one action that it is asked for.
OTHER_ACTIONS = {"staff_live_act": "void", "staff_person_action": "withdraw"}


def test_a_right_given_to_a_coordinator_opens_what_it_names_and_nothing_else(
    world: World, visitors: Visitors
) -> None:
    mine = StudyRole.objects.filter(study=world.here.study, role=Role.COORDINATOR)
    paths = {one.name: one.path(world.here.ids) for one in addresses()}
    paths = {name: path for name, path in paths.items() if name.startswith(("staff_", "attachment"))}
    for name, action in OTHER_ACTIONS.items():
        paths[f"{name} {action}"] = paths[name].replace("/extend/", f"/{action}/")
    asked = [(f"{name} {method}", method, path) for name, path in paths.items() for method in BOTH]

    def answers(*rights: Can) -> dict[str, str]:
        mine.update(rights=[right.value for right in rights])
        return {name: visitors.ask("coordinator", method, path) for name, method, path in asked}

    without = answers()
    # All of them together open no more than each by itself: the others are asked of what changed alone.
    changed = {name for name, answer in answers(*GRANTABLE).items() if answer != without[name]}
    assert changed == set().union(*OPENED.values())
    asked = [one for one in asked if one[0] in changed]
    for right, opened in OPENED.items():
        assert {name for name, answer in answers(right).items() if answer != without[name]} == opened


def assert_answers(name: str, part: str, answers: Iterator[str]) -> None:
    """The lines of a table are those of this part of the file `name`."""
    table, lines = Path(__file__).with_name(name), list(answers)
    title, heading, *known = table.read_text().splitlines()
    if WRITES:
        heading, known = HEADING, lines
        table.write_text("\n".join([title, heading, *known, ""]))
    assert not [line for line in lines if " 500" in line]
    assert heading == HEADING
    assert lines == [line for line in known if part_of(line) == part]


def of_others(world: World) -> Iterator[tuple[str, str]]:
    """Each argument of each address taken from the other study, the others from this one."""
    for one in addresses():
        for argument in sorted(one.names):
            mixed = {**world.here.ids, **stranger_ids(argument, world)}
            if (path := one.path(mixed)) != one.path(world.here.ids):
                yield f"{one.name} other {argument}", path


def stranger_ids(argument: str, world: World) -> dict[str, Any]:
    there = world.there.ids
    several = {
        "number": ("invitation", "announcement", "run"),
        "token": ("attachment", "credential", "link"),
    }.get(argument, (argument,))
    return {name: there[name] for name in several}
