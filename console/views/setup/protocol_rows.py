"""A study's protocol in full, beside the pilot's, and what is left to do in its life."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.forms import ChoiceField, Field, ModelChoiceField
from django.utils.translation import get_language_info, gettext as _, gettext_lazy, ngettext

from batches.models import Session
from batches.rules.statuses import SessionStatus
from batches.views.wording import duration_words
from console.forms.steps import STEP_FORMS
from console.selectors.consequences import Facts, consequence
from console.selectors.readiness import TEXT_LABELS
from presentation.numbers import as_written, counted, decimals
from screening.selectors.participants import undecided_participants
from studies.models import Study, VettingStatus
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS
from studies.protocol.settings import TEXTS as TRANSLATED, TOLD_TEXTS, ProtocolSettings
from studies.services.amendments import FIXED, FIXED_PLACES

# Settings without a field of their own.
MORE_LABELS = {"missing_rule": "reporting"}
TIME_LABELS = {"opens_at": gettext_lazy("Opens"), "closes_at": gettext_lazy("Closes")}
# Where the table does not write what the field asks for.
ROW_LABELS = {"time_budget_minutes": gettext_lazy("Time for a set"), "top_size": gettext_lazy("Top")}
# What participants read or are asked, word for word; a table has no room for it.
TEXTS = (
    "organisation", "responsible", "reached_at", "pay", "consent_text", "instructions", "arms",
    "allowed_tools", "practice_prompts", "check_questions", "next_steps", "payment_note", "contact",
    "screening_reasons",
)  # fmt: skip


@dataclass(frozen=True)
class ProtocolRow:
    """One setting: its value, the pilot's, and what follows where they differ."""

    name: str
    label: Any
    page: str
    value: str
    pilot: str
    follows: str
    differs: bool


@dataclass(frozen=True)
class ProtocolText:
    """One text in full, in so many words, and whether it is the study's own."""

    label: Any
    page: str
    text: str
    words: int
    is_own: bool


def protocol_rows(facts: Facts) -> list[ProtocolRow]:
    """Every setting that is no text, in the order of the steps. The defaults are the pilot's."""
    protocol = facts.protocol
    stored, defaults = protocol.model_dump(mode="json"), ProtocolSettings().model_dump(mode="json")
    return [
        ProtocolRow(
            name,
            ROW_LABELS.get(name, label),
            page,
            in_short(stored[name], name),
            _("not stated") if defaults[name] is None else in_short(defaults[name], name),
            consequence(name, facts) if stored[name] != defaults[name] else "",
            stored[name] != defaults[name],
        )
        for name, (label, page) in _places().items()
        if (name not in TEXTS or name == "arms") and (name != "category_source" or facts.study.item_bank)
    ]


def protocol_texts(study: Study) -> list[ProtocolText]:
    """Every text in full, the judge's last where a language model is asked."""
    stored, defaults = study.protocol.model_dump(mode="json"), ProtocolSettings().model_dump(mode="json")
    rows = []
    for name in TEXTS:
        if stored[name]:
            (label, page), text = _places()[name], in_words(stored[name], name)
            rows.append(ProtocolText(label, page, text, len(text.split()), stored[name] != defaults[name]))
    if study.protocol.judge_kind == "llm":
        texts, label = study.judge_protocol, _("Judge: rubric and exact answers")
        own = DEFAULT_JUDGE_TEXTS
        both = (texts.rubric_text, texts.exact_text) if texts else (own.rubric, own.exact)
        is_own = texts is not None and texts.sha256 != own.sha256
        text = "\n\n".join(both)
        rows.append(ProtocolText(label, "judge", text, len(text.split()), is_own))
    return rows


def in_short(value: Any, name: str) -> str:
    """A stored value in a line of a table: of entries their names, of minutes hours, of Top its people."""
    if name == "time_budget_minutes":
        return duration_words(60 * value)
    if name == "top_size":
        return ngettext("best %(n)s", "best %(n)s", value) % {"n": counted(value)}
    if name == "translations" and value:
        return "; ".join(map(_language_in_short, value))
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return ", ".join(str(entry.get("name") or entry.get("text") or entry.get("slug")) for entry in value)
    if isinstance(value, list):
        return ", ".join(in_words(entry, name) for entry in value) or _("none")
    if name == "judge_budget" and value is not None:
        return decimals(float(value))
    return in_words(value, name)


def fixed_names(protocol: ProtocolSettings) -> tuple[str, ...]:
    """Settings that not even an amendment changes."""
    return FIXED + FIXED_PLACES if protocol.has_fixed_places else FIXED


def setting_label(name: str) -> Any:
    """What a setting is called on its page; its own name where it has none."""
    return TIME_LABELS.get(name) or _places().get(name, (name, ""))[0]


def _language_in_short(entry: Mapping[str, Any]) -> str:
    """A language by its name, with the texts that are not there in it."""
    language = get_language_info(entry["language"])["name_translated"]
    lacking = ", ".join(
        str(TEXT_LABELS[name]) for name in TRANSLATED if name not in TOLD_TEXTS and not entry.get(name)
    )
    sentence = _("%(language)s, without: %(texts)s") if lacking else "%(language)s"
    return sentence % {"language": language, "texts": lacking}


def in_words(value: object, name: str = "") -> str:
    """A stored value for reading and for comparing; choices of the setting `name`, and what the entries of a
    list are made of, in their own words.
    """
    if value is None or value in ("", [], ()):
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int | float) and not name.endswith("seed"):
        return as_written(value)
    if isinstance(value, str):
        return str(_choices(name).get(value, value)).strip()
    if isinstance(value, Mapping):
        fields = _entry_fields(name)
        return "\n".join(
            f"{fields[key].label if key in fields else key}: {in_words(entry, f'{name}.{key}')}"
            for key, entry in value.items()
        )
    if isinstance(value, Iterable):
        between = "\n\n" if any(isinstance(entry, Mapping) for entry in value) else "\n"
        return between.join(in_words(entry, name) for entry in value)
    return str(value)


def _choices(name: str) -> Mapping[str, Any]:
    """The words of a setting's choices; nothing for settings without."""
    if name == "missing_rule":
        return {"as_missing": _("left out and counted, never zero")}
    of_list, _dot, part = name.partition(".")
    for fields in (_entry_fields(of_list),) if part else (form.base_fields for form in STEP_FORMS.values()):
        field = fields.get(part or name)
        if isinstance(field, ChoiceField) and not isinstance(field, ModelChoiceField):
            return dict(field.choices)  # type: ignore[arg-type]  # pairs, no groups
    return {}


def _entry_fields(name: str) -> Mapping[str, Field]:
    """The fields of an entry of the list `name`; none of other settings."""
    lists = (form.lists[name] for form in STEP_FORMS.values() if name in form.lists)
    return next((rows.form.base_fields for rows in lists), {})


def _places() -> dict[str, tuple[Any, str]]:
    """The label and the page of each setting, in the order of the pages."""
    known = ProtocolSettings.model_fields
    places: dict[str, tuple[Any, str]] = {}
    for page, form in STEP_FORMS.items():
        labels = {name: field.label for name, field in form.base_fields.items()}
        labels |= {name: rows.label for name, rows in form.lists.items()}
        places |= {name: (label, page) for name, label in labels.items() if name in known}
    places |= {name: (_("Missing answers"), page) for name, page in MORE_LABELS.items()}
    return places


def left_to_do(study: Study) -> list[dict[str, Any]]:
    """What is still open when a study closes, each with its number and its page."""
    running = Session.objects.filter(participant__study=study, status=SessionStatus.ACTIVE).count()
    people = study.participants.filter(vetting_status=VettingStatus.SUBMITTED).count()
    return [
        {"label": _("Sessions still running"), "number": running, "page": "staff_study"},
        {"label": _("People who wait for a decision"), "number": people, "page": "staff_participants"},
        {
            "label": _("Flagged people without a verdict"),
            "number": undecided_participants(study).count(),
            "page": "staff_screening",
        },
    ]
