"""What names a request, what it is estimated to weigh, and the endpoints it may go to."""

import json
import subprocess
import sys
from typing import Any

import pytest
from pydantic import BaseModel, JsonValue

from llm.egress import EndpointInvalid
from llm.http import Endpoint
from llm.providers import Provider
from llm.requests import ChatRequest, Encoder, Message, RequestMaker, tokens_estimate

IN_ANOTHER_PROCESS = """
from pydantic import BaseModel
from llm.requests import Message, RequestMaker

class Verdict(BaseModel):
    why: str
    grade: float

maker = RequestMaker(model="m", parameters={"b": {"y": 1, "x": 2}, "a": 1}, reasoning_effort="low")
print(maker.request([Message("user", "hello")], Verdict).sha256)
"""


class Verdict(BaseModel):
    why: str
    grade: float


class Turned(BaseModel):
    grade: float
    why: str


def request(text: str = "hello", schema: type[BaseModel] | None = None, **settings: Any) -> ChatRequest:
    values: dict[str, Any] = {"model": "m", "parameters": {}, **settings}
    return RequestMaker(**values).request([Message("user", text)], schema)


def test_equal_requests_have_equal_hashes_whatever_the_order_of_their_parameters() -> None:
    one = request(parameters={"seed": 1, "b": {"x": 2, "y": 1}})
    assert one == request(parameters={"b": {"y": 1, "x": 2}, "seed": 1})
    assert len(one.sha256) == 64


def test_a_hash_is_the_same_in_every_process() -> None:
    settings: dict[str, JsonValue] = {"a": 1, "b": {"x": 2, "y": 1}}
    here = request(schema=Verdict, parameters=settings, reasoning_effort="low").sha256
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS]
    there = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert there.stdout.strip() == here


def test_every_part_of_a_request_changes_its_hash() -> None:
    requests = [
        request(), request("hi"), request(model="n"), request(parameters={"seed": 1}),
        request(reasoning_effort="low"), request(max_output_tokens=100), request(schema=Verdict),
        request(schema=Turned),
    ]  # fmt: skip
    assert len({one.sha256 for one in requests}) == len(requests)


def test_a_role_or_a_second_message_changes_the_hash() -> None:
    maker = RequestMaker(model="m", parameters={})
    conversations = [
        [Message("user", "ab")], [Message("system", "ab")], [Message("user", "a"), Message("user", "b")],
    ]  # fmt: skip
    assert len({maker.request(messages).sha256 for messages in conversations}) == 3


def test_a_parameter_that_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        RequestMaker(model="m", parameters={"temperature": float("nan")})


def test_any_text_can_be_sent() -> None:
    text = 'line\u2028 "quoted" \ud800 \0 é 🦊'
    encoder = Encoder(Provider.GENERIC, RequestMaker(model="m", parameters={}))
    for plain in (False, True):
        body = json.loads(encoder.body(request(text, Verdict), plain=plain))
        assert body["messages"][0]["content"].startswith(text)


@pytest.mark.parametrize(
    ("texts", "tokens"),
    [([""], 0), (["abcd"], 1), (["abcde"], 2), (["ab", "cd"], 1), (["日本"], 2), (["\ud800"], 1)],
)
def test_four_bytes_count_as_a_token(texts: list[str], tokens: int) -> None:
    assert tokens_estimate(*texts) == tokens


def test_the_schema_counts_towards_the_estimate() -> None:
    assert request("a" * 400).prompt_tokens_estimate == 100
    assert 110 < request("a" * 400, Verdict).prompt_tokens_estimate < 200


@pytest.mark.parametrize(
    "base_url",
    [
        "", "judge", "ftp://host/v1", "http://", "http://host:99999/v1", "http://[::1/v1", "http://host:0/v1",
        "http://host/v1?key=abc", "http://host/v1#x", "http://host/v1?", "http://host/v1#", "http://@host/v1",
        "http://[fe80::1%25lo]/v1", "http://\u2460\u2461\u2466.0.0.1/v1", "http://host\\@other/v1",
    ],
)  # fmt: skip
def test_an_address_that_cannot_work_is_refused(base_url: str) -> None:
    with pytest.raises(EndpointInvalid, match=r"base URL"):
        Endpoint(base_url)


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(EndpointInvalid) as caught:
        Endpoint("https://me:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "ключ"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(EndpointInvalid) as caught:
        Endpoint("http://host/v1", key)
    assert key not in str(caught.value)


def test_a_placeholder_key_of_a_local_server_masks_nothing() -> None:
    assert Endpoint("http://host/v1", "x").without_key("exactly") == "exactly"
