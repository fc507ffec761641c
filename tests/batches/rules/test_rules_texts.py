import pytest
from hypothesis import given, strategies as st

from batches.rules.saves import check_answer_text, check_note
from formats.text_faults import is_blank


def test_an_ordinary_text_is_fine() -> None:
    assert check_answer_text("x² ≥ 0, 答え, שלום, 🙂\n\tdone", max_characters=100) is None


def test_an_empty_text_is_fine_because_people_may_clear_an_answer() -> None:
    assert check_answer_text("", max_characters=100) is None


def test_a_nul_character_is_refused_with_its_position() -> None:
    fault = check_answer_text("ab\x00c", max_characters=100)
    assert str(fault) == "The answer has a NUL character at position 3; remove it and save again."


def test_a_lone_surrogate_is_refused_with_its_position() -> None:
    fault = check_answer_text("a\ud83d", max_characters=100)
    assert str(fault) == "The answer has a broken character at position 2; remove it and save again."


def test_the_limit_itself_is_allowed_and_counts_code_points() -> None:
    assert check_answer_text("🙂" * 100, max_characters=100) is None


def test_a_longer_text_is_refused_with_both_lengths() -> None:
    fault = check_answer_text("a" * 1_000_001, max_characters=100_000)
    assert str(fault) == (
        "The answer is 1,000,001 characters long and at most 100,000 are allowed; shorten it and save again."
    )


def test_a_note_is_checked_like_an_answer_and_may_have_2000_characters() -> None:
    assert check_note("🙂" * 2_000) is None
    assert str(check_note("a" * 2_001)) == (
        "The note is 2,001 characters long and at most 2,000 are allowed; shorten it and save again."
    )
    assert str(check_note("\x00")).startswith("The note has a NUL character at position 1")
    assert str(check_note("\ud800")).startswith("The note has a broken character at position 1")


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t \r", "\u200b\u200d\ufeff", "\u00a0\u3000", "\u2060\u00ad", "\u3164\u2800"]
)
def test_a_text_with_nothing_to_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", "-", "0", "答", "🙂", "\u200bא\u200b", "  x  "])
def test_a_text_with_one_visible_character_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@given(st.text(max_size=50))
def test_any_text_with_a_letter_in_it_is_not_blank(text: str) -> None:
    assert not is_blank(f"{text}a{text}")
