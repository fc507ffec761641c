"""Marking an answer to come back to it."""

from uuid import UUID

from ninja import Router

from batches.endpoints.access import PROBLEMS, SignedInRequest
from batches.schemas import Flag, Problem
from batches.services.clock import server_now
from batches.services.flags import answer_flag

router = Router()


@router.put(
    "/sessions/{uuid:session_id}/answers/{int:position}/flag",
    response={200: Flag, 410: Problem, **PROBLEMS},
)
def flag_answer(request: SignedInRequest, session_id: UUID, position: int, body: Flag) -> Flag:
    """Set or take away the mark. 410: the session is over."""
    answer_flag(
        user_id=request.user.pk,
        session_id=session_id,
        position=position,
        flagged=body.flagged,
        now=server_now(),
    )
    return body
