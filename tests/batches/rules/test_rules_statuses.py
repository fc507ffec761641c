import pytest

from batches.rules.statuses import SESSION_MOVES, AnswerState, SessionStatus, answer_state, counts


def test_every_session_status_has_its_own_sentence() -> None:
    sentences = [status.sentence for status in SessionStatus]
    assert len(set(sentences)) == 4
    assert all(sentence.endswith(".") for sentence in sentences)


def test_every_answer_state_has_its_own_sentence() -> None:
    sentences = [state.sentence for state in AnswerState]
    assert len(set(sentences)) == 7
    assert all(sentence.endswith(".") for sentence in sentences)


def test_the_table_of_moves_names_every_status_and_ends_at_withdrawn() -> None:
    assert set(SESSION_MOVES) == set(SessionStatus)
    assert SESSION_MOVES[SessionStatus.WITHDRAWN] == frozenset()


def test_a_session_that_ended_can_run_again_be_withdrawn_or_have_its_submission_overtake_the_sweep() -> None:
    again = {SessionStatus.ACTIVE, SessionStatus.WITHDRAWN}
    assert SESSION_MOVES[SessionStatus.SUBMITTED] == again
    assert SESSION_MOVES[SessionStatus.EXPIRED] == {*again, SessionStatus.SUBMITTED}


@pytest.mark.parametrize(
    ("status", "seen", "revisions", "has_text", "expected"),
    [
        (SessionStatus.ACTIVE, True, 3, True, AnswerState.DRAFT),
        (SessionStatus.SUBMITTED, True, 3, True, AnswerState.ANSWERED),
        (SessionStatus.EXPIRED, True, 3, True, AnswerState.DRAFTED_AT_EXPIRY),
        (SessionStatus.SUBMITTED, True, 2, False, AnswerState.BLANK),
        (SessionStatus.EXPIRED, True, 2, False, AnswerState.BLANK),
        (SessionStatus.SUBMITTED, True, 0, False, AnswerState.SKIPPED),
        (SessionStatus.EXPIRED, True, 0, False, AnswerState.SKIPPED),
        (SessionStatus.EXPIRED, False, 0, False, AnswerState.NOT_REACHED),
        (SessionStatus.ACTIVE, False, 0, False, AnswerState.NOT_REACHED),
        (SessionStatus.WITHDRAWN, True, 3, True, AnswerState.WITHDRAWN),
        (SessionStatus.WITHDRAWN, False, 0, False, AnswerState.WITHDRAWN),
    ],
)
def test_the_state_of_an_answer_follows_from_stored_facts(
    status: SessionStatus, seen: bool, revisions: int, has_text: bool, expected: AnswerState
) -> None:
    state = answer_state(session_status=status, first_seen=seen, revisions=revisions, has_text=has_text)
    assert state is expected


def test_a_saved_draft_counts_at_expiry_only_under_the_rule_that_says_so() -> None:
    assert counts(AnswerState.DRAFTED_AT_EXPIRY, "saved_counts")
    assert not counts(AnswerState.DRAFTED_AT_EXPIRY, "submitted_only")


def test_a_submitted_answer_counts_under_both_rules() -> None:
    assert counts(AnswerState.ANSWERED, "saved_counts")
    assert counts(AnswerState.ANSWERED, "submitted_only")


@pytest.mark.parametrize(
    "state",
    [
        AnswerState.DRAFT,
        AnswerState.BLANK,
        AnswerState.SKIPPED,
        AnswerState.NOT_REACHED,
        AnswerState.WITHDRAWN,
    ],
)
def test_nothing_else_ever_counts(state: AnswerState) -> None:
    assert not counts(state, "saved_counts")
    assert not counts(state, "submitted_only")
