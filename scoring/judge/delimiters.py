"""What a judge's prompt text uses to set its parts apart from each other."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

# Characters that a reader takes for each other, by the one that stands in templates.
LOOK_ALIKES = {
    "`": "`\u02cb\u1fef\uff40",
    '"': '"\u201c\u201d\u201e\u201f\uff02',
    "'": "'\u2018\u2019\u201a\u201b\uff07",
    "~": "~\u02dc\u223c\uff5e",
    "-": "-\u2010-\u2015\u2212\ufe63\uff0d",
    "=": "=\ufe66\uff1d",
    "*": "*\u2217\uff0a",
    "#": "#\ufe5f\uff03",
}
_OPENING_BRACKETS = "<\u2039\u3008\ufe64\uff1c"
_SLOT = re.compile(r"\{[a-z_]+\}")
_TAG = re.compile(r"</?([A-Za-z][\w-]*)>")
_RUN = re.compile(rf"([{re.escape(''.join(LOOK_ALIKES))}])\1{{2,}}")
_DECORATION = re.compile(r"^[\s>*_+|\-]+")


@dataclass(frozen=True)
class Delimiters:
    """`fences` matches runs that could open or close a fence, `tags` the bracket that begins a tag.

    `headings` and `labels` are lines, and beginnings of lines, in the form that `plain` gives.
    """

    fences: re.Pattern[str] | None
    tags: re.Pattern[str] | None
    headings: frozenset[str]
    labels: tuple[str, ...]


def delimiters_of(template: str) -> Delimiters:
    """Find the fences, tags, headings and labels of a template with slots `{name}`."""
    lines = template.splitlines()
    headings = {plain(line).rstrip(" :#") for line in lines if line.startswith("#")}
    labels = {plain(_label(before, line)) for before, line in pairwise(["", *lines]) if _SLOT.search(line)}
    return Delimiters(
        fences=_fences(template),
        tags=_tags(template),
        headings=frozenset(headings - {""}),
        labels=tuple(sorted(labels - {""})),
    )


def plain(line: str) -> str:
    """What a line says, whatever its case, width and emphasis: "gold target: 3" for "**Gold Target :** 3"."""
    text = _DECORATION.sub("", unicodedata.normalize("NFKC", line).casefold())
    text = re.sub(r"^#+\s*", "#", text)
    text = re.sub(r"[*_`]", "", text)
    return re.sub(r"\s*:", ":", " ".join(text.split()))


def _label(before: str, line: str) -> str:
    """The words before the first slot; if there are none, the line before it where that ends in a colon."""
    words = _SLOT.split(line)[0]
    return words if words.strip() else before if before.rstrip().endswith(":") else ""


def _fences(template: str) -> re.Pattern[str] | None:
    used = sorted({run[1] for run in _RUN.finditer(template)})
    return re.compile("|".join(f"[{LOOK_ALIKES[character]}]{{3,}}" for character in used)) if used else None


def _tags(template: str) -> re.Pattern[str] | None:
    names = "|".join(sorted(set(_TAG.findall(template))))
    return (
        re.compile(rf"[{_OPENING_BRACKETS}](?=\s*(?:/\s*)?(?:{names})\b)", re.IGNORECASE) if names else None
    )
