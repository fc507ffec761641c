"""What is missing before a study can be locked, and what should be known before: one list for pages, cards,
the lock and the commands.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings as conf
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import get_language_info, gettext as _, gettext_lazy, ngettext

from batches.models import BatchPlan
from batches.selectors.plans import plan_matches
from console.selectors.design import planned_people
from console.selectors.steps import Saved, saved_pages
from judging.models import JudgeConfig
from judging.selectors.planned_cost import PlannedJudging, planned_judging
from presentation.numbers import counted, decimals, numbered
from presentation.problems import problem_in_words
from presentation.top import planned_top_sentence
from studies.models import Item, ItemBank, Prompt, Study, StudyStatus
from studies.protocol import texts
from studies.protocol.settings import LISTS, TEXTS, ProtocolSettings
from studies.selectors.banks import questions_in_set
from studies.selectors.categories import undecided
from studies.selectors.told import told_missing
from studies.services.readiness import StudyNotReady, profile_problems, prompt_problems, require_window

MUST, SHOULD, KNOWN = "must", "should", "known"
TEXT_LABELS = {
    "consent_text": gettext_lazy("Consent"),
    "instructions": gettext_lazy("Instructions"),
    "allowed_tools": gettext_lazy("Tools"),
    "contact": gettext_lazy("Contact"),
    "next_steps": gettext_lazy("Receipt"),
    "payment_note": gettext_lazy("Payment"),
    "pay": gettext_lazy("What people are paid"),
    "reached_at": gettext_lazy("How participants reach them"),
    "profiles": gettext_lazy("Profiles"),
    "arms": gettext_lazy("Arms"),
    "practice_prompts": gettext_lazy("Practice"),
    "check_questions": gettext_lazy("Check questions"),
    "resource_categories": gettext_lazy("Kinds of resources"),
}
DEFAULT_TEXTS = {
    "consent_text": ("consent", texts.DEFAULT_CONSENT),
    "instructions": ("instructions", texts.DEFAULT_INSTRUCTIONS),
    "allowed_tools": ("tools", texts.DEFAULT_ALLOWED_TOOLS),
    "contact": ("receipt", texts.DEFAULT_CONTACT),
    "next_steps": ("receipt", texts.DEFAULT_NEXT_STEPS),
    "payment_note": ("receipt", texts.DEFAULT_PAYMENT_NOTE),
}
# Texts that participants read, with the page of each; their numbers must be those of the study.
TOLD = {
    "consent_text": "consent", "instructions": "instructions", "allowed_tools": "tools",
    "next_steps": "receipt", "payment_note": "receipt",
}  # fmt: skip
NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve".split(),
    "ein(?:e|en|er)? zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(),
)
AMOUNT = re.compile(
    rf"\b(\d+|{'|'.join(word for words in NUMBER_WORDS for word in words)})[ -]"
    r"(questions?|prompts?|hours?|Fragen?|Stunden?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Missing:
    """One thing: only MUST keeps a study from being locked. `page` is the step it belongs to, "" for none;
    `address` is where it is mended.
    """

    level: str
    badge: Any
    sentence: str
    page: str
    address: str


@dataclass(frozen=True)
class Readiness:
    """The list, the gravest first, and what it was read from. A locked study has nothing on it."""

    entries: tuple[Missing, ...]
    prompts: int
    plan: BatchPlan | None
    saved: Saved
    judging: PlannedJudging

    @property
    def blocking(self) -> list[Missing]:
        return [entry for entry in self.entries if entry.level == MUST]

    @property
    def advised(self) -> list[Missing]:
        """What does not keep the study from being locked."""
        return [entry for entry in self.entries if entry.level != MUST]

    @property
    def missing_pages(self) -> set[str]:
        """Steps of the set-up where something is missing before the lock."""
        return {entry.page for entry in self.blocking}

    @property
    def open_pages(self) -> set[str]:
        """Steps of the set-up where something is to be done."""
        return {entry.page for entry in self.entries if entry.level != KNOWN}

    @property
    def words(self) -> str:
        """The list in a few words, the same wherever it is counted; "" where nothing is to be done."""
        if number := len(self.blocking):
            words = ngettext(
                "%(number)d thing missing before it can be locked",
                "%(number)d things missing before it can be locked",
                number,
            )
        elif number := sum(entry.level == SHOULD for entry in self.entries):
            words = ngettext(
                "%(number)d thing to look at before the lock",
                "%(number)d things to look at before the lock",
                number,
            )
        else:
            return ""
        return numbered(words, {"number": number})


def readiness(study: Study, now: datetime, *, without_item_bank: bool = False) -> Readiness:
    """Everything that is missing from a draft. A default text counts until its page was saved;
    `without_item_bank` confirms that item parameters there are for its questions are not wanted.
    """
    plan = BatchPlan.objects.filter(study=study).first()
    prompts = Prompt.objects.filter(version=study.bank_version_id).count()
    saved, judging = saved_pages(study), planned_judging(study)
    if study.status != StudyStatus.DRAFT:
        return Readiness((), prompts, plan, saved, judging)
    settings = study.protocol
    entries = [
        *_fit(study, settings, prompts),
        *_times(study, settings, now),
        *_questions(study, plan, prompts),
        *_parameters(study, without_item_bank or "items" in saved.pages),
        *_judge(study, settings, judging),
        *_top(study, settings, prompts),
        *_numbers_told(study, settings, prompts),
        *_texts(study, settings, saved.pages),
    ]
    if not saved.says_licence:  # once the form was saved it is said, even that there is no licence
        sentence = _("Licence and authors are not said yet: exports would be “all rights reserved”, uncited.")
        address = reverse("staff_exports", args=[study.slug]) + "#publish"
        entries.append(Missing(SHOULD, _("Publishing"), sentence, "reporting", address))
    order = (MUST, SHOULD, KNOWN)
    entries.sort(key=lambda entry: order.index(entry.level))
    return Readiness(tuple(entries), prompts, plan, saved, judging)


def _entry(study: Study, level: str, badge: Any, sentence: str, page: str) -> Missing:
    return Missing(level, badge, sentence, page, reverse("staff_setup_step", args=[study.slug, page]))


def _fit(study: Study, settings: ProtocolSettings, prompts: int) -> Iterator[Missing]:
    """What the bank, the judge and the people lack beside the settings."""
    for sentence in prompt_problems(study.bank_version, settings):
        page = "judge" if prompts else "questions"
        yield _entry(study, MUST, _("Questions"), problem_in_words(sentence), page)
    for sentence in profile_problems(study, settings):
        yield _entry(study, MUST, _("People"), problem_in_words(sentence), "people")


def _times(study: Study, settings: ProtocolSettings, now: datetime) -> Iterator[Missing]:
    try:
        require_window(study.opens_at, study.closes_at, now)
    except StudyNotReady as refusal:
        for sentence in refusal.sentences:
            yield _entry(study, MUST, _("Time"), sentence, "time")
        return
    if study.closes_at is None:
        sentence = _("No closing time: people can start until somebody closes the study.")
        yield _entry(study, SHOULD, _("Time"), sentence, "time")
    elif study.closes_at - max(study.opens_at or now, now) < timedelta(minutes=settings.time_budget_minutes):
        sentence = _("It closes before anybody has had the whole time for a set.")
        yield _entry(study, SHOULD, _("Time"), sentence, "time")


def _questions(study: Study, plan: BatchPlan | None, prompts: int) -> Iterator[Missing]:
    """What their categories, what people are told and the sets lack."""
    if number := len(undecided(study)):
        sentence = ngettext(
            "Question and item bank put %(number)s question into different categories: say which holds.",
            "Question and item bank put %(number)s questions into different categories: say which holds.",
            number,
        )
        yield _entry(study, MUST, _("Categories"), sentence % {"number": counted(number)}, "items")
    for sentence in told_missing(study):
        yield _entry(study, MUST, _("People are told"), sentence, "told")
    if plan is None:
        yield _entry(study, MUST, _("Sets"), _("The question sets are not built yet."), "questions")
    elif not plan_matches(plan, study):
        sentence = _("The question sets were built under other settings; build them again.")
        yield _entry(study, MUST, _("Sets"), sentence, "questions")
    size = study.protocol.batch_size
    least, most = questions_in_set(study, prompts=prompts)
    facts = {"asked": counted(size), "least": counted(least), "most": counted(most)}
    if 0 < prompts < size:
        sentence = _(
            "A set is to hold %(asked)s questions and the bank has %(most)s: everybody gets them all."
        )
        yield _entry(study, SHOULD, _("Sets"), sentence % facts, "questions")
    elif least < most:
        sentence = _("The questions do not come out even: one set has %(least)s, the others %(most)s.")
        yield _entry(study, KNOWN, _("Sets"), sentence % facts, "questions")


def _parameters(study: Study, confirmed: bool) -> Iterator[Missing]:
    """Nothing of item parameters where there are none to choose: they are no part of such a study."""
    prompts = Prompt.objects.filter(version=study.bank_version_id)
    if study.item_bank is None:
        of_bank = Item.objects.filter(item_bank=OuterRef("pk"), prompt_id__in=prompts.values("prompt_id"))
        fitting = list(ItemBank.objects.filter(Exists(of_bank)).values_list("slug", flat=True)[:1])
        if fitting and not confirmed:
            sentence = _(
                "There are item parameters for these questions (%(bank)s) and the study uses none: it would "
                "have raw scores and no ability. Choose them, or save the page Item parameters without any."
            )
            yield _entry(study, MUST, _("Items"), sentence % {"bank": fitting[0]}, "items")
        return
    known = Item.objects.filter(item_bank=study.item_bank).values("prompt_id")
    if without := prompts.exclude(prompt_id__in=known).count():
        sentence = ngettext(
            "%(number)s question has no item parameters: it counts in raw scores, not in ability.",
            "%(number)s questions have no item parameters: they count in raw scores, not in ability.",
            without,
        )
        yield _entry(study, KNOWN, _("Items"), sentence % {"number": counted(without)}, "items")


def _judge(study: Study, settings: ProtocolSettings, planned: PlannedJudging) -> Iterator[Missing]:
    if settings.judge_command is not None and settings.judge_command not in conf.JUDGE_COMMANDS:
        sentence = _("This site has no program %(program)s; answers could not be scored.")
        yield _entry(study, SHOULD, _("Judge"), sentence % {"program": settings.judge_command}, "judge")
    if settings.judge_kind != "llm":
        return
    judge, budget = planned.judge, settings.judge_budget
    to_judge = reverse("staff_judge", args=[judge.slug]) if judge else ""
    if judge is None:
        sentence = (
            _("No judge is chosen; answers could not be scored.")
            if JudgeConfig.objects.exists()
            else _("This site knows no judge yet; answers could not be scored.")
        )
        yield _entry(study, SHOULD, _("Judge"), sentence, "judge")
    elif planned.cost is None:
        sentence = _(
            "The judge %(judge)s has no prices: nobody can say what judging costs, or keep a budget."
        )
        yield Missing(SHOULD, _("Prices"), sentence % {"judge": judge.slug}, "judge", to_judge)
    elif planned.cost and budget is None:
        sentence = _("No budget: judging costs about %(cost)s, and nothing would stop it at more.")
        facts = {"cost": decimals(float(planned.cost))}
        yield _entry(study, SHOULD, _("Budget"), sentence % facts, "judge")
    elif budget is not None and planned.cost > budget:
        sentence = _("Judging costs about %(cost)s, more than the budget of %(budget)s: it would pause.")
        facts = {"cost": decimals(float(planned.cost)), "budget": decimals(float(budget))}
        yield _entry(study, SHOULD, _("Budget"), sentence % facts, "judge")
    if judge is not None and budget is not None and judge.max_output_tokens is None:
        sentence = _("The judge %(judge)s has no bound on the length of a reply: the budget is no guarantee.")
        yield Missing(KNOWN, _("Budget"), sentence % {"judge": judge.slug}, "judge", to_judge)


def _top(study: Study, settings: ProtocolSettings, prompts: int) -> Iterator[Missing]:
    if sentence := planned_top_sentence(settings.top_size, planned_people(settings, prompts)):
        yield _entry(study, SHOULD, _("Top"), sentence, "reporting")


def _numbers_told(study: Study, settings: ProtocolSettings, prompts: int) -> Iterator[Missing]:
    """Texts that say another number of questions or hours than people will get."""
    in_set, minutes = questions_in_set(study, prompts=prompts), settings.time_budget_minutes
    texts_read = [(str(TEXT_LABELS[name]), getattr(settings, name), page) for name, page in TOLD.items()]
    texts_read += [(_("Arms"), arm.instructions, "arms") for arm in settings.arms]
    for label, text, page in texts_read:
        wrong = {}
        for match in AMOUNT.finditer(text):
            number, is_time = _number(match[1]), match[2][0].lower() in "hs"
            if number * 60 != minutes if is_time else number not in (1, *in_set):
                wrong[match[0].lower()] = f"“{match[0]}”"
        if wrong:
            question = ngettext("%(number)d question", "%(number)d questions", in_set[1])
            time = ngettext("%(number)d minute", "%(number)d minutes", minutes)
            facts = {
                "said": ", ".join(wrong.values()),
                "questions": numbered(question, {"number": in_set[1]}),
                "minutes": numbered(time, {"number": minutes}),
            }
            sentence = _("The text says %(said)s; people get %(questions)s and %(minutes)s.")
            yield _entry(study, SHOULD, label, sentence % facts, page)


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    places = (
        place
        for words in NUMBER_WORDS
        for place, known in enumerate(words, start=1)
        if re.fullmatch(known, word, re.IGNORECASE)
    )
    return next(places)


def _texts(study: Study, settings: ProtocolSettings, saved: Collection[str]) -> Iterator[Missing]:
    """Default texts whose pages nobody saved; and languages of the site in which people would read texts of
    another one.
    """
    left = [
        (str(TEXT_LABELS[name]), page)
        for name, (page, default) in DEFAULT_TEXTS.items()
        if page not in saved and getattr(settings, name) == default
    ]
    if left:
        sentence = _("Still Chiron's own: %(texts)s. See that they fit, and save their pages.")
        facts = {"texts": ", ".join(label for label, _page in left)}
        yield _entry(study, SHOULD, _("Texts"), sentence % facts, left[0][1])
    for language, _name in conf.LANGUAGES:
        read: dict[str, tuple[object, str]] = {name: settings.text_in(name, language) for name in TEXTS}
        read |= {name: settings.entries_in(name, language) for name in LISTS}
        if not settings.comprehension_check:
            del read["check_questions"]
        lacking = [
            str(TEXT_LABELS[name]) for name, (text, is_in) in read.items() if text and is_in != language
        ]
        if lacking:
            sentence = _("%(language)s is a language of this site, and these are not in it: %(texts)s.")
            facts = {
                "language": get_language_info(language)["name_translated"],
                "texts": ", ".join(lacking),
            }
            yield _entry(study, SHOULD, _("Languages"), sentence % facts, "translations")
