from hypothesis import given, strategies as st

from batches.rules.saves import SaveDecision, decide_save


def decide(
    *, tab: str = "tab-a", sequence: int = 5, base_revision: int = 7, is_same: bool = False
) -> SaveDecision:
    """Save onto revision 7, written by tab-a as its fifth save."""
    return decide_save(
        current_revision=7,
        current_tab="tab-a",
        current_sequence=5,
        base_revision=base_revision,
        tab=tab,
        sequence=sequence,
        is_same=is_same,
    )


def test_the_first_save_of_an_answer_is_accepted() -> None:
    decision = decide_save(
        current_revision=0,
        current_tab="",
        current_sequence=0,
        base_revision=0,
        tab="tab-a",
        sequence=1,
        is_same=False,
    )
    assert decision is SaveDecision.ACCEPT


def test_the_next_save_of_the_same_tab_is_accepted() -> None:
    assert decide(sequence=6) is SaveDecision.ACCEPT


def test_the_same_tab_need_not_have_heard_of_its_own_last_save() -> None:
    assert decide(sequence=6, base_revision=6) is SaveDecision.ACCEPT


def test_a_retry_of_the_same_save_changes_nothing_and_is_no_error() -> None:
    assert decide(sequence=5, is_same=True) is SaveDecision.DUPLICATE


def test_an_older_request_of_the_same_tab_never_overwrites_a_newer_one() -> None:
    assert decide(sequence=4) is SaveDecision.SUPERSEDED
    assert decide(sequence=4, is_same=True) is SaveDecision.SUPERSEDED


def test_a_used_sequence_number_with_another_text_never_overwrites() -> None:
    assert decide(sequence=5, is_same=False) is SaveDecision.SUPERSEDED


def test_another_tab_takes_over_from_the_newest_revision() -> None:
    assert decide(tab="tab-b", sequence=1, base_revision=7) is SaveDecision.ACCEPT


def test_another_tab_that_missed_a_revision_is_stale() -> None:
    assert decide(tab="tab-b", sequence=1, base_revision=6) is SaveDecision.STALE


def test_a_high_sequence_number_does_not_help_a_stale_tab() -> None:
    assert decide(tab="tab-b", sequence=1_000, base_revision=6) is SaveDecision.STALE


def test_a_revision_that_does_not_exist_yet_is_stale() -> None:
    assert decide(tab="tab-b", sequence=1, base_revision=8) is SaveDecision.STALE


def test_every_decision_has_its_own_sentence() -> None:
    assert len({decision.sentence for decision in SaveDecision}) == 4


@given(st.permutations(range(1, 7)))
def test_whatever_the_order_of_arrival_the_last_text_of_one_tab_stays(arrivals: list[int]) -> None:
    revision, sequence, text = 0, 0, ""
    for number in arrivals:
        decision = decide_save(
            current_revision=revision,
            current_tab="tab-a" if revision else "",
            current_sequence=sequence,
            base_revision=0,
            tab="tab-a",
            sequence=number,
            is_same=text == f"text {number}",
        )
        if decision is SaveDecision.ACCEPT:
            revision, sequence, text = revision + 1, number, f"text {number}"
    assert text == "text 6"
