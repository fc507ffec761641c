"""The JSON endpoints of the participant's pages: answers, their flags and previews, notices, practice."""

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router
from ninja.errors import HttpError
from ninja.responses import Status

from batches import schemas
from batches.models import RevisionOutcome, Session
from batches.rules.contact import PageReport
from batches.rules.saves import check_answer_text
from batches.rules.statuses import SessionStatus
from batches.selectors.notices import notices_for, told_in_session
from batches.selectors.saved_answers import read_saved_answer
from batches.selectors.sessions import session_clock
from batches.services.answers import AnswerNotFound, IncomingText, TextRefused, answer_save, prompt_seen
from batches.services.contact import page_report
from batches.services.flags import answer_flag
from batches.services.practice import (
    practice_flag,
    practice_of,
    practice_save,
    practice_session,
    require_practice,
)
from batches.services.previews import answer_preview
from batches.services.receipts import SaveReceipt, fault_sentence
from studies.models import Participant, User
from studies.selectors.participants import participant_of, storage_notice
from studies.services.clock import server_now

router = Router()
SaveReply = Status[schemas.Saved | schemas.NotSaved]
PROBLEMS = dict.fromkeys((400, 403, 404, 413, 422), schemas.Problem)


class SignedInRequest(HttpRequest):
    """A request that passed the session check."""

    user: User


@router.post(
    "/sessions/{uuid:session_id}/answers/{int:position}",
    response={200: schemas.Saved, 409: schemas.NotSaved, 410: schemas.NotSaved, **PROBLEMS},
)
def save_answer(
    request: SignedInRequest, session_id: UUID, position: int, body: schemas.SaveBody
) -> SaveReply:
    """Save one answer. 409: another tab has saved newer text. 410: the session is over."""
    now = server_now()
    receipt = answer_save(
        user_id=request.user.pk,
        session_id=session_id,
        position=position,
        incoming=IncomingText(**body.model_dump()),
        now=now,
    )
    return _as_reply(receipt, _state_after(request, receipt, now))


@router.get("/sessions/{uuid:session_id}/answers/{int:position}", response={200: schemas.Current, **PROBLEMS})
def saved_answer(request: SignedInRequest, session_id: UUID, position: int) -> schemas.Current:
    """What the server holds for one answer, also after the end; a page compares its own copies with it."""
    saved = read_saved_answer(user_id=request.user.pk, session_id=session_id, position=position)
    if saved is None:
        raise AnswerNotFound
    return schemas.Current.model_validate(saved, from_attributes=True)


@router.get("/sessions/{uuid:session_id}/time", response={200: schemas.SessionState, **PROBLEMS})
def session_time(request: SignedInRequest, session_id: UUID) -> schemas.SessionState:
    """The remaining time by the server's clock, the only one that counts, and what there is to tell."""
    state = _state(request, session_id, server_now())
    if state is None:
        raise HttpError(404, _("There is no such session of yours."))
    return state


@router.post("/sessions/{uuid:session_id}/report", response={200: schemas.Heard, **PROBLEMS})
def report_page(request: SignedInRequest, session_id: UUID, body: schemas.PageReport) -> schemas.Heard:
    """What the page says of itself, for the study team's eyes; it changes no answer and no time."""
    kept = page_report(
        user_id=request.user.pk,
        session_id=session_id,
        report=PageReport(**body.model_dump()),
        now=server_now(),
    )
    return schemas.Heard(kept=kept)


@router.post(
    "/sessions/{uuid:session_id}/answers/{int:position}/seen", response={200: schemas.Heard, **PROBLEMS}
)
def see_question(
    request: SignedInRequest, session_id: UUID, position: int, body: schemas.Seen
) -> schemas.Heard:
    """Stamp the first view of a question. `kept`: the server did not know of it, and the session ran then."""
    session = session_clock(request.user, session_id)
    if session is None:
        raise HttpError(404, _("There is no such session of yours."))
    now = server_now()
    kept = prompt_seen(session=session, position=position, now=now, seconds_ago=body.seconds_ago)
    return schemas.Heard(kept=kept)


def _as_clock(session: Session, now: datetime) -> schemas.Clock:
    return schemas.Clock(
        server_time=now,
        deadline_at=session.deadline_at,
        seconds_left=session.seconds_left(now),
        status=session.status_at(now),
        extended_seconds=session.extended_seconds,
    )


def _state(request: SignedInRequest, session_id: UUID, now: datetime) -> schemas.SessionState | None:
    told = told_in_session(user_id=request.user.pk, session_id=session_id, now=now)
    if told is None:
        return None
    session, notices = told
    return schemas.SessionState(**dict(_as_clock(session, now)), notices=notices)


def _state_after(
    request: SignedInRequest, receipt: SaveReceipt, now: datetime
) -> schemas.SessionState | None:
    """What the page need not ask for; next to always what the save found tells all of it."""
    found = receipt.found
    if found is None or not receipt.saved or receipt.seconds_left <= 0:  # at the end the page asks by itself
        return None
    if found.may_have_notices or storage_notice(found.stored_bytes):
        with suppress(DatabaseError):  # what is stored is not said to have failed
            return _state(request, found.session_id, now)
        return None
    return schemas.SessionState(
        server_time=now,
        deadline_at=found.deadline_at,
        seconds_left=receipt.seconds_left,
        status=SessionStatus(found.status),
        extended_seconds=found.extended_seconds,
        notices=[],
    )


def _as_reply(receipt: SaveReceipt, state: schemas.SessionState | None = None) -> SaveReply:
    """The receipt with its HTTP status, and with what else the page is told."""
    if receipt.saved:
        saved = schemas.Saved.model_validate(receipt, from_attributes=True)
        return Status(200, saved.model_copy(update={"state": state}))
    status = 410 if receipt.outcome == RevisionOutcome.REFUSED_LATE else 409
    return Status(status, schemas.NotSaved.model_validate(receipt, from_attributes=True))


@router.put(
    "/sessions/{uuid:session_id}/answers/{int:position}/flag",
    response={200: schemas.Flag, 410: schemas.Problem, **PROBLEMS},
)
def flag_answer(
    request: SignedInRequest, session_id: UUID, position: int, body: schemas.Flag
) -> schemas.Flag:
    """Set or take away the mark. 410: the session is over."""
    answer_flag(
        user_id=request.user.pk,
        session_id=session_id,
        position=position,
        flagged=body.flagged,
        now=server_now(),
    )
    return body


@router.get("/studies/{slug:slug}/notices", response={200: schemas.Notices, **PROBLEMS})
def study_notices(request: SignedInRequest, slug: str) -> schemas.Notices:
    """What a page shows; asked again every 20 seconds by every open page without a session's clock."""
    notices = notices_for(user_id=request.user.pk, study_slug=slug, now=server_now())
    if notices is None:
        raise HttpError(404, _("There is no such study of yours."))
    return schemas.Notices(notices=notices)


PRACTICE = "/studies/{slug:slug}/practice"
ADDRESS = f"{PRACTICE}/{{int:number}}"


@router.post(ADDRESS, response={200: schemas.Saved, 409: schemas.NotSaved, **PROBLEMS})
def save_practice(request: SignedInRequest, slug: str, number: int, body: schemas.SaveBody) -> SaveReply:
    """Save one practice text. 409: another tab has saved newer text. 422: practice is over."""
    receipt = practice_save(
        participant=_own_place(request, slug),
        number=number,
        incoming=IncomingText(**body.model_dump()),
        now=server_now(),
    )
    return _as_reply(receipt)


@router.get(ADDRESS, response={200: schemas.Current, **PROBLEMS})
def saved_practice(request: SignedInRequest, slug: str, number: int) -> schemas.Current:
    """What the server holds for one practice prompt."""
    return schemas.Current.model_validate(
        practice_of(_own_place(request, slug), number), from_attributes=True
    )


@router.put(f"{ADDRESS}/flag", response={200: schemas.Flag, **PROBLEMS})
def flag_practice(request: SignedInRequest, slug: str, number: int, body: schemas.Flag) -> schemas.Flag:
    """Set or take away the mark. 422: practice is over."""
    practice_flag(participant=_own_place(request, slug), number=number, flagged=body.flagged)
    return body


@router.get(f"{PRACTICE}/time", response={200: schemas.Clock, **PROBLEMS})
def practice_time(request: SignedInRequest, slug: str) -> schemas.Clock:
    """The practice clock. 422: practice is over."""
    participant = _own_place(request, slug)
    require_practice(participant)
    now = server_now()
    return _as_clock(practice_session(participant, now), now)


def _own_place(request: SignedInRequest, slug: str) -> Participant:
    participant = participant_of(request.user, slug)
    if participant is None:
        raise HttpError(404, _("There is no such study of yours."))
    return participant


MAX_CHARACTERS = 1_000_000
"""What the longest answer of any study may have; practice has no session to ask for its own limit."""


@router.post("/preview", response={200: schemas.Preview, 429: schemas.Problem, **PROBLEMS})
def preview_text(request: SignedInRequest, body: schemas.PreviewBody) -> schemas.Preview:
    """The text as safe HTML. Nothing is stored. 429: the last one took long, or is not made yet."""
    fault = check_answer_text(body.text, max_characters=MAX_CHARACTERS)
    if fault is not None:
        raise TextRefused(fault_sentence(fault))
    return schemas.Preview(html=answer_preview(user_id=request.user.pk, text=body.text, now=server_now()))
