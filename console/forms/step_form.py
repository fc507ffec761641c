"""One step of setting up a study as a form; the rules stay with the protocol's settings."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy as _

from presentation.problems import problem_in_words
from studies.forms.texts import LinesField
from studies.models import Study
from studies.protocol.settings import ProtocolRefused
from studies.services.drafts import ROW, RowValue

MOST_ROWS = 40
WHOLE = _("Write a whole number.")


class RowForm(forms.Form):
    """One entry of a list, such as a profile. An entry without anything written in it is no entry."""

    def written(self) -> dict[str, Any]:
        """The entry as the settings hold it."""
        return {name: self.cleaned_data[name] for name in self.fields if name != "DELETE"}

    @property
    def is_entry(self) -> bool:
        return not self.cleaned_data.get("DELETE") and any(
            value for name, value in self.cleaned_data.items() if name != "DELETE"
        )


class Rows(forms.BaseFormSet):  # type: ignore[type-arg]  # of RowForm
    """A list of entries with one empty one to write into; `more` asks for further empty ones."""

    label: Any = ""
    row_label: Any = ""
    help_text: Any = ""

    def entries(self) -> list[RowForm]:
        return [form for form in self.forms if form.is_entry]

    def refuse(self, place: tuple[int | str, ...], sentence: str) -> None:
        """Show what is wrong at the entry it is about, or above the list."""
        if not place or not isinstance(place[0], int) or place[0] >= len(self.entries()):
            self.non_form_errors().append(sentence)
            return
        form = self.entries()[place[0]]
        field = place[1] if len(place) > 1 and place[1] in form.fields else None
        form.add_error(None if field is None else str(field), sentence)


def rows_of(form: type[RowForm], *, label: Any, row_label: Any, help_text: Any = "") -> type[Rows]:
    """The list of such entries, with its name and what one of them is called."""
    made: type[Rows] = forms.formset_factory(  # type: ignore[assignment]  # a subclass of `formset`
        form, formset=Rows, extra=1, can_delete=True, max_num=MOST_ROWS, absolute_max=MOST_ROWS
    )
    made.label, made.row_label, made.help_text = label, row_label, help_text
    return made


class StepForm(forms.Form):
    """The fields of a step are settings, columns of the study's row or, in `lists`, lists of entries.

    `groups` are headings with the names of the fields and lists under them, in the order shown.
    """

    lists: ClassVar[Mapping[str, type[Rows]]] = {}
    groups: ClassVar[tuple[tuple[Any, tuple[str, ...]], ...]] = ()

    def __init__(self, study: Study, data: Any = None, *, more: str = "", prefix: str | None = None) -> None:
        stored = self.stored(study)
        super().__init__(data, initial=stored, prefix=prefix)
        self.study = study
        with_more = data
        if more in self.lists:  # the form as it was sent, with one more empty entry in this list
            with_more, key = data.copy(), f"{more}-TOTAL_FORMS"
            try:
                number = int(with_more.get(key, 0))
            except ValueError:
                number = 0
            with_more[key] = str(min(number + 1, MOST_ROWS))
        self.rows = {
            name: kind(with_more if name == more else data, prefix=name, initial=stored[name])
            for name, kind in self.lists.items()
        }

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The settings and columns of this step."""
        return (*cls.base_fields, *cls.lists)

    def stored(self, study: Study) -> dict[str, Any]:
        """What is stored, as the fields show it."""
        settings = study.protocol.model_dump(mode="json")
        return {name: getattr(study, name) if name in ROW else settings[name] for name in self.names()}

    def is_valid(self) -> bool:
        return all([super().is_valid(), *(rows.is_valid() for rows in self.rows.values())])

    def settings(self) -> dict[str, Any]:
        """What was written, as plain values of the settings."""
        values = {name: value for name, value in self.cleaned_data.items() if name not in ROW}
        lists = {name: [row.written() for row in rows.entries()] for name, rows in self.rows.items()}
        return values | lists

    def row(self) -> dict[str, RowValue]:
        """What was written of the study's row."""
        return {name: value for name, value in self.cleaned_data.items() if name in ROW}

    def refuse(self, error: ProtocolRefused) -> None:
        """Show each problem at the field it is about."""
        for fault in error.faults:
            name = str(fault.place[0]) if fault.place else ""
            sentence = gettext("This %(message)s.") % {"message": problem_in_words(fault.message)}
            if name in self.rows:
                self.rows[name].refuse(fault.place[1:], sentence)
            elif name in self.fields:
                self.add_error(name, sentence)
            else:
                self.add_error(None, problem_in_words(str(fault)))

    def sections(self) -> list[dict[str, Any]]:
        """Headings with what stands under each, for the page."""
        sections = []
        for label, names in self.groups:
            parts: list[dict[str, Any]] = []
            for name in names:
                if name in self.rows:
                    parts.append({"name": name, "rows": self.rows[name]})
                elif name in self.fields:
                    widget, kind = self.fields[name].widget, "field"
                    if isinstance(widget, forms.CheckboxSelectMultiple | forms.RadioSelect):
                        kind = "choices"
                    elif isinstance(widget, forms.CheckboxInput):
                        kind = "switch"
                    parts.append({"name": name, "field": self[name], "kind": kind})
            sections.append({"label": label, "parts": parts})
        return sections


def whole(label: Any, help_text: Any = "") -> forms.IntegerField:
    """A whole number; its bounds are those of the settings."""
    errors = dict.fromkeys(("required", "invalid"), WHOLE)
    return forms.IntegerField(label=label, help_text=help_text, error_messages=errors)


def choice(label: Any, choices: Iterable[tuple[str, Any]], help_text: Any = "") -> forms.ChoiceField:
    """One of a few, all of them in view."""
    errors = dict.fromkeys(("required", "invalid_choice"), _("Choose one of these."))
    return forms.ChoiceField(
        label=label,
        choices=list(choices),
        help_text=help_text,
        widget=forms.RadioSelect,
        error_messages=errors,
    )


def switch(label: Any, help_text: Any = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, help_text=help_text, required=False)


def line(label: Any, help_text: Any = "") -> forms.CharField:
    return forms.CharField(label=label, help_text=help_text, required=False)


def few_lines(label: Any, rows: int) -> LinesField:
    return LinesField(label=label, required=False, widget=forms.Textarea(attrs={"rows": rows}))


def text(label: Any, help_text: Any = "", *, rows: int = 12) -> LinesField:
    """A text in Markdown; whether it may be empty is a rule of the settings."""
    return LinesField(
        label=label, help_text=help_text, required=False, strip=False,
        widget=forms.Textarea(attrs={"rows": rows}),
    )  # fmt: skip


class OneALine(LinesField):
    """Short texts, one a line."""

    widget = forms.Textarea
    between = "\n"

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]  # lines of the text
        if isinstance(value, list):
            return value
        return [entry.strip() for entry in super().to_python(value).split(self.between) if entry.strip()]

    def validate(self, value: Any) -> None:
        """Whether a list may be empty is a rule of the settings."""

    def run_validators(self, value: Any) -> None:
        """Each line is checked by the settings."""

    def prepare_value(self, value: Any) -> Any:
        return self.between.join(value) if isinstance(value, list | tuple) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        return str(self.prepare_value(initial or [])) != str(data or "").replace("\r\n", "\n")


class Blocks(OneALine):
    """Texts of several lines, with a line of hyphens between them."""

    between = "\n---\n"

    def __init__(self, label: Any, help_text: Any, rows: int) -> None:
        between = format_lazy("{} {}", help_text, _("A line with --- between one and the next."))
        widget = forms.Textarea(attrs={"rows": rows})
        super().__init__(label=label, help_text=between, required=False, widget=widget)


def one_a_line(label: Any, help_text: Any, rows: int) -> OneALine:
    return OneALine(
        label=label, help_text=help_text, required=False, widget=forms.Textarea(attrs={"rows": rows})
    )
