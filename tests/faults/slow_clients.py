"""Clients that send a byte now and then and never come to an end."""

import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

EVERY_SECONDS = 0.2
# Cookie and origin are as they should be, so that the site reads the body to find the cookie's twin. The
# body's beginning is more than a proxy keeps back in any case.
SLOW_BODY = (
    b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: %s://127.0.0.1\r\n"
    b"Content-Length: 100000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nCookie: csrftoken=%s\r\n\r\n%s"
)
SLOW_HEADERS = b"GET /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


class SlowClients:
    """Connections whose requests are never complete."""

    def __init__(self, connections: list[socket.socket]) -> None:
        self.connections = connections

    @property
    def waiting(self) -> int:
        """How many are neither answered nor refused."""
        return len(self.connections) - len(select.select(self.connections, [], [], 0)[0])

    def drip(self, ended: threading.Event) -> None:
        while not ended.wait(EVERY_SECONDS):
            for connection in self.connections:
                try:
                    connection.sendall(b"a")
                except OSError:  # refused; `waiting` tells
                    continue


@contextmanager
def slow_clients(port: int, *, bodies: int, headers: int = 0, tls: bool = False) -> Iterator[SlowClients]:
    """So many slow clients of the port, until the block ends."""
    ended, trusting = threading.Event(), ssl._create_unverified_context()  # noqa: S323
    trusting.maximum_version = ssl.TLSVersion.TLSv1_2  # the server of a newer one speaks first
    with ExitStack() as stack:
        connections = []
        body = SLOW_BODY % (b"https" if tls else b"http", b"a" * 32, b"a" * 20_000)
        for beginning in [body] * bodies + [SLOW_HEADERS] * headers:
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connection = trusting.wrap_socket(connection) if tls else connection
            connections.append(stack.enter_context(connection))
            connection.sendall(beginning)
        clients = SlowClients(connections)
        dripping = threading.Thread(target=clients.drip, args=(ended,), daemon=True)
        dripping.start()
        yield clients
        ended.set()
        dripping.join()
