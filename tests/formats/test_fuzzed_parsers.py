"""Whatever bytes arrive, a parser returns something valid or refuses in words."""

import json
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.support.parsers import PARSERS

EXAMPLES = 100
# What breaks parsers: in JSON, in CSV, in numbers, in text.
SPLINTERS = [
    b"null", b"NaN", b"-Infinity", b"1e999", b"1e-999", b"9" * 400, b"-0", b"1_0", b"0x1F", b"true", b"{}",
    b"[]", b'""', b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\\u0000", b"\\ud800", b"\\",
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xfe\xff", "٣".encode(), "\u2028".encode(),
    "\u202e".encode(), "🦉".encode(), b"=HYPERLINK(1)", b"[" * 200, b'{"a":' * 200, b"../../etc/passwd",
    b" " * 300, b"x" * 5_000, b'{"id": 1, "id": 2}', b"}", b"]", b":", b"#", b"\x1b[2J",
]  # fmt: skip
TWICE, WHOLE = b"what is there, twice", b"the whole file"
MIDDLES = st.sampled_from([*SPLINTERS, TWICE, WHOLE]) | st.binary(max_size=8)
LENGTHS = st.sampled_from([0, 0, 1, 2, 5, 20, 100])
ONE_IN_TEN, ONE_IN_EIGHT, ONE_IN_SIXTEEN, ACCIDENTS = (st.integers(0, most) for most in (9, 7, 15, 6))
ANYTHING, NAMES = st.binary(max_size=2_000), st.text(max_size=5)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.sampled_from(["", " ", "\0", "\ud800", "p1", "../x", 10**30, -1, 1e308, 2**31, "0.5"])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)
)


@st.composite
def broken(draw: st.DrawFn, seed: bytes) -> bytes:
    """The valid file after up to six accidents; now and then something else altogether."""
    if draw(ONE_IN_TEN) == 0:
        return draw(ANYTHING)
    content = seed
    for _ in range(draw(ACCIDENTS)):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(LENGTHS))
        middle = draw(MIDDLES)
        middle = {TWICE: content[start:end] * 2, WHOLE: content}.get(middle, middle)
        content = (content[:start] + middle + content[end:])[:200_000]
    return content


@st.composite
def rewritten(draw: st.DrawFn, seed: bytes) -> bytes:
    """Valid JSON in which some values are of another kind, some fields gone and some strange ones there."""

    def changed(value: object) -> object:
        if draw(ONE_IN_EIGHT) == 0:
            return draw(VALUES)
        if isinstance(value, dict):
            kept = {name: changed(one) for name, one in value.items() if draw(ONE_IN_SIXTEEN)}
            return kept | ({draw(NAMES): draw(VALUES)} if draw(ONE_IN_EIGHT) == 0 else {})
        return [changed(one) for one in value] if isinstance(value, list) else value

    return b"\n".join(json.dumps(changed(json.loads(line))).encode() for line in seed.splitlines())


fuzzed = partial(settings, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", PARSERS)
def test_a_broken_file_is_read_or_refused_in_words(name: str) -> None:
    parser = PARSERS[name]
    parser(parser.seed)
    fuzzed(max_examples=EXAMPLES)(given(broken(parser.seed))(lambda content: parser(content)))()


@pytest.mark.parametrize("name", [name for name, parser in PARSERS.items() if parser.seed.startswith(b"{")])
def test_json_of_another_shape_is_read_or_refused_in_words(name: str) -> None:
    parser = PARSERS[name]
    fuzzed(max_examples=EXAMPLES)(given(rewritten(parser.seed))(lambda content: parser(content)))()
