"""What must be said wherever results of a scoring run are shown."""

from django.utils.translation import gettext as _, gettext_noop

from judging.models import ScoringRun
from psychometrics.measures.logistic_scale import LOGISTIC_BANK

BATCHED = gettext_noop(
    "The judge was asked about up to %(number)d criteria of an answer in one call, in a text of Chiron's "
    "own. Published item parameters hold for one criterion a call."
)


def run_notes(run: ScoringRun) -> list[str]:
    """The sentences in the reader's language."""
    return [_(sentence) % values for sentence, values in notes_of(run)]


def exported_notes(run: ScoringRun) -> tuple[str, ...]:
    """The same in English, as files have it."""
    return tuple(sentence % values for sentence, values in notes_of(run))


def notes_of(run: ScoringRun) -> list[tuple[str, dict[str, int]]]:
    number, bank = int(run.judge.get("criteria_per_call", 1)), run.study.item_bank
    notes: list[tuple[str, dict[str, int]]] = []
    if number > 1:
        notes.append((BATCHED, {"number": number}))
    if bank and bank.is_logistic:
        notes.append((LOGISTIC_BANK, {}))
    return notes
