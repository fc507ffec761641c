"""What the JSON endpoints take and give."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from batches.rules.statuses import SessionStatus

Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Tab = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$")]


class SaveBody(BaseModel):
    """One save of one answer. `tab` is made by the open page, `sequence` numbers that page's saves from 1,
    `base_revision` is the revision the page last knew.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    base_revision: Number
    tab: Tab
    sequence: Annotated[int, Field(ge=1, le=2**53 - 1)]


class Saved(BaseModel):
    """The server holds exactly the text that was sent."""

    outcome: Literal["accepted", "accepted_late", "duplicate"]
    sentence: str
    revision: int
    saved_at: datetime
    seconds_left: int


class NotSaved(BaseModel):
    """The answer did not change. `current_text` and `revision` are what the server holds; `kept` says whether
    the refused text was stored beside it.
    """

    outcome: Literal["refused_stale", "superseded", "refused_late"]
    sentence: str
    revision: int
    current_text: str
    kept: bool
    seconds_left: int


class Current(BaseModel):
    """What the server holds for one answer; revision 0 was never saved."""

    text: str
    revision: int
    saved_at: datetime | None


class Clock(BaseModel):
    """The server's clock and what it means for a session."""

    server_time: datetime
    deadline_at: datetime
    seconds_left: int
    status: SessionStatus


class Problem(BaseModel):
    """Why a request was refused, in one sentence for the person at the page."""

    sentence: str
