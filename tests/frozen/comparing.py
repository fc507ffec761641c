"""Whether two exports of a study say the same: same rows under the same names, every number equal."""

import json
import math
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from psychometrics.measures.methods import RENAMED, presently_named
from tests.upgrades.keeping import unpacked

Row = dict[str, Any]
Export = dict[str, Any]
MAX_LINES = 40
RELATIVE, ABSOLUTE = 1e-9, 1e-12  # another processor rounds the last digits otherwise
ABSENT = "nothing"

# The columns that tell the rows of a table apart.
KEYS: Mapping[str, tuple[str, ...]] = {
    "agreement": ("scope", "x_run", "y_run", "runs", "level", "statistic"),
    "answers": ("participant", "prompt_id"),
    "audit": ("sample", "item", "run"),
    "audit_results": ("scope", "sample", "run", "of", "statistic"),
    "criteria": ("run", "participant", "prompt_id", "criterion"),
    "estimates": ("run", "scope", "group", "category"),
    "events": ("scope", "participant", "kind", "happened_at"),
    "flags": ("participant", "prompt_id", "rules_version", "reason"),
    "items": ("prompt_id",),
    "judge_calls": ("judging_run", "run", "participant", "prompt_id", "criterion", "mark"),
    "measures": ("run", "scope", "block", "name", "group", "subset", "participant", "prompt_id"),
    "metrics": ("run", "scope", "group", "name"),
    "model_scores": ("model", "prompt_id", "epoch"),
    "models": ("model",),
    "participants": ("participant",),
    "prompts": ("prompt_id",),
    "scores": ("run", "participant", "prompt_id"),
    "sessions": ("participant",),
    "task_accuracies": ("run", "scope", "group", "task"),
    "verdicts": ("participant", "rules_version", "reviewer", "decided_at"),
}
# What a manifest says of the export itself, and of when and how fast something was computed.
OF_THE_EXPORT = re.compile(
    r"exported_at|software|audience|omitted\.texts|files\..+\.sha256|files\.(psychometrics\.zip|independent\.py)"
    r"|runs\.\d+\.measurement\.(methods|names)|files\.(events|measures)\.(csv|jsonl)\.rows"
    r"|runs\.\d+\.(results_computed_at|measurement\.(computed_at|(public_)?blocks\.\w+\.seconds))"
)


@dataclass(frozen=True)
class Difference:
    """One value that is not as it was; `key` names its row, `place` the value in it."""

    study: str
    table: str
    key: str
    place: str
    old: Any
    new: Any

    def __str__(self) -> str:
        where = " ".join(part for part in (self.study, self.table, self.key, self.place) if part)
        return f"{where}: {shown(self.old)} became {shown(self.new)}"


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:99] + "…"


def report_of(found: Sequence[Difference]) -> str:
    """The differences, one a line, at most MAX_LINES of them; "" if there is none."""
    lines = [str(one) for one in found]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES - 1 :] = [f"… and {len(lines) - MAX_LINES + 1} more"]
    return "\n".join(lines)


def export_differences(study: str, old: Export, new: Export, *, exact: bool = False) -> list[Difference]:
    """All values of the new export that are not those of the old one.

    What happened since the old one was made is left out, and what OF_THE_EXPORT names. Floats are equal up to
    RELATIVE and ABSOLUTE, unless `exact`; everything else must be the same. That hides no change of a p-value
    that counts resamples, as none is so small.
    """
    until = old["manifest"]["exported_at"]
    events = [row for row in new["tables"]["events"] if row["happened_at"] <= until]
    tables = {**new["tables"], "events": events}
    known = {row_key("measures", presently_named(row)) for row in old["tables"]["measures"]}
    tables["measures"] = [row for row in tables["measures"] if not is_new_row(row, known)]
    found = list(manifest_differences(study, old["manifest"], new["manifest"], exact=exact))
    for table in sorted(old["tables"].keys() | tables.keys()):
        both = old["tables"].get(table), tables.get(table)
        found += table_differences(study, table, *both, exact=exact)
    return found


def is_new_row(row: Row, known: Container[str]) -> bool:
    """Whether this is a number of Results that only the tables of estimates and tasks had before."""
    return row["block"] == "results" and row_key("measures", row) not in known


def manifest_differences(study: str, old: Row, new: Row, *, exact: bool) -> Iterator[Difference]:
    for place, *values in value_differences("", by_file(old), by_file(new), exact=exact):
        if not OF_THE_EXPORT.fullmatch(place):
            yield Difference(study, "manifest", "", place, *values)


def by_file(manifest: Row) -> Row:
    return {**manifest, "files": {file["name"]: file for file in manifest["files"]}}


def table_differences(
    study: str, table: str, old: list[Row] | None, new: list[Row] | None, *, exact: bool
) -> Iterator[Difference]:
    if old is None or new is None:
        yield Difference(
            study, table, "", "", *(ABSENT if one is None else f"{len(one)} rows" for one in (old, new))
        )
        return
    if table == "measures":
        known = frozen_names()
        old, new = (list(map(presently_named, rows)) for rows in (old, new))
        new = [row for row in new if row["name"] in known]  # what came since has nothing to be compared with
    before, after = named_rows(table, old), named_rows(table, new)
    for key in [*before, *(key for key in after if key not in before)]:
        if key not in before or key not in after:
            yield Difference(study, table, key, "", before.get(key, ABSENT), after.get(key, ABSENT))
            continue
        for place, *values in value_differences("", before[key], after[key], exact=exact):
            yield Difference(study, table, key, place, *values)


@cache
def frozen_names() -> frozenset[str]:
    """The names of all measures that any frozen study holds."""
    exports = (unpacked(path) for path in Path(__file__).parent.glob("*/export.json.gz"))
    rows = (row for export in exports for one in export.values() for row in one["tables"]["measures"])
    return frozenset(presently_named(row)["name"] for row in rows)


def present_line(what: str) -> str:
    """A line of `recompute.py` such as "measures: missing theta.ql" with the present name of the measure."""
    start, _, measure = what.partition(": ")
    block, _, name = measure.partition(" ")
    return f"{start}: {' '.join(RENAMED[block, name])}" if (block, name) in RENAMED else what


def is_new(what: str) -> bool:
    """Whether a line of `recompute.py` is of a measure that no frozen study holds."""
    return what.startswith("measures") and what.rpartition(" ")[2] not in frozen_names()


def named_rows(table: str, rows: list[Row]) -> dict[str, Row]:
    """The rows by what tells them apart; where that is not enough, also by their place among their like."""
    times: Counter[str] = Counter()
    named: dict[str, Row] = {}
    for row in rows:
        key = row_key(table, row)
        times[key] += 1
        named[f"{key} ({times[key]})" if times[key] > 1 else key] = row
    return named


def row_key(table: str, row: Row) -> str:
    """Such as "[run=1 scope=all block=top name=top.eb group=top]"; what is absent is not named."""
    facts = ((name, row.get(name)) for name in KEYS.get(table, tuple(row)))
    said = (
        f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in facts if value
    )
    return f"[{' '.join(said)}]"


def value_differences(place: str, old: Any, new: Any, *, exact: bool) -> Iterator[tuple[str, Any, Any]]:
    """Place, old and new value wherever two values differ, down to what they hold."""
    match old, new:
        case dict(), dict():
            for name in [*old, *(name for name in new if name not in old)]:
                within = f"{place}.{name}" if place else name
                yield from value_differences(
                    within, old.get(name, ABSENT), new.get(name, ABSENT), exact=exact
                )
        case list(), list() if len(old) == len(new):
            for number, pair in enumerate(zip(old, new, strict=True)):
                yield from value_differences(f"{place}.{number}", *pair, exact=exact)
        case _ if not same(old, new, exact=exact):
            yield place, old, new


def same(old: Any, new: Any, *, exact: bool) -> bool:
    if isinstance(old, float) and isinstance(new, float) and not exact:
        return math.isclose(old, new, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(old) is type(new) and bool(old == new)
