"""The confusable skeleton of a text (as in UTS 39): one character for all that are taken for it.

Case, width, style, accents and overlaid marks are dropped, and letters and signs of other scripts become the
ASCII characters they resemble. The result serves to find imitations; nobody is shown it.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html.entities import html5

_DROPPED = frozenset({"Mn", "Me", "Cf"})
_RESEMBLING = {
    "a": "\u0410\u0430\u0251\u0391\u03b1\u1d00\u13aa\ua4ee",
    "b": "\u0412\u0432\u042c\u044c\u0392\u03b2\u0299\u13f4\ua4d0",
    "c": "\u0421\u0441\u03f2\u03f9\u1d04\u13df\ua4da\u2ca4\u2ca5",
    "d": "\u0500\u0501\u1d05\u13a0\ua4d3\u0110\u0111",
    "e": "\u0415\u0435\u0395\u03b5\u212e\u1d07\u13ac\ua4f0",
    "f": "\u03dc\u0192\ua730\ua4dd",
    "g": "\u0261\u0262\u13c0\ua4d6\u0581\u050c\u050d",
    "h": "\u041d\u043d\u0397\u04ba\u04bb\u029c\u13bb\ua4e7\u0570\u0126\u0127",
    "i": "\u0406\u0456\u0399\u03b9\u0131\u0269\u026a\u13a5\ua4f2\u04c0",
    "j": "\u0408\u0458\u03f3\u1d0a\u13ab\ua4d9",
    "k": "\u041a\u043a\u039a\u03ba\u1d0b\u13e6\ua4d7",
    "l": "\u04cf\u029f\u13de\ua4e1\u0141\u0142",
    "m": "\u041c\u043c\u039c\u03bc\u1d0d\u13b7\ua4df",
    "n": "\u039d\u03b7\u0274\u0578\u043f\ua4e0",
    "o": "\u041e\u043e\u039f\u03bf\u1d0f\u0555\u0585\ua4f3\u2c9e\u2c9f\u10ff\u3007\u00d8\u00f8",
    "p": "\u0420\u0440\u03a1\u03c1\u1d18\u13e2\ua4d1",
    "q": "\u051a\u051b\u0566",
    "r": "\u0433\u042f\u044f\u0280\u13a1\ua4e3",
    "s": "\u0405\u0455\ua731\u13da\ua4e2\u054f",
    "t": "\u0422\u0442\u03a4\u03c4\u1d1b\u13a2\ua4d4\u0166\u0167",
    "u": "\u03c5\u1d1c\u054d\u057d\ua4f4",
    "v": "\u03bd\u0474\u0475\u1d20\u13d9\ua4e6",
    "w": "\u051c\u051d\u0461\u03c9\u1d21\u13b3\ua4ea\u0561",
    "x": "\u0425\u0445\u03a7\u03c7\ua4eb\u00d7",
    "y": "\u0423\u0443\u03a5\u03b3\u04ae\u04af\u028f\ua4ec",
    "z": "\u0396\u1d22\u13c3\ua4dc",
    "<": "\u25c1\u25c3\u22b2"
    "\u2039\u3008\u2329\u27e8\u27ea\u300a\u02c2\u1438\u276c\u276e\u2770\u227a\u226a\u22d6\u2991\u29fc",
    ">": "\u25b7\u25b9\u22b3"
    "\u203a\u3009\u232a\u27e9\u27eb\u300b\u02c3\u1433\u276d\u276f\u2771\u227b\u226b\u22d7\u2992\u29fd",
    "[": "\u3010\u3014\u3016\u3018\u301a\u27e6\u2045\u2772\u2997",
    "]": "\u3011\u3015\u3017\u3019\u301b\u27e7\u2046\u2773\u2998",
    "/": "\u2044\u2215\u27cb\u29f8\u2571",
    "\\": "\u2216\u29f5\u29f9",
    "|": "\u00a6\u2223\u01c0\u2502\u2503\u23b8\u23d0\u2758\u2759\u2016\u2225\u23aa\u0964",
    ":": "\ua789\u2236\u02d0\u05c3\u0589\u205a\u0703",
    "_": "\u02cd\u2017\u2581",
    "`": "\u02cb\u1fef\u2035\u02f4\u00b4",
    '"': "\u201c\u201d\u201e\u201f\u2033\u02ba\u02ee\u3003\u05f4",
    "'": "\u2018\u2019\u201a\u201b\u2032\u02b9\u02bc\u055a\u05f3",
    "~": "\u02dc\u223c\u223d\u301c\u2053",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u02d7\u2500\u2501\u23af",
    "=": "\u2550\ua78a\u30a0",
    "*": "\u2217\u204e\u2731\u066d",
    "#": "\u266f",
    " ": "\u2800",
}
# White letters on dark circles, white letters on dark squares, flag letters: A to Z each.
_LETTER_BLOCKS = (0x1F150, 0x1F170, 0x1F1E6)


_TAKEN_FOR = {chr(block + n): chr(ord("a") + n) for block in _LETTER_BLOCKS for n in range(26)}
_TAKEN_FOR |= {character: plain for plain, alike in _RESEMBLING.items() for character in alike}


class _Skeletons(dict[str, str]):
    """The skeleton of each character; worked out when it is first met."""

    def __missing__(self, character: str) -> str:
        decomposed = _TAKEN_FOR.get(character) or unicodedata.normalize("NFKD", character)
        plain = ""
        for part in decomposed:
            category, small = unicodedata.category(part), part.casefold()
            if category not in _DROPPED:
                plain += " " if category == "Zs" else _TAKEN_FOR.get(part) or _TAKEN_FOR.get(small, small)
        self[character] = plain
        return plain


_SKELETONS = _Skeletons()

# Characters written as HTML entities, also of entities and with blanks between, or as escapes of a program.
_WRITTEN = re.compile(
    r"&(?:\s*+(?:amp|\#0*+38|\#x0*+26)\s*+;)*+\s*+(?:"
    r"\#\s*+(?:x(?P<hex>(?:\s*+[0-9a-f]){1,8}+)|(?P<number>(?:\s*+[0-9]){1,8}+))\s*+;?"
    r"|(?P<name>(?:\s*+[a-z0-9]){2,31}+)\s*+;|(?P<legacy>lt|gt|quot|amp))"
    r"|(?:\\u00|\\u\{0*+|\\x|%)(?P<escape>[2-7][0-9a-f])\}?",
    re.VERBOSE,
)
# In what was read, characters may again be written; nobody reads on for ever.
_READINGS = 4
_BY_PLAINNESS = sorted(html5.items(), key=lambda entity: entity[1].isascii())
_CHARACTERS = {name.rstrip(";").casefold(): character for name, character in _BY_PLAINNESS}


@dataclass(frozen=True)
class Skeleton:
    """`text`, whose character i is written from `starts[i]` to before `ends[i]` of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of a part that is not empty."""
        return self.starts[start], self.ends[end - 1]


def skeleton(text: str) -> Skeleton:
    if text.isascii():
        reading = Skeleton(text.lower(), range(len(text)), range(1, len(text) + 1))
    else:
        parts = [_SKELETONS[character] for character in text]
        places = [place for place, part in enumerate(parts) for _ in part]
        reading = Skeleton("".join(parts), places, [place + 1 for place in places])
    for _ in range(_READINGS):
        reading, before = _read(reading), reading
        if reading is before:
            break
    return reading


def _read(reading: Skeleton) -> Skeleton:
    """`reading` with the characters that are written in it; the same object if there are none."""
    text, pieces, starts, ends, done = reading.text, [], [], [], 0
    for match in _WRITTEN.finditer(text) if "&" in text or "\\" in text or "%" in text else ():
        kind, digits = str(match.lastgroup), "".join(str(match[match.lastgroup or 0]).split())
        if kind in ("name", "legacy"):
            character = _CHARACTERS.get(digits)
        else:
            number = int(digits, 10 if kind == "number" else 16)
            character = chr(number) if 0 < number < 0x110000 else None
        if character is None:  # there is no such entity
            continue
        plain = "".join(_SKELETONS[sign] for sign in character)
        start, end = reading.span(*match.span())
        pieces += [text[done : match.start()], plain]
        starts += [*reading.starts[done : match.start()], *[start] * len(plain)]
        ends += [*reading.ends[done : match.start()], *[end] * len(plain)]
        done = match.end()
    if not done:
        return reading
    return Skeleton(
        "".join([*pieces, text[done:]]), [*starts, *reading.starts[done:]], [*ends, *reading.ends[done:]]
    )
