"""Of the secrets of the server a judge can be made to send its own key, to that key's own origin."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.models import JudgeConfig
from judging.services.judge_keys import JudgeNotConfigured, judge_key
from judging.services.judge_trial import FindingState, judge_probe
from llm.egress import EndpointInvalid, origin_of

pytestmark = pytest.mark.django_db
KEY = "sk-the-judges-own-key"
SECRETS = {
    "DATABASE_URL": "postgres://chiron:the-database-password@db/chiron",
    "CHIRON_SECRET_KEY": "the-secret-key-that-signs-every-session-of-the-site",
    "CHIRON_JUDGE_KEYRING": "not-a-judges-key",
    "CHIRON_JUDGE_KEY_OTHER": "sk-the-key-of-another-judge",
}


@dataclass
class Listener:
    """An endpoint of a curious member of staff: keeps what arrives, answers with `body`."""

    url: str
    body: bytes = b"{}"
    heard: list[str] = field(default_factory=list)


@pytest.fixture
def listener() -> Iterator[Listener]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"])).decode()
            here.heard.append(f"{self.headers}{content}")
            self.send_response(200)
            self.send_header("Content-Length", str(len(here.body)))
            self.end_headers()
            self.wfile.write(here.body)

        def log_message(self, *_: Any) -> None:
            """Nothing on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        here = Listener(f"http://127.0.0.1:{server.server_port}/v1")
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield here
        server.shutdown()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CHIRON_JUDGE_KEY_MAIN", KEY)
    monkeypatch.setenv("CHIRON_JUDGE_ORIGIN_OTHER", "https://other.example")


@pytest.mark.parametrize("variable", [*SECRETS, "PATH", "CHIRON_JUDGE_KEY_", "CHIRON_JUDGE_KEY_MAIN\n"])
def test_no_secret_of_the_server_is_sent_to_an_address_that_staff_choose(
    variable: str, listener: Listener, make_judge: Callable[..., JudgeConfig]
) -> None:
    # Straight into the table: the rules for names may be newer than a row.
    judge = make_judge(listener.url, key_variable=variable)
    with pytest.raises(JudgeNotConfigured):
        judge_key(judge)
    trial = judge_probe(judge)
    assert (trial.works, listener.heard) == (False, [])
    assert not [secret for secret in SECRETS.values() if secret in str(trial)]


@pytest.mark.parametrize("variable", ["DATABASE_URL", "CHIRON_SECRET_KEY", "CHIRON_JUDGE_KEYRING", "PATH"])
@pytest.mark.parametrize("command", ["add_judge", "change_judge"])
def test_no_other_name_is_taken_by_a_command(
    command: str, variable: str, make_judge: Callable[..., JudgeConfig]
) -> None:
    make_judge("http://127.0.0.1:9/v1", "there")
    name = {"add_judge": "new", "change_judge": "there"}[command]
    with pytest.raises(CommandError, match="such as CHIRON_JUDGE_KEY_MAIN"):
        call_command(command, name, "--url", "http://127.0.0.1:9/v1", "--model", "m", "--key-env", variable)
    assert list(JudgeConfig.objects.values_list("key_variable", flat=True)) == [""]


def test_a_key_is_sent_to_the_origin_the_operator_named_and_to_no_other(
    listener: Listener, make_judge: Callable[..., JudgeConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = make_judge(listener.url, key_variable="CHIRON_JUDGE_KEY_MAIN")
    origin = listener.url.removesuffix("/v1")

    unbound = judge_probe(judge)
    assert f"CHIRON_JUDGE_ORIGIN_MAIN={origin}" in unbound.findings[0].sentence
    for elsewhere in ("https://judge.example", "nonsense", "http://127.0.0.1", f"{origin}0", ""):
        monkeypatch.setenv("CHIRON_JUDGE_ORIGIN_MAIN", elsewhere)
        assert judge_probe(judge).findings[0].state == FindingState.BAD
    assert listener.heard == []

    monkeypatch.setenv("CHIRON_JUDGE_ORIGIN_MAIN", f" {origin}/ ")
    judge_probe(judge)
    assert f"Authorization: Bearer {KEY}" in listener.heard[0]


@pytest.mark.parametrize(
    "address",
    [
        "https://judge.example.evil.example/v1",
        "https://judge.example:8443/v1",
        "https://judge.example./v1",
        "https://evil.example/judge.example",
        "https://xjudge.example/v1",
        "http://judge.example/v1",
    ],
)
def test_a_look_alike_of_the_named_origin_is_another_origin(
    address: str, make_judge: Callable[..., JudgeConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHIRON_JUDGE_ORIGIN_MAIN", "https://judge.example")
    with pytest.raises(JudgeNotConfigured):
        judge_key(make_judge(address, key_variable="CHIRON_JUDGE_KEY_MAIN"))
    same = make_judge("HTTPS://Judge.Example:443/v1", "same", key_variable="CHIRON_JUDGE_KEY_MAIN")
    assert judge_key(same) == KEY


@pytest.mark.parametrize(
    "address",
    [
        "https://judge.example@evil.example",
        "https://judge.example\\@evil.example",
        "https://evil\\.judge.example",
    ],
)
def test_an_address_that_readers_may_take_for_different_hosts_is_none(address: str) -> None:
    with pytest.raises(EndpointInvalid):
        origin_of(address)


@pytest.mark.parametrize(
    "address", ["http://judge.example/v1", "http://10.0.0.5:8000/v1", "HTTP://[fd00::1]/v1"]
)
def test_nothing_is_sent_in_the_clear_but_to_this_machine(
    address: str, make_judge: Callable[..., JudgeConfig]
) -> None:
    with pytest.raises(CommandError, match="starts with https"):
        call_command("add_judge", "new", "--url", address, "--model", "m")
    with pytest.raises(JudgeNotConfigured, match="starts with https"):
        judge_key(make_judge(address))


def test_a_trial_repeats_no_more_of_a_reply_than_an_excerpt(
    listener: Listener, make_judge: Callable[..., JudgeConfig]
) -> None:
    listener.body = b"\x1b[2J\x07the instance's credentials: " + b"x" * 5_000 + b" the end"
    trial = judge_probe(make_judge(listener.url))
    sentence = trial.findings[-1].sentence
    said = sentence.split("It said: ")[1]
    assert len(said) <= 202
    assert sentence.isprintable()
    assert "the end" not in str(trial)
