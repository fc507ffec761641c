"""How the judge `match` of a study reads an answer, without saying whether it is right."""

from dataclasses import dataclass

from batches.models import Answer, Session
from judging.matching import bbeh, bbh, bbh_tasks
from judging.matching.bbh import Reading
from judging.models import ScoringRun
from studies.models import Prompt, Study


@dataclass(frozen=True)
class AnswerReader:
    """Reads answers to the prompts of one study, in the version of the rules that their judging uses."""

    rules: str
    version: int

    def form(self, prompt: Prompt) -> str:
        """The kind of answer that is read: "line", or what the task of a BIG-Bench Hard question asks for.

        Blank for a question of no such task, which cannot be scored.
        """
        if self.rules == "bbeh":
            return "line"
        return bbh_tasks.form_of(prompt.task) if prompt.task in bbh.PATTERNS else ""

    def read(self, text: str, prompt: Prompt) -> Reading | None:
        """None for a blank text, which is missing, and where there is no form."""
        if not text.strip() or not self.form(prompt):
            return None
        if self.rules == "bbeh":
            extracted = bbeh.extract(text)
            return Reading(extracted, has_form=bool(extracted))
        return bbh.reading_of(text, prompt.task, prompt.text, version=self.version)


def answer_reader(study: Study) -> AnswerReader | None:
    """None where the study's judge does not compare answers."""
    rules = study.protocol.match_rules
    if rules is None:
        return None
    # A run goes on by the rules with which it was begun.
    begun = ScoringRun.objects.filter(study=study, design_hash=study.design_hash, judge_kind="match")
    judge = begun.order_by("-pk").values_list("judge", flat=True).first() if rules == "bbh" else None
    return AnswerReader(rules, (judge or {}).get("version", bbh.VERSION))


def unread_answers(session: Session) -> list[Answer]:
    """The session's answers that hold text in which its study's judge reads nothing."""
    reader = answer_reader(session.participant.study)
    if reader is None:
        return []
    answers = session.answers.select_related("prompt").filter(has_text=True)
    return [one for one in answers if (found := reader.read(one.text, one.prompt)) and not found.has_form]
