"""The catalogue of measures in the reader's language."""

from django.utils.translation import gettext as _

from psychometrics.measures.catalogue import entry_of


def label_of(name: str) -> str:
    """What a table calls a measure. Raises LookupError for a name that no block has."""
    return _(entry_of(name).label)


def meaning_of(name: str) -> str:
    """What a measure says, in a sentence or a few."""
    return _(entry_of(name).meaning)
