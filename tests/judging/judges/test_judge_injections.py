"""Every attempt of fixtures/injections.jsonl stays inside the data block of every kind of judge's text.

The containment is read off the finished prompt with the template and a reading of its own, not with the
patterns that do the neutralising.
"""

import html
import re
import unicodedata

import pytest

from fixtures.injections import Injection, JudgeText, batched_text_to_try, read_injections, texts_to_try
from judging.judges.neutralise import data_block, neutralise
from studies.protocol.judge_texts import fill

INJECTIONS = read_injections()
CLOSING = [attempt for attempt in INJECTIONS if attempt.kind.startswith("closing")]
TEXTS = [*texts_to_try(), batched_text_to_try()]
OWN_FENCE = re.compile(r"\n?<(response_under_test_[0-9a-f]{16})> [^\n]*data[^\n]*\n(.*)\n</\1>\n?", re.DOTALL)
LOOKS_LIKE = str.maketrans(
    "\u0430\u0435\u043e\u0445\u0443\u0433\u044f\u0455\u0440\u0578\u2039\u203a\u27e8\u27e9\u276e\u276f\u3008\u3009"
    "\u2215\u2044\\\u02cb\u1fef\u201d",
    "aeoxyrrspn<><><><>" + '///``"',
)
DIGITS = str.maketrans("30154", "eolsa")
# A bracket with one or several slashes, and signs between, reads as the beginning of a closing tag.
END = re.compile(r"[<\u00ab\u29fc\u226a][^\w<>()\u00ab/]*/[^\w<>()\u00ab]*")
SPEAKERS = ("system", "user", "assistant", "human")
ENTITY = re.compile(r"&\s*#?\s*\w[\w\s]{0,8};")
CODE = re.compile(r"\\u00(3[ce]|2f)|\\x(3[ce]|2f)|%(3[ce]|2f)", re.IGNORECASE)


def prompt_with(text: JudgeText, answer: str) -> str:
    harmless = neutralise(answer, template=text.template)
    block = data_block(harmless, template=text.template, slot=text.slot, mark="0123456789abcdef")
    return fill(text.template, **text.others, **{text.slot: block})


def inside(text: JudgeText, block: str) -> str:
    """The answer: what our own fence holds."""
    fenced = OWN_FENCE.fullmatch(block)
    assert fenced, block[:500]
    return fenced[2]


def decoded(answer: str) -> str:
    """Entities and escapes as the characters they stand for."""
    for _ in range(3):
        answer = html.unescape(ENTITY.sub(lambda entity: "".join(entity[0].split()), answer))
    return CODE.sub(lambda code: chr(int(code[1] or code[2] or code[3], 16)), answer)


def seen(answer: str) -> str:
    """The answer to a careless eye: nothing invisible, every letter plain."""
    characters = unicodedata.normalize("NFKD", decoded(answer))
    kept = (one for one in characters if unicodedata.category(one) not in {"Mn", "Me", "Cf"})
    return "".join(kept).casefold().translate(LOOKS_LIKE)


def escapes(text: JudgeText, answer: str) -> list[str]:
    """What in `answer` could be taken for an end of the block, another part of the prompt, or a turn."""
    view = seen(answer)
    tight = END.sub("</", re.sub(r"[\s_-]", "", view).translate(DIGITS))
    names = {
        re.sub(r"[_-]", "", name) for name in re.findall(r"</([a-z_]+)>", fill(text.template, **text.others))
    }
    found = [tag for name in names for tag in (f"</{name}", f"<{name}>") if tag in tight]
    found += [tag for tag in ("</responseundertest", "<responseundertest") if tag in tight]
    found += [fence for fence in ("```", '"""') if fence in text.template and fence in view]
    found += [
        turn
        for turn in ("<|", "[inst]", "<<sys>>", "<startofturn>", "</think>", "<toolcall>")
        if turn in tight
    ]
    return found + [line for line in view.splitlines() if _poses(text, line)]


def _poses(text: JudgeText, line: str) -> bool:
    letters = re.sub(r"<[^>]*>|[\\/]section|[^a-z:=]", "", line)
    words = ["goldtarget", "predictedanswer"] if "Gold target:" in text.template else []
    labels = [f"{label}{colon}" for label in [*words, *SPEAKERS] for colon in ":="]
    titles = re.findall(r"^# (.*)$", text.template, re.MULTILINE)
    headings = [re.sub("[^a-z]", "", title.casefold()) for title in titles]
    posing = letters.startswith(tuple(labels)) or letters.strip(":=") in headings
    return posing and not line.lstrip().startswith(">")


def test_there_are_at_least_sixty_different_attempts_of_many_kinds() -> None:
    assert len({one.text for one in INJECTIONS}) == len(INJECTIONS) >= 60
    assert len({one.kind for one in INJECTIONS}) >= 40


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_every_attempt_stays_inside_the_data_block(text: JudgeText) -> None:
    harmless = prompt_with(text, "41")
    for attempt in INJECTIONS:
        prompt = prompt_with(text, attempt.text)
        block = text.block_of(prompt)
        assert escapes(text, inside(text, block)) == [], attempt.kind
        # block_of found the template untouched on both sides; so it is around a harmless answer.
        assert prompt.replace(block, text.block_of(harmless)) == harmless, attempt.kind


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_every_attempt_can_still_be_read_by_the_judge(text: JudgeText) -> None:
    for attempt in INJECTIONS:
        answer = inside(text, text.block_of(prompt_with(text, attempt.text)))
        assert words(answer) == words(attempt.text), attempt.kind


def words(text: str) -> str:
    """The visible letters and digits, in their order."""
    return "".join(one for one in decoded(text) if one.isalnum())


@pytest.mark.parametrize("attempt", CLOSING, ids=lambda attempt: attempt.kind)
def test_an_attempt_to_close_the_block_does_escape_where_answers_go_in_as_they_are(
    attempt: Injection,
) -> None:
    assert any(escapes(text, attempt.text) for text in TEXTS)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_many_attempts_escape_from_every_text_where_answers_go_in_as_they_are(text: JudgeText) -> None:
    assert sum(bool(escapes(text, one.text)) for one in INJECTIONS) >= 20
