"""What several items of the checklist share."""

from collections.abc import Mapping

from reporting.selectors.report_records import StudyRecords


def listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({number})" for name, number in counts.items())


def amended(records: StudyRecords, *settings: str) -> bool:
    """Whether an amendment changed one of these: then the protocol as it is does not speak for everybody."""
    return any(name in one.changes for one in records.amendments for name in settings)
