"""What of a study's history is looked for."""

from datetime import date, datetime, time, timedelta

from django import forms
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from console.selectors.history import Asked, Source

SOURCES = [
    (Source.STUDY.value, _("Study and people")),
    (Source.SESSIONS.value, _("Sessions")),
    (Source.VERDICTS.value, _("Screening decisions")),
]
DAY_ERROR = {"invalid": _("Write a day, such as 2030-05-01.")}


def _day(label: object) -> forms.DateField:
    return forms.DateField(
        label=label,  # type: ignore[arg-type]  # a lazy text
        required=False,
        error_messages=DAY_ERROR,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class HistoryForm(forms.Form):
    """Filters of the list; days are the viewer's, as all times of the trail."""

    source = forms.ChoiceField(choices=SOURCES, required=False, widget=forms.HiddenInput)
    kind = forms.SlugField(required=False, max_length=50)
    by = forms.CharField(label=_("By"), required=False, max_length=254)
    code = forms.CharField(label=_("Person"), required=False, max_length=20)
    since = _day(_("From"))
    until = _day(_("To"))
    team = forms.BooleanField(label=_("Only what the team did"), required=False)

    def wanted(self) -> Asked:
        """What is looked for; what is not in order is left out, and the page says so."""
        data = self.cleaned_data if self.is_valid() else getattr(self, "cleaned_data", {})
        until = data.get("until")
        return Asked(
            source=Source(data.get("source") or Source.STUDY),
            kind=data.get("kind") or "",
            by=(data.get("by") or "").strip(),
            code=(data.get("code") or "").strip(),
            since=_begin(data["since"]) if data.get("since") else None,
            # Nothing is later than the last day that there is.
            until=_begin(until + timedelta(days=1)) if until and until < date.max else None,
            team_only=bool(data.get("team")),
        )


def _begin(day: object) -> datetime:
    return datetime.combine(day, time(), tzinfo=get_current_timezone())  # type: ignore[arg-type]
