"""Exclusion rules: who meets which condition, and what their version stands for."""

from dataclasses import replace

import numpy as np
import pytest

from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.exclusions.multiverse import lowest_ranks
from psychometrics.exclusions.rules import (
    DECLARED,
    INTENTION_TO_TREAT,
    PAPER_RULE,
    RULES_VERSION,
    Condition,
    ExclusionFacts,
    ExclusionRule,
    removed_by,
    rules_sha256,
)

NAN = float("nan")
FACTS = ExclusionFacts(
    off_task_share=np.array([0.0, 0.5, 0.25, NAN]),
    answered_share=np.array([1.0, 0.8, 0.75, 0.0]),
    median_words=np.array([40.0, 3.0, 4.0, NAN]),
    seconds_per_answer=np.array([59.0, 60.0, 600.0, NAN]),
    confirmed=np.array([False, True, False, False]),
)
UNKNOWN = np.full(4, NAN)


def test_each_declared_rule_leaves_out_whom_its_thresholds_name() -> None:
    removed = removed_by(DECLARED, FACTS, np.array([0.75, 0.5, 0.25, 0.0]))
    assert {key: mask.tolist() for key, mask in removed.items()} == {
        "nobody": [False, False, False, False],
        "verdicts": [False, True, False, False],
        "flags": [False, True, False, True],
        "off_task": [False, True, False, False],
        "answered": [False, False, False, True],
        "words": [False, True, False, False],
        "hurried": [True, False, False, False],
        "strict": [False, True, True, True],
        "lowest_scores": [False, False, False, True],
    }


def test_only_the_flagged_rule_looks_at_scores() -> None:
    ranks = (np.array([0.0, 0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1, 0.0]))
    changed = {
        rule.key
        for rule in DECLARED
        if (rule.removed(FACTS, ranks[0]) != rule.removed(FACTS, ranks[1])).any()
    }
    assert changed == {rule.key for rule in DECLARED if rule.score_based} == {"lowest_scores"}


def test_what_is_not_known_leaves_nobody_out() -> None:
    unknown = ExclusionFacts(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, np.zeros(4, dtype=bool))
    assert not any(rule.removed(unknown, UNKNOWN).any() for rule in DECLARED)


def test_conditions_are_told_apart() -> None:
    rule = ExclusionRule("both", verdicts=True, off_task_from=0.25)
    found = rule.conditions(FACTS, UNKNOWN)
    assert {condition: mask.tolist() for condition, mask in found.items()} == {
        Condition.OFF_TASK: [False, True, True, False],
        Condition.VERDICT: [False, True, False, False],
    }


def test_a_changed_rule_needs_a_new_version() -> None:
    """Change RULES_VERSION together with this hash: stored results name both."""
    assert RULES_VERSION == "exclusion-1"
    assert rules_sha256() == "5049de7dc1cea8fbd539beefa6fafc2148ed9d22e2bc18935a95ec9e8cd121fe"


def test_the_hash_knows_no_order_and_every_threshold() -> None:
    assert rules_sha256(tuple(reversed(DECLARED))) == rules_sha256()
    changed = replace(DECLARED[2], off_task_from=0.51)
    assert rules_sha256((*DECLARED[:2], changed, *DECLARED[3:])) != rules_sha256()
    assert rules_sha256(version="exclusion-2") != rules_sha256()


def test_the_declared_rules_hold_nobody_and_the_published_one() -> None:
    assert len({rule.key for rule in DECLARED}) == len(DECLARED) == 9
    assert INTENTION_TO_TREAT in DECLARED
    assert PAPER_RULE in DECLARED


@pytest.mark.parametrize("order", [1, -1])
def test_ranks_count_who_scored_lower_and_ties_go_by_code(order: int) -> None:
    assert lowest_ranks(ranked_cohort(order)).tolist() == pytest.approx([1 / 3, 2 / 3, 0.0, NAN], nan_ok=True)


def test_without_scores_nobody_has_a_rank() -> None:
    cohort = ranked_cohort(1)
    assert np.isnan(lowest_ranks(cohort.with_scores(np.full(len(cohort), NAN)))).all()


def ranked_cohort(order: int) -> Cohort:
    """Mean scores 0.5, 0.5, 0 and none."""
    scores = [(0, 1.0), (0, 0.0), (1, 0.5), (2, 0.0), (3, NAN)]
    rows = [
        (person, place, 1, 1, p, p, Outcome.SKIPPED if np.isnan(p) else Outcome.SCORED)
        for place, (person, p) in enumerate(scores)
    ]
    return cohort_of(
        people=[Person(code) for code in "ABCD"],
        prompts=[AskedPrompt(f"p{n}") for n in range(5)],
        bank=None,
        rows=rows[::order],
    )
