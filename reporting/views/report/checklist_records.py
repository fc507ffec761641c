"""Every item of the human-baseline checklist: what the records say to it, what the lead wrote, its state."""

from collections.abc import Callable, Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from reporting.models import ChecklistAnswer
from reporting.report.parts import Checklist, ChecklistEntry, ItemState
from reporting.selectors.checklist_items import SECTIONS, Item
from reporting.selectors.report_records import StudyRecords
from reporting.views.report import checklist_analysis, checklist_design, checklist_execution

Sentence = Callable[[StudyRecords], str]
STATE_NAMES: Mapping[ItemState, Promise] = {
    ItemState.AUTOMATIC: gettext_lazy("from the records"),
    ItemState.ANSWERED: gettext_lazy("answered by the study lead"),
    ItemState.MISSING: gettext_lazy("missing"),
}


RECORDED: Mapping[str, Sentence] = {
    "0.6": checklist_design.modalities,
    "0.8": checklist_design.data_set,
    "0.9": checklist_design.model_prompts,
    "0.10": checklist_design.model_epochs,
    "1.1": checklist_design.people,
    "1.2": checklist_design.asked_prompts,
    "1.2.1": checklist_design.prompt_choice,
    "1.3": checklist_design.responses,
    "1.4": checklist_design.batch_size,
    "1.7": checklist_design.effort,
    "1.10": checklist_design.registered,
    "2.1": checklist_design.populations,
    "2.3": checklist_design.vetting,
    "2.3.2": checklist_design.turned_away,
    "2.5": checklist_design.exposure,
    "2.6": checklist_design.training,
    "2.6.1": checklist_design.training_kind,
    "2.7": checklist_design.payment,
    "3.1": checklist_execution.sitting,
    "3.1.1": checklist_execution.order,
    "3.2": checklist_execution.quality,
    "3.2.1": checklist_execution.quality_criteria,
    "3.2.2": checklist_execution.excluded,
    "3.5": checklist_execution.tools,
    "4.1": checklist_analysis.tested,
    "4.1.1": checklist_analysis.test_kind,
    "4.2": checklist_analysis.uncertainty,
    "4.2.1": checklist_analysis.estimate_kind,
    "4.3": checklist_analysis.metric,
    "4.5": checklist_analysis.judges,
    "4.6": checklist_analysis.robust,
    "5.1.1": checklist_execution.described,
    "5.1.2": checklist_execution.instructions,
    "5.1.3": checklist_execution.time_taken,
    "5.1.4": checklist_execution.tools_used,
    "5.1.5": checklist_execution.completion,
    "5.4": checklist_execution.analysis_code,
}


def checklist_parts(records: StudyRecords, answers: Mapping[str, ChecklistAnswer]) -> list[Checklist]:
    """One part per section, every item of it."""
    head = (_("Item"), _("Question"), _("Answer"), _("State"))
    return [
        Checklist(
            caption=str(section.title),
            head=head,
            entries=[entry_of(item, records, answers.get(item.number)) for item in section.items],
        )
        for section in SECTIONS
    ]


def entry_of(item: Item, records: StudyRecords, answer: ChecklistAnswer | None) -> ChecklistEntry:
    record = RECORDED[item.number](records) if item.number in RECORDED else ""
    if answer is not None:
        state = ItemState.ANSWERED
    else:
        state = ItemState.AUTOMATIC if record and not item.needs_lead else ItemState.MISSING
    return ChecklistEntry(
        number=item.number,
        question=str(item.question),
        record=record,
        answer=answer.text if answer else "",
        state=state,
        state_name=str(STATE_NAMES[state]),
    )


def state_counts(parts: Sequence[Checklist]) -> dict[ItemState, int]:
    """How many items are in each state."""
    states = [entry.state for part in parts for entry in part.entries]
    return {state: states.count(state) for state in ItemState}
