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
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.access.addresses import RECORDS, addresses
from tests.access.visitors import Visitors
from tests.access.world import World

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")
ROLES = (
    "nobody", "stranger", "invited", "applicant", "participant", "colleague", "elsewhere", "withdrawn",
    "staff", "lead", "coordinator", "reviewer", "analyst", "staff-1f", "disabled", "superuser", "super-1f",
)  # fmt: skip
# What is not of the study team, but for files of prompts, cannot tell these from staff without a part.
TEAM = frozenset({"lead", "coordinator", "reviewer", "analyst"})
# All records stand behind one guard: one model's are asked by every role, those of the others by these.
AT_THE_GUARD = {"nobody", "staff", "superuser"}

Row = tuple[str, ...]  # of ROLES


def table_lines(part: str, cells: Mapping[str, Mapping[str, Row]]) -> Iterator[str]:
    """`cells`: a row of roles by address and method. Methods that are answered alike share a line."""
    yield from (f"# {part}", " ".join([f"{'':58}", *(f"{role:>11}" for role in ROLES)]))
    for name, by_method in cells.items():
        alike: dict[Row, list[str]] = defaultdict(list)
        for method in METHODS:
            alike[by_method[method]].append(method)
        for row, methods in alike.items():
            named = f"{name} {','.join(methods)}"
            yield " ".join([f"{named:58}", *(f"{cell:>11}" for cell in row)]).rstrip()


def records_folded(cells: dict[str, dict[str, Row]]) -> dict[str, dict[str, Row]]:
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


def observed(visitors: Visitors, asked: list[tuple[str, str]]) -> dict[str, dict[str, Row]]:
    """The answers by address, method and role; what is behind a known guard is not asked by everybody."""
    cells: dict[str, dict[str, Row]] = {}
    first: dict[str, str] = {}

    def row(name: str, method: str, path: str, known: Mapping[str, Row] | None) -> Row:
        told: dict[str, str] = {}
        for role in ROLES:
            if known and role not in AT_THE_GUARD:
                told[role] = known[method][ROLES.index(role)]
            elif role in TEAM and not name.startswith(("staff_", "attachment")):
                told[role] = told["staff"]
            else:
                told[role] = visitors.ask(role, method, path)
        return tuple(told.values())

    for name, path in asked:
        found = RECORDS.match(name)
        known = cells.get(first.setdefault(found[3], name)) if found else None
        # No view of the study team's tells a PUT from a DELETE.
        alike = METHODS[:-1] if name.startswith("staff_") else METHODS
        cells[name] = {method: row(name, method, path, known) for method in alike}
        cells[name].setdefault("DELETE", cells[name]["PUT"])
    return cells


@pytest.mark.timeout(2400)
def test_every_address_answers_every_role_as_the_table_says(world: World, visitors: Visitors) -> None:
    own = [(one.name, one.path(world.here.ids)) for one in addresses()]
    assert_answers("table_own.txt", table_lines("Own addresses", records_folded(observed(visitors, own))))


@pytest.mark.timeout(2400)
def test_what_belongs_to_others_is_answered_as_the_table_says(world: World, visitors: Visitors) -> None:
    foreign = observed(visitors, list(of_others(world)))
    assert_answers("table_others.txt", table_lines("What belongs to others", foreign))


def assert_answers(name: str, answers: Iterator[str]) -> None:
    """The lines of a table are those of the file `name`."""
    table, lines = Path(__file__).with_name(name), list(answers)
    if os.environ.get("CHIRON_WRITE_ACCESS_TABLE"):
        table.write_text("\n".join([*lines, ""]))
    assert not [line for line in lines if " 500" in line]
    assert lines == table.read_text().splitlines()


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
