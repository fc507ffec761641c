"""LaTeX to MathML Core: typeset by the browser itself, read by screen readers, no script needed.

Two traps of the converter are closed here. It works recursively, so deep nesting would overflow the stack and
end the process: a formula that could nest deeply is not converted. And it writes `style` attributes, which
a strict content security policy ignores: they become classes of our stylesheet.
"""

import re

from django.utils.html import escape
from math_core import LatexError, LatexToMathML

MAX_CHARACTERS = 20_000
# Each of these may nest what follows it by one level, and a level was measured to take up to 2.2 KB of stack.
# The smallest stack of a thread that serves pages is 2 MB.
LEVEL = re.compile(r"\\[A-Za-z]+|[{\[]")
MAX_LEVELS = 500
DEFINITIONS = re.compile(r"\\(?:def|gdef|edef|let|newcommand|renewcommand|providecommand)(?![A-Za-z])")
# What ends a line or divides it in columns, and what it may stand within.
PIECE = re.compile(r"\\(?:begin|end)\{[^{}]*\}|\\.|[{}&]", re.DOTALL)
STYLE = re.compile(r' style="([^"]*)"')
COLOUR = re.compile(r"color:\s*(#[0-9A-Fa-f]{3,8})")


def formula(latex: str, *, display: bool) -> str:
    """HTML of one formula; what cannot be typeset is shown as its source, never as an error."""
    as_source = f'<code class="formula-source">{escape(latex)}</code>'
    bare = latex.strip()
    if len(bare) > MAX_CHARACTERS or len(LEVEL.findall(bare)) > MAX_LEVELS or DEFINITIONS.search(bare):
        return as_source
    try:
        converted: str = LatexToMathML().convert_with_local_state(_with_lines(bare), displaystyle=display)
    except LatexError:
        return as_source
    mathml = STYLE.sub(_as_attribute, converted)
    # A wide one scrolls within itself: for the keyboard, too.
    return f'<span class="formula scroll" tabindex="0">{mathml}</span>' if display else mathml


def _with_lines(latex: str) -> str:
    r"""The formula with an environment for its own \\ and &, which mean nothing outside of one."""
    depth, own = 0, set()
    for piece in PIECE.findall(latex):
        if piece == "{" or piece.startswith(r"\begin"):
            depth += 1
        elif piece == "}" or piece.startswith(r"\end"):
            depth -= 1
        elif depth == 0 and piece in (r"\\", "&"):
            own.add(piece)
    if not own:
        return latex
    kind = "aligned" if "&" in own else "gathered"
    return rf"\begin{{{kind}}}{latex}\end{{{kind}}}"


def _as_attribute(style: re.Match[str]) -> str:
    if colour := COLOUR.match(style[1]):
        return f' mathcolor="{colour[1]}"'
    classes = []
    if "text-align: right" in style[1]:
        classes.append("math-right")
    elif "text-align: left" in style[1]:
        classes.append("math-left")
    if "width: 50%" in style[1] or "width: 100%" in style[1]:
        classes.append("math-wide")
    return f' class="{" ".join(classes)}"' if classes else ""
