"""What the records say to the checklist's items on the items asked, the design and the people."""

from django.utils.translation import gettext as _

from presentation.exclusions import people_text
from presentation.numbers import decimals, span_or_one
from psychometrics.inference.measure import Scope
from reporting.selectors.report_records import StudyRecords
from reporting.views.report.checklist_words import amended, listed
from reporting.views.report.methods import extra_time, frozen


def modalities(records: StudyRecords) -> str:
    if not records.asked.modalities:
        return ""
    told = (
        _("Public prompts by modality: %(listed)s.")
        if records.scope == Scope.PUBLIC
        else _("Prompts by modality: %(listed)s.")
    )
    return told % {"listed": listed(records.asked.modalities)}


def data_set(records: StudyRecords) -> str:
    if not records.asked.in_bank:
        return ""
    facts = {"bank": str(records.study.bank_version), "number": records.asked.in_bank}
    return _("The prompt bank %(bank)s has %(number)d prompts.") % facts


def model_prompts(records: StudyRecords) -> str:
    if not records.models.with_scores:
        return ""
    if records.scope == Scope.PUBLIC:
        return _("Scores of models are stored for %(number)d of the study's %(public)d public prompts.") % {
            "number": records.models.prompts,
            "public": records.asked.asked - records.asked.private,
        }
    return _("Scores of models are stored for %(number)d of the study's %(asked)d prompts.") % {
        "number": records.models.prompts,
        "asked": records.asked.asked,
    }


def model_epochs(records: StudyRecords) -> str:
    return _("Up to %(number)d.") % {"number": records.models.epochs} if records.models.epochs else ""


def people(records: StudyRecords) -> str:
    flow = records.flow
    if not flow.started:
        return ""
    return _(
        "Recruited: %(recruited)d. Sessions started: %(started)d. Retained for the estimates: %(retained)d."
    ) % {"recruited": flow.recruited, "started": flow.started, "retained": flow.retained}


def asked_prompts(records: StudyRecords) -> str:
    if records.average is None or not records.average.prompts:
        return ""
    told = (
        _(
            "%(asked)d prompts are in the study's batches, %(private)d of them private; of the public ones "
            "%(scored)d have a scored answer."
        )
        if records.scope == Scope.PUBLIC
        else _("%(asked)d prompts are in the study's batches; %(scored)d of them have a scored answer.")
    )
    return told % {
        "asked": records.asked.asked,
        "private": records.asked.private,
        "scored": records.average.prompts,
    }


def prompt_choice(records: StudyRecords) -> str:
    if records.asked.asked and records.asked.asked == records.asked.in_bank:
        return _("None was left out: the batches hold every prompt of the bank.")
    return ""


def responses(records: StudyRecords) -> str:
    average = records.average
    if average is None or average.responses_per_prompt is None:
        return ""
    return _("%(number)s scored responses per prompt on average (Average group).") % {
        "number": decimals(average.responses_per_prompt, 2)
    }


def batch_size(records: StudyRecords) -> str:
    if records.starts is None:
        return ""
    return _("Prompts per person: %(number)s; one batch per person.") % {
        "number": span_or_one(*records.starts.prompts, places=0)
    }


def effort(records: StudyRecords) -> str:
    if records.starts is None:
        return ""
    told = _("At their start people had %(minutes)s minutes for a batch in all, kept by the server's clock.")
    minutes = span_or_one(*records.starts.minutes, places=0)
    return " ".join([told % {"minutes": minutes}, *extra_time(records.starts.more_time)])


def registered(records: StudyRecords) -> str:
    return " ".join(frozen(records)) or _("The protocol is not frozen yet.")


def populations(records: StudyRecords) -> str:
    return " ".join(f"{one.name}: {one.description}" for one in records.protocol.profiles)


def vetting(records: StudyRecords) -> str:
    found = records.vetting
    if not found.decided:
        return ""
    return _(
        "Decided about by the study team: %(decided)s; approved as they were added, without a "
        "decision of their own: %(added)d."
    ) % {"decided": people_text(found.decided), "added": found.as_added}


def turned_away(records: StudyRecords) -> str:
    if not records.vetting.decided:
        return ""
    return _("Rejected and never started: %(rejected)d of %(recruited)d people in the study.") % {
        "rejected": records.vetting.turned_away,
        "recruited": records.flow.recruited,
    }


def exposure(records: StudyRecords) -> str:
    if "prior_exposure" in records.protocol.questions_of_any_profile:
        return _("The profile form of the protocol asks whether people had met the benchmark before.")
    return ""


def training(records: StudyRecords) -> str:
    if not training_kind(records):
        return ""
    return _(
        "Something on this site could be tried or had to be passed; training elsewhere is not on record."
    )


def training_kind(records: StudyRecords) -> str:
    protocol = records.protocol
    if records.starts is None or amended(
        records, "practice_prompts", "comprehension_check", "check_questions"
    ):
        return ""
    parts = []
    if protocol.practice_prompts:
        parts.append(
            _("Practice prompts that people could try: %(number)d.")
            % {"number": len(protocol.practice_prompts)}
        )
    if protocol.comprehension_check:
        parts.append(
            _("A comprehension check had to be passed; its questions: %(number)d.")
            % {"number": len(protocol.check_questions)}
        )
    return " ".join(parts)


def payment(records: StudyRecords) -> str:
    return _("What people were told of it: %(note)s") % {"note": records.protocol.payment_note.strip()}
