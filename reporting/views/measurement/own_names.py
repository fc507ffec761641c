"""Names that others gave and a block shows: of models, prompts, categories and profiles."""

from collections.abc import Iterator

from scoring.selectors.measures import BlockMeasures

CODES = ("category", "profile")


def names_in(block: BlockMeasures) -> Iterator[str]:
    """As pages write them; the same one may come often."""
    names = block.names
    yield from (*names.categories.values(), *names.profiles.values(), *block.labels, *block.labels.values())
    for row in block.rows:
        if row.details.get("model"):
            yield str(row.details["model"])
        for kind in CODES:
            if row.details.get(kind):
                yield str(names.part(kind, str(row.details[kind])))
        kind, _colon, code = row.subset.partition(":")
        if kind in CODES:
            yield str(names.part(kind, code.partition(";")[0]))
