"""What sets the parts of one judge's prompt apart: its tags, code fences, headings, labels and drawn lines.

They are read off the template. The fence put around an answer counts always, and so does the name of a
speaker before a colon. Every pattern is linear in the length of the answer: repetitions are possessive, or
cannot run past the place where the next match could begin.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from judging.judges.confusables import skeleton
from judging.judges.markup import EXTENT, SPEAKER_KEYS, any_in, key, keys
from judging.judges.words import CHANNELS, LINE_SPEAKERS, SHORT_SPEAKERS

# The name of the tags that are put around an answer; a mark follows it.
FENCE_NAME = "response_under_test"

SLOT = re.compile(r"\{[a-z_]+\}")
_TAG = re.compile(r"</?([a-z][\w-]*)>")
_RULE_SIGNS = "-=*#_~"
_FENCE_SIGNS = ("`~", "\"'")

# Letters that digits stand in for.
_DIGITS = dict(zip("aegilost", "[a4] [e3] [g9] [i1l] [l1i] [o0] [s5] [t7]".split(), strict=True))
_IN_TAG = r"(?:(?![<>])[\W_])*+"
# What may stand between a bracket, one or several slashes and a name: nothing that may begin another tag, and
# no round bracket, or a tag made harmless would be one again behind another bracket.
_NOISE = r"(?:(?![<>()\\/\u00ab])[\W_])"
_SLASHES = rf"{_NOISE}{{0,3}}+(?:[/\\]{_NOISE}{{0,3}}+){{1,3}}+"

# Longer lines than this name no speaker, and are no heading or label.
_MAX_LABEL_CHARACTERS = 200
_LINE = re.compile(rf"^(?P<label>[^\n:=|]{{0,{_MAX_LABEL_CHARACTERS}}}+)(?P<sign>[:=|])?", re.MULTILINE)
# Bullets and numbers before a line's words, and emphasis.
_BULLETS = "0123456789.()[]#*_-> \t"
_LEAD = re.compile(r"<[^<>]{0,40}>|\\[a-z]++\*?\{|&[a-z]{1,8};")
_WORDS = re.compile(r"[^\W_]++")
_MORE_WORDS = frozenset("message prompt turn query input role says said".split())
_LINE_KEYS = SPEAKER_KEYS | keys(LINE_SPEAKERS)
_SHORT = frozenset(SHORT_SPEAKERS.split())
_TURN_HEADINGS = keys("instruction instructions input response prompt")
# Further lines that name a speaker: "assistant (final):", "assistant's reply:", "assistant a:", "user>",
# "assistant to=", "### user", "=== system ===", or where what is judged ends: "--- end of response ---".
_SAID = "(?:answer|message|reply|response|turn)"
_QUALIFIED = re.compile(
    r"(?P<name>[^\W\d_]{2,30})(?:\s?#?\d{1,3})?\s*(?:[(\[{<\u00ab][^()\[\]{}<>\u00ab\u00bb]{0,60}[)\]}>\u00bb]"
    rf"|(?:'s\s|\s*[-,/._]\s*|\s)(?:{'|'.join(CHANNELS.split())})(?:\s{_SAID})?|'s\s{_SAID}|(?<=assistant)\s[a-d])\W*"
)
_EMPHASIS = re.compile(r"[*`]+|__+")
_PROMPTED = re.compile(r"^[^\w\n]{0,20}+(?P<name>[^\W\d_]{2,30})>{1,3}(?=\s|$)", re.MULTILINE)
_RULES_BEGIN = ("@@", *(3 * sign for sign in "-=~#%+@$*"))
_RULED = re.compile(
    r"^[^\S\n]*(?P<sign>[-=~#%+@$*])(?P=sign){2,40}+[^\S\n]*(?P<name>[^\W\d_](?:[^\W_]| (?! )){1,60})[^\S\n]*"
    r"(?P=sign){3,40}[^\S\n]*$"
    r"|^[^\S\n]*(?:@@|###)[^\S\n]*(?P<heading>[^\W\d_]{2,30})[^\S\n]*:?[^\S\n]*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Delimiters:
    """`tags` has groups named open… and close… for the brackets; `headings` and `labels` are keys."""

    tags: re.Pattern[str]
    fences: re.Pattern[str] | None
    rules: re.Pattern[str] | None
    headings: frozenset[str]
    labels: frozenset[str]

    def posing(self, text: str, *, more: bool = True) -> Iterator[int]:
        """Where lines of a skeleton begin that could pass for lines of the prompt or name a speaker.

        Some kinds of naming are known to the rules of `more` only.
        """
        before = None
        for line in _LINE.finditer(text):
            if self._poses(line) or (more and _qualifies_speaker(line)):
                yield line.start()
            elif before and line["sign"] and not before["sign"] and self._poses(line, before["label"]):
                yield from (before.start(), line.start())
            before = line
        yield from (line.start() for line in (self.rules.finditer(text) if self.rules else ()))
        if not more:
            return
        # Lines on which a speaker's name stands before ">", or alone between drawn signs.
        if ">" in text:
            yield from (line.start() for line in _PROMPTED.finditer(text) if _speaks(line["name"]))
        for line in _RULED.finditer(text) if any_in(_RULES_BEGIN, text) else ():
            name, heading = (line["name"] or "").strip(), line["heading"] or ""
            if _speaks(name or heading) or key(heading) in _TURN_HEADINGS or EXTENT.fullmatch(name):
                yield line.start()

    def _poses(self, line: re.Match[str], before: str = "") -> bool:
        if not line["sign"] and line.string[line.end() : line.end() + 1] not in ("", "\n"):
            return False  # the line is too long
        label = _LEAD.sub("", before + line["label"])
        names = set(map(key, {label, label.lstrip(_BULLETS)}))
        if not line["sign"]:
            return not names.isdisjoint(self.headings)
        return not names.isdisjoint(self.labels) or (line["sign"] == ":" and _names_speaker(label, names))


def _qualifies_speaker(line: re.Match[str]) -> bool:
    if line["sign"] not in (":", "="):
        return False
    label = _EMPHASIS.sub("", _LEAD.sub("", line["label"])).lstrip(_BULLETS)
    if line["sign"] == "=":
        words = _WORDS.findall(label)
        return len(words) == 2 and words[1] == "to" and key(words[0]) in _LINE_KEYS
    found = _QUALIFIED.fullmatch(label)
    return found is not None and _speaks(found["name"])


def _speaks(name: str) -> bool:
    return name in _SHORT or key(name) in _LINE_KEYS


def _names_speaker(label: str, found: set[str]) -> bool:
    # In quotes it is somebody's data.
    if re.search(r"[\"']", label):
        return False
    if found & (_LINE_KEYS | _TURN_HEADINGS if "#" in label else _LINE_KEYS):
        return True
    words = _WORDS.findall(label.lstrip(_BULLETS))
    if not words or not (words[0] in _SHORT or key(words[0]) in _LINE_KEYS):
        return False
    return len(words) == 1 or (len(words) == 2 and (words[1] in _MORE_WORDS or words[1].isdigit()))


def delimiters_of(template: str) -> Delimiters:
    """The delimiters of a template with slots `{name}`."""
    plain = skeleton(template).text
    lines = plain.splitlines()
    headings = frozenset(key(line.lstrip("# 0123456789.")) for line in lines if line.startswith("#"))
    # The words with a colon before each slot, on its line or, if it begins that, on the one before.
    before_slots: list[str] = []
    for before, line in pairwise(["", *lines]):
        words = SLOT.split(line)[:-1]
        if words and not words[0].strip():
            words[0] = before
        before_slots += [part for part in words if part.rstrip(" *_`").endswith(":")]
    labels = frozenset(key(part.lstrip("0123456789. ")) for part in before_slots)
    return Delimiters(
        tags=_tags(plain),
        fences=_any_of(
            rf"[{signs}]{{3,}}" for signs in _FENCE_SIGNS if re.search(rf"([{signs}])\1\1", plain)
        ),
        rules=_any_of(
            rf"^[^\S\n]*+{re.escape(sign)}{{3,}}[^\S\n]*+$"
            for sign in _RULE_SIGNS
            if re.search(rf"^{re.escape(sign)}{{3,}}\s*$", plain, re.MULTILINE)
        ),
        headings=headings - {""},
        labels=(labels | headings) - {""},
    )


def _any_of(patterns: Iterator[str]) -> re.Pattern[str] | None:
    pattern = "|".join(patterns)
    return re.compile(pattern, re.MULTILINE) if pattern else None


def _tags(template: str) -> re.Pattern[str]:
    names = "|".join(sorted({_spelled(name) for name in _TAG.findall(template)})) or "(?!)"
    kinds = (
        # A closing tag needs no closing bracket to be taken for one, nor does our own fence.
        rf"(?P<open1>[<\u00ab])\s*+(?:(?:{_SLASHES}\s*+)?{_spelled(FENCE_NAME)}\w*+"
        rf"|{_SLASHES}\s*+(?:{names})(?![a-z0-9]))(?:\s*+(?P<close1>[>\u00bb]))?",
        rf"(?P<open2><)\s*+(?:{names})(?:\s*+/?+(?P<close2>>)|(?=\s++[a-z]++\s*+=))",
    )
    return re.compile("|".join(kinds))


def _spelled(name: str) -> str:
    """A pattern for the letters of `name` however they are spaced or punctuated."""
    return _IN_TAG.join(_DIGITS.get(one, re.escape(one)) for one in name if one.isalnum())
