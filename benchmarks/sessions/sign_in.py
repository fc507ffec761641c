"""Response times of asking for a sign-in code, for addresses that have an account and for others.

Run `python -m benchmarks.sessions.sign_in`; `--database-url postgres://…` names a PostgreSQL server, where a
database of the benchmark's own is made and dropped. Mail goes to files, or with `--smtp-milliseconds 200` to
an SMTP server of the benchmark's own that takes so long for each. Known and unknown addresses take turns, one
request at a time; a worker runs beside the server, as in operation. Everything stays on this machine and ends
by itself.
"""

import argparse
import re
import socketserver
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from benchmarks.sessions.site_under_load import site

LOGIN = "/accounts/login/"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
WARM_UP = 10


def main() -> None:
    arguments = parse_arguments()
    with site(arguments.database_url) as folder, mail_address(arguments.smtp_milliseconds) as mail_url:
        measure(mail_url, arguments.requests, folder)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database-url", help="a PostgreSQL server; without it SQLite in a temporary folder")
    parser.add_argument("--requests", type=int, default=200, help="of each kind")
    parser.add_argument("--smtp-milliseconds", type=int, help="what an SMTP server takes; without it: files")
    return parser.parse_args()


@contextmanager
def mail_address(milliseconds: int | None) -> Iterator[str]:
    """Where mails go: an SMTP server that takes every mail after a pause, or files."""
    if milliseconds is None:
        yield ""
        return
    with SlowMailServer(("127.0.0.1", 0), SlowMailbox) as server:
        server.seconds = milliseconds / 1000
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"smtp://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class SlowMailServer(socketserver.ThreadingTCPServer):
    """Takes `seconds` for each mail."""

    daemon_threads = True
    seconds = 0.0


class SlowMailbox(socketserver.StreamRequestHandler):
    """As much of SMTP as Django speaks."""

    server: SlowMailServer

    def handle(self) -> None:
        self.reply("220 benchmark")
        for line in self.rfile:
            command = line[:4].upper()
            if command == b"DATA":
                self.reply("354 go on")
                while self.rfile.readline() != b".\r\n":
                    pass
                time.sleep(self.server.seconds)
            self.reply("221 bye" if command == b"QUIT" else "250 fine")

    def reply(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


def measure(mail_url: str, requests: int, folder: Path) -> None:
    from django.db import connections

    from operations.rehearsal.servers import MANY_FROM_ONE_ADDRESS, background_worker, free_port, web_server
    from studies.models import User

    number = requests + WARM_UP
    known = [User.objects.create_user(f"person{n}@example.org").email for n in range(number)]
    unknown = [f"nobody{n}@example.org" for n in range(number)]
    connections.close_all()
    environment = {**MANY_FROM_ONE_ADDRESS, "CHIRON_MAIL_URL": mail_url}
    times: dict[str, list[float]] = {"known": [], "unknown": []}
    with (
        web_server(free_port(), environment=environment, log=folder / "web.log") as url,
        background_worker(environment=environment, log=folder / "worker.log"),
    ):
        for pair in zip(known, unknown, strict=True):
            for kind, email in zip(times, pair, strict=True):
                times[kind].append(milliseconds(url, email))
    for kind, measured in times.items():
        kept = measured[WARM_UP:]
        p95 = statistics.quantiles(kept, n=20)[-1]
        print(f"{kind:<8} median {statistics.median(kept):6.1f} ms   p95 {p95:6.1f} ms")


def milliseconds(url: str, email: str) -> float:
    """How long the reply takes to a new visitor who asks for a code."""
    with httpx.Client(base_url=url, timeout=60) as client:
        token = TOKEN.search(client.get(LOGIN).text)
        assert token is not None
        began = time.perf_counter()
        reply = client.post(LOGIN, data={"email": email, "csrfmiddlewaretoken": token[1]})
        took = (time.perf_counter() - began) * 1000
    assert reply.status_code == httpx.codes.FOUND, reply.status_code
    return took


if __name__ == "__main__":
    main()
