"""What theta owes to the judge: its confidence, its failures, single verdicts, and who judges."""

from collections.abc import Iterator

import numpy as np

from formats.canonical import JsonValue
from psychometrics.agreement import influence
from psychometrics.data.cohort import Cohort
from psychometrics.data.places import PUBLIC, Outcome
from psychometrics.inference.clusters import Array
from psychometrics.inference.estimates import Reason, unknown
from psychometrics.inference.measure import Measure, plain, plain_or
from psychometrics.measures.inputs import Inputs, top_members

MAX_INFLUENTIAL = 10


def judge_measures(inputs: Inputs) -> Iterator[Measure]:
    """Confidence and failures always; what happens to theta where there is an item bank."""
    yield from _verdict_measures(inputs)
    if inputs.items is None:
        return
    for group, members in inputs.groups.items():
        yield from theta_measures(inputs, members, group, "scores:judge")
        yield from influence_measures(members, group)
        yield from flip_measures(members, group)
    yield from other_score_measures(inputs, inputs.cohort.p_certain, "scores:certain")
    for other in inputs.facts.judge.others:
        p = other.on(inputs.cohort)
        yield from other_score_measures(inputs, p, f"judge:{other.name}", run=other.run)


def _verdict_measures(inputs: Inputs) -> Iterator[Measure]:
    """Mean confidence, the share that is 1, and answers that the judge gave no valid verdict on.

    `details` hold how often each confidence occurs. Answers without a verdict are missing from every
    estimate, never zero.
    """
    counts = inputs.facts.judge.confidences
    total = sum(counts.values())
    histogram: list[JsonValue] = [[confidence, number] for confidence, number in counts.items()]
    mean = certain = unknown(Reason.NOTHING_SCORED)
    if total:
        mean = plain(sum(confidence * number for confidence, number in counts.items()) / total)
        certain = plain(counts.get(1.0, 0) / total)
    yield Measure("judge.confidence", mean, n=total, details={"counts": histogram})
    yield Measure("judge.certain", certain, n=total)
    outcome = inputs.cohort.outcome
    unscored = int((outcome == Outcome.UNSCORED).sum())
    judged = unscored + int((outcome == Outcome.SCORED).sum())
    share = plain(unscored / judged) if judged else unknown(Reason.NOTHING_SCORED)
    reasons: dict[str, JsonValue] = {**inputs.facts.judge.unscored}
    yield Measure("judge.unscored", share, n=judged, details={"unscored": unscored, "reasons": reasons})


def theta_measures(
    inputs: Inputs, members: Cohort, group: str, subset: str, **details: JsonValue
) -> Iterator[Measure]:
    thetas = influence.thetas_of(members, nested=inputs.nested)
    for name, estimate in thetas.reported.items():
        yield Measure(
            f"judge.{name}", estimate, group=group, subset=subset, n=thetas.pairs, people=thetas.people,
            prompts=thetas.prompts, clusters=thetas.clusters, details=details,
        )  # fmt: skip


def other_score_measures(inputs: Inputs, p: Array, subset: str, **details: JsonValue) -> Iterator[Measure]:
    """Both groups under scores p (n,) of the cohort's rows: the same people, and Top chosen anew.

    With the change of theta.pool on the same answers, and the ten answers that contribute most to it.
    """
    cohort = inputs.cohort
    # The same answers: a row one of the two has no score for would change who and what is compared.
    both = ~np.isnan(cohort.p) & ~np.isnan(p)
    for group, members in (("average", np.ones(len(cohort.people), dtype=bool)), ("top", inputs.top)):
        rows = both & members[cohort.person] if len(cohort) else both
        part = cohort.of_rows(rows)
        yield from theta_measures(inputs, part.with_scores(p[rows]), group, subset, **details)
        other = influence.under_other_scores(part, p[rows])
        of_pairs = p[rows][other.rows]
        quasi = influence.quasi_change(part.pairs, of_pairs)
        for name, change in (("theta.change", other.change), ("theta.change.ql", quasi)):
            yield Measure(
                name, change.estimate, group, subset, n=change.n, clusters=change.clusters, details=details
            )
        places = influence.largest_changes(other.parts, MAX_INFLUENTIAL)
        alone = influence.quasi_changes_of_one(part.pairs, places, of_pairs[places])
        for place, change_ql in zip(places, alone, strict=True):
            row = int(other.rows[place])
            scores = {"p": float(part.p[row]), "p_other": float(of_pairs[place])}
            changes = {"influence.other": float(other.parts[place]), "influence.other.ql": change_ql}
            yield from _answer_measures(changes, part, row, group, subset, scores)
    chosen = top_members(cohort.with_scores(p), inputs.facts.top_size)
    anew, shared = cohort.with_scores(p).of_people(chosen), int((chosen & inputs.top).sum())
    yield from theta_measures(inputs, anew, "top", f"{subset}/reselected", **details, shared=shared)


def influence_measures(members: Cohort, group: str) -> Iterator[Measure]:
    """The ten answers without which theta.pool changes most, and what theta_QL changes by."""
    rows, pairs = np.flatnonzero(members.is_pair), members.pairs
    changes = influence.changes_without(pairs)
    places = influence.largest_changes(changes, MAX_INFLUENTIAL)
    quasi = influence.quasi_changes_of_one(pairs, places, np.full(len(places), np.nan))
    for place, change_ql in zip(places, quasi, strict=True):
        row = int(rows[place])
        both = {"influence.answer": float(changes[place]), "influence.answer.ql": change_ql}
        yield from _answer_measures(both, members, row, group, "", {"p": float(members.p[row])})


def _answer_measures(
    changes: dict[str, float], cohort: Cohort, row: int, group: str, subset: str, scores: dict[str, float]
) -> Iterator[Measure]:
    """One answer, by its person and prompt; never its text. `changes` by the names of the measures."""
    prompt, code = cohort.prompts[cohort.prompt[row]], cohort.people[cohort.person[row]].code
    details = {**scores, "category": prompt.category, "public": prompt.split == PUBLIC}
    for name, value in changes.items():
        estimate = plain_or(value, Reason.NO_FINITE_SOLUTION)
        yield Measure(
            name, estimate, group, subset, n=1, participant=code, prompt_id=prompt.prompt_id, details=details
        )


def flip_measures(members: Cohort, group: str) -> Iterator[Measure]:
    """What it would do if some of the answers with full credit deserved none."""
    pairs = members.pairs
    value, full = influence.effect_of_flips(pairs, members.transform)
    estimate = plain(value) if len(pairs) else unknown(Reason.NOTHING_SCORED)
    details = {"share": influence.FLIPPED, "full_credit": full}
    yield Measure("theta.flips", estimate, group=group, n=len(pairs), details=details)
    quasi = influence.quasi_effect_of_flips(pairs)
    yield Measure("theta.flips.ql", quasi, group=group, n=len(pairs), details=details)
