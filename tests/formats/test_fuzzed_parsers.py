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


@st.composite
def broken(draw: st.DrawFn, seed: bytes) -> bytes:
    """The valid file after up to six accidents; now and then something else altogether."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=2_000))
    content = seed
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.sampled_from([0, 0, 1, 2, 5, 20, 100])))
        middle = draw(st.sampled_from([*SPLINTERS, content[start:end] * 2, content]) | st.binary(max_size=8))
        content = (content[:start] + middle + content[end:])[:200_000]
    return content


@st.composite
def rewritten(draw: st.DrawFn, seed: bytes) -> bytes:
    """Valid JSON in which some values are of another kind, some fields gone and some strange ones there."""
    scalars = (
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
        | st.sampled_from(["", " ", "\0", "\ud800", "p1", "../x", 10**30, -1, 1e308, 2**31, "0.5"])
    )  # fmt: skip
    values = st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    )

    def changed(value: object) -> object:
        if draw(st.integers(0, 7)) == 0:
            return draw(values)
        if isinstance(value, dict):
            kept = {name: changed(one) for name, one in value.items() if draw(st.integers(0, 15))}
            return kept | ({draw(st.text(max_size=5)): draw(values)} if draw(st.integers(0, 7)) == 0 else {})
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
