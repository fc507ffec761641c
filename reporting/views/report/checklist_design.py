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
    yield "2.1", " ".join(f"{profile.name}: {profile.description}" for profile in records.protocol.profiles)
    vetting = records.vetting
    if vetting.decided:
        text = _(
            "Decided about by the study team: %(decided)s; approved as they were added, without a "
            "decision of their own: %(added)d."
        )
        yield "2.3", numbered(text, {"decided": people_text(vetting.decided), "added": vetting.as_added})
        text = ngettext(
            "Rejected and never started: %(rejected)d of %(recruited)d person in the study.",
            "Rejected and never started: %(rejected)d of %(recruited)d people in the study.",
            records.flow.recruited,
        )
        yield "2.3.2", numbered(text, {"rejected": vetting.turned_away, "recruited": records.flow.recruited})
    if "prior_exposure" in records.protocol.questions_of_any_profile:
        text = _("The profile form of the protocol asks whether people had met the benchmark before.")
        yield "2.5", text
    yield "2.7", _("What people were told of it: %(note)s") % {"note": records.protocol.payment_note.strip()}


def listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({number})" for name, number in counts.items())


def amended(records: StudyRecords, *settings: str) -> bool:
    """Whether an amendment changed one of these: then the protocol as it is does not speak for everybody."""
    return any(name in amendment.changes for amendment in records.amendments for name in settings)


def _bank(records: StudyRecords) -> Sentences:
    questions = records.asked
    if questions.modalities:
        text = (
            _("Public questions by modality: %(listed)s.")
            if records.scope == Scope.PUBLIC
            else _("Questions by modality: %(listed)s.")
        )
        yield "0.6", text % {"listed": listed(questions.modalities)}
    if questions.in_bank:
        facts = {"bank": str(records.study.bank_version), "number": questions.in_bank}
        text = ngettext(
            "The question bank %(bank)s has %(number)d question.",
            "The question bank %(bank)s has %(number)d questions.",
            questions.in_bank,
        )
        yield "0.8", numbered(text, facts)
    if questions.asked and questions.asked == questions.in_bank:
        yield "1.2.1", _("None was left out: the question sets hold every question of the bank.")


def _models(records: StudyRecords) -> Sentences:
    models, questions = records.models, records.asked
    if models.with_scores:
        public = questions.asked - questions.private
        text = (
            ngettext(
                "Scores of models are stored for %(number)d of the study's %(public)d public question.",
                "Scores of models are stored for %(number)d of the study's %(public)d public questions.",
                public,
            )
            if records.scope == Scope.PUBLIC
            else ngettext(
                "Scores of models are stored for %(number)d of the study's %(asked)d question.",
                "Scores of models are stored for %(number)d of the study's %(asked)d questions.",
                questions.asked,
            )
        )
        yield "0.9", numbered(text, {"number": models.prompts, "public": public, "asked": questions.asked})
    if models.epochs:
        yield "0.10", numbered(_("Up to %(number)d."), {"number": models.epochs})


def _sample(records: StudyRecords) -> Sentences:
    questions, average = records.asked, records.average
    if records.flow.started:
        text = _(
            "Recruited: %(recruited)d. Sessions started: %(started)d. Counted for the estimates: "
            "%(retained)d."
        )
        yield "1.1", numbered(text, vars(records.flow))
    if average and average.prompts:
        text = (
            _(
                "Questions in the study's question sets: %(asked)d, private: %(private)d; public ones "
                "with a scored answer: %(scored)d."
            )
            if records.leading == Scope.PUBLIC
            else _("Questions in the study's question sets: %(asked)d; with a scored answer: %(scored)d.")
        )
        facts = {"asked": questions.asked, "private": questions.private, "scored": average.prompts}
        yield "1.2", numbered(text, facts)
    if average and average.responses_per_prompt is not None:
        text = _("%(number)s scored responses per question on average (Average group).")
        yield "1.3", text % {"number": decimals(average.responses_per_prompt, 2)}


def _batches(records: StudyRecords, starts: StartFacts) -> Sentences:
    """What everybody who started was given, and could try or had to pass before."""
    text = _("Questions per person: %(number)s; one question set per person.")
    yield "1.4", text % {"number": span_or_one(*starts.prompts, places=0)}
    text = _(
        "Minutes that people had at their start for a question set in all, kept by the server's clock: "
        "%(minutes)s."
    )
    minutes = {"minutes": span_or_one(*starts.minutes, places=0)}
    yield "1.7", " ".join([text % minutes, *extra_time(starts.more_time)])
    protocol, kinds = records.protocol, []
    changed = amended(records, "practice_prompts", "comprehension_check", "check_questions")
    if protocol.practice_prompts and not changed:
        text = _("Practice questions that people could try: %(number)d.")
        kinds.append(numbered(text, {"number": len(protocol.practice_prompts)}))
    if protocol.comprehension_check and not changed:
        text = _("A comprehension check had to be passed; its questions: %(number)d.")
        kinds.append(numbered(text, {"number": len(protocol.check_questions)}))
    if kinds:
        text = _(
            "Something on this site could be tried or had to be passed; training elsewhere is not on record."
        )
        yield "2.6", text
        yield "2.6.1", " ".join(kinds)
