"""The block exclusions: people in steps, nobody left out, declared rules, the multiverse."""

import math
import re
import statistics
import unicodedata
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import datetime
from functools import cache

import numpy as np

from scoring.export.recomputing.coefficients import of_met
from scoring.export.recomputing.draws import draws_of, resamples, spread_of, stream
from scoring.export.recomputing.estimators import by_prompt, clustered, pooled, prompt_means, quasi_theta
from scoring.export.recomputing.formulas import THETAS, formula
from scoring.export.recomputing.reading import Array, Run, Values


@formula("exclusions", *(f"itt.{name}" for name in THETAS))
def nobody_left_out(run: Run, row: Values) -> Values:
    rows = run.everyone
    if row["group"] == "top":
        rows = rows.of(run.best(rows)[rows.person])
    rows = rows.pairs
    return clustered(run, row["name"].removeprefix("itt."), rows, rows.person) | {"n": len(rows)}


@formula(
    "exclusions",
    *(
        f"flow.{step}"
        for step in ("recruited", "approved", "started", "ended", "retained", "with_scores", "top")
    ),
)
def flow(run: Run, row: Values) -> Values:
    everybody = run.export.table("participants")
    with_scores = len(set(run.cohort.person[~np.isnan(run.cohort.p)]))
    size = run.export.settings["top_size"]
    counts = {
        "recruited": len(everybody),
        "approved": sum(one["vetting_status"] == "approved" for one in everybody),
        "started": sum(one["session_status"] is not None for one in everybody),
        "ended": len(run.people),
        "retained": int(run.retained.sum()),
        "with_scores": with_scores,
        "top": size if with_scores >= size else 0,
    }
    return {"value": counts[row["name"].removeprefix("flow.")]}


@cache
def facts(run: Run) -> dict[str, Array]:
    """What exclusion rules look at, of everybody: shares, words, seconds, verdicts; NaN where unknown."""
    flags = [one for one in run.export.table("flags") if one["prompt_id"] is not None]
    newest = flags[-1]["rules_version"] if flags else ""
    reasons: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in flags:
        if one["rules_version"] == newest:
            reasons[one["participant"], one["prompt_id"]].add(one["reason"])
    started = {one["participant"]: one["started_at"] for one in run.export.table("sessions")}
    work: dict[str, list[Values]] = defaultdict(list)
    for one in run.export.table("answers"):
        work[one["participant"]].append(one)
    found = [facts_of(work[str(code)], reasons, started[str(code)]) for code in run.codes]
    names = ("off_task_from", "answered_below", "words_below", "seconds_below")
    return dict(zip(names, np.array(found, dtype=float).reshape(-1, 4).T, strict=True))


def facts_of(
    answers: list[Values], reasons: dict[tuple[str, str], set[str]], started: str
) -> tuple[float, float, float, float]:
    of = {id(one): reasons.get((one["participant"], one["prompt_id"]), set()) for one in answers}
    written = [
        one for one in answers
        if one["state"] in ("answered", "drafted_at_expiry") and "no_answer" not in of[id(one)]
    ]  # fmt: skip
    if not written:
        return math.nan, 0.0 if answers else math.nan, math.nan, math.nan
    saved = [datetime.fromisoformat(one["saved_at"]) for one in written if one["saved_at"]]
    seconds = (
        (max(saved) - datetime.fromisoformat(started)).total_seconds() / len(written) if saved else math.nan
    )
    words = [words_in(one["text"][:200]) for one in written]
    off_task = sum(bool(of[id(one)]) for one in written) / len(written)
    return off_task, len(written) / len(answers), statistics.median(words), seconds


# Letters of Thai, Lao, Burmese, Khmer, Japanese and Chinese, written without spaces: each is a word.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)


def words_in(text: str) -> int:
    """Runs between spaces with a letter or digit; symbols that stand alone count as one word each."""
    return sum(words_of(run) for run in text.split())


def words_of(run: str) -> int:
    unspaced = len(UNSPACED.findall(run))
    if unspaced or any(map(str.isalnum, run)):
        return unspaced or 1
    return sum(unicodedata.category(c) in ("So", "Sm", "Sc") for c in run)


def removed(run: Run, rule: Values) -> Array:
    """(P,): whom a rule leaves out."""
    known = facts(run)
    out = ~run.retained if rule["verdicts"] else np.zeros(len(run.people), dtype=bool)
    for name, values in known.items():
        if rule[name] is None:
            continue
        with np.errstate(invalid="ignore"):
            out = out | (values >= rule[name] if name == "off_task_from" else values < rule[name])
    if rule["lowest_share"] is not None:
        means = run.mean_scores(run.everyone)
        for rank, person in enumerate(sorted(means, key=lambda i: (means[i], str(run.codes[i])))):
            out[person] |= rank / len(means) < rule["lowest_share"]
    return out


@formula("exclusions", "rule.removed")
def rule_removed(run: Run, row: Values) -> Values:
    out = removed(run, row["details"]["rule"])
    facts = {"also_by_verdict": int((out & ~run.retained).sum())}
    return {"value": int(out.sum()), "people": len(run.people), "details": facts}


@formula("exclusions", "multiverse", "multiverse.ql")
def multiverse(run: Run, row: Values) -> Values:
    named = (one["details"]["rule"] for one in run.measures if one["name"] == "rule.removed")
    rule = next(one for one in named if one["key"] == row["details"]["rule"])
    rows = run.everyone
    if row["details"]["missing"] == "as_zero":
        rows = replace(rows, p=np.where(np.isin(rows.outcome, ("skipped", "not_reached")), 0.0, rows.p))
    rows = rows.of(~removed(run, rule)[rows.person])
    if row["group"] == "top":
        rows = rows.of(run.best(rows)[rows.person])
    pairs = rows.pairs
    by_means = row["details"]["aggregation"] == "by_prompt"
    if row["name"] == "multiverse.ql":
        a, b, mean, count = prompt_means(pairs)
        weight = np.ones(len(a)) if by_means else count
        theta = quasi_theta(a, b, weight, float((a * weight) @ mean))
    else:
        theta = by_prompt(run, pairs) if by_means else pooled(run, pairs).theta
    return {"value": theta, "n": len(pairs)}


OF_MULTIVERSE = ("multiverse", "multiverse.ql")


def named_of_multiverse(*what: str) -> list[str]:
    return [f"{of}.{one}" for of in OF_MULTIVERSE for one in what]


def specifications(run: Run, row: Values) -> dict[str, list[float | None]]:
    """The values of a group's specifications by rule: all of them, or those of rules without scores."""
    by_rule: dict[str, list[float | None]] = defaultdict(list)
    name = OF_MULTIVERSE[row["name"].startswith("multiverse.ql.")]
    for one in run.measures:
        of_group = (one["name"], one["group"]) == (name, row["group"])
        if of_group and (row["subset"] is None or not one["details"]["score_based"]):
            by_rule[one["details"]["rule"]].append(one["value"])
    return by_rule


@formula("exclusions", *named_of_multiverse("median", "low", "high", "range"))
def spread(run: Run, row: Values) -> Values:
    """Over the specifications as they stand in the table; each of them is computed again by itself."""
    by_rule = specifications(run, row)
    values = [value for own in by_rule.values() if None not in own for value in own if value is not None]
    found = {
        "median": statistics.median(values), "low": min(values), "high": max(values),
        "range": max(values) - min(values),
    }  # fmt: skip
    return {"value": found[row["name"].rpartition(".")[2]], "n": len(values)}


@formula("exclusions", *named_of_multiverse("range_in_se"))
def range_in_errors(run: Run, row: Values) -> Values:
    """The range over rules without scores, in errors by people of the retained people's theta."""
    values = [
        one for own in specifications(run, row).values() if None not in own for one in own if one is not None
    ]
    rows = run.cohort.pairs
    name = "theta.ql" if row["name"].startswith("multiverse.ql.") else "theta.prompt"
    return {"value": (max(values) - min(values)) / clustered(run, name, rows, rows.person)["se"]}


CHOICES = ("exclusion", "missing", "aggregation")


@formula("exclusions", *named_of_multiverse(*(f"share.{one}" for one in (*CHOICES, "interactions"))))
def share_of_choice(run: Run, row: Values) -> Values:
    """The main effect of a choice: its sum of squares over the specifications as the table has them."""
    table = specifications(run, row)
    values = np.array([own for own in table.values() if None not in own], dtype=float).reshape(-1, 2, 2)
    centred = values - values.mean()
    total = float((centred**2).sum())
    shares = {}
    for axis, choice in enumerate(CHOICES):
        mean = centred.mean(axis=tuple(other for other in range(3) if other != axis))
        shares[choice] = float((mean**2).sum() * values.size / len(mean)) / total
    shares["interactions"] = max(0.0, 1 - sum(shares.values()))
    return {"value": shares[row["name"].rpartition(".")[2]], "n": values.size}


@formula(
    "exclusions",
    *(f"flow.{step}.leaving" for step in ("recruited", "approved", "started", "ended", "retained")),
)
def leaving(run: Run, row: Values) -> Values:
    """How many people do not go on from a step, for the reason that the subset names."""
    return {"value": reasons_to_leave(run)[row["name"].split(".")[1], row["subset"]]}


def reasons_to_leave(run: Run) -> dict[tuple[str, str], int]:
    """By step and reason; `other` is what facts of different moments leave over."""
    everybody = run.export.table("participants")
    vetting = Counter(one["vetting_status"] for one in everybody)
    status = Counter(one["session_status"] for one in everybody)
    started = sum(status.values()) - status[None]
    scored = len(set(run.cohort.person[~np.isnan(run.cohort.p)]))
    found = {
        ("recruited", "rejected"): vetting["rejected"],
        ("recruited", "waiting"): len(everybody) - vetting["approved"] - vetting["rejected"],
        ("approved", "not_started"): vetting["approved"] - started,
        ("started", "withdrawn"): status["withdrawn"],
        ("started", "active"): status["active"],
        ("started", "other"): started - status["withdrawn"] - status["active"] - len(run.people),
        ("retained", "without_score"): int(run.retained.sum()) - scored,
    }
    reasons = excluded_reasons(run)
    found |= {("ended", f"excluded:{name}"): number for name, number in reasons.items()}
    found["ended", "other"] = int((~run.retained).sum()) - sum(reasons.values())
    return found


def excluded_reasons(run: Run) -> Counter[str]:
    """Excluded people by what the screening had flagged of them."""
    excluded = {str(code) for code in run.codes[~run.retained]}
    flags: dict[str, set[str]] = defaultdict(set)
    for one in run.export.table("flags"):
        if one["prompt_id"] is None and one["participant"] in excluded:
            flags[one["participant"]].add(one["reason"])
    return Counter("+".join(sorted(own)) for own in flags.values())


@formula("exclusions", "exclusion.rules")
def rules_met(run: Run, row: Values) -> Values:
    """How many of the rules that look at no score leave this person out."""
    place = run.codes.tolist().index(row["participant"])
    rules = (
        one["details"]["rule"] for one in run.measures
        if one["name"] == "rule.removed" and not one["details"]["score_based"]
    )  # fmt: skip
    return {"value": sum(bool(removed(run, rule)[place]) for rule in rules)}


def decisions(run: Run) -> dict[str, dict[int, bool]]:
    """Of each person each reviewer's newest decision, reviewers in the order they decided."""
    found: dict[str, dict[int, bool]] = defaultdict(dict)
    for one in run.export.table("verdicts"):
        found[one["participant"]][one["reviewer"]] = one["decision"] == "confirm"
    return found


@formula("exclusions", "screening.rated_twice")
def rated_twice(run: Run, row: Values) -> Values:
    found = decisions(run).values()
    return {"value": sum(len(own) > 1 for own in found) / len(found), "n": len(found)}


@formula("exclusions", "screening.kappa", "screening.ac1")
def screening_agreement(run: Run, row: Values) -> Values:
    """Of the first two reviewers, people drawn anew from a stream whose seed is the block's first draw."""
    twice = [list(own.values())[:2] for _, own in sorted(decisions(run).items()) if len(own) > 1]
    first, second = np.array(twice, dtype=bool).T
    name, number = row["name"].partition(".")[2], len(twice)
    rng = np.random.default_rng(int(stream(run, "exclusions").integers(2**32)))
    drawn = [of_met(first, second, part)[name] for part in draws_of(number, resamples(run), rng)]
    value = float(of_met(first, second, np.ones((1, number)))[name][0])
    return {"n": number, "clusters": number} | spread_of(value, np.concatenate(drawn))
