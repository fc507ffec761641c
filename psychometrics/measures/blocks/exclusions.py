"""Who was left out and what it matters: flow, intention to treat, declared rules, multiverse, raters."""

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from psychometrics.agreement.pairs import agreement
from psychometrics.exclusions import multiverse, rules
from psychometrics.exclusions.flow import flow_steps
from psychometrics.exclusions.itt import intention_to_treat
from psychometrics.exclusions.multiverse import Specification
from psychometrics.inference.estimates import Reason, unknown
from psychometrics.inference.first_error import by_people
from psychometrics.inference.measure import Measure, plain, plain_or
from psychometrics.measures.inputs import Inputs, ScreeningFacts
from psychometrics.top.rules import is_top

GROUPS = ("average", "top")
SCORE_BASED = frozenset(rule.key for rule in rules.DECLARED if rule.score_based)
NAMES = {"theta": "multiverse", "ql": "multiverse.ql"}  # by estimator of a specification
PAPER_CELL = (rules.PAPER_RULE.key, multiverse.MissingRule.AS_MISSING, multiverse.Aggregation.BY_PROMPT)


def exclusion_measures(inputs: Inputs) -> Iterator[Measure]:
    """The flow, nobody left out, what each rule removes, every specification, the ledger, the raters."""
    everyone = inputs.everyone
    screening = inputs.facts.screening
    if screening is None:
        raise ValueError("exclusions are measured from what the screening found")
    facts = screening.people
    lowest = multiverse.lowest_ranks(everyone)
    yield from flow_measures(inputs, screening)
    yield from itt_measures(inputs)
    removed, sha256 = rules.removed_by(rules.DECLARED, facts, lowest), rules.rules_sha256()
    for rule in rules.DECLARED:
        by_rule, conditions = removed[rule.key], rule.conditions(facts, lowest)
        yield Measure(
            "rule.removed", plain(int(by_rule.sum())), subset=f"rule:{rule.key}", people=len(facts),
            details={
                "rule": asdict(rule), "rules_version": rules.RULES_VERSION, "rules_sha256": sha256,
                "score_based": rule.score_based,
                "by_condition": {condition: int(mask.sum()) for condition, mask in conditions.items()},
                "also_by_verdict": int((by_rule & facts.confirmed).sum()),
            },
        )  # fmt: skip
    specifications = list(multiverse.specifications(everyone, removed, inputs.facts.top_size))
    for group in GROUPS:
        for estimator in NAMES:
            yield from multiverse_measures(specifications, group, estimator)
    yield from range_measures(inputs, specifications)
    yield from _ledger_measures(inputs, screening)
    yield from rater_measures(inputs, screening)


def flow_measures(inputs: Inputs, screening: ScreeningFacts) -> Iterator[Measure]:
    """One row per step of the flow stored with the results, and one per reason not to go on."""
    flow = inputs.facts.flow
    with_scores, size = int(flow["with_scores"]), int(flow["top_size"])
    if inputs.public_only:  # what is stored counts whoever has any score
        cohort = inputs.cohort
        with_scores = len(np.unique(cohort.person[~np.isnan(cohort.p)]))
    counts = {
        **flow,
        "ended": flow["submitted"] + flow["expired"],
        "with_scores": with_scores,
        "top": size if is_top(size, with_scores) else 0,
    }
    for step in flow_steps(counts, screening.excluded):
        yield Measure(f"flow.{step.key}", plain(step.people), people=step.people)
        for reason, people in step.leaving.items():
            yield Measure(f"flow.{step.key}.leaving", plain(people), subset=reason, people=max(people, 0))


def itt_measures(inputs: Inputs) -> Iterator[Measure]:
    """Theta with nobody left out. Bounds stand in where excluded people were never judged."""
    unjudged = int(multiverse.not_judged(inputs.everyone).sum())
    for group in GROUPS:
        size = inputs.facts.top_size if group == "top" else None
        for found in intention_to_treat(inputs.everyone, size, nested=inputs.nested):
            yield Measure(
                f"itt.{found.name}", found.estimate, group=group, n=found.n, people=found.people,
                clusters=found.clusters, details={"people_not_judged": unjudged},
            )  # fmt: skip


def multiverse_measures(specifications: list[Specification], group: str, estimator: str) -> Iterator[Measure]:
    """Every specification of a group, then their spread with and without the score-based rule."""
    for specification in specifications:
        result: multiverse.GroupResult = getattr(specification, group)
        cell = (specification.rule, specification.missing, specification.aggregation)
        # Where theta_QL is not finite, theta is what the squeeze makes of full scores.
        estimate = getattr(result, estimator) if result.ql.known else result.ql
        yield Measure(
            NAMES[estimator], estimate, group, ";".join(cell), n=result.pairs, people=result.people,
            details={
                "rule": specification.rule, "missing": specification.missing,
                "aggregation": specification.aggregation, "paper": cell == PAPER_CELL,
                "score_based": specification.rule in SCORE_BASED,
            },
        )  # fmt: skip
    yield from _spread_measures(specifications, group, estimator, "")
    yield from _spread_measures(_without_scores(specifications), group, estimator, "not_score_based")


def _without_scores(specifications: list[Specification]) -> list[Specification]:
    return [specification for specification in specifications if specification.rule not in SCORE_BASED]


def _spread_measures(
    specifications: list[Specification], group: str, estimator: str, subset: str
) -> Iterator[Measure]:
    spread, of = multiverse.spread_of(specifications, group, estimator), NAMES[estimator]
    names = [f"{of}.{what}" for what in ("median", "low", "high", "range")]
    if spread is None:
        reasons = (
            getattr(getattr(specification, group), estimator).reason for specification in specifications
        )
        why = next(filter(None, reasons), Reason.NOTHING_SCORED)
        yield from (Measure(name, unknown(why), group=group, subset=subset, n=0) for name in names)
        return
    values = (spread.median, spread.low, spread.high, spread.high - spread.low)
    for name, value in zip(names, values, strict=True):
        yield Measure(name, plain(value), group=group, subset=subset, n=spread.specifications)
    shares = {str(choice): spread.shares[choice] for choice in multiverse.Choice}
    for choice, share in {**shares, "interactions": spread.interactions}.items():
        estimate = plain_or(share, Reason.NO_VARIATION)
        yield Measure(f"{of}.share.{choice}", estimate, group=group, subset=subset, n=spread.specifications)


def range_measures(inputs: Inputs, specifications: list[Specification]) -> Iterator[Measure]:
    """Ranges of Average over specifications, without the score-based, in SEs by people of the retained."""
    cohort = inputs.cohort
    for estimator, name in (("theta", "theta.prompt"), ("ql", "theta.ql")):
        own, _ = by_people(name, cohort.pairs, cohort.transform)
        spread = multiverse.spread_of(_without_scores(specifications), "average", estimator)
        if spread is None or np.isnan(own.se):
            ratio = unknown(own.reason or Reason.NOTHING_SCORED)
        else:
            ratio = plain((spread.high - spread.low) / own.se)
        yield Measure(f"{NAMES[estimator]}.range_in_se", ratio, group="average", subset="not_score_based")


def _ledger_measures(inputs: Inputs, screening: ScreeningFacts) -> Iterator[Measure]:
    """Everybody whom a rule leaves out that looks at no score: by which rules, and on what facts."""
    facts, verdicts = screening.people, screening.decisions
    unread = np.full(len(facts), np.nan)
    masks = {rule.key: rule.removed(facts, unread) for rule in rules.DECLARED if not rule.score_based}
    names = ("off_task_share", "answered_share", "median_words", "seconds_per_answer")
    for place, person in enumerate(inputs.everyone.people):
        by = [key for key, mask in masks.items() if mask[place]]
        if by or person.code in verdicts:
            own = {name: float(getattr(facts, name)[place]) for name in names}
            as_json = {name: None if np.isnan(value) else round(value, 4) for name, value in own.items()}
            yield Measure(
                "exclusion.rules", plain(len(by)), participant=person.code,
                details={
                    "rules": [*by], "facts": {**as_json},
                    "excluded": not person.retained, "raters": len(verdicts.get(person.code, {})),
                },
            )  # fmt: skip


def rater_measures(inputs: Inputs, screening: ScreeningFacts) -> Iterator[Measure]:
    """Agreement of two reviewers on who is excluded, over the people both decided about."""
    twice = rules.rated_twice(screening.decisions)
    rated = len(screening.decisions)
    share = plain(len(twice) / rated) if rated else unknown(Reason.NOT_RATED_TWICE)
    yield Measure("screening.rated_twice", share, n=rated, people=rated)
    if not twice:
        yield Measure("screening.kappa", unknown(Reason.NOT_RATED_TWICE), n=0, people=rated)
        return
    first, second = [float(rating.first) for rating in twice], [float(rating.second) for rating in twice]
    found = agreement(first, second, np.arange(len(twice)), rng=inputs.rng, resamples=inputs.resamples)
    details = {"agreeing": sum(rating.first == rating.second for rating in twice)}
    for name, estimate in (("screening.kappa", found.kappa), ("screening.ac1", found.ac1)):
        yield Measure(name, estimate, n=len(twice), people=rated, clusters=len(twice), details=details)
