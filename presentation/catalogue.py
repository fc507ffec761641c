"""The catalogue of measures in the reader's language: plain words, with the exact term beside another."""

from django.utils.translation import gettext as _, gettext_lazy

from presentation.tables import PlainWord, Term
from psychometrics.measures.catalogue import entry_of
from psychometrics.measures.catalogue.entry import PLAIN_CODES

# Words of pages and reports, and the exact terms of exports and papers for them.
WORDS = (
    (gettext_lazy("Question, question set"), "prompt, batch"),
    (gettext_lazy("Counted, not counted"), "retained, excluded"),
    (gettext_lazy("Locked"), "frozen"),
    (gettext_lazy("Fingerprint"), "SHA-256 hash"),
    (gettext_lazy("Ability"), "theta (θ), theta.pool"),
    (gettext_lazy("Ability by question means"), "theta.prompt"),
    (gettext_lazy("Ability on the QL scale"), "theta_QL"),
    (gettext_lazy("Top, free of the choice"), "top.crossfit5"),
    (gettext_lazy("Top as published, Top by luck alone"), "top.paper, top.null"),
    (gettext_lazy("Errors by people, by question sets, by both"), "se.participant, se.batch, se.twoway"),
    (gettext_lazy("Picked by these same scores"), "in-sample"),
    (gettext_lazy("Scored answers"), "pairs"),
    (gettext_lazy("Answers per question"), "k"),
    (gettext_lazy("Judge failed"), "unscored"),
    (gettext_lazy("Harder or easier for people than for models"), "DIF (differential item functioning)"),
    (gettext_lazy("Unusual answer patterns"), "person fit"),
    (gettext_lazy("Breakdowns"), "slices"),
    (gettext_lazy("Analysis choice"), "specification"),
)
# Heads of columns that many tables have.
ABILITY = Term(gettext_lazy("ability"), gettext_lazy("theta"))
QL_ABILITY = Term(gettext_lazy("ability on the QL scale"), "theta_QL")
SCORED_ANSWERS = Term(gettext_lazy("Scored answers"), gettext_lazy("Pairs"))


def label_of(name: str) -> str:
    """What a table calls a measure. Raises LookupError for a name that no block has."""
    entry = entry_of(name)
    return PlainWord(_(entry.plain_label), _(entry.label)) if entry.plain_label else _(entry.label)


def code_label(code: str) -> str:
    """What pages call what files know by a code, or by several: "theta.pool, se.batch"."""
    plain = ", ".join(_(PLAIN_CODES[part]) if part in PLAIN_CODES else part for part in code.split(", "))
    return PlainWord(plain, code.replace("theta.ql", "theta_QL")) if plain != code else code


def meaning_of(name: str) -> str:
    """What a measure says, in a sentence or a few."""
    return _(entry_of(name).meaning)
