"""Why something has no score, in a sentence for the study team; in full: docs/judging-faults.md."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from judging.judges.course import LOST
from judging.judges.reasons import UnscoredReason
from judging.models import PauseReason

REASON_TEXTS: Mapping[str, Promise | str] = {
    UnscoredReason.ADDRESS_REFUSED: _(
        "The judge's address is not public, and whoever runs this site has not named it."
    ),
    UnscoredReason.CONNECTION_FAILED: _("Nobody answered at the judge's address."),
    UnscoredReason.CONNECTION_LOST: _("The connection broke before the reply was complete."),
    UnscoredReason.TIMED_OUT: _("No reply began in the time allowed."),
    UnscoredReason.REPLY_TOO_SLOW: _("A reply began, but was not complete in the time allowed."),
    UnscoredReason.RATE_LIMITED: _("The endpoint said that it was asked too often (429)."),
    UnscoredReason.SERVER_FAILED: _("The endpoint failed (500 and above)."),
    UnscoredReason.ENDPOINT_TIMED_OUT: _("The endpoint gave up waiting (408)."),
    UnscoredReason.ENDPOINT_CONFLICT: _("The endpoint was busy with something else (409)."),
    UnscoredReason.ASKED_TOO_EARLY: _("The endpoint was not ready yet (425)."),
    UnscoredReason.ACCESS_DENIED: _("Wrong key, no credit, or no such model or address (401 to 404)."),
    UnscoredReason.PROMPT_TOO_LONG: _("The question and the answer are longer than the model takes."),
    UnscoredReason.SCHEMA_REJECTED: _("The endpoint takes neither the JSON schema nor plain JSON."),
    UnscoredReason.REQUEST_REJECTED: _("The endpoint does not accept the request."),
    UnscoredReason.OTHER_INTERFACE: _(
        "The address answers, but not as chat completions: it is that of another interface."
    ),
    UnscoredReason.REPLY_TOO_LARGE: _("The reply was longer than two million bytes."),
    UnscoredReason.REPLY_WRONG_TYPE: _("The reply was no JSON, such as a web page."),
    UnscoredReason.REPLY_MALFORMED: _("The reply was no chat completion."),
    UnscoredReason.REPLY_TRUNCATED: _("The reply ended early, for instance at the token limit."),
    UnscoredReason.TOKEN_LIMIT_SPENT: _("The model used up its limit of tokens before it wrote anything."),
    UnscoredReason.REPLY_REFUSED: _("The model, or its provider's filter, declined."),
    UnscoredReason.REPLY_EMPTY: _("There was no text in the reply."),
    UnscoredReason.REPLY_ONLY_REASONING: _("The model wrote its reasoning only, and no reply."),
    UnscoredReason.REPLY_TOOL_CALL: _("The model called a tool, of which none was offered."),
    UnscoredReason.REPLY_OFF_SCHEMA: _(
        "The reply did not have the form that was asked for, asked once more included."
    ),
    UnscoredReason.REPLY_OUT_OF_RANGE: _(
        "A number of the reply lay outside of its bounds, asked once more included."
    ),
    LOST: _("Whoever had sent the request was gone before the reply; it was asked again."),
    UnscoredReason.NO_LONGER_COUNTS: _(
        "The answer was changed, withdrawn or left out after the plan was made; the judge was not asked."
    ),
}
WAYS_ON: Mapping[str, Promise | str] = {
    PauseReason.BY_HAND: _("Resume the run when you want it to go on."),
    PauseReason.BUDGET: _("Resume the run with a higher budget, or cancel it."),
    PauseReason.UNUSABLE: _("Correct the judge's entry or its key; then resume the run."),
    PauseReason.ERROR: _(
        "What follows is for whoever runs this site. Resume the run once it is mended; nothing is lost."
    ),
    PauseReason.JUDGE_FAILING: _(
        "Mend the cause and try the judge; then resume the run. What failed is asked again."
    ),
}


def reason_text(code: str) -> Promise | str:
    """The sentence, or the code itself where this version does not know it."""
    return REASON_TEXTS.get(code, code)
