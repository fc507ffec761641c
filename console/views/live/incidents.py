"""How the live board says what went wrong."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from batches.models import SessionEventKind
from console.selectors.board_incidents import Incident, Row
from console.selectors.board_trail import Happening
from presentation.numbers import counted

Words = str | Promise


class IncidentWords(NamedTuple):
    """A pill, and what it means and asks for."""

    label: Words
    tone: str
    sentence: str


def span_words(seconds: float) -> str:
    """How long, in the two largest units: "2 h 6 min", "24 min", "41 s"."""
    whole = max(0, int(seconds))
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return " ".join(
            [_("%(hours)s h") % {"hours": counted(hours)}, _("%(minutes)s min") % {"minutes": minutes}]
        )
    return _("%(minutes)s min") % {"minutes": minutes} if minutes else _("%(seconds)s s") % {"seconds": whole}


def clock_words(seconds: int) -> str:
    """How far a device's clock is ahead: "+3 s", "−5 min"."""
    return f"{'−' if seconds < 0 else '+'}{span_words(abs(seconds))}"


def incident_words(incident: Incident, row: Row) -> IncidentWords:
    """What there is to say about it in this session."""
    label, tone = PILLS[incident]
    return IncidentWords(label, tone, SENTENCES[incident](row))


PILLS: Mapping[Incident, tuple[Words, str]] = {
    Incident.OFFLINE: (gettext_lazy("Offline"), "bad"),
    Incident.NOT_SAVING: (gettext_lazy("Not saving"), "bad"),
    Incident.TWO_DEVICES: (gettext_lazy("Two devices"), "warn"),
    Incident.LATE: (gettext_lazy("Late text"), "warn"),
    Incident.SILENT: (gettext_lazy("No save"), "warn"),
    Incident.ABSENT: (gettext_lazy("Not in view"), ""),
    Incident.CLOCK_OFF: (gettext_lazy("Clock off"), ""),
    Incident.RECOVERED: (gettext_lazy("Saving again"), "good"),
}


def _offline(_row: Row) -> str:
    return _(
        "The open page is not heard any more: the connection is gone, or the device sleeps or was switched "
        "off. What is typed meanwhile stays on the device and is saved when it is back."
    )


def _not_saving(row: Row) -> str:
    failed = row.failed_saves or 0
    failures = ngettext("%(failed)s save failed.", "%(failed)s saves failed.", failed) % {
        "failed": counted(failed)
    }
    return " ".join(
        [failures, _("The page keeps what is typed and tries again by itself; nothing is lost so far.")]
    )


def _two_devices(row: Row) -> str:
    if row.conflicts:
        return _(
            "A text was refused because another tab or device had saved a newer one. Both texts are kept; "
            "the person was asked to choose."
        )
    return _("The session is in view on two devices at once. No text was refused.")


def _late(_row: Row) -> str:
    return _("A text came after the end and was refused. It is kept beside the answer.")


def _silent(row: Row) -> str:
    if row.heard_at is None:
        return _(
            "Nothing has reached the server for a while. The person may be thinking, or the connection may "
            "be gone: what is typed then stays on the device. The server cannot tell which."
        )
    return _(
        "The page is open and reaches the server, but nothing has been saved for a while. "
        "The person may be thinking."
    )


def _absent(_row: Row) -> str:
    return _("The page was closed or is behind another one, and nothing has been saved for a while.")


def _clock_off(row: Row) -> str:
    return _(
        "The clock of the device differs by %(time)s from the server's, which alone counts. The time left is "
        "right there; times of day that the person looks up elsewhere are not."
    ) % {"time": clock_words(row.clock_off_seconds or 0)}


def _recovered(row: Row) -> str:
    sentences = []
    failed, lost = row.failed_saves or 0, row.lost_seconds or 0
    if failed:
        sentences.append(
            ngettext("%(failed)s save failed.", "%(failed)s saves failed.", failed)
            % {"failed": counted(failed)}
        )
    if lost:
        sentences.append(_("The server was not reached for %(time)s.") % {"time": span_words(lost)})
    return " ".join([*sentences, _("That is over: the page saves again.")])


SENTENCES: Mapping[Incident, Callable[[Row], str]] = {
    Incident.OFFLINE: _offline,
    Incident.NOT_SAVING: _not_saving,
    Incident.TWO_DEVICES: _two_devices,
    Incident.LATE: _late,
    Incident.SILENT: _silent,
    Incident.ABSENT: _absent,
    Incident.CLOCK_OFF: _clock_off,
    Incident.RECOVERED: _recovered,
}


def reported_words(happening: Happening) -> str:
    """A line of the trail with what the page reported; empty where that says nothing more than its kind."""
    seconds = int(happening.seconds) if happening.seconds.lstrip("-").isdecimal() else 0
    if happening.kind == SessionEventKind.SAVES_FAILED and happening.failed.isdecimal():
        failed = int(happening.failed)
        words = ngettext(
            "%(failed)s save failed within %(time)s", "%(failed)s saves failed within %(time)s", failed
        )
        return words % {"failed": counted(failed), "time": span_words(seconds)}
    if happening.kind == SessionEventKind.CONTACT_LOST:
        return _("page not heard for %(time)s") % {"time": span_words(seconds)}
    if happening.kind == SessionEventKind.CLOCK_OFF:
        return _("device clock %(time)s") % {"time": clock_words(seconds)}
    return ""
