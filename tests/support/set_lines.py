"""What a PDF of a report is made of, as its template is given it."""

from collections.abc import Iterator
from typing import Any

from reporting.report.parts import Document
from reporting.report.pdf import document_data

NO_TEXT = {"kind", "look", "anchor", "colour", "language", "tone", "shape"}
RUNNING = {"runs", "items", "notes", "caption"}


def set_lines(document: Document) -> list[str]:
    """A row of a table is a line, and so is each piece of running text, its footnotes after it."""
    return [line for line in _lines(document_data(document)) if line]


def _spelled_out(data: dict[str, Any]) -> dict[str, Any]:
    """A table with the words in its cells for which letters stand, and without the names of its footnotes."""
    if "keys" not in data:
        return data
    words = dict(data["keys"])
    rows = [[(words.get(text, text), source) for text, source, _name in row] for row in data["rows"]]
    return {name: value for name, value in data.items() if name != "keys"} | {"rows": rows}


def _lines(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield value.replace("\u00a0", " ")
    elif isinstance(value, dict):
        value = _spelled_out(value)
        for name in value.keys() - NO_TEXT:
            yield from _lines(value[name], name)
    elif isinstance(value, list | tuple) and key == "rows":
        yield from (" ".join(_lines(row)) for row in value)
    elif isinstance(value, list | tuple):
        if key in RUNNING and value and isinstance(value[0], tuple):
            yield "".join(word for word, _footnote, _name in value).replace("\u00a0", " ")
            value = [footnote for _word, footnote, _name in value]
        for inside in value:
            yield from _lines(inside, key)
