"""A moment as people write it: a date and a time of a day, in a time zone that is named beside it."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from presentation.moments import UTC_ZONE, known_zone

LOCAL_FORMAT = "%Y-%m-%dT%H:%M"


class MomentWidget(forms.MultiWidget):
    """The time, and its zone: UTC, to which a script adds the reader's own."""

    def __init__(self) -> None:
        time = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL_FORMAT)
        zone = forms.Select(choices=[(UTC_ZONE, UTC_ZONE)], attrs={"aria-label": gettext_lazy("Time zone")})
        super().__init__({"": time, "zone": zone})

    def id_for_label(self, id_: str) -> str:
        return f"{id_}_0" if id_ else ""

    def decompress(self, value: Any) -> list[Any]:
        return [value, UTC_ZONE]

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[Any]:
        """Without a zone, as from a page without the script, a time is in UTC."""
        return [data.get(name), data.get(f"{name}_zone") or UTC_ZONE]

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """What was written comes back in the zone in which it was; what is stored, in UTC."""
        is_written = isinstance(value, list)
        zones = [UTC_ZONE] if not is_written else dict.fromkeys((known_zone(value[1]), UTC_ZONE))
        select = self.widgets[1]
        assert isinstance(select, forms.Select)  # noqa: S101  # narrows the type
        select.choices = [(zone, zone) for zone in zones]
        context = super().get_context(name, value, attrs)
        # For the script: what is stored it shows in the reader's zone, what was written it leaves alone.
        context["widget"]["subwidgets"][0]["attrs"]["data-moment"] = "written" if is_written else "stored"
        return context


class MomentField(forms.MultiValueField):
    """A moment in UTC, or None. A time that the clocks leave out or bring twice is told, never guessed."""

    widget = MomentWidget

    def __init__(self, **options: Any) -> None:
        invalid = {"invalid": gettext_lazy("Write a date and a time, such as 2030-05-01T18:00.")}
        time = forms.CharField(required=False)
        super().__init__(
            fields=(time, forms.CharField(required=False)), required=False, error_messages=invalid, **options
        )

    def clean(self, value: Any) -> datetime | None:
        text, zone = value
        if not text:
            return None
        try:
            local = datetime.strptime(text, LOCAL_FORMAT)  # noqa: DTZ007  # the zone stands beside it
        except (TypeError, ValueError):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None
        return moment_in(local, zone)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.clean(data) != initial)


def moment_in(local: datetime, zone: str) -> datetime:
    """The moment of a time of a day in a zone, in UTC. Raises ValidationError where there is none, or two."""
    if known_zone(zone) != zone:
        raise forms.ValidationError(_("This time zone is not known here; choose UTC."))
    place = ZoneInfo(zone)
    names = {"time": f"{local:%H:%M}", "zone": zone}
    try:
        first, second = (local.replace(tzinfo=place, fold=fold).astimezone(UTC) for fold in (0, 1))
    except OverflowError:
        raise forms.ValidationError(_("Write a date that is not so far away.")) from None
    if first.astimezone(place).replace(tzinfo=None) != local:
        raise forms.ValidationError(
            _("There is no %(time)s on that day in %(zone)s: the clocks go forward. Write another time.")
            % names
        )
    if first != second:
        raise forms.ValidationError(
            _(
                "%(time)s comes twice on that day in %(zone)s: the clocks go back. Write another time, or "
                "choose UTC and write it in UTC."
            )
            % names
        )
    return first
