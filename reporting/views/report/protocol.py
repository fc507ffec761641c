"""The protocol in a study's report: what it is, what was amended, and all of it word for word."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from presentation.columns import ABSENT
from presentation.tables import Table
from reporting.report.parts import Facts, Heading, Paragraph, Part
from reporting.selectors.report_records import StudyRecords
from reporting.views.report.sections import moment
from studies.models import Amendment, Study


def protocol_parts(records: StudyRecords) -> Iterator[Part]:
    """The hash that stands for every setting, what else is fixed, and what was changed."""
    study = records.study
    yield Heading(_("Protocol"))
    yield Paragraph(str(study.get_status_display()) + ".")
    yield Facts(
        _("What the protocol is"),
        [
            (_("Protocol hash"), study.protocol_hash or _("not frozen yet")),
            (_("Frozen"), moment(study.frozen_at)),
            (_("Open from"), moment(study.opens_at)),
            (_("Open until"), moment(study.closes_at)),
            (_("Prompt bank"), f"{study.bank_version}, {study.bank_version.digest}"),
            (
                _("Item bank"),
                f"{study.item_bank}, {study.item_bank.digest}" if study.item_bank else _("none"),
            ),
            (_("Judge texts"), study.judge_protocol.sha256 if study.judge_protocol else _("none")),
        ],
    )
    yield from amendment_parts(records.amendments)
    yield Paragraph(_("Every setting stands word for word at the end of this report."))


def settings_parts(study: Study) -> Iterator[Part]:
    """What the protocol's hash stands for; long, and so near the end."""
    yield Heading(_("The protocol, word for word"))
    yield Facts(
        _("Settings, by their names in the protocol"),
        [(name, setting_text(value)) for name, value in study.settings.items()],
    )


def setting_text(value: object) -> str:
    """A stored setting as people read it: texts as they are, lists line by line."""
    match value:
        case None | "" | []:
            return ABSENT
        case bool():
            return _("yes") if value else _("no")
        case list():
            return "\n".join(setting_text(one) for one in value)
        case dict():
            said = {name: one for name, one in value.items() if one is not None}
            return "\n".join(f"{name}: {part_text(one)}" for name, one in said.items()) + "\n"
        case _:
            return str(value)


def part_text(value: object) -> str:
    """A value inside another one, on one line."""
    return " | ".join(map(str, value)) if isinstance(value, list) else str(value)


def amendment_parts(amendments: tuple[Amendment, ...]) -> Iterator[Part]:
    yield Heading(_("Amendments"), 2)
    if not amendments:
        yield Paragraph(_("There are none."))
        return
    yield Table(
        _("Recorded changes of the frozen protocol"),
        [_("Number"), _("When"), _("Changed"), _("Reason"), _("Protocol hash after it")],
        [
            [str(one.number), moment(one.made_at), ", ".join(one.changes), one.reason, one.protocol_hash]
            for one in amendments
        ],
        numeric=False,
    )
