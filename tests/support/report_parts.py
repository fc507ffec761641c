"""The parts of a report one by one, those that stand beside each other as well."""

from collections.abc import Iterable, Iterator

from presentation.tables import Table
from reporting.report.parts import Beside, Bullets, Paragraph, Part


def every(parts: Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Beside):
            for column in part.columns:
                yield from every(column)
        else:
            yield part


def tables_of(parts: Iterable[Part]) -> list[Table]:
    return [part for part in every(parts) if isinstance(part, Table)]


def sentences_of(parts: Iterable[Part]) -> list[str]:
    """Of paragraphs and of lists, the paragraphs first."""
    there = list(every(parts))
    listed = [text for part in there if isinstance(part, Bullets) for text in part.items]
    return [part.text for part in there if isinstance(part, Paragraph)] + listed
