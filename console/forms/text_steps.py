"""The steps of setting up a study that are texts participants read, and what they may use."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from console.forms.step_form import (
    Blocks,
    RowForm,
    StepForm,
    few_lines,
    line,
    one_a_line,
    rows_of,
    switch,
    text,
    whole,
)
from studies.models import Study


class ToldForm(StepForm):
    """What people are told before they agree, besides what the study's own records say."""

    organisation = line(_("Organisation that runs the study"), _("Such as the name of an institute."))
    responsible = line(_("Person who is responsible"))
    reached_at = few_lines(_("How participants reach them"), 2)
    pay = few_lines(_("What people are paid"), 3)
    groups = (
        (_("Who runs it"), ("organisation", "responsible", "reached_at")),
        (_("Pay"), ("pay",)),
    )

    def __init__(self, study: Study, data: Any = None, **options: Any) -> None:
        super().__init__(study, data, **options)
        self.fields["reached_at"].help_text = _("An address or a telephone number, as people read it.")
        self.fields["pay"].help_text = _(
            "In words, such as “Nothing” or “A voucher of 20 euros”. Where there is a rule of payment, it is "
            "told, too, and this may stay empty."
        )


class ConsentTextForm(StepForm):
    consent_text = text(
        _("Consent"),
        _("Markdown. Kept with its fingerprint: a person who agreed keeps the version they agreed to."),
    )
    groups = (("", ("consent_text",)),)


class TranslationRow(RowForm):
    language = forms.ChoiceField(
        label=_("Language"), choices=[("", _("none")), *settings.LANGUAGES], required=False
    )
    consent_text = few_lines(_("Consent"), 6)
    instructions = few_lines(_("Instructions"), 6)
    allowed_tools = few_lines(_("What participants may use"), 3)
    next_steps = few_lines(_("What comes next"), 3)
    payment_note = few_lines(_("Payment"), 3)
    contact = few_lines(_("How to reach the study team"), 3)
    pay = few_lines(_("What people are paid"), 2)
    reached_at = few_lines(_("How participants reach them"), 2)
    profiles = one_a_line(_("Names of the profiles"), _("One a line, in the order of the page People."), 3)
    resource_categories = one_a_line(
        _("Kinds of resources to tick"), _("One a line, in the order of the page Tools."), 4
    )
    arms = Blocks(_("What people of each arm read besides"), _("In their order."), 4)
    practice_prompts = Blocks(_("Practice questions"), _("In their order."), 4)
    check_questions = Blocks(
        _("Questions about the instructions"), _("Each with its answers below it, a line each."), 6
    )


class TranslationsForm(StepForm):
    """The texts in the other languages of the site."""

    text_language = forms.ChoiceField(
        label=_("Language of the texts on the other pages"), choices=settings.LANGUAGES
    )
    lists = {
        "translations": rows_of(
            TranslationRow,
            label=_("Texts in other languages"),
            row_label=_("Language"),
            help_text=_(
                "Whoever reads the site in another language is told where a text is not in it. A list counts "
                "as there once it has as many entries as on its own page."
            ),
        )
    }
    groups = (("", ("text_language", "translations")),)


class InstructionsForm(StepForm):
    instructions = text(_("Instructions"), _("Markdown. Everybody reads them before the start."), rows=16)
    groups = (("", ("instructions",)),)


class ReceiptForm(StepForm):
    next_steps = text(_("What comes next"), _("Markdown. On the receipt, after the end."), rows=5)
    payment_note = text(_("Payment"), _("Markdown. On the receipt."), rows=5)
    contact = text(_("How to reach the study team"), _("Markdown. On the receipt and the help page."), rows=4)
    groups = (("", ("next_steps", "payment_note", "contact")),)


class ToolsForm(StepForm):
    """What people may use, and what they are asked about it."""

    allowed_tools = text(
        _("What participants may use"), _("Markdown, as they read it. Say what your study provides."), rows=6
    )
    resource_categories = one_a_line(
        _("Kinds of resources to tick"), _("One a line; asked once, before handing in."), 7
    )
    note_per_prompt = switch(_("Ask for a note beside each answer"), _("What was used for this answer."))
    confidence_per_prompt = switch(_("Ask how sure people are of each answer"))
    answer_max_characters = whole(_("Longest answer, in characters"))
    groups = (
        (_("Tools"), ("allowed_tools", "resource_categories")),
        (_("Beside each answer"), ("note_per_prompt", "confidence_per_prompt", "answer_max_characters")),
    )


class ArmRow(RowForm):
    slug = line(_("Short name"), _("In files; participants never see it."))
    instructions = few_lines(_("What people of this arm read besides"), 5)


class ArmsForm(StepForm):
    """Ways of working that are compared."""

    lists = {
        "arms": rows_of(
            ArmRow,
            label=_("Arms"),
            row_label=_("Arm"),
            help_text=_(
                "Each place of a set is given one of them at random. None: everybody works alike. "
                "Two or more: their results are compared."
            ),
        )
    }
    groups = (("", ("arms",)),)


class PracticeRow(RowForm):
    text = few_lines(_("Practice question"), 3)


class CheckRow(RowForm):
    question = line(_("Question"))
    options = one_a_line(_("Answers"), _("One a line."), 3)
    correct = forms.IntegerField(label=_("Number of the right one"), required=False, min_value=1)

    def written(self) -> dict[str, Any]:
        written = super().written()
        return written | {"correct": written["correct"] or 0}


class PracticeForm(StepForm):
    """What people may try before the start, and whether they have understood."""

    comprehension_check = switch(
        _("Ask questions about the instructions before the start"),
        _("Who does not pass in the tries there are needs the study team."),
    )
    lists = {
        "practice_prompts": rows_of(
            PracticeRow,
            label=_("Practice questions"),
            row_label=_("Practice question"),
            help_text=_("Made up for trying the workspace; never scored. None: no practice."),
        ),
        "check_questions": rows_of(
            CheckRow, label=_("Questions about the instructions"), row_label=_("Question")
        ),
    }
    groups = (("", ("practice_prompts",)), (_("Check"), ("comprehension_check",)), ("", ("check_questions",)))

    def stored(self, study: Study) -> dict[str, Any]:
        stored = super().stored(study)
        return stored | {"practice_prompts": [{"text": question} for question in stored["practice_prompts"]]}

    def settings(self) -> dict[str, Any]:
        written = super().settings()
        return written | {"practice_prompts": [row["text"] for row in written["practice_prompts"]]}
