"""What endpoints say beside an error status: which fault it is, and when to come back."""

import pytest

from llm import errors
from tests.support.small_server import Serve, asked, asked_once, client, ok, outcomes, saying

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("status", "words", "outcome"),
    [
        ("400 Bad Request", "'max_tokens' is too large; maximum context length is 8192", "prompt_too_long"),
        ("400 Bad Request", '{"error": {"code": "context_length_exceeded"}}', "prompt_too_long"),
        ("400 Bad Request", "prompt is too long: 210000 tokens > 200000 maximum", "prompt_too_long"),
        ("400 Bad Request", "the request exceeds the available context size", "prompt_too_long"),
        ("400 Bad Request", "input length and `max_tokens` exceed context limit: 9 > 8", "prompt_too_long"),
        ("400 Bad Request", "Prompt exceeds max length", "prompt_too_long"),
        ("400 Bad Request", "Your request exceeded model token limit: 8192", "prompt_too_long"),
        ("400 Bad Request", "Range of input length should be [1, 6000]", "prompt_too_long"),
        ("400 Bad Request", "Input tokens exceed the configured limit of 272000 tokens", "prompt_too_long"),
        ("400 Bad Request", "The input token count (9) exceeds the maximum", "prompt_too_long"),
        ("413 Payload Too Large", "Request too large for model `m`", "prompt_too_long"),
        ("413 Payload Too Large", "<h1>413 Request Entity Too Large</h1>", "prompt_too_long"),
        ("422 Unprocessable", "`inputs` tokens + `max_new_tokens` must be <= 4096", "prompt_too_long"),
        ("500 Internal Server Error", "Requested tokens exceed context window of 2048", "prompt_too_long"),
        ("400 Bad Request", '{"error": {"code": "content_filter", "message": "x"}}', "reply_refused"),
        ("403 Forbidden", '{"error": {"message": "Input was flagged", "code": 403}}', "reply_refused"),
        ("400 Bad Request", "litellm.ContextWindowExceededError: too much", "prompt_too_long"),
        ("400 Bad Request", "litellm.ContentPolicyViolationError: no", "reply_refused"),
        ("422 Unprocessable", "`inputs` must have less than 4097 tokens", "prompt_too_long"),
        ("400 Bad Request", "Budget has been exceeded! Current cost: 10", "access_denied"),
        ("400 Bad Request", "Your credit balance is too low", "access_denied"),
        ("400 Bad Request", "API key not valid. Please pass a valid API key.", "access_denied"),
        ("400 Bad Request", "Invalid model name passed in model=x", "access_denied"),
        ("307 Temporary Redirect", "", "request_rejected"),
        ("429 Too Many Requests", '{"error": {"code": "insufficient_quota"}}', "access_denied"),
    ],
)  # fmt: skip
def test_a_status_is_told_apart_by_what_the_endpoint_says(
    serve: Serve, status: str, words: str, outcome: str
) -> None:
    server = serve(saying(ok(words.encode(), status=status)))
    with client(server.base_url) as chat:
        error, attempts = asked(chat)
    assert isinstance(error, type)
    assert (error.reason, outcomes(attempts)) == (outcome, [outcome])


@pytest.mark.parametrize(
    ("status", "words", "outcome", "requests"),
    [
        ("400 Bad Request", "Model unloaded.", "server_failed", 3),
        ("424 Failed Dependency", "Request failed during generation", "server_failed", 3),
        ("429 Too Many", "You exceeded your current quota. Please retry in 0.01s.", "rate_limited", 3),
    ],
)
def test_what_passes_is_asked_again_whatever_its_status(
    serve: Serve, status: str, words: str, outcome: str, requests: int
) -> None:
    with client(serve(saying(ok(words.encode(), status=status))).base_url) as chat:
        error, attempts = asked(chat)
    assert isinstance(error, type)
    assert outcomes(attempts) == [outcome] * requests


@pytest.mark.parametrize(
    ("headers", "words", "wait"),
    [
        (["Retry-After: 17"], "", 17.0),
        (["Retry-After: 1m2.5s"], "", 62.5),
        (["retry-after-ms: 2500", "Retry-After: 9"], "", 2.5),
        ([], "Rate limit reached. Please try again in 6.5s.", 6.5),
        ([], "Please try again in 1m2s", 62.0),
        ([], '{"error": {"details": [{"retryDelay": "21s"}]}}', 21.0),
        ([], '{"retry_after": 4}', 4.0),
        ([], "try again in 250ms", 0.25),
    ],
)
def test_a_wait_is_kept_in_whatever_form_it_is_asked_for(
    serve: Serve, headers: list[str], words: str, wait: float
) -> None:
    limited = ok(words.encode() or b"{}", *headers, status="429 Too Many Requests")
    with client(serve(saying(limited)).base_url) as chat:
        error, _ = asked_once(chat)
    assert isinstance(error, errors.RateLimited)
    assert error.retry_after == wait
