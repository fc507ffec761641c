"""What the records say to the checklist's items on the items asked, the design and the people."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _, ngettext

from presentation.exclusions import people_text
from presentation.numbers import decimals, numbered, span_or_one
from psychometrics.inference.measure import Scope
from reporting.selectors.report_records import StartFacts, StudyRecords
from reporting.views.report.methods import extra_time, frozen

Sentences = Iterator[tuple[str, str]]  # the number of an item, and what the records say to it


def design_sentences(records: StudyRecords) -> Sentences:
    """Sections 0 to 2 of the checklist."""
    yield from _bank(records)
    yield from _models(records)
    yield from _sample(records)
    if records.starts:
        yield from _batches(records, records.starts)
    yield "1.10", " ".join(frozen(records)) or _("The protocol is not locked yet.")
    yield "2.1", " ".join(f"{one.name}: {one.description}" for one in records.protocol.profiles)
    yield from _vetting(records)
    yield "2.7", _("What people were told of it: %(note)s") % {"note": records.protocol.payment_note.strip()}


def listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({number})" for name, number in counts.items())


def amended(records: StudyRecords, *settings: str) -> bool:
    """Whether an amendment changed one of these: then the protocol as it is does not speak for everybody."""
    return any(name in one.changes for one in records.amendments for name in settings)


def _bank(records: StudyRecords) -> Sentences:
    asked = records.asked
    if asked.modalities:
        told = (
            _("Public questions by modality: %(listed)s.")
            if records.scope == Scope.PUBLIC
            else _("Questions by modality: %(listed)s.")
        )
        yield "0.6", told % {"listed": listed(asked.modalities)}
    if asked.in_bank:
        facts = {"bank": str(records.study.bank_version), "number": asked.in_bank}
        told = ngettext(
            "The question bank %(bank)s has %(number)d question.",
            "The question bank %(bank)s has %(number)d questions.",
            asked.in_bank,
        )
        yield "0.8", numbered(told, facts)
    if asked.asked and asked.asked == asked.in_bank:
        yield "1.2.1", _("None was left out: the question sets hold every question of the bank.")


def _models(records: StudyRecords) -> Sentences:
    models, asked = records.models, records.asked
    if models.with_scores:
        public = asked.asked - asked.private
        told = (
            ngettext(
                "Scores of models are stored for %(number)d of the study's %(public)d public question.",
                "Scores of models are stored for %(number)d of the study's %(public)d public questions.",
                public,
            )
            if records.scope == Scope.PUBLIC
            else ngettext(
                "Scores of models are stored for %(number)d of the study's %(asked)d question.",
                "Scores of models are stored for %(number)d of the study's %(asked)d questions.",
                asked.asked,
            )
        )
        yield "0.9", numbered(told, {"number": models.prompts, "public": public, "asked": asked.asked})
    if models.epochs:
        yield "0.10", numbered(_("Up to %(number)d."), {"number": models.epochs})


def _sample(records: StudyRecords) -> Sentences:
    asked, average = records.asked, records.average
    if records.flow.started:
        told = _(
            "Recruited: %(recruited)d. Sessions started: %(started)d. Counted for the estimates: "
            "%(retained)d."
        )
        yield "1.1", numbered(told, vars(records.flow))
    if average and average.prompts:
        told = (
            _(
                "Questions in the study's question sets: %(asked)d, private: %(private)d; public ones "
                "with a scored answer: %(scored)d."
            )
            if records.leading == Scope.PUBLIC
            else _("Questions in the study's question sets: %(asked)d; with a scored answer: %(scored)d.")
        )
        facts = {"asked": asked.asked, "private": asked.private, "scored": average.prompts}
        yield "1.2", numbered(told, facts)
    if average and average.responses_per_prompt is not None:
        told = _("%(number)s scored responses per question on average (Average group).")
        yield "1.3", told % {"number": decimals(average.responses_per_prompt, 2)}


def _batches(records: StudyRecords, starts: StartFacts) -> Sentences:
    """What everybody who started was given, and could try or had to pass before."""
    told = _("Questions per person: %(number)s; one question set per person.")
    yield "1.4", told % {"number": span_or_one(*starts.prompts, places=0)}
    told = _(
        "Minutes that people had at their start for a question set in all, kept by the server's clock: "
        "%(minutes)s."
    )
    minutes = {"minutes": span_or_one(*starts.minutes, places=0)}
    yield "1.7", " ".join([told % minutes, *extra_time(starts.more_time)])
    if kinds := list(_training(records)):
        told = _(
            "Something on this site could be tried or had to be passed; training elsewhere is not on record."
        )
        yield "2.6", told
        yield "2.6.1", " ".join(kinds)


def _training(records: StudyRecords) -> Iterator[str]:
    protocol = records.protocol
    if amended(records, "practice_prompts", "comprehension_check", "check_questions"):
        return
    if protocol.practice_prompts:
        told = _("Practice questions that people could try: %(number)d.")
        yield numbered(told, {"number": len(protocol.practice_prompts)})
    if protocol.comprehension_check:
        told = _("A comprehension check had to be passed; its questions: %(number)d.")
        yield numbered(told, {"number": len(protocol.check_questions)})


def _vetting(records: StudyRecords) -> Sentences:
    found = records.vetting
    if found.decided:
        told = _(
            "Decided about by the study team: %(decided)s; approved as they were added, without a "
            "decision of their own: %(added)d."
        )
        yield "2.3", numbered(told, {"decided": people_text(found.decided), "added": found.as_added})
        told = ngettext(
            "Rejected and never started: %(rejected)d of %(recruited)d person in the study.",
            "Rejected and never started: %(rejected)d of %(recruited)d people in the study.",
            records.flow.recruited,
        )
        yield "2.3.2", numbered(told, {"rejected": found.turned_away, "recruited": records.flow.recruited})
    if "prior_exposure" in records.protocol.questions_of_any_profile:
        told = _("The profile form of the protocol asks whether people had met the benchmark before.")
        yield "2.5", told
