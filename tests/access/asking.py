"""Ask addresses as every role by every method, without what follows from other answers."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from tests.access.addresses import RECORDS
from tests.access.visitors import Visitors

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")
ROLES = (
    "nobody", "stranger", "invited", "applicant", "participant", "colleague", "elsewhere", "withdrawn",
    "staff", "lead", "coordinator", "reviewer", "analyst", "staff-1f", "disabled", "superuser", "super-1f",
)  # fmt: skip
# What is not of the study team, but for files of prompts, cannot tell these from staff without a part.
TEAM = frozenset({"lead", "coordinator", "reviewer", "analyst"})
# Each may be let in somewhere; all others stand outside of the study team's pages.
STAFF = TEAM | {"staff", "superuser"}
# All records stand behind one guard: one model's are asked by every role, those of the others by these.
AT_THE_GUARD = {"nobody", "staff", "superuser"}
Row = tuple[str, ...]  # of ROLES
Answers = dict[str, Row]  # by method


def observed(visitors: Visitors, asked: Iterable[tuple[str, str]]) -> dict[str, Answers]:
    """The answers by address; `asked` has the name and the path of each.

    Behind a guard that is known not everybody asks, and no view tells a HEAD from a GET but by its methods.
    """
    cells: dict[str, Answers] = {}
    first: dict[str, str] = {}
    for turn, (name, path) in enumerate(asked):
        found = RECORDS.match(name)
        known = cells.get(first.setdefault(found[3], name)) if found else None
        told = {method: by_each_role(visitors, method, name, path, known) for method in ("GET", "POST")}
        if name.startswith("staff_"):
            told["PUT"] = by_one_of_each_kind(visitors, "PUT", path, told, turn, but_each_of=STAFF)
        else:
            told["PUT"] = by_each_role(visitors, "PUT", name, path, known)
        if known and all(told[method] == known[method] for method in told):
            cells[name] = {**known}
            continue
        told["HEAD"] = by_one_of_each_kind(visitors, "HEAD", path, told, turn)
        if name.startswith("staff_"):
            told["DELETE"] = told["PUT"]  # no view of the study team's tells them apart
        else:
            told["DELETE"] = by_each_role(visitors, "DELETE", name, path, known)
        cells[name] = told
    return cells


def by_each_role(
    visitors: Visitors, method: str, name: str, path: str, known: Mapping[str, Row] | None
) -> Row:
    """`known`: the answers of another address behind the same guard."""
    told: dict[str, str] = {}
    for role in ROLES:
        if known and role not in AT_THE_GUARD:
            told[role] = known[method][ROLES.index(role)]
        elif role in TEAM and not name.startswith(("staff_", "attachment")):
            told[role] = told["staff"]
        else:
            told[role] = visitors.ask(role, method, path)
    return tuple(told.values())


def by_one_of_each_kind(
    visitors: Visitors,
    method: str,
    path: str,
    told: Mapping[str, Row],
    turn: int,
    *,
    but_each_of: Collection[str] = (),
) -> Row:
    """Of roles that `told` does not tell apart one is asked: each at some address, as `turn` goes on."""
    kinds: dict[Row, list[str]] = defaultdict(list)
    for role, *alike in zip(ROLES, *told.values(), strict=True):
        kinds[(*alike, role if role in but_each_of else "")].append(role)
    answers: dict[str, str] = {}
    for roles in kinds.values():
        answers |= dict.fromkeys(roles, visitors.ask(roles[turn % len(roles)], method, path))
    return tuple(answers[role] for role in ROLES)
