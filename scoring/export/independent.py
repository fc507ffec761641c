#!/usr/bin/env python3
"""Compute what a paper quotes of a study again, from its exported tables alone, and compare.

    python -I independent.py EXPORT_FOLDER

Written from the GIM paper (section 4, I.9), the BBEH paper (section 4) and the documents of the export, not
from the program that made it. Needs Python 3.11 and numpy. Prints per quantity how many numbers agree (within
1e-9, times their size if above 1) and how many differ, the first of these by name, and what it does not look
at. Exit code 0 if all agree, 1 if something differs, 2 if the folder is not a whole export.

    y = ln(q / (1 - q)),  q = scale p + offset           logit of a score p in [0, 1]
    theta_pool  sum a (y + a b) / sum a^2 over answers;  theta: the same over the mean scores of prompts
    theta_ql    root of sum a (p - pi) = 0,  pi = 1 / (1 + exp(-a (theta - b))): at scores of 0 and 1 the
                maximum likelihood of the logistic model, and the only theta on a logistic bank
    errors      CR2 with the t of Bell and McCaffrey: V = sum over clusters g of
                (sum of influences)^2 / (1 - h_g), h_g the share of a^2 in g (theta_ql: a^2 pi (1 - pi)), and
                df = 1 / (sum h_g^2 + sum over g != k of h_g^2 h_k^2 / ((1 - h_g) (1 - h_k)));
                over all prompts never a narrower interval than by people alone

Abilities of single people are computed (`person_abilities`) but not printed: one batch cannot rank people.
They are compared by what the export says of all of them: spread, residual, median error, reliability.
"""

import hashlib
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

try:
    import numpy as np
    from numpy.typing import NDArray
except ImportError:
    sys.stderr.write("independent.py needs numpy: python -m pip install numpy\n")
    sys.exit(2)

Array = NDArray[np.float64]
Places = NDArray[
    np.void
]  # prompts of people's batches, with these fields; a, b, p are NaN where there are none
FIELDS = "person:U99 prompt:U300 batch:i8 category:U300 task:U300 state:U30 counts:? a:f8 b:f8 p:f8"
Row = dict[str, Any]
Tables = dict[str, list[Row]]
Found = Iterator[tuple[str, tuple[str, ...], Row]]  # a table, the key of a row, and its columns
WITHHELD = {"too_few_people", "too_few_prompts", "too_few_private", "complement"}  # of too few to be told
COUNTS = {
    "participants", "batches", "expected", "missing", "unscored", "pairs", "unknown_items", "prompts",
    "responses_per_prompt", "coverage", "responses",
}  # fmt: skip
TOLERANCE, NAMED, NORMAL, NO_SPREAD, LOGISTIC = 1e-9, 3, 1.96, 1e-12, "2PL_logistic"
KEYS = {
    "estimates": ("group", "category"), "task_accuracies": ("group", "task"), "metrics": ("group", "name"),
    "measures": ("block", "name", "group", "subset"),
}  # fmt: skip
OF_CLUSTERS = {("measures", "se")} | {
    ("estimates", f"{end}_{name}") for end in ("se", "ci_low", "ci_high") for name in ("pool", "ql", "twoway")
}
FLOW = (
    "recruited",
    "approved",
    "started",
    "submitted",
    "expired",
    "withdrawn",
    "flagged",
    "excluded",
    "retained",
)
MOVING = ("participants", "sessions", "flags", "verdicts")
TIMES = ("submitted_at", "started_at", "ended_at", "flagged_at", "decided_at")
UNREAD = ("judge_calls", "items", "models", "model_scores", "agreement", "audit", "audit_results", "events")


@dataclass
class Report:
    """What was compared, by quantity, and what was not looked at."""

    agree: Counter[str] = field(default_factory=Counter)
    differ: dict[str, list[str]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)

    def compare(self, quantity: str, where: str, exported: Any, own: Any, *, or_more: bool = False) -> None:
        same = exported == own
        if isinstance(exported, int | float) and isinstance(own, int | float):
            same = abs(exported - own) <= TOLERANCE * max(1.0, abs(own)) or (or_more and exported > own)
        self.agree[quantity] += same
        if not same:
            self.differ.setdefault(quantity, []).append(f"{where}: exported {exported}, computed {own}")

    def __str__(self) -> str:
        lines = []
        for quantity in sorted(self.agree):
            different = self.differ.get(quantity, [])
            lines.append(f"{quantity}: {self.agree[quantity]:,} agree, {len(different):,} differ")
            lines += (f"    {one}" for one in different[:NAMED])
        unseen = (f"    {what}: {count}" for what, count in sorted(self.skipped.items()) if count)
        return "\n".join([*lines, "Not looked at, with the number of rows:", *unseen])


def read_export(folder: Path, report: Report) -> tuple[Row, Tables]:
    """Manifest and JSONL tables; files are compared with their hashes on the way."""
    tables = {}
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        name, content = entry["name"], (folder / entry["name"]).read_bytes()
        report.compare("files: sha256", name, entry["sha256"], hashlib.sha256(content).hexdigest())
        if name.endswith(".jsonl"):
            rows = [json.loads(line) for line in content.decode().split("\n") if line]
            report.compare("files: rows", name, entry["rows"], len(rows))
            report.skipped["CSV tables but for their hashes"] += len(rows)
            tables[name.removesuffix(".jsonl")] = rows
    return manifest, tables


def logit(p: Array, bank: Row) -> Array:
    q = bank["squeeze_scale"] * p + bank["squeeze_offset"]
    return np.asarray(np.log(q / (1 - q)))


def logistic(x: Array) -> Array:
    return np.asarray((1 + np.tanh(x / 2)) / 2)


def theta_wls(a: Array, b: Array, y: Array) -> float:
    """Equation 2 of the GIM paper: least squares of y on a (theta - b). Needs one answer."""
    return float(np.sum(a * (y + a * b)) / np.sum(a * a))


def theta_prompt(pairs: Places, bank: Row) -> tuple[float, float]:
    """The published estimate, scores of a prompt averaged before the transform; and its error."""
    _, first, codes = np.unique(pairs["prompt"], return_index=True, return_inverse=True)
    a, mean = pairs["a"][first], np.bincount(codes, pairs["p"]) / np.bincount(codes)
    theta = theta_wls(a, pairs["b"][first], logit(mean, bank))
    return theta, float(bank["sigma_hat"] / math.sqrt(np.sum(a * a)))


def theta_ql(a: Array, b: Array, p: Array) -> float | None:
    """Root of sum a (p - pi) by bisection; None where all scores are 0 or all are 1."""
    if not (p > 0).any() or not (p < 1).any():
        return None
    low, high = -1e4, 1e4
    for _ in range(90):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sum(a * (p - logistic(a * (middle - b)))) > 0 else (low, middle)
    return (low + high) / 2


def bounds(a: Array, b: Array, p: Array) -> tuple[float | None, float | None] | None:
    """Above or below what ability lies where all scores are 1 or 0: so many would be so in 1 of 40 cases."""
    if not ((p == 1).all() or (p == 0).all()):
        return None
    sign = 1 if p[0] == 1 else -1
    low, high = -1e4, 1e4
    for _ in range(90):
        middle = (low + high) / 2
        chance = -np.sum(np.logaddexp(0, -a * (middle - sign * b)))
        low, high = (middle, high) if chance < math.log(0.025) else (low, middle)
    return (low, None) if sign == 1 else (None, -low)


def error(pairs: Places, residual: Array, slope: Array, kind: str) -> tuple[float, float] | None:
    """Standard error of the named kind and half its interval; None with one cluster or without any spread."""
    weights = pairs["a"] ** 2 * slope / np.sum(pairs["a"] ** 2 * slope)
    u, found = pairs["a"] * residual / np.sum(pairs["a"] ** 2 * slope), {}
    for name in ("person", "prompt", "batch", "pair"):
        of = np.arange(u.size) if name == "pair" else np.unique(pairs[name], return_inverse=True)[1]
        sums, h = np.bincount(of, u), np.bincount(of, weights)
        if sums.size < 2 or 1 - h.max() <= TOLERANCE:
            found[name] = (math.nan, 1.0)
            continue
        squares = h**2 / (1 - h)
        df = 1 / (np.sum(h**2) + np.sum(squares) ** 2 - np.sum(squares**2))
        found[name] = (float(np.sum(sums**2 / (1 - h))), max(float(df), 1.0))
    people, prompts, batches, alone = found.values()
    both = people[0] + prompts[0] - alone[0]
    twoway = math.nan if math.isnan(both) else max(both, people[0], prompts[0]), min(people[1], prompts[1])
    v, freedom = {"se.participant": people, "se.batch": batches, "se.twoway": twoway}[kind]
    return (math.sqrt(v), t_975(freedom) * math.sqrt(v)) if v > NO_SPREAD**2 else None


@cache
def t_975(df: float) -> float:
    """Quantile of t: with t = sqrt(df) tan(x) the density of x is proportional to cos(x)^(df - 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(100)
    constant = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    low, high = 0.0, math.pi / 2
    for _ in range(80):
        x = (low + high) / 2
        inside = constant * x * float(np.sum(weights * np.cos(x * (nodes + 1) / 2) ** (df - 1)))
        low, high = (x, high) if inside < 0.95 else (low, x)
    return math.sqrt(df) * math.tan(low)


def person_abilities(pairs: Places, y: Array) -> tuple[list[str], Array, Array, float]:
    """Of each person the code, theta and its error s_a / sqrt(sum a^2); and the residual SD of answers."""
    people, of = np.unique(pairs["person"], return_inverse=True)
    a, b = pairs["a"], pairs["b"]
    theta = np.array([theta_wls(a[of == one], b[of == one], y[of == one]) for one in range(people.size)])
    information, e = np.bincount(of, a**2), y - a * (theta[of] - b)
    s2 = np.sum(a**2 * e**2) / np.sum(a**2 * (1 - a**2 / information[of]))
    return people.tolist(), theta, np.sqrt(s2 / information), math.sqrt(np.sum(e**2) / (y.size - people.size))


def paule_mandel(theta: Array, v: Array) -> float:
    """SD between people: t2 at which sum (theta - mean)^2 / (v + t2) is n - 1; 0 where it is less at 0."""
    low, high = 0.0, 1e4
    for _ in range(120):
        w = 1 / (v + (low + high) / 2)
        q = np.sum(w * (theta - np.sum(w * theta) / np.sum(w)) ** 2)
        low, high = ((low + high) / 2, high) if q > theta.size - 1 else (low, (low + high) / 2)
    return math.sqrt(low)


@dataclass(frozen=True)
class Run:
    """What one judge gave: the places of retained people in public prompts, with the scores."""

    number: int
    bank: Row
    protocol: Row
    categories: list[str]
    places: Places

    def groups(self) -> dict[str, set[str]]:
        """Average, and Top: the highest mean scores, ties by code; nobody where it would be everybody."""
        scored, size = self.places[~np.isnan(self.places["p"])], self.protocol["top_size"]
        people, of = np.unique(scored["person"], return_inverse=True)
        means = np.round(np.bincount(of, scored["p"]) / np.bincount(of), 12)
        best = [code for _, code in sorted(zip(-means, people.tolist(), strict=True))]
        top = set(best[:size]) if len(best) > size else set()
        return {"average": set(self.places["person"].tolist()), "top": top}

    def first_error(self, pairs: Places) -> str:
        """Two-way where prompts are in several batches, else by batch, or by person in one batch."""
        held = self.places[~np.isnan(self.places["a"])]
        if np.unique(held[["prompt", "batch"]]).size > np.unique(held["prompt"]).size:
            return "se.twoway"
        return "se.batch" if np.unique(pairs["batch"]).size > 1 else "se.participant"


def estimate_of(run: Run, group: str, people: set[str], category: str = "") -> Row:
    """A row of the table `estimates`: counts and, of what has item parameters, the three thetas."""
    own = run.places[np.isin(run.places["person"], [*people])]
    own = own[own["category"] == category] if category else own
    scored = own[~np.isnan(own["p"])]
    held = scored[~np.isnan(scored["a"])] if "sigma_hat" in run.bank else scored
    there, prompts = int(own["counts"].sum()), np.unique(held["prompt"]).size
    size = run.bank["items_by_category"].get(category, 0) if category else run.bank["items"]
    return thetas_of(run, held, errors=group == "average", headline=not category) | {
        "participants": np.unique(own["person"][own["counts"]]).size if category else len(people),
        "batches": np.unique(held["batch"][~np.isnan(held["a"])]).size, "expected": own.size,
        "missing": own.size - there, "unscored": there - scored.size, "pairs": held.size,
        "unknown_items": scored.size - held.size, "prompts": prompts,
        "coverage": prompts / size if size else None, "raw_mean": held["p"].mean() if held.size else None,
        "responses_per_prompt": held.size / prompts if held.size else None,
    }  # fmt: skip


def thetas_of(run: Run, pairs: Places, *, errors: bool, headline: bool) -> Row:
    """The three thetas with their errors and 95 % intervals; Top has no errors, as its scores chose it."""
    names = [f"{part}_{name}" for part in ("se", "ci_low", "ci_high") for name in ("pool", "ql", "twoway")]
    row: Row = dict.fromkeys([*names, "theta_pool", "theta_ql", "theta", "se", "ci_low", "ci_high"])
    if not pairs.size or "sigma_hat" not in run.bank:
        return row
    a, b, p, y = pairs["a"], pairs["b"], pairs["p"], logit(pairs["p"], run.bank)
    if ends := bounds(a, b, p):
        own = ("_ql",) if run.bank["response_model"] == LOGISTIC else ("", "_pool", "_ql")
        return row | {
            f"{end}{of}": value for of in own for end, value in zip(("ci_low", "ci_high"), ends, strict=True)
        }
    row["theta_ql"], first = theta_ql(a, b, p), run.first_error(pairs)
    if run.bank["response_model"] != LOGISTIC:
        row["theta_pool"], (row["theta"], se) = theta_wls(a, b, y), theta_prompt(pairs, run.bank)
        if errors:
            row |= {"se": se, "ci_low": row["theta"] - NORMAL * se, "ci_high": row["theta"] + NORMAL * se}
    second = "se.twoway" if first == "se.batch" and np.unique(pairs["batch"]).size < 8 else None
    for name, kind in (("pool", first), ("ql", first), ("twoway", second)) if errors else ():
        theta = row["theta_ql" if name == "ql" else "theta_pool"]
        if theta is not None and kind is not None:
            pi = logistic(a * (theta - b))
            quasi = name == "ql"
            residual, slope = (p - pi, pi * (1 - pi)) if quasi else (y - a * (theta - b), np.ones(p.size))
            found = error(pairs, residual, slope, kind)
            least = name != "twoway" and (headline or np.unique(pairs["batch"]).size < 8)
            people = error(pairs, residual, slope, "se.participant") if least else None
            if found is not None:
                se, half = max(found, people or found, key=lambda one: one[1])
                row |= {f"se_{name}": se, f"ci_low_{name}": theta - half, f"ci_high_{name}": theta + half}
    return row


def results_of(run: Run) -> Found:
    """Every row computed here: estimates, the thetas among the measures again, accuracies per task."""
    for group, people in run.groups().items():
        own = run.places[np.isin(run.places["person"], [*people])]
        for category in ["", *run.categories]:
            row = estimate_of(run, group, people, category)
            yield "estimates", (group, category), row
            if not category:
                for name, part in (("theta.pool", "pool"), ("theta.ql", "ql")):
                    columns = {"value": row[f"theta_{part}"], "se": row[f"se_{part}"]}
                    yield "measures", ("results", name, group, ""), columns
                yield "measures", ("cohort", "theta.prompt", group, ""), {"value": row["theta"]}
                yield "measures", ("top", "top.paper", group, ""), {"value": row["theta_pool"]}
        if run.protocol["match_rules"]:
            yield from tasks_of(group, own)
    yield from people_of(run, run.places[~np.isnan(run.places["p"] + run.places["a"])])


def people_of(run: Run, pairs: Places) -> Found:
    """What is said of all single people together."""
    if pairs.size > np.unique(pairs["person"]).size and run.bank["response_model"] != LOGISTIC:
        _, theta, se, residual = person_abilities(pairs, logit(pairs["p"], run.bank))
        found: Row = {"residual_sd": residual, "person.se": float(np.median(se)), "tau": None}
        if theta.size > 1:
            found["tau"] = tau = paule_mandel(theta, se**2)
            found["person.reliability"] = tau**2 / (tau**2 + float(np.median(se**2)))
        if bounds(pairs["a"], pairs["b"], pairs["p"]):
            found |= dict.fromkeys(("residual_sd", "person.se", "tau"))
        for name, value in found.items():
            yield "measures", ("cohort", name, "", ""), {"value": value}


def tasks_of(group: str, own: Places) -> Found:
    """Accuracies per task in percent; macro, micro and the adjusted harmonic mean (BBEH, section 4)."""
    right = {
        task: own["p"][(own["task"] == task) & ~np.isnan(own["p"])] == 1 for task in own["task"].tolist()
    }
    accuracy = {task: 100 * float(found.mean()) for task, found in right.items() if found.size}
    for task, found in right.items():
        columns = {"responses": found.size, "accuracy": accuracy.get(task)}
        yield "task_accuracies", (group, task), columns
    one = np.array([*accuracy.values()])
    micro = 100 * float(np.concatenate([*right.values()]).mean()) if one.size else None
    yield "metrics", (group, "micro"), {"value": micro}
    yield "metrics", (group, "macro"), {"value": float(one.mean()) if one.size else None}
    harmonic = float(one.size / np.sum(1 / (one + 1))) if one.size else None
    yield "metrics", (group, "adjusted_harmonic_mean"), {"value": harmonic}


def shown(table: str, row: Row, own: Iterable[tuple[str, Any]], report: Report) -> Iterator[tuple[str, Any]]:
    """The columns of a row that are told: of what is of too few, its counts alone."""
    untold = (table == "task_accuracies" and row.get("responses") and row.get("accuracy") is None) or (
        table == "metrics" and row.get("value") is None  # it has no reason in this table, either
    )
    withheld = untold or {row.get("reason_pool"), row.get("reason")} & WITHHELD
    report.skipped[f"{table}: numbers of too few"] += bool(withheld)
    return ((name, value) for name, value in own if name in COUNTS or not withheld)


def compare_results(run: Run, tables: Tables, report: Report, scope: str) -> None:
    """Rows of the run in the scope of public prompts; of measures, those computed here."""
    exported = {}
    # Columns of errors where the run's results do not say that they are by this version's clusters.
    means = (one for one in tables["measures"] if (one["run"], one["name"]) == (run.number, "raw_mean"))
    is_earlier = all("CR2" not in json.dumps(one["details"]) for one in means)
    left_out = OF_CLUSTERS if is_earlier else set()
    report.skipped["columns of errors, of results that an earlier version computed"] += len(left_out)
    for table, names in KEYS.items():
        for row in (one for one in tables[table] if one["run"] == run.number):
            if row["scope"] == scope and not row.get("participant") and not row.get("prompt_id"):
                exported[table, tuple(str(row[name] or "") for name in names)] = row
            else:
                report.skipped[f"{table} with private prompts, or about one person or prompt"] += 1
    for table, key, own in results_of(run):
        row, where = exported.pop((table, key), {}), f"run {run.number}, {', '.join(filter(None, key))}"
        told = [
            (name, value)
            for name, value in (own.items() if row or table != "measures" else ())
            if (table, name) not in left_out
        ]
        for name, value in shown(table, row, told, report):
            report.compare(f"{table}: {name}", where, row.get(name, "no row"), value)
    for table, key in exported:
        if table == "measures":
            report.skipped[f"measures of block {key[0]}"] += 1
        else:
            report.compare(f"{table}: rows", f"run {run.number}, {', '.join(key)}", "a row", "no row")


def compare_scores(tables: Tables, report: Report) -> None:
    """Sample scores: the mean of score times confidence over criteria; none where one has no score."""
    parts: dict[tuple[Any, ...], list[Row]] = {}
    for one in tables["criteria"]:
        parts.setdefault((one["run"], one["participant"], one["prompt_id"]), []).append(one)
    criteria = {one["prompt_id"]: max(one["criteria"], 1) for one in tables["prompts"]}
    for one in tables["scores"]:
        key = (one["run"], one["participant"], one["prompt_id"])
        own = parts.get(key, [])
        full = len(own) == criteria[key[2]] and all(part["score"] is not None for part in own)
        score = sum(part["score"] * part["confidence"] for part in own) / len(own) if full else None
        report.compare("scores", "run {}, {}, {}".format(*key), one["score"], score)


def compare_people(tables: Tables, report: Report) -> None:
    """Who is excluded by the newest verdict, and who is retained."""
    verdicts = sorted(tables["verdicts"], key=lambda one: str(one["decided_at"]))
    newest = {one["participant"]: one["decision"] for one in verdicts}
    status = {one["participant"]: one["status"] for one in tables["sessions"]}
    for one in tables["participants"]:
        code = one["participant"]
        excluded = newest.get(code) == "confirm"
        retained = status.get(code) in ("submitted", "expired") and not excluded
        own = {"excluded": excluded, "retained": retained, "session_status": status.get(code)}
        for name, value in own.items():
            report.compare(f"people: {name}", code, one[name], value)


def compare_flow(run: Run, flow: Row, tables: Tables, report: Report, *, private: bool) -> None:
    """The manifest's counts; where prompts are private it counts answers to these, which no table has."""
    people = tables["participants"]
    counts = Counter(one["session_status"] for one in people) | {
        "recruited": len(people), "started": len(tables["sessions"]),
        "approved": sum(one["vetting_status"] == "approved" for one in people),
        "retained": sum(one["retained"] for one in people),
        "excluded": sum(one["excluded"] for one in people),
        "flagged": len({one["participant"] for one in tables["flags"] if one["prompt_id"] is None}),
        "voided": sum(one["session_status"] == "void" for one in people),
    }  # fmt: skip
    for name in (*FLOW, *(["voided"] if "voided" in flow else [])):
        report.compare("flow", f"run {run.number}, {name}", flow[name], counts.get(name, 0))
    scored = np.unique(run.places["person"][~np.isnan(run.places["p"])]).size
    report.compare("flow", f"run {run.number}, with_scores", flow["with_scores"], scored, or_more=private)
    for name, states in (("answers", tables["answers"]), ("answers_retained", run.places)):
        found = Counter(str(one["state"]) for one in states)
        for state, count in flow[name].items():
            report.compare("flow", f"run {run.number}, {name}, {state}", count, found[state], or_more=private)


def places_of(number: int, tables: Tables) -> Places:
    """Places of retained people with what the run's judge gave to answers that count."""
    prompts = {one["prompt_id"]: one for one in tables["prompts"]}
    retained = {one["participant"] for one in tables["participants"] if one["retained"]}
    own = (one for one in tables["scores"] if one["run"] == number)
    scores, rows = {(one["participant"], one["prompt_id"]): one["score"] for one in own}, []
    for one in (one for one in tables["answers"] if one["participant"] in retained):
        item, key = prompts[one["prompt_id"]], (one["participant"], one["prompt_id"])
        numbers = (item["a"], item["b"], scores.get(key) if one["counts"] else None)
        names = (*key, one["batch"], item["result_category"], item["task"], one["state"], one["counts"])
        rows.append((*names, *(math.nan if value is None else value for value in numbers)))
    return np.array(rows, dtype=[tuple(one.split(":")) for one in FIELDS.split()])


def task_key(name: str) -> str:
    """One key for "bbeh_temporal_sequence" and "Temporal Sequences"."""
    return "".join(filter(str.isalnum, name.casefold())).removeprefix("bbeh").removesuffix("s")


def compare_all(folder: Path, report: Report) -> None:
    manifest, tables = read_export(folder, report)
    compare_scores(tables, report)
    compare_people(tables, report)
    report.skipped.update({f"table {name}": len(tables[name]) for name in UNREAD})
    sizes = Counter(one["result_category"] for one in tables["prompts"])
    # Where the items of the bank are tasks, no prompt has parameters: as if there were no bank.
    tasks = {task_key(one["task"]) for one in tables["prompts"] if one["task"] and one["a"] is None}
    of_tasks = tasks & {task_key(one["prompt_id"]) for one in tables["items"]}
    bank = (None if of_tasks else manifest["item_bank"]) or {
        "items": sizes.total(), "items_by_category": sizes,
    }  # fmt: skip
    # When somebody last came, started, ended, was flagged or decided about.
    moments = filter(None, (one.get(name) for table in MOVING for one in tables[table] for name in TIMES))
    changed_at = max(map(datetime.fromisoformat, moments), default=datetime.min.replace(tzinfo=UTC))
    private, study = manifest["omitted"]["private_prompts"] > 0, manifest["study"]
    for entry in manifest["runs"]:
        if entry["flow"] is None or entry["design_hash"] not in (None, study["design_hash"]):
            report.skipped[f"results of run {entry['number']}: none, or of an earlier design"] += 1
            continue
        places = places_of(entry["number"], tables)
        run = Run(entry["number"], bank, study["protocol"], sorted(sizes), places)
        if datetime.fromisoformat(entry["results_computed_at"]) < changed_at:
            report.skipped[f"flow of run {run.number}, counted before somebody came or went"] += 1
        else:
            compare_flow(run, entry["flow"], tables, report, private=private)
        compare_results(run, tables, report, "public" if private else "all")


def main(arguments: list[str]) -> int:
    """Exit code; one sentence if the folder is not a whole export."""
    folder, report = Path(arguments[0] if arguments else Path(__file__).parent), Report()
    try:
        compare_all(folder, report)
    except (AttributeError, KeyError, OSError, TypeError, ValueError) as problem:
        name = Path(str(problem.filename)).name if isinstance(problem, OSError) else ""
        what = f"{name} cannot be read" if name else f"a part of it is cut off or not there ({problem})"
        sys.stdout.write(f"{folder} is not a whole export: {what}.\n")
        return 2
    sys.stdout.write(f"{report}\n")
    return 1 if report.differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
