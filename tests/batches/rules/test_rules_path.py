"""The way through a study as a pure function of the facts."""

from dataclasses import replace

import pytest

from batches.rules.path import PathFacts, StepKind, StepState, current_step, path_steps

INVITED = PathFacts(decision="open", asks_profile=True, asks_check=True)
CONSENTED = replace(INVITED, has_consented=True)
SENT = replace(CONSENTED, profile_sent=True)
ADMITTED = replace(SENT, decision="approved")
READ = replace(ADMITTED, has_read=True)
PASSED = replace(READ, check_passed=True)
STARTED = replace(PASSED, session="running")
ENDED = replace(STARTED, session="ended")


def states(facts: PathFacts) -> dict[StepKind, StepState]:
    return {step.kind: step.state for step in path_steps(facts)}


@pytest.mark.parametrize(
    ("facts", "kind", "state"),
    [
        (replace(INVITED, may_consent=False), StepKind.CONSENT, StepState.WAITING),
        (INVITED, StepKind.CONSENT, StepState.NEXT),
        (CONSENTED, StepKind.PROFILE, StepState.NEXT),
        (SENT, StepKind.DECISION, StepState.WAITING),
        (ADMITTED, StepKind.INSTRUCTIONS, StepState.NEXT),
        (READ, StepKind.CHECK, StepState.NEXT),
        (replace(READ, may_retry=False), StepKind.CHECK, StepState.WAITING),
        (PASSED, StepKind.START, StepState.NEXT),
        (replace(PASSED, may_start=False), StepKind.START, StepState.WAITING),
        (STARTED, StepKind.SESSION, StepState.NEXT),
        (ENDED, StepKind.RECEIPT, StepState.NEXT),
    ],
)
def test_exactly_one_step_is_next_or_waits_and_the_later_ones_come_later(
    facts: PathFacts, kind: StepKind, state: StepState
) -> None:
    steps = path_steps(facts)
    current = current_step(steps)
    assert current is not None
    assert (current.kind, current.state) == (kind, state)
    before, after = steps[: steps.index(current)], steps[steps.index(current) + 1 :]
    aside = {StepState.OPTIONAL, StepState.NOT_NEEDED}
    assert {step.state for step in before} - aside <= {StepState.DONE}
    assert {step.state for step in after} - aside <= {StepState.LATER}


def test_steps_the_study_does_not_ask_for_do_not_appear() -> None:
    facts = PathFacts(decision="approved", asks_practice=False)
    assert list(states(facts)) == [
        StepKind.CONSENT,
        StepKind.DECISION,
        StepKind.INSTRUCTIONS,
        StepKind.START,
        StepKind.SESSION,
        StepKind.RECEIPT,
    ]
    assert list(states(INVITED)) == list(StepKind)


def test_who_sent_a_profile_without_consent_keeps_it_and_is_asked_for_consent() -> None:
    steps = path_steps(replace(SENT, has_consented=False))
    assert [step.state for step in steps[:3]] == [StepState.NEXT, StepState.DONE, StepState.LATER]


def test_practice_is_offered_between_admission_and_start_and_never_asked_for() -> None:
    assert states(SENT)[StepKind.PRACTICE] == StepState.LATER
    assert states(replace(ADMITTED, has_consented=False))[StepKind.PRACTICE] == StepState.LATER
    assert states(ADMITTED)[StepKind.PRACTICE] == StepState.OPTIONAL
    assert states(PASSED)[StepKind.PRACTICE] == StepState.OPTIONAL
    assert states(STARTED)[StepKind.PRACTICE] == StepState.NOT_NEEDED
    assert states(replace(STARTED, has_practised=True))[StepKind.PRACTICE] == StepState.DONE


@pytest.mark.parametrize(
    "facts",
    [
        replace(SENT, decision="rejected"),
        replace(SENT, is_over=True),
        replace(ADMITTED, has_withdrawn=True),
        replace(STARTED, session="ended", has_withdrawn=True),
    ],
)
def test_where_the_path_has_ended_nothing_is_next_and_nothing_comes_later(facts: PathFacts) -> None:
    assert current_step(path_steps(facts)) is None
    assert set(states(facts).values()) <= {StepState.DONE, StepState.NOT_NEEDED}


def test_who_has_started_goes_on_whatever_the_study_asks_since() -> None:
    changed = replace(STARTED, has_consented=False, check_passed=False, decision="rejected", is_over=True)
    current = current_step(path_steps(changed))
    assert current is not None
    assert current.kind == StepKind.SESSION


def test_nobody_is_ready_to_start_before_everything_is_done() -> None:
    assert [facts.is_ready for facts in (INVITED, CONSENTED, SENT, ADMITTED, READ)] == [False] * 5
    assert replace(ADMITTED, asks_check=False).is_ready
    assert PASSED.is_ready
    assert not STARTED.is_ready
    assert not replace(PASSED, is_over=True).is_ready
