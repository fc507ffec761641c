"""What the JSON endpoints take and give."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from batches.rules.statuses import SessionStatus
from batches.selectors.notices import Notice

Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Tab = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$")]
Confidence = Annotated[int, Field(ge=0, le=100)] | None


class SaveBody(BaseModel):
    """One save of one answer. `tab` is made by the open page, `sequence` numbers that page's saves from 1,
    `base_revision` is the revision the page last knew.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    note: str = ""
    confidence: Confidence = None
    base_revision: Number
    tab: Tab
    sequence: Annotated[int, Field(ge=1, le=2**53 - 1)]


class Clock(BaseModel):
    """The server's clock and what it means for a session. `extended_seconds` is how much the study team has
    added to the deadline in all.
    """

    server_time: datetime
    deadline_at: datetime
    seconds_left: int
    status: SessionStatus
    extended_seconds: int


class Notices(BaseModel):
    """Everything a page is to show now, newest last."""

    notices: list[Notice]


class SessionState(Clock):
    """All that an open page of a session asks for again and again: its clock, and every notice that is to be
    shown now, newest last.
    """

    notices: list[Notice]


class Saved(BaseModel):
    """The server holds exactly what was sent. `state`: what the page need not ask for now; of a session that
    goes on.
    """

    outcome: Literal["accepted", "accepted_late", "duplicate"]
    sentence: str
    revision: int
    saved_at: datetime
    seconds_left: int
    state: SessionState | None = None


class NotSaved(BaseModel):
    """The answer did not change. `current_…` and `revision` are what the server holds; `kept` says whether
    what was refused is stored beside it.
    """

    outcome: Literal["refused_stale", "superseded", "refused_late"]
    sentence: str
    revision: int
    current_text: str
    current_note: str
    current_confidence: int | None
    kept: bool
    seconds_left: int


class Current(BaseModel):
    """What the server holds for one answer; revision 0 was never saved."""

    text: str
    note: str
    confidence: int | None
    is_flagged: bool
    revision: int
    saved_at: datetime | None


class Flag(BaseModel):
    """The person's own mark on an answer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    flagged: bool


class PreviewBody(BaseModel):
    """A text to be shown as it would look."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str


class Preview(BaseModel):
    """The text as sanitised HTML."""

    html: str


class PageReport(BaseModel):
    """What an open page says of itself (see `rules.contact`); spans are whole seconds."""

    model_config = ConfigDict(extra="forbid", strict=True)

    device: Tab
    is_hidden: bool = False
    clock_off_seconds: Annotated[int, Field(ge=-(2**31) + 1, le=2**31 - 1)] | None = None
    failed_saves: Number = 0
    failing_seconds: Number = 0
    is_saved: bool = True
    lost_seconds: Number = 0


class Seen(BaseModel):
    """A question that was shown from the page's memory, so many seconds ago by the device."""

    model_config = ConfigDict(extra="forbid", strict=True)

    seconds_ago: Number


class Heard(BaseModel):
    """`kept`: whether the page need not tell its news again."""

    kept: bool


class Problem(BaseModel):
    """Why a request was refused, in one sentence for the person at the page."""

    sentence: str
