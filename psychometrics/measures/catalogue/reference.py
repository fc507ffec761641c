"""The catalogue as Markdown: `python -m psychometrics.measures.catalogue.reference` prints the whole page."""

import sys
from collections.abc import Iterator

from psychometrics.measures.catalogue import CATALOGUE, Entry, OnLogistic, entries_of

INTRODUCTION = """# Reference of measures

Made from `psychometrics/measures/catalogue`; do not edit it by hand. Names are those of the column `name` of
an export's `measures`; statistics of judges (tables `agreement` and `audit_results`) stand here with
`agreement.` and `audit.` before their names. Exports hold every measure; *page* is that of the block, and so
the report, *terminal* is `score_study`. On an item bank of the logistic model a measure that needs *logits*
is empty with the reason, or left out. Capitals in parts of the data stand for names.
"""
HEAD = ("| name | what it is | unit | of | needs | shown |", "| --- | --- | --- | --- | --- | --- |")


def reference() -> str:
    """Every entry, one table a block."""
    blocks = dict.fromkeys(entry.block for entry in CATALOGUE.values())
    return "\n".join([INTRODUCTION, *(line for block in blocks for line in _table(block))])


def _table(block: str) -> Iterator[str]:
    yield f"## {block}\n"
    yield from HEAD
    for entry in entries_of(block):
        cells = (
            f"`{entry.name}`",
            meaning_text(entry),
            entry.unit,
            _whom(entry),
            _needs(entry),
            _shown(entry),
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def meaning_text(entry: Entry) -> str:
    """Label and meaning in one; the name, which stands beside it, is not said again."""
    meaning = entry.meaning.removeprefix(f"{entry.name}: ")
    return f"**{entry.label}**: {meaning}"


def _whom(entry: Entry) -> str:
    """Groups, parts of the data, and whether it is of one person or prompt."""
    subsets = [f"`{subset}`" if subset else "everything" for subset in entry.subsets]
    parts = [", ".join(filter(None, entry.groups)), "" if entry.subsets == ("",) else ", ".join(subsets)]
    return "; ".join(filter(None, [*parts, f"one {entry.about}" if entry.about else ""]))


def _needs(entry: Entry) -> str:
    logits = () if entry.on_logistic == OnLogistic.STANDS else ("logits",)
    return ", ".join([*entry.needs, *logits])


def _shown(entry: Entry) -> str:
    return ", ".join(name for name, shown in (("page", entry.page), ("terminal", entry.terminal)) if shown)


if __name__ == "__main__":
    sys.stdout.write(reference())
