"""The protocol in a study's report: what it is, what was amended, and all of it word for word."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from presentation.numbers import as_written, numbered
from presentation.tables import ABSENT, Term, table_of
from reporting.report.parts import Facts, Heading, Paragraph, Part
from reporting.selectors.report_records import StudyRecords
from reporting.views.report.sections import moment
from studies.models import Study


def protocol_parts(records: StudyRecords) -> Iterator[Part]:
    """The hash that stands for every setting, what else is fixed, and what was changed."""
    study = records.study
    # Which version of models' results is measured, and which the study is pinned to where that is another.
    pinned, measured = study.models_version, records.measurement and records.measurement.models_version
    if pinned is None:
        models = _("none") if study.item_bank is None else _("the newest")
    elif measured in (None, pinned):
        models = numbered(_("version %(number)d"), {"number": pinned})
    else:
        sentence = _("version %(measured)d in these results; version %(number)d from now on")
        models = numbered(sentence, {"measured": measured, "number": pinned})
    yield Heading(_("Protocol"))
    yield Paragraph(str(study.get_status_display()) + ".")
    yield Facts(
        _("What the protocol is"),
        [
            (_("Protocol fingerprint"), study.protocol_hash or _("not locked yet")),
            (_("Locked"), moment(study.frozen_at)),
            (_("Open from"), moment(study.opens_at)),
            (_("Open until"), moment(study.closes_at)),
            (_("Question bank"), f"{study.bank_version}, {study.bank_version.digest}"),
            (
                _("Item bank"),
                f"{study.item_bank}, {study.item_bank.digest}" if study.item_bank else _("none"),
            ),
            (_("Results of models"), models),
            (_("Judge texts"), study.judge_protocol.sha256 if study.judge_protocol else _("none")),
        ],
    )
    yield from _amendment_parts(records)
    yield Paragraph(_("Every setting stands word for word at the end of this report."))


def settings_parts(study: Study) -> Iterator[Part]:
    """What the protocol's hash stands for; long, and so near the end."""
    yield Heading(_("The protocol, word for word"))
    yield Facts(
        _("Settings, by their names in the protocol"),
        [(name, _setting_text(value, name)) for name, value in study.settings.items()],
    )


def _setting_text(value: object, name: str = "") -> str:
    """A stored setting as people read it: texts as they are, lists line by line."""
    match value:
        case None | "" | []:
            return ABSENT
        case bool():
            return _("yes") if value else _("no")
        case int() | float() if not name.endswith("seed"):
            return as_written(value)
        case list():
            return "\n".join(_setting_text(item) for item in value)
        case dict():
            parts = {name: part for name, part in value.items() if part is not None}
            lines = (
                f"{name}: {' | '.join(map(str, part)) if isinstance(part, list) else part}"
                for name, part in parts.items()
            )
            return "\n".join(lines) + "\n"
        case _:
            return str(value)


def _amendment_parts(records: StudyRecords) -> Iterator[Part]:
    yield Heading(_("Amendments"), 2)
    if not records.amendments:
        yield Paragraph(_("There are none."))
        return
    late = {amendment.number for amendment in records.late_amendments}
    yield table_of(
        _("Recorded changes of the locked protocol"),
        records.amendments,
        (
            (_("Number"), lambda amendment: str(amendment.number)),
            (_("When"), lambda amendment: moment(amendment.made_at)),
            (_("Changed"), lambda amendment: ", ".join(amendment.changes)),
            (
                _("After results were computed"),
                lambda amendment: _("yes") if amendment.number in late else _("no"),
            ),
            (_("Reason"), lambda amendment: amendment.reason),
            (
                Term(_("Protocol fingerprint after it"), _("Protocol hash after it")),
                lambda amendment: amendment.protocol_hash,
            ),
        ),
        numeric=False,
    )
