"""How far a study is set up: its steps, each with what is stored in a few words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from batches.models import BatchPlan
from presentation.numbers import counted, percent
from studies.models import Study, StudyEvent, StudyStatus
from studies.selectors.names import judge_kind_name
from studies.services.events import StudyEventKind

TEXT_PAGES: Mapping[str, Any] = {
    "told": gettext_lazy("What people are told"),
    "consent": gettext_lazy("Consent"),
    "instructions": gettext_lazy("Instructions"),
    "start": gettext_lazy("Start page"),
    "receipt": gettext_lazy("Receipt"),
    "translations": gettext_lazy("Languages"),
}
STEP_LABELS: Mapping[str, Any] = {
    "questions": gettext_lazy("Questions"),
    "items": gettext_lazy("Item parameters"),
    "people": gettext_lazy("People and profiles"),
    "time": gettext_lazy("Time"),
    "texts": gettext_lazy("Texts"),
    "tools": gettext_lazy("Tools and resources"),
    "arms": gettext_lazy("Arms"),
    "practice": gettext_lazy("Practice and check"),
    "offtask": gettext_lazy("Off-task rules"),
    "judge": gettext_lazy("Judge and budget"),
    "reporting": gettext_lazy("What will be reported"),
}


@dataclass(frozen=True)
class Step:
    """One step: `state` is done (saved once, or locked), todo (something is missing), look (something is to
    be looked at) or open (not saved yet).

    `page` is its first page that is not done.
    """

    slug: str
    label: Any
    value: str
    state: str
    page: str


@dataclass(frozen=True)
class Saved:
    """What the trail says of the set-up: pages that were saved, when and by whom the newest change was, the
    plan that was kept last, and whether licence and authors were said.
    """

    pages: frozenset[str]
    at: datetime | None
    by: str
    kept: StudyEvent | None
    says_licence: bool


def saved_pages(study: Study) -> Saved:
    """One query."""
    set_up = (StudyEventKind.SETTINGS_CHANGED, StudyEventKind.CREATED)
    kinds = (*set_up, StudyEventKind.PLANNED, StudyEventKind.PUBLICATION_SET)
    events = list(study.events.filter(kind__in=kinds).select_related("actor").order_by("id"))
    changes = [event for event in events if event.kind in set_up]
    plans = [event for event in events if event.kind == StudyEventKind.PLANNED]
    last = changes[-1] if changes else None
    return Saved(
        pages=frozenset(str(event.details["step"]) for event in changes if "step" in event.details),
        at=last.happened_at if last else None,
        by=last.actor.email if last and last.actor else "",
        kept=plans[-1] if plans else None,
        says_licence=any(event.kind == StudyEventKind.PUBLICATION_SET for event in events),
    )


def step_of(page: str) -> str:
    """The step that a page belongs to."""
    return "texts" if page in TEXT_PAGES else page


def setup_steps(
    study: Study,
    *,
    prompts: int,
    plan: BatchPlan | None,
    saved: Saved,
    missing: set[str],
    to_look_at: set[str],
) -> list[Step]:
    """All steps but the lock; `missing` and `to_look_at` are pages that the readiness list names."""
    facts = _Facts(study, prompts, plan)
    locked = study.status != StudyStatus.DRAFT
    steps = []
    for slug, label in STEP_LABELS.items():
        pages = [page for page in TEXT_PAGES if page != "start"] if slug == "texts" else [slug]
        left = [page for page in pages if page in missing | to_look_at or page not in saved.pages]
        if locked or not left:
            state = "done"
        else:
            named = (("todo", missing), ("look", to_look_at))
            state = next((word for word, there in named if there.intersection(pages)), "open")
        page = pages[0] if locked or not left else left[0]
        steps.append(Step(slug, label, VALUES[slug](facts), state, page))
    return steps


@dataclass(frozen=True)
class _Facts:
    study: Study
    prompts: int
    plan: BatchPlan | None


def _questions(facts: _Facts) -> str:
    prompts = counted(facts.prompts)
    if facts.plan is None:
        return ngettext("%(number)s question", "%(number)s questions", facts.prompts) % {"number": prompts}
    sets = len(facts.plan.report["sizes"])
    words = ngettext("%(prompts)s in %(sets)s set", "%(prompts)s in %(sets)s sets", sets)
    return words % {"prompts": prompts, "sets": counted(sets)}


def _people(facts: _Facts) -> str:
    protocol = facts.study.protocol
    return f"{counted(len(protocol.profiles))} × {counted(protocol.replicates_per_profile)}"


def _time(facts: _Facts) -> str:
    minutes = facts.study.protocol.time_budget_minutes
    hours, rest = divmod(minutes, 60)
    if not hours:
        return _("%(minutes)s min") % {"minutes": counted(rest)}
    whole = counted(hours)
    return _("%(hours)s h %(minutes)s min") % {"hours": whole, "minutes": rest} if rest else f"{whole} h"


def _arms(facts: _Facts) -> str:
    return counted(len(facts.study.protocol.arms)) if facts.study.protocol.arms else _("none")


def _practice(facts: _Facts) -> str:
    number = len(facts.study.protocol.practice_prompts)
    return ngettext("%(number)s question", "%(number)s questions", number) % {"number": counted(number)}


def _read_twice(facts: _Facts) -> str:
    share = facts.study.protocol.second_share
    return _("fixed") if share is None else _("%(share)s read twice") % {"share": percent(share, 0)}


def _nothing(_facts: _Facts) -> str:
    return ""


VALUES: Mapping[str, Callable[[_Facts], str]] = {
    "questions": _questions,
    "items": lambda facts: facts.study.item_bank.slug if facts.study.item_bank else _("none"),
    "people": _people,
    "time": _time,
    "texts": _nothing,
    "tools": _nothing,
    "arms": _arms,
    "practice": _practice,
    "offtask": _read_twice,
    "judge": lambda facts: judge_kind_name(facts.study.protocol.judge_kind),
    "reporting": lambda facts: _("Top %(number)s") % {"number": counted(facts.study.protocol.top_size)},
}
