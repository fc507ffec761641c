import json
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from batches.rules.statuses import AnswerState
from screening.offtask.facts import AnswerFacts, OfftaskRules, PromptFacts, ReasonCode
from screening.offtask.rules import flag_answer

NUMBER = PromptFacts("number", "How many legs do three spiders and two ants have together?", "exact", "36")
WORD = PromptFacts("word", "Which everyday object is hidden in the letters N E P?", "exact", "pen")
CHOICE = PromptFacts(
    "choice",
    "Which gas do plants take in?\n(A) oxygen\n(B) carbon dioxide\n(C) nitrogen",
    "exact",
    "(B) carbon dioxide, which the leaves take in through small pores and fix in the light",
)
LONG_EXACT = PromptFacts(
    "order",
    "Sort these towns from north to south.",
    "exact",
    "Tromsø, Oslo, Aarhus, Hamburg, Kassel, Ulm, Milan, Genoa, Rome, Naples, Palermo, Tunis",
)
BRACKETS = PromptFacts("brackets", "Close the open brackets of ( [ {", "exact", "} ] )")
ESSAY = PromptFacts(
    "essay", "Explain to a ten-year-old why the moon does not fall down on the earth.", "rubric", None
)
SHORT_RUBRIC = PromptFacts("boat", "How often must the boat cross the lake?", "rubric", "three times")
ONE_WORD = PromptFacts("mood", "Name the mood of the poem in one word.", "rubric", None)
ABOUT_MODELS = PromptFacts(
    "models",
    "Two language models, Gemini and Claude, sort a list. Which model is the better one?",
    "rubric",
    None,
)
REVIEW = PromptFacts("review", "Give feedback on this exam question: what is half of two?", "rubric", None)

MINIMAL, QUESTION, MODEL, NONE = (
    ReasonCode.MINIMAL_CONTENT,
    ReasonCode.COMMENT_ON_QUESTION,
    ReasonCode.COMMENT_ON_MODEL,
    ReasonCode.NO_ANSWER,
)

LONG_ANSWER = (
    "The moon is falling all the time, but it also moves sideways very fast. Imagine throwing a ball so far "
    "that the ground curves away under it: it keeps falling and never lands. That is what an orbit is. "
    "By the way, the model got this right at once, and the question is a good question for children. "
    "If the moon stopped moving sideways it would come straight down, and that would be a bad day for us."
)

ON_TASK = [
    (NUMBER, "36"),
    (NUMBER, "42"),
    (NUMBER, "  36.\n"),
    (NUMBER, "thirty-six"),
    (NUMBER, "36, but the question is badly worded"),
    (NUMBER, "This question is too easy. 36"),
    (NUMBER, "ChatGPT got this wrong: it is 36"),
    (NUMBER, "∞"),
    (NUMBER, "٣٦"),
    (NUMBER, "沒有"),
    (WORD, "pen"),
    (WORD, "עט"),
    (WORD, "Stift"),
    (WORD, "none"),
    (CHOICE, "B"),
    (CHOICE, "(c)"),
    (BRACKETS, "} ] )"),
    (BRACKETS, "-"),
    (SHORT_RUBRIC, "3"),
    (ONE_WORD, "melancholy"),
    (LONG_EXACT, "Tromsø Oslo Aarhus Hamburg"),
    (ESSAY, LONG_ANSWER),
    (ESSAY, "Because it keeps moving sideways while it falls."),
    (
        ESSAY,
        "The question is vague, yet here goes. The moon falls around the earth and never onto it.",
    ),
    (ESSAY, "הירח נופל כל הזמן, אבל הוא גם נע הצידה."),
    (ESSAY, "القمر يسقط دائما لكنه يتحرك بسرعة إلى الجانب."),
    (ESSAY, "月は落ち続けているが、横にも動いている。"),
    (ESSAY, "Der Mond fällt ständig um die Erde herum."),
    (ESSAY, "🌍 ← 🌕 ↺ 🌕 → 🌍 🔁"),
    (ESSAY, "The moon is a good model of a falling body that always misses the ground."),
    (ESSAY, "The model predicts a good fit at 384400 km."),
    (ESSAY, "It cannot be answered, because the premise contradicts itself."),
    (WORD, "hard"),
    (ABOUT_MODELS, "Gemini did well, and Claude made two mistakes, so the first model is better."),
    (ABOUT_MODELS, "Gemini is right and the other one is wrong about ties."),
    (REVIEW, "The question is ambiguous and too easy."),
    (REVIEW, "Good question, but badly worded."),
]

OFF_TASK = [
    (ESSAY, "gravity", {MINIMAL}),
    (ESSAY, "It orbits earth", {MINIMAL}),
    (ESSAY, "🙂", {MINIMAL}),
    (ESSAY, "引力", {MINIMAL}),
    (ESSAY, "כבידה", {MINIMAL}),
    (LONG_EXACT, "Oslo", {MINIMAL}),
    (NUMBER, "n/a", {MINIMAL}),
    (NUMBER, "N/A n/a N/A", {MINIMAL}),
    (NUMBER, "idk", {MINIMAL}),
    (NUMBER, "I don’t know.", {MINIMAL}),
    (NUMBER, "Weiß nicht!", {MINIMAL}),
    (NUMBER, "-", {MINIMAL}),
    (NUMBER, "...", {MINIMAL}),
    (NUMBER, "👍", {MINIMAL}),
    (NUMBER, "Test", {MINIMAL}),
    (NUMBER, "test\ntest\ntest", {MINIMAL}),
    (NUMBER, "aaaaaaa", {MINIMAL}),
    (NUMBER, "The question is ambiguous.", {QUESTION}),
    (NUMBER, "This is a very good question", {QUESTION}),
    (NUMBER, "Too hard for me", {QUESTION}),
    (NUMBER, "Question was fine, AI handled it properly", {QUESTION, MODEL}),
    (NUMBER, "this one was hard", {QUESTION}),
    (NUMBER, "Model performed well", {MODEL}),
    (NUMBER, "The model got this right.", {MODEL}),
    (NUMBER, "ChatGPT's response was good", {MODEL}),
    (NUMBER, "The AI did well on this!", {MODEL}),
    (ESSAY, "I liked this question, it was really well thought out.", {QUESTION}),
    (ESSAY, "I don't understand the question.", {QUESTION}),
    (ESSAY, "The prompt could be more specific, it's unclear.", {QUESTION}),
    (ESSAY, "The response is detailed and easy to follow.", {MODEL}),
    (ESSAY, "Gemini explained it well. It was clear and accurate. I would give it 4/5.", {MODEL}),
    (ESSAY, "Great answer by ChatGPT, very helpful.", {MODEL}),
    (ESSAY, "GPT-4o struggled with this one.", {MODEL}),
    (ESSAY, "The question is unclear. The model failed.", {QUESTION, MODEL}),
    (ESSAY, "Good question", {MINIMAL, QUESTION}),
]

NOTHING = ["", "   ", "\n\t\n", "\u200b\u200d\ufeff", "\u00a0\u3000", "\u200f\u202b"]


def reasons(
    text: str, prompt: PromptFacts = NUMBER, *, state: AnswerState = AnswerState.ANSWERED
) -> set[ReasonCode]:
    answer = AnswerFacts(answer_id=1, prompt_id=prompt.prompt_id, text=text, state=state)
    return {flag.reason for flag in flag_answer(answer, prompt)}


@pytest.mark.parametrize(("prompt", "text"), ON_TASK)
def test_an_answer_on_task_is_not_flagged(prompt: PromptFacts, text: str) -> None:
    assert reasons(text, prompt) == set()


@pytest.mark.parametrize(("prompt", "text", "expected"), OFF_TASK)
def test_an_answer_off_task_is_flagged_with_its_reasons(
    prompt: PromptFacts, text: str, expected: set[ReasonCode]
) -> None:
    assert reasons(text, prompt) == expected


@pytest.mark.parametrize("text", NOTHING)
def test_a_text_without_visible_characters_is_no_answer(text: str) -> None:
    assert reasons(text) == {NONE}


@pytest.mark.parametrize("state", [AnswerState.BLANK, AnswerState.SKIPPED, AnswerState.NOT_REACHED])
def test_a_missing_answer_is_flagged_with_its_own_state_as_evidence(state: AnswerState) -> None:
    (flag,) = flag_answer(AnswerFacts(1, "number", "", state), NUMBER)
    assert flag.reason is NONE
    assert flag.evidence == state.sentence


@pytest.mark.parametrize("text", ["", "n/a", "The model got this right."])
@pytest.mark.parametrize("state", [AnswerState.WITHDRAWN, AnswerState.DRAFT])
def test_withdrawn_answers_and_running_drafts_are_never_flagged(text: str, state: AnswerState) -> None:
    assert reasons(text, state=state) == set()


def test_a_draft_at_expiry_is_read_like_a_submitted_answer() -> None:
    assert reasons("n/a", state=AnswerState.DRAFTED_AT_EXPIRY) == {MINIMAL}
    assert reasons("42", state=AnswerState.DRAFTED_AT_EXPIRY) == set()


def test_the_evidence_quotes_the_comment_itself() -> None:
    answer = AnswerFacts(1, "essay", "The question is unclear. The model failed.", AnswerState.ANSWERED)
    question, model = flag_answer(answer, ESSAY)
    assert question.evidence == '"The question is unclear".'
    assert model.evidence == '"The model failed".'


def test_the_evidence_of_a_minimal_answer_counts_words_and_says_what_was_asked() -> None:
    (rubric,) = flag_answer(AnswerFacts(1, "essay", " It  orbits\n", AnswerState.ANSWERED), ESSAY)
    assert rubric.evidence == '2 words ("It orbits") where the answer is graded by a rubric.'
    (exact,) = flag_answer(AnswerFacts(1, "order", "Oslo", AnswerState.ANSWERED), LONG_EXACT)
    assert exact.evidence == '1 word ("Oslo") where the expected answer has 12 words.'


def test_long_evidence_is_cut() -> None:
    (flag,) = flag_answer(AnswerFacts(1, "essay", "x" * 5_000, AnswerState.ANSWERED), ESSAY)
    assert len(flag.evidence) < 200
    assert "…" in flag.evidence


def test_a_flag_never_depends_on_whether_the_answer_is_right() -> None:
    for right, wrong in [("36", "35"), ("B", "A"), ("pen", "cup")]:
        for prompt in (NUMBER, CHOICE, WORD, LONG_EXACT, ESSAY):
            assert reasons(right, prompt) == reasons(wrong, prompt)


def test_a_placeholder_is_fine_where_the_gold_answer_is_that_word() -> None:
    prompt = PromptFacts("exam", "What is an exam called in one word?", "exact", "test")
    assert reasons("test", prompt) == set()


def test_a_comment_at_length_is_left_to_people() -> None:
    text = " ".join(["The model got this right."] * 13)
    assert reasons(text, ESSAY) == set()
    assert reasons(" ".join(["The model got this right."] * 12), ESSAY) == {MODEL}


def test_thresholds_come_from_the_rule_set() -> None:
    answer = AnswerFacts(1, "essay", "It orbits earth", AnswerState.ANSWERED)
    assert flag_answer(answer, ESSAY, rules=OfftaskRules(version="strict-1", minimal_words=2)) == ()


def test_a_share_outside_zero_to_one_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^off_task_share is 1\.5; set it above 0 and to at most 1\.$"):
        OfftaskRules(off_task_share=1.5)


def test_every_reason_has_its_own_sentence() -> None:
    assert len({reason.sentence for reason in ReasonCode}) == 4


@pytest.mark.parametrize(
    "text", ["(" * 100_000, "the model " * 20_000, "a" * 100_000, "the model" + "-" * 1_000]
)
def test_hostile_texts_are_read_in_reasonable_time(text: str) -> None:
    assert MODEL not in reasons(text, ESSAY)


def test_no_published_gold_answer_is_flagged_on_its_own_question(shared_data: Path) -> None:
    examples = json.loads((shared_data / "bbeh" / "mini.json").read_text())["examples"]
    assert len(examples) == 460
    for example in examples:
        gold = str(example["target"])
        assert reasons(gold, PromptFacts("bbeh", example["input"], "exact", gold)) == set()


PADDING = st.text(alphabet=" \t\n\r\u00a0\u3000\u200b\ufeff", max_size=20)
EXAMPLES = st.sampled_from([(p, t) for p, t in ON_TASK] + [(p, t) for p, t, _ in OFF_TASK] + [(ESSAY, "")])


@given(EXAMPLES, PADDING, PADDING)
def test_white_space_around_an_answer_never_changes_a_flag(
    example: tuple[PromptFacts, str], before: str, after: str
) -> None:
    prompt, text = example
    plain = flag_answer(AnswerFacts(1, prompt.prompt_id, text, AnswerState.ANSWERED), prompt)
    padded = AnswerFacts(1, prompt.prompt_id, f"{before}{text}{after}", AnswerState.ANSWERED)
    assert flag_answer(padded, prompt) == plain


@given(st.text(max_size=200), st.sampled_from([NUMBER, ESSAY, CHOICE, BRACKETS, ABOUT_MODELS]))
def test_any_text_gets_flags_with_evidence_and_no_error(text: str, prompt: PromptFacts) -> None:
    flags = flag_answer(AnswerFacts(1, prompt.prompt_id, text, AnswerState.ANSWERED), prompt)
    assert all(flag.evidence.endswith(".") for flag in flags)
    assert len({flag.reason for flag in flags}) == len(flags)


@pytest.mark.parametrize("mark", [".", "-", "_", "\u2026"])
def test_a_long_row_of_marks_does_not_hold_up_the_screening(mark: str) -> None:
    row = f"a{mark * 100_000}a"
    started = time.process_time()
    assert flag_answer(AnswerFacts(1, "essay", row, AnswerState.ANSWERED), ESSAY)
    assert time.process_time() - started < 2
