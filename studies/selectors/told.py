"""What people are told before they agree, from the study's own records: one block for every place.

It stands in the invitation, on the pages behind links, on the consent page and in the copy that is kept.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.utils import formats
from django.utils.translation import get_language, get_language_info, gettext as _, ngettext

from formats.wording import gettext_noop
from presentation.moments import moment_text
from presentation.numbers import numbered
from studies.models import Study
from studies.protocol.consents import RECORDED_SENTENCES, consent_sha256, recorded_items
from studies.protocol.settings import TOLD_TEXTS, ProtocolSettings
from studies.selectors.banks import questions_in_set

REQUIRED: Mapping[str, str] = {
    "organisation": gettext_noop("Say which organisation runs the study."),
    "responsible": gettext_noop("Name the person who is responsible for the study."),
    "reached_at": gettext_noop("Write how participants reach them: an address or a telephone number."),
    "pay": gettext_noop("Say in words what people are paid, or that they are not; or set a payment rule."),
}


class Told(NamedTuple):
    """A line of the block; `at` is the moment that its text is of, for pages that know the viewer's zone."""

    label: str
    text: str
    at: datetime | None = None


def told_missing(study: Study) -> list[str]:
    """A sentence for everything that people would not be told. Nobody real is in a simulated study."""
    settings = study.protocol
    has_rule = study.payment_rules.exists()
    return [
        _(sentence)
        for name, sentence in REQUIRED.items()
        if not study.is_simulated and not getattr(settings, name).strip() and not (name == "pay" and has_rule)
    ]


def told_lines(
    study: Study, settings: ProtocolSettings | None = None, *, beside: Iterable[str] = ()
) -> list[Told]:
    """The block: what it is about and what is said, in the reader's language. Blank settings say nothing.

    `beside` are lists of the study that the reader is shown with it.
    """
    settings = settings or study.protocol
    hours, minutes = divmod(settings.time_budget_minutes, 60)
    length = []
    if hours:
        length.append(numbered(ngettext("%(number)d hour", "%(number)d hours", hours), {"number": hours}))
    if minutes:
        sentence = ngettext("%(number)d minute", "%(number)d minutes", minutes)
        length.append(numbered(sentence, {"number": minutes}))
    least, most = questions_in_set(study, settings=settings)
    questions = numbered(ngettext("%(number)d question", "%(number)d questions", most), {"number": most})
    in_set = questions if least == most else _("up to %(questions)s") % {"questions": questions}
    own = {name: settings.text_in(name, get_language() or "")[0].strip() for name in TOLD_TEXTS}
    pay = [text for text in (own["pay"], rule_words(payment_rule_facts(study))) if text]
    who = [text.strip() for text in (settings.responsible, settings.organisation) if text.strip()]
    lines = [
        Told(_("Who runs it"), ", ".join(who)),
        Told(_("How to reach them"), own["reached_at"]),
        Told(
            _("Your time"),
            _("%(length)s in one go, for %(questions)s") % {"length": " ".join(length), "questions": in_set},
        ),
        Told(_("Until"), moment_text(study.closes_at) if study.closes_at else "", study.closes_at),
        Told(_("Pay"), " ".join(pay)),
        Told(
            _("Leaving"),
            numbered(
                ngettext(
                    "You can withdraw on your own page at any time, without giving a reason. What you wrote "
                    "is deleted %(number)d day later.",
                    "You can withdraw on your own page at any time, without giving a reason. What you wrote "
                    "is deleted %(number)d days later.",
                    settings.deletion_days,
                ),
                {"number": settings.deletion_days},
            ),
        ),
        Told(_("Language"), _only_in(settings, beside)),
    ]
    return [line for line in lines if line.text]


def _only_in(settings: ProtocolSettings, lists: Iterable[str]) -> str:
    """A sentence where something of what is read is not there in the reader's language."""
    wanted = get_language() or ""
    texts = [settings.text_in(name, wanted) for name in TOLD_TEXTS]
    entries = [settings.entries_in(name, wanted) for name in lists]
    if all(language == wanted for read, language in (*texts, *entries) if read):
        return ""
    language = get_language_info(settings.text_language)["name_translated"]
    return _("Some of this is only available in %(language)s.") % {"language": language}


def recorded_sentences(codes: Iterable[str]) -> list[str]:
    """What the site records, in the reader's language."""
    return [_(RECORDED_SENTENCES[code]) for code in codes]


def told_text(study: Study, settings: ProtocolSettings | None = None) -> str:
    """The block of an invitation, which names a profile: a line for each, and what is recorded below it."""
    told_block = told_lines(study, settings, beside=("profiles",))
    lines = [f"{line.label}: {line.text}" for line in told_block]
    recorded = recorded_sentences(recorded_items(settings or study.protocol))
    return "\n".join([*lines, "", _("What this site records:"), *(f"- {sentence}" for sentence in recorded)])


def agreed_sha256(study: Study) -> str:
    """What a consent to the study as it is now is recognised by (hex)."""
    return consent_sha256(study.protocol, payment_rule_facts(study))


def payment_rule_facts(study: Study) -> dict[str, str] | None:
    """The newest rule of payment by its terms; None where there is none."""
    rules = list(study.payment_rules.all())  # not asked by number: of many mails they are read once
    rule = rules[-1] if rules else None
    names = ("currency", "flat", "hourly", "hours_cap", "bonus", "bonus_answers", "pays_withdrawn")
    return {name: str(getattr(rule, name)) for name in names} if rule else None


def rule_words(rule: Mapping[str, str] | None) -> str:
    """The terms in a sentence each; blank without a rule, or where it pays nothing."""
    if rule is None:
        return ""
    facts: dict[str, Any] = {
        name: formats.number_format(value) if value[0].isdigit() else value for name, value in rule.items()
    }
    facts["hours_cap"] = facts["hours_cap"].removesuffix("00").rstrip(".,")
    terms = []
    if float(rule["flat"]):
        terms.append(_("%(flat)s %(currency)s when your time has ended."))
    if float(rule["hourly"]) and rule["hours_cap"] != "None":
        terms.append(
            ngettext(
                "%(hourly)s %(currency)s for every hour worked, up to %(hours_cap)s hour.",
                "%(hourly)s %(currency)s for every hour worked, up to %(hours_cap)s hours.",
                1 if float(rule["hours_cap"]) == 1 else 2,  # one and a half are hours, too
            )
        )
    elif float(rule["hourly"]):
        terms.append(_("%(hourly)s %(currency)s for every hour worked."))
    if float(rule["bonus"]):
        terms.append(
            ngettext(
                "%(bonus)s %(currency)s more for at least %(bonus_answers)s answer.",
                "%(bonus)s %(currency)s more for at least %(bonus_answers)s answers.",
                int(rule["bonus_answers"]),
            )
        )
    if terms and rule["pays_withdrawn"] != "True":
        terms.append(_("Who withdraws is not paid."))
    return " ".join(sentence % facts for sentence in terms)
