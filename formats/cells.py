"""CSV cells that no spreadsheet program runs as a formula."""

import json

from formats.canonical import JsonValue

FORMULA_STARTS = frozenset("=+-@＝＋－＠")
CELL_BREAKERS = frozenset("\t\r\n'")
GUARD = "'"


def csv_cell(value: JsonValue) -> str:
    """One value as a CSV cell: absent is empty, lists and objects are JSON, text is defused."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return defused(value)
        case int() | float():
            return repr(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def defused(text: str) -> str:
    """Put a ' in front of text a spreadsheet program could take for a formula.

    Text that starts with a ' gets another one, so taking off one leading ' always gives the text back.
    """
    risky = text[:1] in CELL_BREAKERS or text.lstrip()[:1] in FORMULA_STARTS
    return GUARD + text if text and risky else text
