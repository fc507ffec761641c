"""The tables estimates, task_accuracies and metrics, and the hash of their inputs."""

import hashlib
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Callable

import numpy as np

from scoring.export.recomputing.estimators import (
    by_prompt,
    prompt_sums,
    with_analytic,
)
from scoring.export.recomputing.reading import PRIVATE, NotHere, Rows, Run, Values
from scoring.export.recomputing.uncertainty import designed, first_kind, is_nested, twoway


def category_rows(run: Run, category: str) -> Callable[[Rows], Rows]:
    own = np.array([category in ("", one["result_category"]) for one in run.prompts], dtype=bool)
    return lambda rows: rows.of(own[rows.prompt]) if len(rows) else rows


def estimate_of(run: Run, row: Values) -> Values:
    """Every column of one row of `estimates`."""
    export = run.export
    members = run.top if row["group"] == "top" else run.retained
    within = category_rows(run, row["category"])
    rows = within(run.cohort.of(members[run.cohort.person]))
    if export.lacks(row) and (row["group"] == "top" or len(rows) != row["expected"]):
        raise NotHere(PRIVATE)
    there = np.isin(rows.outcome, ("scored", "unscored"))
    scored = rows.of(~np.isnan(rows.p))
    pairs = scored.pairs if export.bank else scored
    people = int(members.sum()) if row["group"] == "top" else len(set(run.cohort.person))
    if row["category"]:
        people = len(set(rows.of(there).person))
    found: Values = {
        "participants": people, "expected": len(rows), "missing": int((~there).sum()),
        "unscored": int(there.sum()) - len(scored), "unknown_items": len(scored) - len(pairs),
        "pairs": len(pairs), "prompts": len(set(pairs.prompt)),
        "batches": len(set(pairs.batch)) if export.bank else 0,
    }  # fmt: skip
    if export.lacks(row):  # of the people without an answer to a public prompt the tables have none
        del found["participants"]
    if not len(pairs):
        return found
    of = (
        export.bank["items_by_category"].get(row["category"], 0) if export.bank and row["category"]
        else export.bank["items"] if export.bank
        else sum(row["category"] in ("", one["result_category"]) for one in run.prompts)
    )  # fmt: skip
    found |= {
        "responses_per_prompt": found["pairs"] / found["prompts"], "raw_mean": float(pairs.p.mean()),
        "coverage": found["prompts"] / of if of else None,
    }  # fmt: skip
    if not export.bank:
        return found
    if not export.is_logistic:
        found |= theta_by_prompt(run, pairs, row)
    return found | first_intervals(run, pairs, row)


def theta_by_prompt(run: Run, pairs: Rows, row: Values) -> Values:
    """Theta by prompt means with the analytic error; of Top the value alone."""
    mean = with_analytic(by_prompt(run, pairs), float(prompt_sums(run, pairs)[1].sum()), run.sigma)
    names = {"value": "theta", "se": "se", "low": "ci_low", "high": "ci_high"}
    told = ("value",) if row["group"] == "top" else tuple(names)
    return {names[name]: mean[name] for name in told}


def first_intervals(run: Run, pairs: Rows, row: Values) -> Values:
    """theta.pool and theta_QL with the error of the design; the value alone where a row says why.

    Of a design with private prompts a row of all prompts says which error it is: not all places are here.
    """
    kind = first_kind(pairs, nested=is_nested(run.cohort))
    if run.export.lacks(row) and row["interval"]:
        kind = row["interval"].removeprefix("se.")
    found: Values = {}
    for name, ending in (("theta.pool", "pool"), ("theta.ql", "ql")):
        if name == "theta.pool" and run.export.is_logistic:
            continue
        own = designed(run, name, pairs, kind)
        names = {"value": f"theta_{ending}", "se": f"se_{ending}"}
        names |= {"low": f"ci_low_{ending}", "high": f"ci_high_{ending}"}
        told = ("value",) if row[f"reason_{ending}"] else tuple(names)
        found |= {names[one]: own.get(one) for one in told}
        found |= (
            {} if row["group"] == "top" else {"interval": f"se.{kind}", "clusters": clusters_of(pairs, kind)}
        )
    return found | (second_interval(run, pairs) if row["se_twoway"] is not None else {})


def clusters_of(pairs: Rows, kind: str) -> int:
    people, prompts, batches = (len(set(own.tolist())) for own in (pairs.person, pairs.prompt, pairs.batch))
    return {"participant": people, "batch": batches, "twoway": min(people, prompts)}[kind]


def second_interval(run: Run, pairs: Rows) -> Values:
    """Of few batches that share no prompt: theta.pool with its two-way error."""
    own = twoway(run, "theta.pool", pairs)
    return {"se_twoway": own["se"], "ci_low_twoway": own["low"], "ci_high_twoway": own["high"]}


def task_counts(run: Run, group: str) -> dict[str, tuple[int, int]]:
    """Right and scored answers of each task."""
    found: dict[str, list[float]] = defaultdict(list)
    for prompt, p in zip(run.group(group).prompt.tolist(), run.group(group).p.tolist(), strict=True):
        found[run.prompts[prompt]["task"]] += [] if math.isnan(p) else [p]
    return {task: (sum(p == 1 for p in own), len(own)) for task, own in found.items()}


def task_of(run: Run, row: Values) -> Values:
    right, n = task_counts(run, row["group"]).get(row["task"], (0, 0))
    if run.export.lacks(row) and (row["group"] == "top" or n != row["responses"]):
        raise NotHere(PRIVATE)
    return {"responses": n, "accuracy": 100 * right / n if n else None}


def metric_of(run: Run, row: Values) -> Values:
    if run.export.lacks(row):
        raise NotHere(PRIVATE)
    counts = [(right, n) for right, n in task_counts(run, row["group"]).values() if n]
    accuracies = [100 * right / n for right, n in counts]
    if not counts:
        return {"value": None}
    values = {
        "macro": statistics.fmean(accuracies),
        "micro": 100 * sum(right for right, _ in counts) / sum(n for _, n in counts),
        "adjusted_harmonic_mean": len(counts) / math.fsum(1 / (one + 1) for one in accuracies),
    }
    return {"value": values[row["name"]]}


def inputs_hash(run: Run) -> Values:
    """The hash that the manifest gives of everything the results depend on, of private prompts left out."""
    task = {one["prompt_id"]: one["task"] for one in run.prompts}
    retained = {str(code) for code in run.codes[run.retained]}
    settings = run.export.settings
    content = {
        "places": sorted(
            [
                one["participant"], one["prompt_id"], task[one["prompt_id"]], one["batch"], one["counts"],
                run.scores.get((one["participant"], one["prompt_id"])) if one["counts"] else None,
            ]
            for one in run.export.table("answers") if one["participant"] in retained
        ),
        "prompts": sorted([one["prompt_id"], one["category"]] for one in run.prompts),
        "item_bank": run.export.manifest["study"]["item_bank_digest"],
        "top_size": settings["top_size"],
        "match_rules": settings.get("match_rules"),
    }  # fmt: skip
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {"inputs_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest()}
