"""What is stored beside what is computed, number by number."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from psychometrics.recompute.counted import flow_of_answers, flow_of_people
from psychometrics.recompute.export import PRIVATE, Export, NotComputed, NotHere, Values
from psychometrics.recompute.judges import Judges
from psychometrics.recompute.measures import MeasuredRun
from psychometrics.recompute.results import ResultsRun

TOLERANCE = 1e-9
KEY = "run block level name statistic group category subset participant prompt_id task".split()
EXPECTED = ("value", "se", "low", "high")  # of a row that has them, each must be computed


@dataclass(frozen=True)
class Compared:
    """One number. `agrees` is None where it cannot be computed, and `note` says why or what is stored.

    `empty`: the row itself says that there is no number, and why.
    """

    what: str
    agrees: bool | None
    note: str = ""
    empty: bool = False


def compared(export: Export) -> Iterator[Compared]:
    """Agreement of judges and with people, then everything else run by run."""
    judges = Judges(export)
    rows = partial(_compare_rows, export)
    yield from rows("agreement", export.table("agreement"), judges.agreement, "level", "statistic")
    yield from rows("audit_results", export.table("audit_results"), judges.audit, "of", "statistic")
    private = " with private prompts" if export.lacks_answers else ""
    for entry in export.manifest["runs"]:
        if entry["inputs_sha256"] is None:
            continue
        # What the manifest says of a run, then its rows in the tables of results.
        measured, number, flow = MeasuredRun(export, entry), entry["number"], entry["flow"]
        results = ResultsRun(measured)
        yield from _compare("inputs_sha256", entry, results.inputs_sha256)
        yield from _compare("flow of people", flow, partial(flow_of_people, export))
        yield from _compare(f"flow to top{private}", flow, partial(_flow_to_top, export, results))
        for name in ("answers", "answers_retained"):
            states = partial(flow_of_answers, export, retained_only=name == "answers_retained")
            yield from _compare(f"flow of {name}{private}", flow[name], states)
        yield from rows("estimates", export.rows_of("estimates", number), results.estimate)
        yield from rows("task_accuracies", export.rows_of("task_accuracies", number), results.accuracy)
        yield from rows("metrics", export.rows_of("metrics", number), results.metric)
        yield from rows("measures", measured.rows, measured.found, "block", "name")
        for key in measured.not_stored() if measured.rows else ():
            named = f"measures: {key[0]} {key[1]}"
            yield Compared(named, False, f"{' '.join(filter(None, key))} is not in the table")


def _flow_to_top(export: Export, results: ResultsRun) -> Values:
    """The size of Top, and how many people it was chosen from."""
    if export.lacks_answers:
        raise NotHere(PRIVATE)
    return {"top_size": export.protocol["top_size"], "with_scores": results.with_scores()}


def _compare_rows(
    export: Export, table: str, rows: list[Values], compute: Callable[[Values], Values], *columns: str
) -> Iterator[Compared]:
    """Rows called by their table, whether private prompts may be part of them, and these columns."""
    for row in rows:
        named = f"{table} with private prompts" if export.lacks(row) else table
        about = " ".join(str(row[column]) for column in columns)
        yield from _compare(f"{named}: {about}" if about else named, row, partial(compute, row))


def _compare(what: str, stored: Values, compute: Callable[[], Values]) -> Iterator[Compared]:
    """Every column of a stored row that could be computed."""
    empty = bool(stored.get("reason")) and stored.get("value") is None
    try:
        found = compute()
    except NotHere as reason:
        yield Compared(what, None, "" if empty else str(reason), empty=empty)
        return
    except NotComputed:
        yield Compared(what, False, f"{_key_of(stored)} is no row that these tables give")
        return
    except (LookupError, ValueError, TypeError, StopIteration) as error:
        yield Compared(what, False, f"{_key_of(stored)} cannot be read: {type(error).__name__} {error}")
        return
    if empty and found.get("value") is None and found.get("reason", stored["reason"]) == stored["reason"]:
        yield Compared(what, None, empty=True)
        return
    for name in EXPECTED if "details" in found or "details" not in stored else ():
        if stored.get(name) is not None and name not in found:
            yield Compared(what, False, f"{name} is {stored[name]}, and nothing was computed")
    for name, given, value in _columns_of(stored, found):
        yield Compared(what, _same(given, value), f"{name} is {given}, computed {value}")


def _key_of(row: Values) -> str:
    """What a row is about, for a sentence."""
    return " ".join(str(row[name]) for name in KEY if row.get(name) is not None) or "the entry"


def _columns_of(stored: Values, values: Values) -> Iterator[tuple[str, Any, Any]]:
    """Name, stored and computed value of each column and of each fact in `details`."""
    for name, value in values.items():
        if name == "details":
            yield from ((fact, stored[name].get(fact), computed) for fact, computed in value.items())
            added = stored[name].keys() - value.keys()
            yield from ((fact, stored[name][fact], None) for fact in sorted(added))
        elif name in stored:
            yield name, stored[name], value


def _same(stored: Any, found: Any) -> bool:
    match stored, found:
        case dict(), dict():
            same_keys = stored.keys() == found.keys()
            return same_keys and all(_same(part, found[key]) for key, part in stored.items())
        case list(), list() | tuple():
            return len(stored) == len(found) and all(map(_same, stored, found))
        case bool() | str() | None, _:
            return bool(stored == (None if isinstance(found, float) and math.isnan(found) else found))
        case int() | float(), int() | float():
            return abs(stored - found) <= TOLERANCE * max(1.0, abs(stored))
    return False
