"""What follows from settings that differ from the pilot's, computed from the design where it can be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from console.selectors.design import planned_people, width_with
from judging.selectors.planned_cost import PlannedJudging
from presentation.numbers import counted, decimals
from studies.models import Study
from studies.protocol.settings import ProtocolSettings

PILOT = ProtocolSettings()


@dataclass(frozen=True)
class Facts:
    """The study, the questions of its bank, and what judging is planned to take."""

    study: Study
    prompts: int
    judging: PlannedJudging

    @property
    def protocol(self) -> ProtocolSettings:
        return self.study.protocol

    @property
    def in_set(self) -> int:
        return min(self.protocol.batch_size, self.prompts)

    @property
    def people(self) -> int:
        return planned_people(self.protocol, self.prompts)


def consequence(name: str, facts: Facts) -> str:
    """A short sentence for the setting `name`; "" where nothing is known to follow."""
    return SENTENCES[name](facts) if name in SENTENCES and facts.prompts else ""


def _size(facts: Facts) -> str:
    answers = ngettext("%(n)s answer a person", "%(n)s answers a person", facts.in_set)
    sentence = answers % {"n": counted(facts.in_set)}
    own, pilots = (width_with(facts.study, facts.prompts, size) for size in (facts.in_set, PILOT.batch_size))
    if not own or not pilots or facts.in_set == PILOT.batch_size:
        return sentence
    wide = decimals(own / pilots, 1)
    if wide == decimals(1, 1):
        return sentence
    return _("%(answers)s: intervals about %(wide)s times as wide with as many people") % {
        "answers": sentence, "wide": wide,
    }  # fmt: skip


def _people(facts: Facts) -> str:
    protocol = facts.protocol
    each = len(protocol.profiles) * protocol.replicates_per_profile
    pilot = len(PILOT.profiles) * PILOT.replicates_per_profile
    sentence = ngettext(
        "%(each)s person gets each question, the pilot had %(pilot)s; people in all: %(people)s",
        "%(each)s people get each question, the pilot had %(pilot)s; people in all: %(people)s",
        each,
    )
    return sentence % {"each": counted(each), "pilot": counted(pilot), "people": counted(facts.people)}


def _time(facts: Facts) -> str:
    minutes = decimals(facts.protocol.time_budget_minutes / facts.in_set, 0)
    pilot = decimals(PILOT.time_budget_minutes / PILOT.batch_size, 0)
    return _("%(minutes)s min a question; the pilot had %(pilot)s") % {"minutes": minutes, "pilot": pilot}


def _top(facts: Facts) -> str:
    top = {"top": counted(facts.protocol.top_size), "people": counted(facts.people)}
    sentence = ngettext(
        "%(top)s of %(people)s planned person", "%(top)s of %(people)s planned people", facts.people
    )
    return sentence % top


def _arms(facts: Facts) -> str:
    each = facts.people // max(len(facts.protocol.arms), 1)
    return _("People are drawn for them: about %(each)s each") % {"each": counted(each)}


def _judge_kind(_facts: Facts) -> str:
    return _("No language model is asked: judging costs nothing")


def _judge(facts: Facts) -> str:
    if facts.judging.cost is None:
        return _("No prices: what judging costs is not known")
    sentence = ngettext(
        "About %(cost)s for %(calls)s call", "About %(cost)s for %(calls)s calls", facts.judging.calls
    )
    return sentence % {"cost": decimals(float(facts.judging.cost)), "calls": counted(facts.judging.calls)}


def _assembly(facts: Facts) -> str:
    if facts.protocol.assembly == "random":
        return _("Sets differ in difficulty, so people's raw scores do, too")
    return _("Questions meet ever different ones; places cannot change later")


# By the name of the setting; the others have nothing to compute.
SENTENCES: Mapping[str, Callable[[Facts], str]] = {
    "batch_size": _size,
    "profiles": _people,
    "replicates_per_profile": _people,
    "time_budget_minutes": _time,
    "top_size": _top,
    "arms": _arms,
    "assembly": _assembly,
    "judge_kind": _judge_kind,
    "planned_judge": _judge,
    "judge_budget": lambda _facts: _("Judging pauses before more is spent"),
    "judge_excluded": lambda _facts: _("Results with nobody left out will not be known"),
    "overdue_rule": lambda _facts: _("Who does not hand in before the time is up counts with nothing"),
    "headline_scope": lambda _facts: _("Private questions are beside the numbers that stand first"),
    "prompt_order": lambda _facts: _("What comes late in a set comes late for some only"),
}
