"""Texts of banks and protocols as safe HTML: Markdown with formulas, or plain text as it stands.

Raw HTML in a text is shown, not obeyed. Images are replaced by their description: a bank's images are its
attachments, and a page loads nothing from other hosts.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from studies.formula_rules import formula_rules
from studies.formulas import formula

# Finding formulas takes time that grows with the square of their number in the worst case. Longer texts are
# shown as they stand.
MAX_MARKDOWN_CHARACTERS = 60_000
MAX_FORMULA_STARTS = 1_500
FORMULA_START = re.compile(r"\\[(\[]|\$|\\begin\{")
# A row that is too short is filled up with empty cells, so a few characters may make thousands of them.
MAX_TABLE_CELLS = 5_000
LINE_END = re.compile(r"\r\n?|\n")
ROW_BELOW_HEAD = re.compile(r"[ \t>]*[|:-][|: \t-]*")
# LaTeX's end of a line, which people write in texts, too.
BACKSLASHES_AT_LINE_END = re.compile(r"\\\\[ \t]*(?=\n|$)")
LINE = re.compile(r"[^\n]*\n|[^\n]+")
FRAME = re.compile("[\u2500-\u257f]")

TEXT_TAGS = {
    "a", "blockquote", "br", "code", "div", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
MATH_TAGS = {
    "math", "menclose", "merror", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded",
    "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup",
    "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none",
}  # fmt: skip
MATH_ATTRIBUTES = {
    "accent", "accentunder", "class", "columnalign", "columnlines", "columnspan", "depth", "dir", "display",
    "displaystyle", "fence", "form", "height", "largeop", "linethickness", "lspace", "mathcolor",
    "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspan", "rspace",
    "scriptlevel", "separator", "stretchy", "symmetric", "voffset", "width",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "title"},
    "code": {"class"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "span": {"class", "tabindex"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "td": {"class"},
    "th": {"class"},
    **dict.fromkeys(MATH_TAGS, MATH_ATTRIBUTES),
}
TABLE_START = '<div class="scroll" tabindex="0" role="region" aria-label="Table">\n<table>\n'
ALIGNMENT = re.compile(r"text-align:\s*(left|right|center)")


def rendered(text: str, text_format: str) -> SafeString:
    """A prompt's text as HTML. `text_format` is "markdown" or "plain"."""
    return markdown(text) if text_format == "markdown" else plain(text)


def plain(text: str) -> SafeString:
    """The text exactly as it stands, lines and spaces kept; long lines wrap, those of tables scroll."""
    parts = []
    for is_aligned, lines in groupby(LINE.findall(text), _is_aligned):
        rows = list(lines)
        part = escape("".join(rows))
        is_table = is_aligned and len(rows) > 1
        parts.append(f'<span class="aligned scroll" tabindex="0">{part}</span>' if is_table else part)
    # A browser leaves out a line end that a <pre> begins with.
    first = "\n" if text.startswith("\n") else ""
    return mark_safe(f'<pre class="plain">{first}{"".join(parts)}</pre>')  # noqa: S308  # escaped


def _is_aligned(line: str) -> bool:
    """Whether its signs may stand below those of the line before: a row of pipes, tabs or frames."""
    return line.count("|") > 1 or "\t" in line.strip() or FRAME.search(line) is not None


def markdown(text: str, *, keeps_lines: bool = False) -> SafeString:
    r"""Commonmark with tables, strikethrough and formulas ($…$, $$…$$, \(…\), \[…\], \begin{align}…).

    `keeps_lines`: a line end is shown as one, as whoever typed the text sees it.
    """
    if (
        len(text) > MAX_MARKDOWN_CHARACTERS
        or len(FORMULA_START.findall(text)) > MAX_FORMULA_STARTS
        or _most_cells(text) > MAX_TABLE_CELLS
    ):
        return plain(text)
    parser = _parser(keeps_lines)
    tokens = parser.parse(text)
    for token in tokens:
        # The page has its h1, and styles are ignored: alignment is a class.
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
        if aligned := ALIGNMENT.match(str(token.attrs.pop("style", ""))):
            token.attrs["class"] = f"align-{aligned[1]}"
    # Long lines of code are scrolled, also with the keyboard. A "<pre>" of the text itself is escaped.
    html = parser.renderer.render(tokens, parser.options, {}).replace("<pre>", '<pre tabindex="0">')
    sanitised = nh3.clean(
        html,
        tags=TEXT_TAGS | MATH_TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        link_rel="noopener noreferrer",
    )
    return mark_safe(sanitised)  # noqa: S308  # sanitised


def _most_cells(text: str) -> int:
    """How many cells the tables of the text may have, at most."""
    cells = columns = 0
    for line in LINE_END.split(text):
        if not line.strip(" \t"):
            columns = 0  # a blank line ends a table
        elif ROW_BELOW_HEAD.fullmatch(line):
            columns = max(columns, line.count("|") + 1)
        cells += columns
    return cells


@lru_cache(maxsize=2)
def _parser(keeps_lines: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": keeps_lines})
    parser.enable(["table", "strikethrough"]).use(formula_rules)
    if keeps_lines:
        parser.inline.ruler.before("escape", "backslashes", _line_end)
    parser.add_render_rule("math_inline", _formula)
    parser.add_render_rule("formula_apart", _formula)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("table_open", lambda *_: TABLE_START)
    parser.add_render_rule("table_close", lambda *_: "</table>\n</div>\n")
    return parser


def _line_end(state: StateInline, _silent: bool) -> bool:
    backslashes = BACKSLASHES_AT_LINE_END.match(state.src, state.pos)
    if backslashes:
        state.pos = backslashes.end()
    return backslashes is not None


def _formula(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return formula(tokens[index].content, display=tokens[index].type != "math_inline")


def _image(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return f"<em>[{escape(tokens[index].content) or 'image'}]</em>"
