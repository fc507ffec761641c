"""What is missing before a study can be locked, and what should be known before."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from batches.models import BatchPlan
from batches.selectors.plans import plan_matches
from judging.models import JudgeConfig
from presentation.numbers import counted
from presentation.top import planned_top_sentence
from studies.models import Item, Prompt, Study
from studies.protocol import texts
from studies.protocol.settings import ProtocolSettings
from studies.selectors.categories import undecided
from studies.services.readiness import StudyNotReady, require_ready, require_window

MUST, SHOULD, KNOWN = "must", "should", "known"
DEFAULT_TEXTS = {
    "consent_text": (gettext_lazy("Consent"), "consent"),
    "instructions": (gettext_lazy("Instructions"), "instructions"),
    "allowed_tools": (gettext_lazy("Tools"), "tools"),
    "contact": (gettext_lazy("Contact"), "receipt"),
}


@dataclass(frozen=True)
class Missing:
    """One thing, with the page where it is mended. Only MUST keeps a study from being locked."""

    level: str
    badge: Any
    sentence: str
    page: str


def readiness(
    study: Study, plan: BatchPlan | None, saved: Collection[str], people: int, now: datetime
) -> list[Missing]:
    """Everything that is missing, the gravest first. A default text counts until its page was `saved`;
    so many `people` are planned.
    """
    settings = study.protocol
    return [
        *_refusals(study, settings, now),
        *_categories(study),
        *_sets(study, plan),
        *_judge(settings),
        *_top(settings, people),
        *_default_texts(settings, saved),
        *_parameters(study),
    ]


def _refusals(study: Study, settings: ProtocolSettings, now: datetime) -> list[Missing]:
    found = []
    try:
        require_ready(study, settings)
    except StudyNotReady as refusal:
        found += [Missing(MUST, _("Questions"), sentence, "judge") for sentence in refusal.sentences]
    try:
        require_window(study.opens_at, study.closes_at, now)
    except StudyNotReady as refusal:
        found += [Missing(MUST, _("Time"), sentence, "time") for sentence in refusal.sentences]
    return found


def _categories(study: Study) -> list[Missing]:
    number = len(undecided(study))
    sentence = ngettext(
        "Question bank and item bank put %(number)s question into different categories: say which holds.",
        "Question bank and item bank put %(number)s questions into different categories: say which holds.",
        number,
    )
    return [Missing(MUST, _("Categories"), sentence % {"number": counted(number)}, "items")] if number else []


def _sets(study: Study, plan: BatchPlan | None) -> list[Missing]:
    if plan is None:
        sentence = _("The question sets are not built yet.")
    elif not plan_matches(plan, study):
        sentence = _("The question sets were built under other settings; build them again.")
    else:
        return []
    return [Missing(MUST, _("Sets"), sentence, "questions")]


def _judge(settings: ProtocolSettings) -> list[Missing]:
    if settings.judge_kind != "llm" or JudgeConfig.objects.exists():
        return []
    sentence = _("This site knows no judge yet; answers could not be scored.")
    return [Missing(SHOULD, _("Judge"), sentence, "judge")]


def _top(settings: ProtocolSettings, people: int) -> list[Missing]:
    sentence = planned_top_sentence(settings.top_size, people)
    return [Missing(SHOULD, _("Top"), sentence, "reporting")] if sentence else []


def _default_texts(settings: ProtocolSettings, saved: Collection[str]) -> list[Missing]:
    defaults = {
        "consent_text": texts.DEFAULT_CONSENT,
        "instructions": texts.DEFAULT_INSTRUCTIONS,
        "allowed_tools": texts.DEFAULT_ALLOWED_TOOLS,
        "contact": texts.DEFAULT_CONTACT,
    }
    sentence = _("Still Chiron's own text. See that it fits, and save it.")
    return [
        Missing(SHOULD, label, sentence, page)
        for name, (label, page) in DEFAULT_TEXTS.items()
        if page not in saved and getattr(settings, name) == defaults[name]
    ]


def _parameters(study: Study) -> list[Missing]:
    if study.item_bank is None:
        sentence = _("No item parameters: there will be raw scores, but no ability on the models' scale.")
        return [Missing(KNOWN, _("Items"), sentence, "items")]
    known = Item.objects.filter(item_bank=study.item_bank).values("prompt_id")
    without = Prompt.objects.filter(version=study.bank_version_id).exclude(prompt_id__in=known).count()
    if not without:
        return []
    sentence = ngettext(
        "%(number)s question has no item parameters: it counts in raw scores, not in ability.",
        "%(number)s questions have no item parameters: they count in raw scores, not in ability.",
        without,
    )
    return [Missing(KNOWN, _("Items"), sentence % {"number": counted(without)}, "items")]
