"""Who reads next: the rules of second readings, pure, and where the evidence stands in a text."""

import pytest

from screening.offtask.evidence import marked
from screening.offtask.facts import PromptFacts, ReasonCode
from screening.offtask.readings import (
    Given,
    LeftOpen,
    Reading,
    ReadingProblem,
    ReadingRefused,
    is_drawn,
    next_reading,
)
from screening.offtask.summaries import FlaggedWork, main_reason

A, B, C = 1, 2, 3


def read(
    *verdicts: tuple[int, str], drawn: bool = False, compares: bool = True, lead: int = 0
) -> list[Given]:
    """These verdicts one after the other, as they would be stored."""
    given: list[Given] = []
    for rater, decision in verdicts:
        reading, left = next_reading(
            given, rater=rater, decision=decision, drawn=drawn, compares=compares, settles=rater == lead
        )
        given.append(Given(rater, decision, reading, left))
    return given


@pytest.mark.parametrize(
    ("verdicts", "drawn", "compares", "left"),
    [
        ([(A, "confirm")], False, True, LeftOpen.NOTHING),
        ([(A, "confirm")], True, True, LeftOpen.SECOND),
        ([(A, "unsure")], False, False, LeftOpen.SECOND),
        ([(A, "confirm"), (B, "confirm")], True, True, LeftOpen.NOTHING),
        ([(A, "confirm"), (B, "overturn")], True, True, LeftOpen.SETTLING),
        ([(A, "confirm"), (B, "unsure")], True, True, LeftOpen.SETTLING),
        ([(A, "unsure"), (B, "confirm")], False, True, LeftOpen.NOTHING),
        ([(A, "unsure"), (B, "unsure")], False, True, LeftOpen.SETTLING),
        ([(A, "confirm"), (B, "overturn"), (C, "confirm")], True, True, LeftOpen.NOTHING),
        # A later view: the newest counts where a study has no second readings; elsewhere they disagree.
        ([(A, "confirm"), (B, "overturn")], False, False, LeftOpen.NOTHING),
        ([(A, "confirm"), (B, "overturn")], False, True, LeftOpen.SETTLING),
        ([(A, "confirm"), (A, "overturn")], False, True, LeftOpen.NOTHING),
    ],
)
def test_what_a_verdict_leaves_open(
    verdicts: list[tuple[int, str]], drawn: bool, compares: bool, left: LeftOpen
) -> None:
    assert read(*verdicts, drawn=drawn, compares=compares)[-1].leaves_open == left


def test_whoever_read_first_reads_neither_second_nor_settles_unless_they_lead() -> None:
    with pytest.raises(ReadingRefused) as refused:
        read((A, "confirm"), (A, "confirm"), drawn=True)
    assert refused.value.problem == ReadingProblem.SECOND_IS_ANOTHER
    disagreeing = [(A, "confirm"), (B, "overturn"), (A, "confirm")]
    with pytest.raises(ReadingRefused) as refused:
        read(*disagreeing, drawn=True)
    assert refused.value.problem == ReadingProblem.SETTLED_BY_ANOTHER
    assert read(*disagreeing, drawn=True, lead=A)[-1].reading == Reading.SETTLING
    with pytest.raises(ReadingRefused) as refused:
        read((A, "confirm"), (B, "overturn"), (C, "unsure"), drawn=True)
    assert refused.value.problem == ReadingProblem.SETTLING_DECIDES


def test_the_share_is_drawn_by_a_hash_of_study_and_person() -> None:
    drawn = [is_drawn("study", f"P-{number}", 0.2) for number in range(2000)]
    assert 340 < sum(drawn) < 460
    assert drawn == [is_drawn("study", f"P-{number}", 0.2) for number in range(2000)]
    assert not any(is_drawn("study", f"P-{number}", 0.0) for number in range(100))
    assert all(is_drawn("study", f"P-{number}", 1.0) for number in range(100))


PROMPT = PromptFacts("p1", "Explain how a bridge carries its load.", "rubric", None)


@pytest.mark.parametrize(
    ("text", "reason", "evidence"),
    [
        ("idk", ReasonCode.MINIMAL_CONTENT, ["idk"]),
        (
            "The  AI got it mostly\u00a0right. See the deck.",
            ReasonCode.COMMENT_ON_MODEL,
            ["The  AI got it mostly\u00a0right"],
        ),
        ("Nothing the rules still find.", ReasonCode.COMMENT_ON_QUESTION, ["Nothing the rules still find."]),
        ("", ReasonCode.NO_ANSWER, []),
        ("<b>&amp;</b>", ReasonCode.MINIMAL_CONTENT, ["<b>&amp;</b>"]),
    ],
)
def test_evidence_is_marked_where_it_stands(text: str, reason: ReasonCode, evidence: list[str]) -> None:
    pieces = marked(text, PROMPT, [reason])
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.text for piece in pieces if piece.reasons] == evidence


def test_evidence_of_two_rules_may_overlap() -> None:
    pieces = marked("idk", PROMPT, [ReasonCode.MINIMAL_CONTENT, ReasonCode.COMMENT_ON_QUESTION])
    assert [(piece.text, len(piece.reasons)) for piece in pieces] == [("idk", 2)]


@pytest.mark.parametrize(
    ("flags", "short", "answered", "last", "sentence"),
    [
        ({"mostly_off_task"}, 17, 20, 20, "Answers that are too short: 17 of 20"),
        ({"few_answers"}, 0, 6, 6, "Nothing is answered after question 6"),
        ({"few_answers"}, 0, 6, 11, "Questions that are answered: 6 of 20"),
        ({"few_answers"}, 0, 0, 0, "Nothing is answered"),
    ],
)
def test_the_main_reason_is_said_in_words(
    flags: set[str], short: int, answered: int, last: int, sentence: str
) -> None:
    work = FlaggedWork(frozenset(flags), {"minimal_content": short}, 20, answered, last)
    template, facts = main_reason(work)
    assert template % facts == sentence
