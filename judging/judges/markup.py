"""Which brackets of a text's skeleton have the shape of a mark, as chat models use them to separate turns.

No list of such marks is complete, so anything counts that is shaped like one: a name alone between brackets,
`<name>`, `</name>`, `<|name|>`, `[|name|]`, `[NAME]`, `<<NAME>>`, `>>NAME<<`, `{{#name}}`, `|||NAME|||`, and
brackets that face the wrong way, `]~b]`. What mathematics and programs write is told from it by what they do
and marks do not: operators and commas inside, single letters, a type behind the name of a container, an index
behind the name of an array, `a < b > c`; and by the names of `judging.judges.words.PLAIN`.

All is linear in the length of the text: each stretch between two brackets is looked at once.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import pairwise

from judging.judges.confusables import Skeleton, skeleton
from judging.judges.words import BARRED, CHANNELS, CONTROLS, GRADED, MORE_CONTROLS, PLAIN, ROUNDS, SPEAKERS

MAX_LETTERS = 120
MAX_WORDS = 6

# Letters that digits, and each other, stand in for.
_ALIKE = str.maketrans("4391l057", "aegiiost")
_ASCII_ALIKE = {sign: None for sign in range(128) if not chr(sign).isalnum()} | _ALIKE


def key(text: str) -> str:
    """What `text`, a skeleton, is compared by: its letters and digits, alike ones as one."""
    if text.isascii():  # the same, in less than half the time
        return text.translate(_ASCII_ALIKE)
    return "".join(filter(str.isalnum, text)).translate(_ALIKE)


def keys(words: str) -> frozenset[str]:
    return frozenset(key(skeleton(word).text) for word in words.split())


SPEAKER_KEYS = keys(SPEAKERS)
_CONTROL_KEYS = keys(CONTROLS) | SPEAKER_KEYS
# Shorter than other names, and between angles only: `[CO]` is a concentration.
_SHORT = frozenset({"s", "co", "c.o"})
_ALL_CONTROL_KEYS = _CONTROL_KEYS | keys(MORE_CONTROLS)
_ROUND_KEYS = keys(ROUNDS)
_GRADED_KEYS = keys(GRADED)
_CHANNEL_KEYS = keys(CHANNELS)
_BARRED_KEYS = keys(BARRED)
_PLAIN = frozenset(PLAIN.split())
_CONNECTIVES = frozenset("and or und oder et ou then if but so is are".split())

_OTHERS = re.compile(
    r"\{\{(?P<curly>[^{}]{0,200})\}\}|\|\|\|(?P<piped>[\w\s.-]{2,100})\|\|\|"
    # Brackets of sets, quotations, ceilings and matrices.
    r"|[{\u00ab\u300c\u2308\u23a1](?P<walled>\|/?[^\W\d][\w\s.-]{0,100}\|)[}\u00bb\u300d\u2309\u23a4]"
    r"|[\u00ab\u300c\u2308\u23a1](?P<quoted>/?\w{3,100})[\u00bb\u300d\u2309\u23a4]"
)
_OTHERS_BEGIN = ("{", "|||", "\u00ab", "\u300c", "\u2308", "\u23a1")
# `|NAME|`, tight, for cells of tables have room; a speaker alone on its line in any way.
_BARRED = re.compile(
    r"(?<![|<>(){}\[\]])\|{1,2}(?P<name>[^\W\d][\w-]{1,40})\|{1,2}(?![|<>(){}\[\]])"
    r"|^[^\S\n]*\|{1,2}[^\S\n]*(?P<alone>[^\W\d]\w{1,40})[^\S\n]*\|{1,2}[^\S\n]*$",
    re.MULTILINE,
)
_LONG_NAME = 6
EXTENT = re.compile(
    r"(?:the )?(?:start|end|begin|beginning)\b.{0,80}\b"
    r"(?:answer|response|conversation|dialogue|data|prompt|question|reference|output|submission)s?"
)
_NUMBERED = re.compile(
    r"(?:\u7b2c\s*)?(?P<number>\d{1,4})(?:(?:st|nd|rd|th)\b)?\s*(?P<after>[^\W\d_]+)"
    r"|(?P<before>[^\W\d_]+)\W{0,3}(?:\d{1,4}(?:\s?(?:/|of)\s?\d{1,4})?|one|two|three|four|five|six)"
)
_ATTRIBUTE = re.compile(r"[/|\s]*+(?:[^\W\d_][\w:-]++=|(?P<name>[^\W\d_][\w:-]++)\s++[\w:-]++\s*+=)")
# What stands between bars and is no name: a quotation mark, `c++`, `image@placeholder`.
_PIPED = re.compile(r'\|\s*+(?:"|[\w\s.-]{1,60}(?:\+\s*+\+|@[\w\s.-]{1,60}))\s*+\|')
_NO_NAME = re.compile(r"[^\w\s:~!'#$\u00b7\u2022-]")
_OPERATORS = re.compile(r"[,;+(){}&^]")
_EDGES = " \t\n|/\\[]~!'#$\u00b7\u2022:-_"
_WRONG_WAY = re.compile(r"(?=.*[~!])[~!]*[^\W_][~!]*")
_PARTS = re.compile(r"[^\W_]+")
_LONGER = re.compile(r"..+")
_NAME_BEFORE = re.compile(r"[^\W\d]\w*$")
_SLICE = re.compile(r"\w+(?::\w+)?")
_PUNCTUATED = re.compile(r"\|[\w.,+=()]+\|")
_SAME_ENDS = re.compile(r"([.,@%?*^&;+=])(?P<name>\w+)\1")
_DOTTED = re.compile(r"\w+(?:\.\w+)+")
_ROLE = re.compile(r"(?P<name>\w+)\s*+=\s*+[\"']?(?P<value>\w+)[\"']?")
_COMPARED = re.compile(r"[\w)\]$] {4}[\w(\[$\\-]")
_SHIFTED = re.compile(r"[\w)\]] (?:<>|><) [\w(\[]")
# Full-width and small signs of HTML, and ornaments, are taken for angles and nothing else.
_AS_ANGLES = re.compile("[\uff1c\ufe64\u276c\u276e\u2770\u02c2\u1438]")
_QUOTES = frozenset("\u2039\u3008\u300a\u2329")
_MEAN = "\u27e8"
_MEASURED = re.compile(r"[^\W_]{1,3}|[^\W\d_]+")
_BEFORE_TYPES = frozenset("typename class const dyn struct doctype".split())
_TYPE = re.compile(r"[A-Z][a-z][A-Za-z0-9]*")
_IN_SQUARES = re.compile(
    r"[a-z0-9]{2,}(?:_[a-z0-9]+)+|[a-z]{4,}[0-9]+|[a-z]{2,} [a-z]+[0-9]+|extra[ _-]*id[ _-]*[0-9]+"
)


@dataclass(frozen=True)
class Inside:
    """What stands between two brackets of the skeleton; three characters around; how it was written."""

    content: str
    before: str
    after: str
    written: str
    bracket: str

    @cached_property
    def core(self) -> str:
        return self.content.strip(_EDGES)

    @cached_property
    def words(self) -> list[str]:
        return self.core.split()

    @property
    def ends(self) -> str:
        """Its first and its last character."""
        tight = self.content.strip()
        return tight[:1] + tight[-1:]

    @property
    def tight(self) -> bool:
        return self.content.strip() == self.content

    @property
    def quotes(self) -> bool:
        """Whether the brackets are quotation marks or those of titles, which only look like angles."""
        return self.bracket in _QUOTES

    @property
    def goes_on(self) -> bool:
        """Whether it is words that run from one line into the next, with room around them."""
        if "\n" not in self.content or self.tight or len(self.words) < 2 or {":", "_"} & {*self.core}:
            return False
        return self.compared or len(self.words) > 2 or any(map(str.isdigit, self.words))

    @property
    def behind_name(self) -> bool:
        return bool(_NAME_BEFORE.search(self.before))

    @property
    def compared(self) -> bool:
        """Whether it stands as in `a < b > c`, with room on both sides of both signs."""
        around = self.before[-2:] + self.content[:1] + self.content[-1:] + self.after[:2]
        return bool(_COMPARED.fullmatch(around))

    @property
    def shifted(self) -> bool:
        """Whether it stands as in `a << b >> c`, with operands and room around."""
        return bool(_SHIFTED.fullmatch(self.before + self.after))

    @property
    def cased(self) -> str:
        """Its core in capitals and small letters, as far as they can be told."""
        return unicodedata.normalize("NFKC", unescape(self.written)).strip(_EDGES)

    @property
    def spelled(self) -> bool:
        """Whether it is letters one by one, with something between them that is no operator."""
        parts = _PARTS.findall(self.core)
        return (
            len(parts) > 2
            and all(len(part) == 1 for part in parts)
            and sum(map(str.isalpha, parts)) > 1
            and not _OPERATORS.search(self.core)
            and (self.ends == "||" or not {*_PARTS.sub("", self.core)} <= {"|"})
        )


def marks(text: str, reading: Skeleton, *, more: bool = True) -> Iterator[tuple[int, str]]:
    """The places in the skeleton whose character is to be a round bracket instead, and which one.

    Some shapes are known to the rules of `more` only.
    """
    is_square = _in_squares_or_graders if more else _in_squares
    for left, right in _pairs(text, reading, "<>", _in_angles, _between_turned):
        yield from ((left, "("), (right, ")"))
    for left, right in _pairs(text, reading, "[]", is_square, _wrong_way):
        yield from ((left, _rounded(reading, left)), (right, _rounded(reading, right)))
    for found in _OTHERS.finditer(reading.text) if any_in(_OTHERS_BEGIN, reading.text) else ():
        kind = str(found.lastgroup)
        if _in_others(kind, found[kind], text[slice(*reading.span(*found.span(kind)))]):
            yield from ((place, "(") for place in range(found.start(), found.start(kind)))
            yield from ((place, ")") for place in range(found.end(kind), found.end()))
    if more and "|" in reading.text:
        yield from _barred(text, reading)


def any_in(signs: Iterable[str], text: str) -> bool:
    """Whether one of them is there. Most answers hold none, and are then not searched for what begins so."""
    return any(sign in text for sign in signs)


def _barred(text: str, reading: Skeleton) -> Iterator[tuple[int, str]]:
    """The bars around names that stand between single ones."""
    for found in _BARRED.finditer(reading.text):
        kind = str(found.lastgroup)
        name, written = found[kind], text[slice(*reading.span(*found.span(kind)))]
        known = key(name) in SPEAKER_KEYS | _BARRED_KEYS
        shouted = written.isupper() and (len(name) >= _LONG_NAME or key(name) in _CONTROL_KEYS)
        is_cell = kind == "alone" or reading.text[found.end() : found.end() + 1].isalnum()
        is_glued = reading.text[max(found.start() - 1, 0) : found.start()].isalnum()
        is_named = not is_cell and not is_glued and (shouted or "_" in name.strip("_"))
        if is_named or (known and (not is_glued or (written.isupper() and key(name) in _BARRED_KEYS))):
            for place in range(found.start(), found.end()):
                if reading.text[place] == "|":
                    yield place, "(" if place < found.start(kind) else ")"


def _rounded(reading: Skeleton, place: int) -> str:
    return "(" if reading.text[place] in "<[{" else ")"


def _pairs(
    text: str,
    reading: Skeleton,
    brackets: str,
    is_mark: Callable[[Inside], bool],
    is_turned: Callable[[Inside, str], bool],
) -> Iterator[tuple[int, int]]:
    """The places of neighbouring `brackets` that make a mark, and of those right around them."""
    plain = reading.text
    if not any_in(brackets, plain):
        return
    places = [found.start() for found in re.finditer(rf"[{re.escape(brackets)}]", plain)]
    for number, (left, right) in enumerate(pairwise(places)):
        if not plain[left + 1 : right].strip():
            continue
        inside = Inside(
            plain[left + 1 : right],
            plain[max(left - 3, 0) : left],
            plain[right + 1 : right + 4],
            text[reading.ends[left] : reading.starts[right]],
            text[reading.starts[left]],
        )
        facing = plain[left] + plain[right]
        if is_mark(inside) if facing == brackets else is_turned(inside, facing):
            yield left, right
            yield from _doubled(plain, places, number)


def _doubled(plain: str, places: list[int], number: int) -> Iterator[tuple[int, int]]:
    """The brackets that stand in pairs around those numbered `number` and the next, with blanks at most."""
    left, right = number, number + 1
    while left > 0 and right + 1 < len(places):
        before, after = places[left - 1], places[right + 1]
        same = plain[before] == plain[places[left]] and plain[after] == plain[places[right]]
        if not same or (plain[before + 1 : places[left]] + plain[places[right] + 1 : after]).strip():
            return
        yield before, after
        left, right = left - 1, right + 1


def _in_angles(inside: Inside) -> bool:
    if attribute := _ATTRIBUTE.match(inside.content):
        return attribute["name"] not in _PLAIN
    if _PIPED.fullmatch(inside.content.strip()) or _is_punctuated(inside):
        return True
    if not _is_name(inside):
        return False
    is_word = len(inside.words) == 1 and not {":", "_", "|"} & {*inside.content}
    if is_word and not inside.tight and inside.shifted and key(inside.core) not in _ALL_CONTROL_KEYS:
        return False  # `a << b >> c`
    if inside.spelled or set(inside.ends) & {*"|[]"}:
        return inside.tight or len(inside.words) == 1 or inside.spelled
    if len(inside.words) > 1:
        return _is_phrase(inside)
    return inside.core not in _PLAIN and _is_word(inside)


def _is_name(inside: Inside) -> bool:
    """Whether nothing in it but letters, digits and what joins them, and not much of it."""
    core = inside.core
    if not 1 <= len("".join(inside.words)) <= MAX_LETTERS or not any(map(str.isalpha, core)):
        return False
    if inside.spelled or core in _SHORT or key(core) in _CONTROL_KEYS:
        return True
    few = len(inside.words) <= MAX_WORDS or inside.ends == "||"
    return len(core) > 1 and few and not _NO_NAME.search(core)


def _is_punctuated(inside: Inside) -> bool:
    """`<|im.start|>`, `<@im_start@>`, `<assistant.final>`, `<i|assistant|>`; `<|f(x)|>` is an average."""
    content, parts = inside.content.strip(), _PARTS.findall(inside.content)
    if _PUNCTUATED.fullmatch(content):
        return "_" in content or (len(parts) > 1 and all(map(_LONGER.fullmatch, parts)))
    if found := _SAME_ENDS.fullmatch(content):
        return "_" in found["name"] or key(found["name"]) in _CONTROL_KEYS
    if _DOTTED.fullmatch(content):
        if inside.behind_name or all(key(part) in _CONTROL_KEYS for part in parts):
            return not inside.behind_name
        # A speaker and a channel; `system.web` is a part of a program, `user.name` a placeholder.
        return key(parts[0]) in SPEAKER_KEYS and parts[0] != "system" and _PLAIN.isdisjoint(parts)
    walls = inside.core.split("|")
    return (
        "|" in inside.ends
        and len(walls) > 1
        and any(key(wall) in _CONTROL_KEYS or ("_" in wall and wall.isidentifier()) for wall in walls)
    )


def _is_word(inside: Inside) -> bool:
    core = inside.core
    if set(inside.ends) & {*"/\\"}:
        return True
    if len(core) < 3 and core.isascii() and (inside.compared or (inside.behind_name and core[0].isdigit())):
        return False
    # A word in the angles of an average, and none that chat formats write in angles.
    is_other = key(core) not in _ALL_CONTROL_KEYS and inside.cased != "s"
    if inside.bracket == _MEAN and is_other and _MEASURED.fullmatch(core):
        return False
    if inside.behind_name and _TYPE.fullmatch(inside.cased):
        return False
    if inside.bracket.isascii() or _AS_ANGLES.match(inside.bracket):
        return True
    # Brackets of mathematics, of spellings, of quotations and of titles.
    short = len(core) < 3 and core not in _SHORT and not inside.cased.isupper()
    return key(core) in _CONTROL_KEYS or (not short and (core.isascii() or not inside.quotes))


def _is_phrase(inside: Inside) -> bool:
    """Whether several words are a name whose parts were set apart; those of `<class T>` are not."""
    words = inside.words
    if _CONNECTIVES & {*words[:-1]} or words[0] in _BEFORE_TYPES or inside.goes_on:
        return False
    if inside.quotes or inside.bracket == _MEAN:
        return ":" in inside.core or "_" in inside.core
    return inside.tight or not (inside.compared and inside.core[0].isdigit())


def _in_squares(inside: Inside) -> bool:
    core, parts = inside.core, _PARTS.findall(inside.core)
    if not core or core in _PLAIN or len(core) > MAX_LETTERS or _is_index(inside):
        return False
    small = inside.cased.islower() and "|" not in inside.ends
    if inside.behind_name and small and not inside.after[:1].isalnum():
        return core[-1].isdigit() and bool(_IN_SQUARES.fullmatch(core))
    if key(core) in _CONTROL_KEYS:
        return True
    if inside.goes_on or (_NO_NAME.search(core) and not inside.spelled):
        role = _ROLE.fullmatch(core)  # `[role=system]`
        if role is None or inside.goes_on or inside.behind_name:
            return False
        return key(role["name"]) in _CONTROL_KEYS and key(role["value"]) in SPEAKER_KEYS
    if inside.ends[0] in "|/\\" or inside.ends[-1] == "|":
        return len(core) > 1 and "/" not in core
    if len(parts) == 2 and any(key(part) in _CONTROL_KEYS for part in parts):
        return True
    far_apart = inside.spelled and len(parts) > 5
    return far_apart or _in_capitals(inside) or bool(_IN_SQUARES.fullmatch(core.replace("\n", "")))


def _in_squares_or_graders(inside: Inside) -> bool:
    """Also `[Round 1]`, `[The Start of Assistant A's Answer]`, `[[ ## answer ## ]]`, `[Question]:`."""
    content, core = inside.content.strip(), inside.core
    if (found := _NUMBERED.fullmatch(core)) and key(found["before"] or found["after"]) in _ROUND_KEYS:
        return not inside.behind_name
    # `assistant (final)`, `round 1: user`, `final round`: a speaker or a round, and what qualifies it.
    parts = [part for part in _PARTS.findall(core) if not part.isdigit()]
    named = {key(part) for part in parts}
    is_turn = len(parts) > 1 and not named.isdisjoint(_ROUND_KEYS | SPEAKER_KEYS)
    if is_turn and named <= _ROUND_KEYS | SPEAKER_KEYS | _CHANNEL_KEYS:
        return not inside.behind_name
    if len(content) <= MAX_LETTERS and EXTENT.fullmatch(core):
        return True
    if len(content) > 4 and content.startswith("##") and content.endswith("##"):
        return True
    begins = inside.before[-1:] in ("", "\n") and inside.after[:1] in ("", "\n", ":")
    labels = _PARTS.findall(core)
    if begins and 1 <= len(labels) <= 3 and {key(label) for label in labels[-1:]} <= _GRADED_KEYS:
        return True
    return (core in _PLAIN and inside.cased.isupper() and key(core) in _GRADED_KEYS) or _in_squares(inside)


def _is_index(inside: Inside) -> bool:
    """`a[MAXN]`, `a[i][MAXN]`, `x[START:END]`."""
    content = inside.content.strip()
    behind = inside.behind_name or inside.before.endswith("]")
    if not behind or inside.after[:1].isalnum() or inside.cased.islower():
        return False
    known = SPEAKER_KEYS if ":" in content else _ALL_CONTROL_KEYS
    parts = [content, *_PARTS.findall(content)]
    named = (key(part) in known for part in [*parts, *(part.rstrip("0123456789") for part in parts)])
    return bool(_SLICE.fullmatch(content)) and not any(named)


def _in_capitals(inside: Inside) -> bool:
    cased = inside.cased
    capitals = sum(map(str.isupper, cased))
    return capitals > 2 and (cased.isupper() or bool(re.fullmatch(r"[a-z]+[A-Z]{2,}\w*", cased)))


def _in_others(kind: str, content: str, written: str) -> bool:
    core = content.strip(" ~#/|\n")
    known = key(core) in _CONTROL_KEYS
    if kind == "curly":
        named = re.fullmatch(r"\s*~?[#/]\s*[\w-]+\s*~?\s*", content)
        return known or (bool(named) and core not in _PLAIN)
    if kind == "walled":
        return known or (len(core) > 3 and all(map(_LONGER.fullmatch, _PARTS.findall(core))))
    # A word in small letters is quoted, or rounded up.
    shouted = content[0] == "/" or unicodedata.normalize("NFKC", written).isupper()
    return kind == "piped" or (known and shouted)


def _between_turned(inside: Inside, facing: str) -> bool:
    """`>>NAME<<`, which with room around it could be shifts of bits."""
    if facing + inside.before[-1:] + inside.after[:1] != "><><" or not _is_name(inside):
        return False
    if inside.shifted and inside.cased.islower():
        return False
    return inside.tight or _in_capitals(inside)


def _wrong_way(inside: Inside, _: str) -> bool:
    return bool(_WRONG_WAY.fullmatch("".join(inside.content.split())))
