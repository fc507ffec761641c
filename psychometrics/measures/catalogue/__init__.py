"""The catalogue of measures: what each is called and says, in what unit, of whom, and what it needs.

Every name that a block yields has one entry, and one owner. From the entries come the reference in
docs/measurement/reference.md, the names in the data dictionary, `measure_study --names`, what is left of a
measurement on a logistic bank, and the words on pages.

Statistics of judges have "agreement." before their names, those of audits "audit.". Texts are English and
marked for translation; interfaces translate them (`presentation.catalogue`).
"""

from collections.abc import Iterator, Mapping

from psychometrics.measures.catalogue import cohort, judges, models, people, prompts, results
from psychometrics.measures.catalogue.entry import Entry, Need, OnLogistic, Unit

__all__ = ["CATALOGUE", "Entry", "Need", "OnLogistic", "Unit", "entries_of", "entry_of"]

CATALOGUE: Mapping[str, Entry] = {
    entry.name: entry
    for module in (results, cohort, models, people, prompts, judges)
    for entry in module.ENTRIES
}


def entry_of(name: str) -> Entry:
    """The entry of this name. Raises LookupError where there is none."""
    return CATALOGUE[name]


def entries_of(block: str) -> Iterator[Entry]:
    """The entries of a block in their order."""
    return (entry for entry in CATALOGUE.values() if entry.block == block)
