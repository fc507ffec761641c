"""Uploads of banks, item parameters, models' results and judge texts."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from console.services.staging import shown_name
from formats.file_kinds import CSV, kind_fault
from presentation.numbers import counted
from presentation.problems import problem_in_words
from scoring.readers.model_results.records import MAX_SOURCE_CHARACTERS
from studies.bank.records import BANK_FORMATS
from studies.forms.texts import StorableTextField
from studies.forms.uploads import LARGE_BYTES
from studies.models import ItemBank
from studies.services.refusals import Refused

FORMAT_WORDS = {
    "chiron": gettext_lazy("Chiron: one .jsonl file; with pictures as a .zip with their folder"),
    "gim": gettext_lazy("GIM: .jsonl or .parquet, or a .zip with the media folder"),
    "bbeh": gettext_lazy("BIG-Bench Extra Hard: a .zip of benchmark_tasks, or Hugging Face's .parquet"),
    "bbh": gettext_lazy("BIG-Bench Hard: a .zip with one .json or .parquet a task, or one of them"),
}
TABLE_BYTES = 1024**2  # published tables are far smaller; their calibration says nothing of how far it is
NO_FILE = gettext_lazy("Choose a file with something in it.")


def checked_upload(upload: Any, *endings: str, most: int = LARGE_BYTES) -> Any:
    """The file, with one sentence for what is wrong with it as a whole."""
    name = shown_name(upload.name)
    if upload.size > most:
        raise forms.ValidationError(
            _(
                "%(name)s is larger than %(megabytes)s MB. Nothing was imported; larger files go through the "
                "command line."
            )
            % {"name": name, "megabytes": counted(most // 1024**2)}
        )
    if not upload.name.lower().endswith(endings):
        if ".csv" in endings and (fault := kind_fault(upload.read(), CSV)):
            raise forms.ValidationError(f"{name} {problem_in_words(fault)}.")
        raise forms.ValidationError(
            _("%(name)s does not end in %(endings)s. Nothing was imported; choose another file.")
            % {"name": name, "endings": _(" or ").join(endings)}
        )
    return upload


def _file(label: Any, help_text: Any = "", *, required: bool = True) -> forms.FileField:
    errors = dict.fromkeys(("required", "missing", "invalid", "empty"), NO_FILE)
    # A name of any length is cut later on.
    return forms.FileField(
        label=label, help_text=help_text, required=required, error_messages=errors, max_length=None
    )


def _slug(help_text: Any) -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Short name"), help_text=help_text,
        error_messages={"required": gettext_lazy("Give it a short name, such as my-bank.")},
    )  # fmt: skip


class UploadForm(forms.Form):
    """A form with a file, which is read by a job."""

    def refuse(self, refusal: Refused) -> None:
        """Say at its field why the file was not taken."""
        self.add_error("file", problem_in_words(str(refusal)))


class BankForm(UploadForm):
    """A question bank in one of the known formats."""

    bank_format = forms.ChoiceField(
        label=gettext_lazy("Format"),
        choices=[(name, FORMAT_WORDS[name]) for name in BANK_FORMATS],
        widget=forms.RadioSelect,
        initial="chiron",
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), gettext_lazy("Choose one of the formats.")
        ),
    )
    mini = forms.BooleanField(
        label=gettext_lazy("BIG-Bench Extra Hard: the mini set of 20 questions a task"), required=False
    )
    slug = _slug(gettext_lazy("Of the bank. A name that is there already gets its next version."))
    file = _file(gettext_lazy("File"), gettext_lazy("At most 48 MB."))

    def clean_file(self) -> Any:
        return checked_upload(self.cleaned_data["file"], ".jsonl", ".json", ".parquet", ".zip")


class ItemBankForm(UploadForm):
    """Item parameters as GIM publishes them."""

    slug = _slug(gettext_lazy("Of the item bank, such as gim-items."))
    file = _file(gettext_lazy("Item parameters"), gettext_lazy("A .json file with a and b of each question."))

    def clean_file(self) -> Any:
        return checked_upload(self.cleaned_data["file"], ".json")


class CalibrationForm(UploadForm):
    """A matrix of models' scores, from which item parameters are computed."""

    slug = _slug(gettext_lazy("Of the item bank that is made."))
    file = _file(
        gettext_lazy("Response matrix"),
        gettext_lazy(
            "A .csv, .jsonl or .parquet file: a row a model, the first column names it, every other column "
            "is a question; scores from 0 to 1, empty is missing."
        ),
    )
    difficulty_only = forms.BooleanField(
        label=gettext_lazy("Only difficulties: every question discriminates alike"), required=False
    )

    def clean_file(self) -> Any:
        return checked_upload(self.cleaned_data["file"], ".csv", ".jsonl", ".parquet")


class ModelsForm(UploadForm):
    """Results of models on the questions of an item bank."""

    item_bank = forms.ModelChoiceField(
        label=gettext_lazy("Item bank"),
        queryset=ItemBank.objects.order_by("slug", "-imported_at"),
        empty_label=None,
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), gettext_lazy("Choose an item bank from the list.")
        ),
    )
    source = StorableTextField(
        label=gettext_lazy("Where the results come from"),
        max_length=MAX_SOURCE_CHARACTERS,
        help_text=gettext_lazy("Shown beside them, such as a paper or a run of your own."),
        error_messages={"required": gettext_lazy("Say where the results come from.")},
    )
    model = forms.CharField(
        label=gettext_lazy("Name of the configuration"),
        help_text=gettext_lazy("Only for an Inspect log, whose own name is used otherwise."),
        required=False,
        max_length=200,
    )
    scorer = forms.CharField(
        label=gettext_lazy("Score that counts"),
        help_text=gettext_lazy("Only for an Inspect log with several, such as judge or judge.accuracy."),
        required=False,
        max_length=200,
    )
    file = _file(
        gettext_lazy("File"),
        gettext_lazy("Scores or published abilities (.csv, .jsonl), or an Inspect log (.json, .eval)."),
    )
    replace = forms.BooleanField(
        label=gettext_lazy("Put them in the place of other results under the same names"), required=False
    )

    def clean_file(self) -> Any:
        return checked_upload(self.cleaned_data["file"], ".jsonl", ".csv", ".json", ".eval")


class TableForm(UploadForm):
    """A table of accuracies, models by tasks."""

    slug = _slug(gettext_lazy("Of the item bank of tasks that is made."))
    source = ModelsForm.base_fields["source"]
    file = _file(
        gettext_lazy("Table"), gettext_lazy("A .json file with models, tasks and accuracies in percent.")
    )

    def clean_file(self) -> Any:
        return checked_upload(self.cleaned_data["file"], ".json", most=TABLE_BYTES)


class ModelDeleteForm(forms.Form):
    """Which models go, and that what rests on them is computed again."""

    ONE, ALL = "one", "all"
    which = forms.ChoiceField(
        label=gettext_lazy("What to delete"),
        choices=[
            (ONE, gettext_lazy("This model alone")),
            (ALL, gettext_lazy("All models that were imported with it")),
        ],
        error_messages={"required": gettext_lazy("Choose what to delete.")},
    )
    recompute = forms.BooleanField(
        label=gettext_lazy("Compute the results that rest on it again"), required=False
    )

    def __init__(self, data: Any, *, several: bool, resting: bool) -> None:
        super().__init__(data)
        if not several:
            del self.fields["which"]
        if not resting:
            del self.fields["recompute"]


class JudgeTextsForm(forms.Form):
    """The two texts that a language model is asked with: two files, or the published harness's one."""

    slug = _slug(gettext_lazy("Of the judge texts."))
    exact = _file(
        gettext_lazy("Text for exact answers"),
        gettext_lazy("With the places {question}, {answer} and {predicted_answer}."),
        required=False,
    )
    rubric = _file(
        gettext_lazy("Text for criteria"),
        gettext_lazy("With the places {answer}, {model_response} and {rubric_string}."),
        required=False,
    )
    harness = _file(
        gettext_lazy("Or the GIM harness's scorers.py"), gettext_lazy("It holds both texts."), required=False
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not values.get("harness") and not (values.get("exact") and values.get("rubric")):
            raise forms.ValidationError(_("Choose both texts, or scorers.py alone."))
        for name in ("exact", "rubric", "harness"):
            if values.get(name):
                checked_upload(values[name], ".py" if name == "harness" else ".txt")
        return values

    def contents(self) -> dict[str, bytes]:
        return {
            name: self.cleaned_data[name].read() if self.cleaned_data.get(name) else b""
            for name in ("exact", "rubric", "harness")
        }
