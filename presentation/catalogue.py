"""The catalogue of measures in the reader's language: plain words, with the exact term beside another."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy, gettext_noop

from presentation.tables import PlainWord, Term
from psychometrics.measures.catalogue import entry_of
from psychometrics.measures.catalogue.entry import PLAIN_CODES
from psychometrics.measures.logistic_scale import LOGISTIC_BANK

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
# Why a block has no numbers: as it is stored, for exports, and as pages say it.
PLAIN_REASONS: Mapping[str, str] = {
    "No prompt of this study belongs to a task; the benchmark has none to average over.": gettext_noop(
        "No question of this study belongs to a task; the benchmark has none to average over."
    ),
    "No answer of a retained person has a score.": gettext_noop("No answer of a counted person has a score."),
    "DIF needs scored answers to prompts with item parameters.": gettext_noop(
        "What is harder or easier for people than for models (DIF) needs scored answers to questions with "
        "item parameters."
    ),
    "Person fit needs scored answers to prompts with item parameters.": gettext_noop(
        "Unusual answer patterns (person fit) need scored answers to questions with item parameters."
    ),
    "Nobody who is retained was asked anything.": gettext_noop("Nobody who is counted was asked anything."),
    "No answer of a retained person has a score on a prompt with item parameters.": gettext_noop(
        "No answer of a counted person has a score on a question with item parameters."
    ),
    "No answer to a prompt with item parameters has a score.": gettext_noop(
        "No answer to a question with item parameters has a score."
    ),
    "Top is measured in theta; no prompt of this study has item parameters.": gettext_noop(
        "Top is measured in ability; no question of this study has item parameters."
    ),
    "The items of the study's item bank are tasks, not prompts: no single answer has a theta. Theta on the "
    "tasks is in the block Benchmark.": gettext_noop(
        "The items of the study's item bank are tasks, not questions: no single answer has an ability. "
        "Ability on the tasks is in the block Benchmark."
    ),
    "No number is told: it would be one prompt's own.": gettext_noop(
        "No number is told: it would be one question's own."
    ),
    "Everything here would tell of one or two private prompts; the public ones by themselves have numbers "
    "of their own.": gettext_noop(
        "Everything here would tell of one or two private questions; the public ones by themselves have "
        "numbers of their own."
    ),
    LOGISTIC_BANK: gettext_noop(
        "The item bank was fitted with the logistic 2PL, so ability on its own scale is that on the QL "
        "scale (theta_QL); the page Average and people has it for both groups. Ability by logits of scores, "
        "and what rests on it, is not on that scale and is left empty."
    ),
}
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


def plain_reason(ended: Mapping[str, Any]) -> str:
    """Why a block has no numbers, by how it ended; "" where it has some."""
    template = ended.get("template")
    # The empty text would be translated into the header of the catalogue.
    return _(PLAIN_REASONS.get(template, template)) % ended["facts"] if template else ""


def meaning_of(name: str) -> str:
    """What a measure says, in a sentence or a few."""
    return _(entry_of(name).meaning)
