"""Make an answer safe to place inside a judge's prompt: still readable, but unable to pose as the prompt.

The published judge texts have plain slots, so it is the value that is changed, and only where it imitates the
text around it or hides something. Any other answer reaches the judge as it is. What is changed:

* invisible characters are removed, and all kinds of line break become one kind;
* marks that chat models use to separate turns are broken up;
* delimiters of the template itself are defused: its fences are spaced out, its tags are escaped, and lines
  that repeat one of its headings or labels are quoted with "> ".
"""

import re
from functools import cache

from scoring.judge.delimiters import Delimiters, delimiters_of, plain

# Goes into the record of a run: raise it with every change of what the judge gets to see.
VERSION = 1

_LINE_BREAK = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Control characters, soft hyphen, fillers, zero-width and direction marks, tags, supplementary selectors.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Joiners and selectors are part of emoji and of several scripts. Next to ASCII, or heaped, they only hide.
_STRAY_JOINER = re.compile(
    "(?<![^\x00-\x7f])[\u200c\u200d\ufe00-\ufe0f]"
    "|[\u200c\u200d](?![^\x00-\x7f])"
    "|(?<=[\u200c\u200d\ufe00-\ufe0f]{2})[\u200c\u200d\ufe00-\ufe0f]+"
)
_TURN_MARK = re.compile(
    r"<(?=\|[^|<>\n]{1,40}\|>|/?(?:s|bos|eos|start_of_turn|end_of_turn|system|user|assistant)>|</?SYS>>)"
    r"|\[(?=/?INST\])",
    re.IGNORECASE,
)
_ESCAPED = {"<": "&lt;", "[": "[ "}


def neutralise(text: str, *, template: str) -> str:
    """Return `text` fit for a slot of `template`, whose slots are written `{name}`."""
    delimiters = _cached_delimiters(template)
    text = _INVISIBLE.sub("", _LINE_BREAK.sub("\n", text))
    # Removing one joiner may bring another next to ASCII; each round removes at least one.
    while (cleaned := _STRAY_JOINER.sub("", text)) != text:
        text = cleaned
    text = _TURN_MARK.sub(lambda mark: _ESCAPED[mark.group()], text)
    if delimiters.fences:
        text = delimiters.fences.sub(lambda fence: " ".join(fence.group()), text)
    if delimiters.tags:
        text = delimiters.tags.sub("&lt;", text)
    return "\n".join(_quoted(line, delimiters) for line in text.split("\n"))


_cached_delimiters = cache(delimiters_of)


def _quoted(line: str, delimiters: Delimiters) -> str:
    said = plain(line)
    imitates = said.rstrip(" :#") in delimiters.headings or said.startswith(delimiters.labels)
    return f"> {line}" if imitates else line
