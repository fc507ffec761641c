"""The settings of a study: everything that is declared before the first participant starts.

The defaults are the published pilot's numbers (GIM paper, appendix G): 20 prompts in 5 hours, three profiles
with two participants each per batch, the 15 best as Top.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal, LiteralString, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictInt,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError, PydanticKnownError

from formats.sentences import error_sentence, field_path
from formats.texts import Text
from psychometrics.data.categories import CategorySource
from studies.protocol import texts
from studies.protocol.judge_kinds import JUDGE_KINDS

MAX_SEED = 2**63 - 1  # what a signed 64-bit database column holds
WEEK_MINUTES = 7 * 24 * 60


@dataclass(frozen=True)
class SettingFault:
    """One problem: where in the settings (their name first; empty for all together), and what it is.

    `message` reads on after the name of what is wrong, as in "is below 1; write 1 or more".
    """

    place: tuple[int | str, ...]
    message: str

    def __str__(self) -> str:
        return f"{f'{field_path(self.place)} {self.message}'.strip()}."


class ProtocolRefused(Exception):
    """The settings cannot be used; carries one sentence per problem, each naming its setting."""

    def __init__(self, faults: Iterable[SettingFault]) -> None:
        self.faults = tuple(faults)
        self.sentences = tuple(str(fault) for fault in self.faults)
        super().__init__("\n".join(self.sentences))


def _filled(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank_text", "is blank; write the text participants are to see")
    return text


def _slug(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text):
        message = 'is "{slug}"; use lower-case letters, digits and single hyphens, such as stem-phd'
        raise PydanticCustomError("slug", message, {"slug": text})
    return text


def _known_kind(name: str) -> str:
    if name not in JUDGE_KINDS:
        *others, last = map(repr, JUDGE_KINDS)
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})
    return name


FilledText = Annotated[Text, AfterValidator(_filled)]
ShortText = Annotated[Text, Field(max_length=500)]
Slug = Annotated[str, Field(max_length=50), AfterValidator(_slug)]
Entries = Annotated[tuple[FilledText, ...], Field(max_length=40)]
Count = Annotated[StrictInt, Field(ge=1)]
Seed = Annotated[StrictInt, Field(ge=0, le=MAX_SEED)]


class Settings(BaseModel):
    """Base: frozen, and an unknown setting is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


ProfileQuestion = Literal[
    "field", "level", "institution", "languages", "prior_baselining", "prior_exposure", "ai_experience"
]
PROFILE_QUESTIONS: tuple[ProfileQuestion, ...] = get_args(ProfileQuestion)


class ProfileSettings(Settings):
    """A kind of participant the study recruits; `slug` identifies it in files and addresses.

    `questions` are asked of this profile instead of the study's `profile_questions`; None: those.
    """

    slug: Slug
    name: FilledText
    description: FilledText
    questions: tuple[ProfileQuestion, ...] | None = None


class ArmSettings(Settings):
    """One way of working that people are compared under; `slug` names it in exports, never to participants.

    `instructions` are what people of this arm read besides the instructions for everybody.
    """

    slug: Slug
    instructions: FilledText


# Told before anybody agrees; each may be blank in every language.
TOLD_TEXTS = ("pay", "reached_at")
TEXTS = (
    "consent_text",
    "instructions",
    "allowed_tools",
    "next_steps",
    "payment_note",
    "contact",
    *TOLD_TEXTS,
)
# What participants read one by one: each list is there in a language in the order of its settings, or not.
LISTS = ("profiles", "arms", "practice_prompts", "check_questions", "resource_categories")
LATER_TRANSLATED = (*TOLD_TEXTS, *LISTS)


class TranslatedTexts(Settings):
    """The study's texts in one more language of the site; a blank one is not there in it.

    Of the LISTS there are names of profiles, instructions of arms, and of each check question the question
    with its options below it, a line each.
    """

    language: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)?$")]
    consent_text: Text = ""
    instructions: Text = ""
    allowed_tools: Text = ""
    next_steps: Text = ""
    payment_note: Text = ""
    contact: Text = ""
    pay: ShortText = ""
    reached_at: ShortText = ""
    profiles: Entries = ()
    arms: Entries = ()
    practice_prompts: Entries = ()
    check_questions: Entries = ()
    resource_categories: Entries = ()

    @model_serializer(mode="wrap")
    def _without_what_came_later(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """What came later and is not there adds nothing to a hash."""
        return {name: value for name, value in write(self).items() if value or name not in LATER_TRANSLATED}


class CheckQuestion(Settings):
    """One question of the comprehension check; `correct` is the number of the right option, from 1."""

    question: FilledText
    options: Annotated[tuple[FilledText, ...], Field(min_length=2, max_length=8)]
    correct: Count

    @model_validator(mode="after")
    def _correct_is_an_option(self) -> Self:
        if self.correct > len(self.options):
            message = "names option {correct} as correct, but there are {number}; correct the number"
            raise PydanticCustomError(
                "no_such_option", message, {"correct": self.correct, "number": len(self.options)}
            )
        return self


class ScreeningReason(Settings):
    """Why a flagged person does or does not count, as reviewers choose it; verdicts keep the `slug`."""

    slug: Slug
    text: FilledText


PILOT_PROFILES = (
    ProfileSettings(
        slug="stem-undergraduate",
        name="STEM undergraduate",
        description="Studies for a first degree in science, technology, engineering or mathematics.",
    ),
    ProfileSettings(
        slug="stem-phd",
        name="STEM PhD",
        description="Works on or holds a doctorate in science, technology, engineering or mathematics.",
    ),
    ProfileSettings(
        slug="non-stem-undergraduate",
        name="Non-STEM undergraduate",
        description="Studies for a first degree outside science, technology, engineering and mathematics.",
    ),
)


class ProtocolSettings(Settings):
    """What a frozen study promises. Times carry their unit in the name; texts are Markdown.

    `overdue_rule` decides about work at the deadline: "saved_counts" keeps what is saved, "submitted_only"
    only what was handed in. `match_rules` is set exactly when the judge is "match", and `judge_command`, the
    name of a program of the site, when it is "command". `prompt_order` "random" shuffles every person's batch
    by `order_seed`. `arms` are drawn for the places of every batch; none: everybody works alike. `assembly`
    "matrix" cuts the bank anew for every place of a prompt.
    `category_source` says whose categories hold where question bank and item bank disagree; None: they do
    not, or the study is of before that was asked, when the item bank's held.
    `profile_questions` and `credential_file` are what invited people are asked before the vetting decision;
    `note_per_prompt` and `confidence_per_prompt` what is asked beside every answer. `deletion_days` after a
    withdrawal the person's data are deleted. `judge_excluded` has the answers of people who are excluded
    judged, too, so that the result without any exclusion is known. `headline_scope` names the questions whose
    numbers stand first: all of them, where they may be told beside the public ones, or the public ones.
    The texts are in `text_language`, and in the languages of `translations`, as far as those have them.
    `organisation`, `responsible`, `reached_at` and `pay` are told before people agree
    (`studies.selectors.told`); `pay` may be blank where the study has a rule of payment.
    `reviewers_see_private` lets reviewers read private questions with the answers to them; otherwise audits
    are drawn from public ones. `planned_judge` names the site's judge that is to score, `judge_budget` what
    it may cost in the currency of its prices; a run may be started with others, and records its own.
    `private_offline` lets an open workspace hold private questions in its memory.
    Of the flagged people `second_share` is read by a second reviewer, who does not see the first verdict;
    None: nobody decided on one, as before it was asked. `screening_reasons` are what reviewers choose from by
    a key, beside a reason in their own words.
    """

    batch_size: Annotated[Count, Field(le=500)] = 20
    time_budget_minutes: Annotated[Count, Field(le=WEEK_MINUTES)] = 300
    late_tolerance_seconds: Annotated[StrictInt, Field(ge=0, le=300)] = 10
    profiles: tuple[ProfileSettings, ...] = PILOT_PROFILES
    replicates_per_profile: Annotated[Count, Field(le=1000)] = 2
    arms: Annotated[tuple[ArmSettings, ...], Field(max_length=10)] = ()
    assembly: Literal["random", "balanced", "matrix"] = "balanced"
    category_source: CategorySource | None = None
    overdue_rule: Literal["saved_counts", "submitted_only"] = "saved_counts"
    missing_rule: Literal["as_missing"] = "as_missing"
    allowed_tools: FilledText = texts.DEFAULT_ALLOWED_TOOLS
    resource_categories: tuple[FilledText, ...] = texts.DEFAULT_RESOURCE_CATEGORIES
    top_size: Count = 15
    headline_scope: Literal["all", "public"] = "all"
    judge_kind: Annotated[str, AfterValidator(_known_kind)] = "llm"
    judge_excluded: StrictBool = True
    match_rules: Annotated[Literal["bbeh", "bbh"] | None, Field(validate_default=True)] = None
    judge_command: Annotated[Slug | None, Field(validate_default=True)] = None
    assembly_seed: Seed = 1
    assignment_seed: Seed = 2
    answer_max_characters: Annotated[Count, Field(le=1_000_000)] = 100_000
    instructions: FilledText = texts.DEFAULT_INSTRUCTIONS
    consent_text: FilledText = texts.DEFAULT_CONSENT
    text_language: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)?$")] = "en"
    translations: Annotated[tuple[TranslatedTexts, ...], Field(max_length=20)] = ()
    organisation: ShortText = ""
    responsible: ShortText = ""
    reached_at: ShortText = ""
    pay: ShortText = ""
    invitation_days: Annotated[Count, Field(le=365)] = 14
    profile_questions: tuple[ProfileQuestion, ...] = PROFILE_QUESTIONS
    credential_file: Literal["off", "optional", "required"] = "optional"
    practice_prompts: Annotated[tuple[FilledText, ...], Field(max_length=10)] = texts.DEFAULT_PRACTICE_PROMPTS
    comprehension_check: StrictBool = False
    check_questions: Annotated[tuple[CheckQuestion, ...], Field(min_length=1, max_length=20)] = tuple(
        CheckQuestion(question=question, options=options, correct=correct)
        for question, options, correct in texts.DEFAULT_CHECK
    )
    prompt_order: Literal["fixed", "random"] = "fixed"
    order_seed: Seed = 3
    note_per_prompt: StrictBool = False
    confidence_per_prompt: StrictBool = False
    next_steps: FilledText = texts.DEFAULT_NEXT_STEPS
    payment_note: FilledText = texts.DEFAULT_PAYMENT_NOTE
    contact: FilledText = texts.DEFAULT_CONTACT
    deletion_days: Annotated[Count, Field(le=3650)] = 30
    reviewers_see_private: StrictBool = False
    planned_judge: Slug | None = None
    judge_budget: Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=4)] | None = None
    private_offline: StrictBool = False
    second_share: Annotated[float, Field(ge=0, le=1)] | None = 0.2
    screening_reasons: Annotated[tuple[ScreeningReason, ...], Field(max_length=9)] = tuple(
        ScreeningReason(slug=slug, text=text) for slug, text in texts.DEFAULT_SCREENING_REASONS
    )

    @property
    def arm_slugs(self) -> tuple[str, ...]:
        """The short names of the arms, in their order."""
        return tuple(arm.slug for arm in self.arms)

    @property
    def has_fixed_places(self) -> bool:
        """Whether places are laid down with the batches, as each has an arm or a batch of its own."""
        return bool(self.arms) or self.assembly == "matrix"

    @property
    def categories_hold_of(self) -> CategorySource:
        """Whose categories hold: the item bank's where nothing else was said."""
        return self.category_source or "item_bank"

    def arm_instructions(self, slug: str, language: str = "") -> str:
        """What people of this arm read besides; nothing where there is no such arm."""
        return dict(zip(self.arm_slugs, self.entries_in("arms", language)[0], strict=True)).get(slug, "")

    def text_in(self, name: str, language: str) -> tuple[str, str]:
        """One of the TEXTS and the language that it is in: this one, where the study has it."""
        for translated in self.translations:
            if translated.language == language != self.text_language and getattr(translated, name).strip():
                return getattr(translated, name), language
        return getattr(self, name), self.text_language

    def entries_in(self, name: str, language: str) -> tuple[tuple[str, ...], str]:
        """One of the LISTS and the language that it is in: this one, where the study has all of it, with as
        many lines to each check question.
        """
        own: tuple[str, ...] = {
            "profiles": tuple(profile.name for profile in self.profiles),
            "arms": tuple(arm.instructions for arm in self.arms),
            "check_questions": tuple(
                "\n".join(" ".join(text.split()) for text in (one.question, *one.options))
                for one in self.check_questions
            ),
        }.get(name) or getattr(self, name)
        shape = [len(one.splitlines()) if name == "check_questions" else 1 for one in own]
        for translated in self.translations:
            found = getattr(translated, name)
            same = shape == [len(one.splitlines()) if name == "check_questions" else 1 for one in found]
            if translated.language == language != self.text_language and same:
                return found, language
        return own, self.text_language

    def questions_for(self, profile: str) -> tuple[ProfileQuestion, ...]:
        """What somebody of this profile is asked about themselves."""
        own = next((known.questions for known in self.profiles if known.slug == profile), None)
        return self.profile_questions if own is None else own

    @property
    def questions_of_any_profile(self) -> frozenset[ProfileQuestion]:
        """Every question that somebody is asked."""
        return frozenset(question for known in self.profiles for question in self.questions_for(known.slug))

    @field_validator("profiles", "resource_categories")
    @classmethod
    def _not_empty(cls, entries: tuple[object, ...]) -> tuple[object, ...]:
        if not entries:
            raise PydanticCustomError("no_entries", "has no entries; write at least one")
        return entries

    @field_validator("profiles")
    @classmethod
    def _slugs_are_unique(cls, profiles: tuple[ProfileSettings, ...]) -> tuple[ProfileSettings, ...]:
        slugs = (profile.slug for profile in profiles)
        _require_unique(slugs, 'uses the slug "{value}" twice; give every profile its own')
        return profiles

    @field_validator("screening_reasons")
    @classmethod
    def _reasons_are_unique(cls, reasons: tuple[ScreeningReason, ...]) -> tuple[ScreeningReason, ...]:
        _require_unique(
            (reason.slug for reason in reasons), 'uses the slug "{value}" twice; give every reason its own'
        )
        return reasons

    @field_validator("translations")
    @classmethod
    def _languages_are_unique(cls, entries: tuple[TranslatedTexts, ...]) -> tuple[TranslatedTexts, ...]:
        _require_unique(
            (entry.language for entry in entries), 'has the language "{value}" twice; keep one of them'
        )
        return entries

    @field_validator("arms")
    @classmethod
    def _arms_can_be_compared(cls, arms: tuple[ArmSettings, ...]) -> tuple[ArmSettings, ...]:
        if len(arms) == 1:
            raise PydanticCustomError(
                "one_arm", "has one entry; write two or more, or none for no comparison"
            )
        _require_unique((arm.slug for arm in arms), 'uses the slug "{value}" twice; give every arm its own')
        return arms

    @field_validator("resource_categories")
    @classmethod
    def _categories_are_unique(cls, categories: tuple[str, ...]) -> tuple[str, ...]:
        folded = (category.strip().casefold() for category in categories)
        _require_unique(folded, 'names "{value}" twice; keep one of them')
        return categories

    @field_validator(*(kind.setting for kind in JUDGE_KINDS.values() if kind.setting))
    @classmethod
    def _goes_with_the_judge(cls, value: str | None, info: ValidationInfo) -> str | None:
        """The setting of one kind of judge is there with that kind, and with no other that is known."""
        judge_kind = info.data.get("judge_kind")
        kind = next(kind for kind in JUDGE_KINDS.values() if kind.setting == info.field_name)
        if judge_kind == kind.name and value is None:
            message: LiteralString = 'is needed by the judge "{judge}"; give it or choose another judge'
            raise PydanticCustomError("setting_missing", message, {"judge": kind.name})
        if judge_kind not in (kind.name, None) and value is not None:
            message = 'is only for the judge "{judge}"; leave it out or choose that judge'
            raise PydanticCustomError("setting_unused", message, {"judge": kind.name})
        return value

    @model_validator(mode="after")
    def _tolerance_is_within_the_budget(self) -> Self:
        if self.late_tolerance_seconds >= self.time_budget_minutes * 60:
            message = "late_tolerance_seconds reaches the whole time budget; lower it or raise the budget"
            raise PydanticCustomError("tolerance_too_long", message)
        return self


def read_settings(values: Mapping[str, object]) -> ProtocolSettings:
    """The settings from plain values, as a form, a file or the database holds them.

    Raises ProtocolRefused with every problem in it.
    """
    try:
        return ProtocolSettings.model_validate(values)
    except ValidationError as error:
        faults = (SettingFault(fault["loc"], error_sentence(fault)) for fault in error.errors())
        raise ProtocolRefused(faults) from None


def _require_unique(values: Iterable[str], message: LiteralString) -> None:
    for value, count in Counter(values).items():
        if count > 1:
            raise PydanticCustomError("repeated", message, {"value": value})
