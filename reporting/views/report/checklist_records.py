"""Every item of the human-baseline checklist: what the records say to it, what the lead wrote, its state."""

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from reporting.models import ChecklistAnswer
from reporting.report.parts import Checklist, ChecklistEntry, ItemState
from reporting.selectors.checklist_items import SECTIONS
from reporting.selectors.report_records import StudyRecords
from reporting.views.report.checklist_design import design_sentences
from reporting.views.report.checklist_results import results_sentences

STATE_NAMES: Mapping[ItemState, Promise] = {
    ItemState.AUTOMATIC: gettext_lazy("from the records"),
    ItemState.ANSWERED: gettext_lazy("answered by the study lead"),
    ItemState.MISSING: gettext_lazy("missing"),
}


def recorded(records: StudyRecords) -> dict[str, str]:
    """What the records say, by item; they are silent on the others."""
    return dict([*design_sentences(records), *results_sentences(records)])


def checklist_parts(records: StudyRecords, answers: Mapping[str, ChecklistAnswer]) -> list[Checklist]:
    """One part per section, every item of it."""
    head = (_("Item"), _("Question"), _("Answer"), _("State"))
    sentences = recorded(records)
    parts = []
    for section in SECTIONS:
        entries = []
        for item in section.items:
            record, answer = sentences.get(item.number, ""), answers.get(item.number)
            by_records = ItemState.AUTOMATIC if record and not item.needs_lead else ItemState.MISSING
            state = ItemState.ANSWERED if answer else by_records
            entries.append(
                ChecklistEntry(
                    number=item.number,
                    question=str(item.question),
                    record=record,
                    answer=answer.text if answer else "",
                    state=state,
                    state_name=str(STATE_NAMES[state]),
                )
            )
        parts.append(Checklist(caption=str(section.title), head=head, entries=entries))
    return parts


def state_counts(parts: Sequence[Checklist]) -> dict[ItemState, int]:
    """How many items are in each state."""
    states = [entry.state for part in parts for entry in part.entries]
    return {state: states.count(state) for state in ItemState}
