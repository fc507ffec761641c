"""The way from recruited to Top: everybody is in a box, and a remainder has a name."""

from itertools import pairwise

from psychometrics.exclusions.flow import flow_steps

COUNTS = {
    "recruited": 260, "approved": 250, "rejected": 6, "started": 246, "active": 0, "withdrawn": 3,
    "ended": 243, "retained": 195, "with_scores": 194, "top": 15,
}  # fmt: skip
EXCLUDED = {"few_answers": 20, "few_answers+mostly_off_task": 5, "mostly_off_task": 23}


def test_every_step_says_who_leaves_and_why() -> None:
    assert {step.key: (step.people, dict(step.leaving)) for step in flow_steps(COUNTS, EXCLUDED)} == {
        "recruited": (260, {"rejected": 6, "waiting": 4}),
        "approved": (250, {"not_started": 4}),
        "started": (246, {"withdrawn": 3}),
        "ended": (
            243,
            {
                "excluded:few_answers": 20,
                "excluded:few_answers+mostly_off_task": 5,
                "excluded:mostly_off_task": 23,
            },
        ),
        "retained": (195, {"without_score": 1}),
        "with_scores": (194, {}),
        "top": (15, {}),
    }


def test_what_is_left_of_each_step_is_the_next_one() -> None:
    steps = list(flow_steps(COUNTS, EXCLUDED))
    for step, following in pairwise(steps[:6]):
        assert step.people - sum(step.leaving.values()) == following.people


def test_people_without_a_named_reason_are_not_hidden() -> None:
    """Verdicts of a moment later than the stored flow, say."""
    steps = {step.key: step for step in flow_steps(COUNTS, {"few_answers": 40})}
    assert steps["ended"].leaving == {"excluded:few_answers": 40, "other": 8}


def test_an_empty_study_has_empty_boxes() -> None:
    nobody = dict.fromkeys(COUNTS, 0)
    assert {(step.people, len(step.leaving)) for step in flow_steps(nobody, {})} == {(0, 0)}
