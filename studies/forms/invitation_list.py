"""A list of people to invite, pasted or uploaded, as it is checked before anybody is invited."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from formats.file_kinds import CSV, kind_fault
from presentation.numbers import numbered
from studies.forms.people_file import read_people_lines
from studies.forms.texts import LinesField
from studies.services.people.people_import import PeopleReading

MAX_LINES = 5_000
MAX_BYTES = 1024 * 1024


class InvitationListForm(forms.Form):
    """Lines of address, profile, language and name, or a CSV file with these columns; one of the two."""

    text = LinesField(
        label=gettext_lazy("One person a line: address, profile and, if you like, language and name"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "dir": "auto", "spellcheck": "false", "autocomplete": "off"}),
    )
    file = forms.FileField(label=gettext_lazy("or a CSV file"), required=False)

    def clean(self) -> dict[str, Any]:
        """Read what was given; the lines' own problems are the reading's."""
        cleaned = super().clean() or self.cleaned_data
        file, text = cleaned.get("file"), cleaned.get("text", "")
        if file and text.strip():
            raise forms.ValidationError(_("Lines were written and a file was chosen; send one of the two."))
        if not file and not text.strip():
            raise forms.ValidationError(_("Nobody is named yet; write one line per person or choose a file."))
        size = file.size if file else len(text.encode())
        if size > MAX_BYTES:
            raise forms.ValidationError(_too_long())
        content = file.read() if file else b""
        reading = read_people_lines(content or text.encode(), header_optional=not file)
        if len(reading.rows) + len(reading.problems) > MAX_LINES:
            raise forms.ValidationError(_too_long())
        cleaned["reading"] = reading
        is_text = kind_fault(content, CSV) is None  # of anything else nobody corrects a line
        cleaned["lines"] = (content.decode("utf-8-sig", errors="ignore") if is_text else "") if file else text
        return cleaned

    @property
    def lines(self) -> str:
        """What the valid form was sent, those lines too that cannot be read."""
        return str(self.cleaned_data["lines"])

    @property
    def reading(self) -> PeopleReading:
        """What the valid form names."""
        found: PeopleReading = self.cleaned_data["reading"]
        return found


def _too_long() -> str:
    sentence = _(
        "The list is too long: at most %(lines)d people can be invited at once. Nobody was invited; divide "
        "the list."
    )
    return numbered(sentence, {"lines": MAX_LINES})
