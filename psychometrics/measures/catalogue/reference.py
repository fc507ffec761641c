"""The catalogue as Markdown: `python -m psychometrics.measures.catalogue.reference` prints the whole page."""

import sys

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
    lines = [INTRODUCTION]
    for block in dict.fromkeys(entry.block for entry in CATALOGUE.values()):
        lines += [f"## {block}\n", *HEAD]
        for entry in entries_of(block):
            needs = [*entry.needs, *(() if entry.on_logistic == OnLogistic.STANDS else ("logits",))]
            # Groups, parts of the data, and whether it is of one person or prompt.
            parts = [f"`{subset}`" if subset else "everything" for subset in entry.subsets]
            whom = [", ".join(filter(None, entry.groups)), "" if entry.subsets == ("",) else ", ".join(parts)]
            whom.append(f"one {entry.about}" if entry.about else "")
            surfaces = [name for name in ("page", "terminal") if getattr(entry, name)]
            cells = (
                f"`{entry.name}`",
                meaning_text(entry),
                entry.unit,
                "; ".join(filter(None, whom)),
                ", ".join(needs),
                ", ".join(surfaces),
            )
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def meaning_text(entry: Entry) -> str:
    """Label and meaning in one; the name, which stands beside it, is not said again."""
    meaning = entry.meaning.removeprefix(f"{entry.name}: ")
    return f"**{entry.label}**: {meaning}"


if __name__ == "__main__":
    sys.stdout.write(reference())
