from random import Random

import pytest
from hypothesis import given, strategies as st

from batches.rules.statuses import AnswerState
from screening.offtask.facts import (
    RULES_VERSION,
    AnswerFacts,
    Flag,
    OfftaskRules,
    ParticipantReason,
    PromptFacts,
    ReasonCode,
)
from screening.offtask.rules import flag_answer, flag_participant

PROMPT = PromptFacts("p", "Explain why the sky is blue.", "rubric", None)
GOOD = "Air scatters short waves of light more than long ones, so blue reaches us from everywhere."
MINIMAL = "blue light"
COMMENT = "The model got this one right."


def answers(*texts: str, state: AnswerState = AnswerState.ANSWERED) -> list[AnswerFacts]:
    """One answer per text; an empty text is a prompt the participant skipped."""
    return [
        AnswerFacts(number, "p", text, state if text else AnswerState.SKIPPED)
        for number, text in enumerate(texts)
    ]


def flags_of(given_answers: list[AnswerFacts]) -> dict[int, tuple[Flag[ReasonCode], ...]]:
    return {answer.answer_id: flag_answer(answer, PROMPT) for answer in given_answers}


def screened(
    given_answers: list[AnswerFacts], rules: OfftaskRules | None = None
) -> tuple[Flag[ParticipantReason], ...]:
    return flag_participant(given_answers, flags_of(given_answers), rules=rules or OfftaskRules())


def test_a_participant_who_answers_is_not_flagged() -> None:
    assert screened(answers(*[GOOD] * 20)) == ()


def test_single_off_task_answers_do_not_flag_the_participant() -> None:
    assert screened(answers(*[GOOD] * 11, *[MINIMAL] * 5, *[COMMENT] * 4)) == ()


def test_half_of_the_answers_off_task_flags_the_participant_with_the_counts() -> None:
    assert screened(answers(*[GOOD] * 10, *[MINIMAL] * 4, *[COMMENT] * 6)) == (
        Flag(
            ParticipantReason.MOSTLY_OFF_TASK,
            "Recorded answers that are off-task: 10 of 20 (4 minimal_content, 6 comment_on_model); "
            "flagged from 50%.",
        ),
    )


def test_the_off_task_share_is_taken_over_recorded_answers_only() -> None:
    (flag,) = screened(answers(*[GOOD] * 5, *[MINIMAL] * 6, *[""] * 9))
    assert flag.reason is ParticipantReason.MOSTLY_OFF_TASK
    assert flag.evidence.startswith("Recorded answers that are off-task: 6 of 11 (6 minimal_content)")


def test_half_of_the_prompts_answered_is_enough() -> None:
    assert screened(answers(*[GOOD] * 10, *[""] * 10)) == ()


def test_fewer_answers_than_half_flag_the_participant() -> None:
    assert screened(answers(*[GOOD] * 9, *[""] * 11)) == (
        Flag(ParticipantReason.FEW_ANSWERS, "Prompts with an answer: 9 of 20; flagged below 50%."),
    )


def test_a_participant_without_any_answer_is_flagged_once() -> None:
    (flag,) = screened(answers(*[""] * 20))
    assert flag.evidence == "Prompts with an answer: 0 of 20; flagged below 50%."


def test_both_reasons_can_hold() -> None:
    found = screened(answers(*[MINIMAL] * 9, *[""] * 11))
    assert {flag.reason for flag in found} == set(ParticipantReason)


def test_a_withdrawn_session_is_not_flagged() -> None:
    assert screened(answers(*[COMMENT] * 20, state=AnswerState.WITHDRAWN)) == ()
    assert screened([]) == ()


def test_an_answer_with_two_reasons_counts_once() -> None:
    (flag,) = screened(answers(*["Good question"] * 2, GOOD))
    assert flag.evidence.startswith(
        "Recorded answers that are off-task: 2 of 3 (2 minimal_content, 2 comment_on_question)"
    )


def test_drafts_at_expiry_are_recorded_answers() -> None:
    assert screened(answers(*[GOOD] * 20, state=AnswerState.DRAFTED_AT_EXPIRY)) == ()


def test_the_thresholds_come_from_the_rule_set() -> None:
    strict = OfftaskRules(version="strict-1", off_task_share=0.25, answered_share=0.9)
    found = screened(answers(*[GOOD] * 10, *[MINIMAL] * 4, *[""] * 6), strict)
    assert {flag.reason for flag in found} == set(ParticipantReason)


def test_the_default_rules_carry_their_version() -> None:
    assert OfftaskRules().version == RULES_VERSION == "offtask-1"


def test_every_participant_reason_has_its_own_sentence() -> None:
    assert len({reason.sentence for reason in ParticipantReason}) == 2


@pytest.mark.parametrize("name", ["comment_share", "off_task_share", "answered_share"])
def test_a_share_of_zero_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} is 0.0; set it above 0"):
        OfftaskRules(**{name: 0.0})  # type: ignore[arg-type]


@given(st.lists(st.sampled_from([GOOD, MINIMAL, COMMENT, ""]), max_size=20), st.randoms())
def test_the_order_of_answers_never_changes_a_flag(texts: list[str], random: Random) -> None:
    given_answers = answers(*texts)
    shuffled = list(given_answers)
    random.shuffle(shuffled)
    assert screened(shuffled) == screened(given_answers)
    assert flags_of(shuffled) == flags_of(given_answers)
