"""The people of a study, their sessions, flags and verdicts, and the trail."""

from datetime import datetime

from pydantic import Field, JsonValue

from scoring.export.rows.base import Code, Row, RulesVersion


class ParticipantRow(Row):
    """One row per participant; test participants are left out."""

    table = "participants"

    participant: Code
    profile: str = Field(description="slug of the participant's profile")
    arm: str | None = Field(
        description="short name of the arm they worked in; absent if never started, or the study compares "
        "none"
    )
    vetting_status: str = Field(
        description="`invited` (the profile form is still to come), `submitted`, `approved` or `rejected`"
    )
    submitted_at: datetime = Field(
        description="when the participant was submitted for approval; for `invited`, when they accepted"
    )
    session_status: str | None = Field(
        description="`active`, `submitted`, `expired`, `withdrawn` or `void` (by the study team: it counts "
        "nowhere); absent if never started"
    )
    consent: bool | None = Field(description="newest consent decision; absent before any decision")
    consent_decided_at: datetime | None = Field(description="when that decision was made")
    excluded: bool = Field(description="the newest off-task verdict confirms the exclusion")
    retained: bool = Field(
        description="the session has ended, is neither withdrawn nor void, and the person is not excluded"
    )


class SessionRow(Row):
    """One row per started session; every participant has at most one."""

    table = "sessions"

    participant: Code
    batch: int = Field(description="number of the batch")
    arm: str | None = Field(description="short name of the arm; absent if the study compares none")
    status: str = Field(
        description="`active`, `submitted`, `expired`, `withdrawn` or `void` (by the study team: it counts "
        "nowhere)"
    )
    started_at: datetime = Field(description="when the participant pressed start, by the server's clock")
    deadline_at: datetime = Field(description="deadline, stored at the start")
    ended_at: datetime | None = Field(description="when the session ended; absent while it runs")
    resources: list[str] | None = Field(
        description="categories of resources the participant declared; absent if undeclared, withdrawn or "
        "void"
    )
    resources_note: str | None = Field(
        description="what the participant wrote about them; absent likewise, and in a public export"
    )
    protocol_hash: str | None = Field(
        description="hash of the protocol it was started under, by the trail; amendments leave it"
    )


class FlagRow(Row):
    """One row per off-task flag on an answer to a public prompt or on a participant; none excludes. Flags
    from before an extension or a reopening are left out.
    """

    table = "flags"

    participant: Code
    prompt_id: str | None = Field(description="id of the flagged answer's prompt; absent for a participant")
    label: str | None = Field(description="short label of the prompt; absent likewise")
    rules_version: RulesVersion
    reason: str = Field(description="reason code of the rule")
    evidence: str | None = Field(description="what the rule saw; absent in a public export")
    flagged_at: datetime = Field(description="when the rules ran")


class VerdictRow(Row):
    """One row per decision of a reviewer about a participant's flags; the newest one counts. Decisions
    from before an extension or a reopening are left out.
    """

    table = "verdicts"

    participant: Code
    rules_version: RulesVersion
    decision: str = Field(description="`confirm` (excluded) or `overturn` (retained)")
    reason_code: str | None = Field(
        description="short name of the reason chosen from the protocol's `screening_reasons`; absent "
        "where the reviewer gave one in their own words alone"
    )
    reason: str | None = Field(
        description="the reason in full: its text in the protocol, the reviewer's own words, or both; absent "
        "in a public export"
    )
    reviewer: int = Field(description="number of the reviewer within this export")
    independent: bool = Field(description="whether the reviewer did not know what others had decided")
    decided_at: datetime = Field(description="when the decision was made")


class EventRow(Row):
    """One row per recorded event of the study and its sessions; test participants are left out."""

    table = "events"

    scope: str = Field(description="`study` or `session`")
    participant: str | None = Field(description="code of the participant; absent for an event of the study")
    kind: str = Field(
        description="what happened; `saves_failed`, `contact_lost`, `two_devices` and `clock_off` are what "
        "an open page said of itself, unproven and of no effect"
    )
    details: dict[str, JsonValue] = Field(
        description="facts of the event that identify nobody; of a page's report `failed_saves`, "
        "`for_seconds`, `saved_since`, `measured_by` (`page` or `server`) and `clock_off_seconds`"
    )
    happened_at: datetime = Field(description="when it happened, by the server's clock")
    recorded_at: datetime | None = Field(description="when it was written, where that can differ")
