"""The steps of setting up a study, in their order, each a form."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings as conf
from django.utils.translation import gettext_lazy as _

from console.forms.moments import MomentField
from console.forms.step_form import RowForm, StepForm, choice, line, rows_of, switch, whole
from console.forms.text_steps import (
    ArmsForm,
    ConsentTextForm,
    InstructionsForm,
    PracticeForm,
    ReceiptForm,
    ToldForm,
    ToolsForm,
    TranslationsForm,
)
from judging.forms.judging import budget_field
from judging.models import JudgeConfig
from studies.models import BankVersion, ItemBank, JudgeProtocol, Study, StudyStatus
from studies.protocol.judge_kinds import JUDGE_KINDS
from studies.protocol.settings import PROFILE_QUESTIONS
from studies.selectors.categories import disagreements
from studies.services.studies import MAX_NAME_CHARACTERS

QUESTION_WORDS: Mapping[str, Any] = {
    "field": _("Field of study or work"),
    "level": _("Level of education"),
    "institution": _("Institution"),
    "languages": _("Languages"),
    "prior_baselining": _("Whether they took part in such studies before"),
    "prior_exposure": _("Whether they have seen this benchmark"),
    "ai_experience": _("How often they use AI tools"),
}
NO_ITEM_BANK = _("None: no ability, only raw scores")
SEED = _("The same number gives the same result again.")


class QuestionsForm(StepForm):
    """Which questions, and how they are cut into sets."""

    name = forms.CharField(
        label=_("Name of the study"), help_text=_("Participants see it."), max_length=MAX_NAME_CHARACTERS,
        error_messages={"required": _("Give the study a name.")},
    )  # fmt: skip
    bank_version = forms.ModelChoiceField(
        label=_("Question bank"),
        queryset=BankVersion.objects.select_related("bank").order_by("bank__slug", "-number"),
        empty_label=None,
        help_text=_("A version of a bank never changes; a correction is the bank's next version."),
        error_messages=dict.fromkeys(("required", "invalid_choice"), _("Choose a bank from the list.")),
    )
    batch_size = whole(_("Questions in a set"), _("One person answers one set in one go."))
    assembly = choice(
        _("How sets are made"),
        (
            ("balanced", _("Balanced: sets are alike in difficulty and content")),
            ("random", _("At random")),
            ("matrix", _("Cut anew for each place, so that questions meet ever different ones")),
        ),
    )
    prompt_order = choice(
        _("Order within a set"),
        (("fixed", _("The same for everybody")), ("random", _("Shuffled for each person"))),
    )
    assembly_seed = whole(_("Seed of making sets"), SEED)
    order_seed = whole(_("Seed of shuffling"), SEED)
    groups = (
        (_("Which questions"), ("name", "bank_version")),
        (_("Question sets"), ("batch_size", "assembly", "prompt_order")),
        (_("Seeds"), ("assembly_seed", "order_seed")),
    )


class ItemsForm(StepForm):
    """The scale that people are placed on."""

    item_bank = forms.ModelChoiceField(
        label=_("Item bank"),
        queryset=ItemBank.objects.order_by("slug", "-imported_at"),
        required=False,
        empty_label=NO_ITEM_BANK,
        help_text=_(
            "Difficulty and discrimination of each question, calibrated on models. With it people get an "
            "ability on the scale of the models; without it a study has raw scores only."
        ),
        error_messages={"invalid_choice": _("Choose an item bank from the list.")},
    )
    category_source = forms.ChoiceField(
        label=_("Whose categories hold"),
        choices=[
            ("item_bank", _("Those of the item bank, on whose scale categories are compared")),
            ("question_bank", _("Those of the question bank")),
        ],
        required=False,
        widget=forms.RadioSelect,
        help_text=_(
            "The two banks disagree; every such question is listed below. Question sets, pages, results and "
            "exports all use the one that you choose, and the other where that names no category."
        ),
        error_messages={"invalid_choice": _("Choose one of these.")},
    )
    groups = ((_("Item parameters"), ("item_bank", "category_source")),)

    def __init__(self, study: Study, data: Any = None, **options: Any) -> None:
        super().__init__(study, data, **options)
        if not disagreements(study.bank_version, study.item_bank):
            del self.fields["category_source"]

    def stored(self, study: Study) -> dict[str, Any]:
        """A study locked before it was asked shows what it was made with."""
        stored = super().stored(study)
        was_not_asked = study.status != StudyStatus.DRAFT and stored["category_source"] is None
        return stored | {"category_source": "item_bank"} if was_not_asked else stored

    def settings(self) -> dict[str, Any]:
        written = super().settings().get("category_source", self.study.protocol.category_source)
        return {"category_source": written or None}


class ProfileRow(RowForm):
    slug = line(_("Short name"), _("In files; such as stem-phd"))
    name = line(_("Name"))
    description = forms.CharField(
        label=_("Who that is"), required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    own_questions = switch(_("Ask this profile other questions about themselves"))
    questions = forms.MultipleChoiceField(
        label=_("Asked of this profile then"),
        choices=list(QUESTION_WORDS.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def written(self) -> dict[str, Any]:
        values = super().written()
        return values | {"questions": values["questions"] if values.pop("own_questions") else None}


class PeopleForm(StepForm):
    """Whom the study recruits, how many, and what they are asked about themselves."""

    replicates_per_profile = whole(
        _("People of each profile for each set"),
        _("With three profiles and 2 people each, every question is answered by 6 people."),
    )
    profile_questions = forms.MultipleChoiceField(
        label=_("Asked of everybody invited"),
        choices=[(name, QUESTION_WORDS[name]) for name in PROFILE_QUESTIONS],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": _("Choose from the list.")},
    )
    credential_file = choice(
        _("A file that supports the profile"),
        (
            ("off", _("not asked for")),
            ("optional", _("may be handed in")),
            ("required", _("must be handed in")),
        ),
    )
    invitation_days = whole(_("Days an invitation can be used"))
    deletion_days = whole(_("Days from a withdrawal to the deletion of the data"))
    assignment_seed = whole(_("Seed of giving people their sets"), SEED)
    lists = {
        "profiles": rows_of(
            ProfileRow,
            label=_("Profiles"),
            row_label=_("Profile"),
            help_text=_("Kinds of participants that are recruited and compared."),
        )
    }
    groups = (
        ("", ("profiles",)),
        (_("How many"), ("replicates_per_profile",)),
        (_("What they are asked about themselves"), ("profile_questions", "credential_file")),
        (_("Limits"), ("invitation_days", "deletion_days", "assignment_seed")),
    )

    def stored(self, study: Study) -> dict[str, Any]:
        stored = super().stored(study)
        return stored | {
            "profiles": [{**row, "questions": row["questions"] or []} for row in stored["profiles"]]
        }


class TimeForm(StepForm):
    """The one clock of a session, and when the study is open."""

    time_budget_minutes = whole(
        _("Minutes for a whole set"),
        _("One clock from the start button on; it does not pause. 300 are five hours."),
    )
    late_tolerance_seconds = whole(
        _("Tolerance in seconds"), _("How late a text that was sent in time may arrive and still count.")
    )
    overdue_rule = choice(
        _("When the time ends"),
        (
            ("saved_counts", _("What is saved by then counts")),
            ("submitted_only", _("Only what was handed in counts")),
        ),
    )
    opens_at = MomentField(
        label=_("Opens"), help_text=_("Nobody starts before. Empty: as soon as it is locked.")
    )
    closes_at = MomentField(label=_("Closes"), help_text=_("Nobody works after. Empty: until you close it."))
    groups = (
        (_("The clock"), ("time_budget_minutes", "late_tolerance_seconds", "overdue_rule")),
        (_("When the study is open"), ("opens_at", "closes_at")),
    )


class ScreeningReasonRow(RowForm):
    slug = line(_("Short name"), _("Kept with each verdict; such as too-short"))
    text = line(_("Reason"))


class OfftaskForm(StepForm):
    """How flagged people are read."""

    second_share = forms.FloatField(
        label=_("Share that a second reviewer reads"),
        help_text=_(
            "From 0 to 1; 0.2 is one flagged person in five, the least from which agreement says something. "
            "They are drawn by chance; whoever is not sure asks a second reviewer in any case. Empty: nobody "
            "decided."
        ),
        required=False,
        error_messages={"invalid": _("Write a number from 0 to 1.")},
    )
    lists = {
        "screening_reasons": rows_of(
            ScreeningReasonRow,
            label=_("Reasons of a verdict"),
            row_label=_("Reason"),
            help_text=_(
                "Reviewers choose one by the keys 1 to 9, in this order, or write a reason of their own. A "
                "short name keeps its meaning: change the words, not the name."
            ),
        )
    }
    groups = (
        (_("Read twice"), ("second_share",)),
        (_("Why somebody counts or does not"), ("screening_reasons",)),
    )


class JudgeForm(StepForm):
    """Who or what scores answers."""

    judge_kind = choice(
        _("What scores answers"),
        [(kind.name, _(kind.choice)) for kind in JUDGE_KINDS.values()],
    )
    match_rules = forms.ChoiceField(
        label=_("Whose comparison"),
        choices=[("", _("none")), ("bbeh", "BIG-Bench Extra Hard"), ("bbh", "BIG-Bench Hard")],
        required=False,
        help_text=_("Only where a benchmark's own comparison scores answers."),
    )
    judge_command = forms.ChoiceField(
        label=_("Program"),
        choices=lambda: [("", _("none")), *((name, name) for name in conf.JUDGE_COMMANDS)],
        required=False,
        help_text=_("Only where a program scores answers: one of those that the operator has set up."),
        error_messages={"invalid_choice": _("Choose among the programs of this site.")},
    )
    judge_protocol = forms.ModelChoiceField(
        label=_("Judge texts"),
        queryset=JudgeProtocol.objects.order_by("slug", "-imported_at"),
        required=False,
        empty_label=_("Chiron's own wording"),
        help_text=_(
            "What a language model is asked. Published item parameters hold for the published texts."
        ),
    )
    planned_judge = forms.ModelChoiceField(
        label=_("Judge"),
        queryset=JudgeConfig.objects.all(),
        to_field_name="slug",
        required=False,
        empty_label=_("Not chosen yet"),
        help_text=_("The language model that is to score; another can still be taken when judging starts."),
        error_messages={"invalid_choice": _("Choose among the judges of this site.")},
    )
    judge_budget = budget_field()
    groups = (
        ("", ("judge_kind", "match_rules", "judge_command", "judge_protocol")),
        (_("Judge and budget"), ("planned_judge", "judge_budget")),
    )

    def settings(self) -> dict[str, Any]:
        """What another kind of judge is asked is not shown, and not kept."""
        values = super().settings()
        judge, is_model = values["planned_judge"], values["judge_kind"] == "llm"
        of_kinds = {
            kind.setting: (values["judge_kind"] == kind.name and values[kind.setting]) or None
            for kind in JUDGE_KINDS.values()
            if kind.setting
        }
        of_model = {
            "planned_judge": judge.slug if is_model and judge else None,
            "judge_budget": values["judge_budget"] if is_model else None,
        }
        return values | of_kinds | of_model


class ReportingForm(StepForm):
    """What will be reported, declared before anybody starts."""

    top_size = whole(_("People in Top"), _("Top is the ability of the best so many people."))
    judge_excluded = switch(
        _("Judge the answers of people who are not counted, too"),
        _("So that results with nobody left out are known. It costs their share of the judge's budget."),
    )
    headline_scope = choice(
        _("Numbers that stand first"),
        (
            ("all", _("of all questions; of the public ones where all would tell of a few private ones")),
            ("public", _("of the public questions")),
        ),
    )
    reviewers_see_private = switch(
        _("Reviewers see private questions and the answers to them"),
        _(
            "Otherwise only leads and site administrators do: people are reviewed by their answers to public "
            "questions, and audits are drawn from these."
        ),
    )
    private_offline = switch(
        _("People keep private questions within reach without a network"),
        _(
            "While their session runs, the open page then holds all its questions in memory, and nothing on "
            "the device. Otherwise it holds the public ones; a private one opens when the network is back."
        ),
    )
    groups = (
        (_("Top and who is left out"), ("top_size", "judge_excluded")),
        (
            _("Where private questions are asked"),
            ("headline_scope", "reviewers_see_private", "private_offline"),
        ),
    )


# The form of each page of the set-up that has one.
STEP_FORMS: Mapping[str, type[StepForm]] = {
    "questions": QuestionsForm,
    "items": ItemsForm,
    "people": PeopleForm,
    "time": TimeForm,
    "told": ToldForm,
    "consent": ConsentTextForm,
    "instructions": InstructionsForm,
    "receipt": ReceiptForm,
    "translations": TranslationsForm,
    "tools": ToolsForm,
    "arms": ArmsForm,
    "practice": PracticeForm,
    "offtask": OfftaskForm,
    "judge": JudgeForm,
    "reporting": ReportingForm,
}
