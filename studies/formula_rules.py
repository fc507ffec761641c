r"""Where formulas stand in a Markdown text: $…$, \(…\), and set apart $$…$$, \[…\] and bare environments.

A formula set apart is found by one rule, whether it begins a line or stands within one; what stands
beside it stays.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath.index import math_inline_dollar
from mdit_py_plugins.utils import is_code_block

# The last ones stand within a formula in LaTeX, and by themselves in what people type.
ENVIRONMENT = (
    r"\\begin\{(?P<name>(?:equation|multline|gather|align|alignat|flalign|eqnarray|[pbBvV]?matrix|smallmatrix"
    r"|cases|aligned|gathered|split|array)\*?)\}"
)
OPENING = re.compile(rf"\$\$(?!\$)|\\\[|{ENVIRONMENT}")
APART = re.compile(
    rf"\$\$(?!\$)(?P<dollars>.+?)(?<!\\)\$\$|\\\[(?P<brackets>.+?)\\\]|(?P<bare>{ENVIRONMENT}.*?\\end\{{(?P=name)\}})",
    re.DOTALL,
)
IN_LINE = re.compile(r"\\\((.+?)\\\)", re.DOTALL)
# A formula that is not closed soon is none: looking for its end takes time.
MOST_LINES = 200


def formula_rules(parser: MarkdownIt) -> None:
    """Make the parser find formulas: tokens "formula" and "formula_apart", whose content is the LaTeX."""
    alternatives = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("fence", "formula_apart", _block, {"alt": alternatives})
    parser.inline.ruler.before("escape", "formula_apart", _within_a_line)
    dollars = math_inline_dollar(allow_space=False, allow_digits=False)
    parser.inline.ruler.before("escape", "math_inline", dollars)


def _within_a_line(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    apart = APART.match(state.src, state.pos)
    match = apart or IN_LINE.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("formula_apart" if apart else "math_inline", "math", 0)
        token.content = _latex(match) if apart else match[1]
    state.pos = match.end()
    return True


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A formula whose last line ends with it. Anything behind it makes it a part of a paragraph."""
    begin = state.bMarks[first] + state.tShift[first]
    opening = OPENING.match(state.src, begin, state.eMarks[first])
    if opening is None or is_code_block(state, first):
        return False
    # As the end of a paragraph: not where that is within a formula itself.
    if silent:
        before = state.src[state.bMarks[state.line] : begin]
        pairs = ((r"\[", r"\]"), (r"\begin{", r"\end{"))
        is_open = any(before.count(start) > before.count(end) for start, end in pairs)
        if is_open or before.count("$$") % 2 == 1:
            return False
    name = opening["name"]
    closing = rf"\end{{{name}}}" if name else {"$$": "$$", r"\[": r"\]"}[opening[0]]
    lines: list[str] = []
    for line in range(first, min(last, first + MOST_LINES)):
        if line > first and state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return False  # the list item that it began in ends here
        lines.append(state.src[begin if line == first else state.bMarks[line] : state.eMarks[line]])
        opened = len(opening[0]) if line == first else 0
        if closing in lines[-1][opened:]:
            break
    text = "\n".join(lines).rstrip()
    match = APART.match(text)
    if match is None or match.end() < len(text):
        return False
    if silent:
        return True
    token = state.push("formula_apart", "math", 0)
    token.block = True
    token.content = _latex(match)
    token.map = [first, line + 1]
    state.line = line + 1
    return True


def _latex(match: re.Match[str]) -> str:
    return match["dollars"] or match["brackets"] or match["bare"]
