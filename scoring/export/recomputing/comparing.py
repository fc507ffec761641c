"""What is stored beside what is computed, line by line."""

import json
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scoring.export.recomputing.audit import audited
from scoring.export.recomputing.counted import counted
from scoring.export.recomputing.flow import flow_of, states_of, top_of_flow
from scoring.export.recomputing.formulas import FORMULAS, THETAS
from scoring.export.recomputing.panels import agreement_of
from scoring.export.recomputing.reading import (
    PRIVATE,
    TOLERANCE,
    UNKNOWN,
    Export,
    NotHere,
    Run,
    Values,
)
from scoring.export.recomputing.tables import estimate_of, inputs_hash, metric_of, task_of


def measure_of(run: Run, row: Values) -> Values:
    """One row of `measures`."""
    key = (row["block"], row["name"])
    if run.export.lacks(row) and not may_be_public(row):
        raise NotHere(PRIVATE)
    if key not in FORMULAS:
        raise NotHere(UNKNOWN)
    found = FORMULAS[key](run, row)
    if run.export.lacks(row) and row["block"] == "slices" and found["n"] != row["n"]:
        raise NotHere(PRIVATE)
    return found


OF_SCORES = ("flow.with_scores", "flow.top", "flow.retained.leaving")


def may_be_public(row: Values) -> bool:
    """Of scope `all`: people and reviewers alone; and parts, where none of the pairs is private."""
    if row["block"] == "exclusions":
        return row["name"] not in OF_SCORES and row["name"].startswith(("flow.", "screening."))
    return row["block"] == "slices" and row["name"] in THETAS and row["group"] == "average"


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


def compare(what: str, stored: Values, compute: Callable[[], Values]) -> Iterator[Compared]:
    """Every column of a stored row that could be computed."""
    if stored.get("reason") and stored.get("value") is None:
        yield Compared(what, None, empty=True)
        return
    try:
        found = compute()
    except NotHere as reason:
        yield Compared(what, None, str(reason))
        return
    for name in EXPECTED:
        if stored.get(name) is not None and name not in found:
            yield Compared(what, False, f"{name} is {stored[name]}, and nothing was computed")
    for name, given, value in columns_of(stored, found):
        yield Compared(what, same(given, value), f"{name} is {given}, computed {value}")


def columns_of(stored: Values, found: Values) -> Iterator[tuple[str, Any, Any]]:
    """Name, stored and computed value of each column and of each fact in `details` that was computed."""
    optional = "block" in stored or "statistic" in stored  # a measure may have no error by design
    for name, value in found.items():
        if name == "details":
            yield from ((fact, stored[name].get(fact), one) for fact, one in value.items())
        elif name in stored and not (optional and stored[name] is None):
            yield name, stored[name], value


def same(stored: Any, found: Any) -> bool:
    if isinstance(found, float) and math.isnan(found):
        found = None
    if stored is None or found is None or isinstance(stored, str | list | dict):
        return bool(stored == found)
    return bool(abs(stored - found) <= TOLERANCE * max(1.0, abs(stored)))


def compared(export: Export) -> Iterator[Compared]:
    """Agreement of judges, then everything else run by run."""
    for row in export.table("agreement"):
        what = f"{named(export, 'agreement', row)}: {row['level']} {row['statistic']}"
        yield from compare(what, row, partial(agreement_of, export, row))
    for row in export.table("audit_results"):
        what = f"{named(export, 'audit_results', row)}: {row['of']} {row['statistic']}"
        yield from compare(what, row, partial(audited, export, row))
    for entry in export.manifest["runs"]:
        if entry["inputs_sha256"] is not None:
            yield from compared_run(Run(export, entry))


def named(export: Export, table: str, row: Values) -> str:
    """What a row is called in the list: its table, and whether private prompts may be part of it."""
    return f"{table} with private prompts" if export.lacks(row) else table


def compared_run(run: Run) -> Iterator[Compared]:
    """What the manifest says of a run, then its rows in the tables of results."""
    flow, private = run.entry["flow"], " with private prompts" if run.export.private else ""
    yield from compare("inputs_sha256", run.entry, partial(inputs_hash, run))
    yield from compare("flow of people", flow, partial(flow_of, run))
    yield from compare(f"flow to top{private}", flow, partial(top_of_flow, run))
    for name in ("answers", "answers_retained"):
        yield from compare(f"flow of {name}{private}", flow[name], partial(states_of, run, name))
    for table, function in (
        ("estimates", estimate_of), ("task_accuracies", task_of), ("metrics", metric_of),
        ("measures", measure_of),
    ):  # fmt: skip
        for row in run.export.table(table):
            if row["run"] == run.number:
                what = named(run.export, table, row)
                what += f": {row['block']} {row['name']}" if table == "measures" else ""
                yield from compare(what, row, partial(function, run, row))


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def with_progress(found: Iterator[Compared]) -> Iterator[Compared]:
    """Says on stderr every ten seconds how far it has come: a large study takes minutes."""
    said = time.monotonic()
    for number, one in enumerate(found, start=1):
        if time.monotonic() - said > 10:
            said = time.monotonic()
            sys.stderr.write(f"{number} numbers so far, now {one.what}\n")
        yield one


def report(export: Export) -> int:
    """Print what came out; the exit code."""
    changed = export.changed_files()
    for name in changed:
        say(f"{name} is not the file that the manifest names")
    names: dict[str, list[Compared]] = defaultdict(list)
    for one in with_progress(compared(export)):
        names[one.what].append(one)
    say(f"{'agree':>8} {'differ':>8} {'not here':>9}  what")
    for what, found in names.items():
        say_of(what, found)
    everything = [one for found in names.values() for one in found]
    agreeing, differing = (sum(one.agrees is which for one in everything) for which in (True, False))
    say("Counted from the tables, to be read beside the methods and the checklist of a report:")
    for what, number in counted(export):
        say(f"{'':>28}{what}: {number}")
    if empty := sum(one.empty for one in everything):
        say(f"{empty} rows hold no number, and the reason why.")
    if differing:
        say(f"Random draws are repeated with numpy {np.__version__}; another version may draw otherwise.")
    if not agreeing + differing:
        say("No number of this export could be computed from its tables.")
        return 1
    say("Everything that could be computed agrees." if not differing else f"{differing} numbers differ.")
    return int(bool(differing or changed))


def say_of(what: str, found: list[Compared]) -> None:
    """One line for a name, and what is wrong or missing."""
    wrong = [one for one in found if one.agrees is False]
    reasons = Counter(one.note for one in found if one.agrees is None and not one.empty)
    right = sum(one.agrees is True for one in found)
    say(f"{right:>8} {len(wrong):>8} {reasons.total():>9}  {what}")
    for one in wrong[:5]:
        say(f"{'':>28}differs: {one.note}")
    for reason, number in reasons.items():
        say(f"{'':>28}{number} x {reason}")


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except OSError as error:
        sys.stderr.write(f"{folder} is not an export: {error.strerror}\n")
        return 2
    return report(Export(folder, manifest))
