"""What open pages ask for again and again gives way to saves and pages while the server is busy."""

import re
import threading
import time
from collections.abc import Iterable
from typing import Any

from config.request_bodies import Application

POLL = re.compile(r"/api/(sessions/[^/]+/time|studies/[^/]+/(notices|practice/time))")
# Of the four threads of a process (--blocking-threads) the last one is never a poll's.
MOST_BESIDE = 3
# What takes longer is a large page of the team or a client that sends slowly, and no sign of a queue. A save
# that waits for the database is one, for as long as it may wait there.
LONG_SECONDS, LONG_SAVE_SECONDS = 2.0, 20.0
SAVE = re.compile(r"/api/sessions/[^/]+/answers/\d+")
RETRY_SECONDS = 1
# Pages know by `X-Busy` that nothing is wrong: they wait and say nothing, so there is nothing to translate.
REFUSAL = [
    ("Retry-After", str(RETRY_SECONDS)),
    ("X-Busy", "1"),
    ("Cache-Control", "private, no-store"),
    ("Content-Length", "0"),
]


def polls_give_way(application: Application) -> Application:
    """Refuse a poll at once, before sign-in and database, while three other requests are under way.

    The web server takes requests in the order in which they came and tells nobody how many wait; where so
    many are under way, what comes next would wait. A refused poll is over in a fraction of a millisecond.
    """
    lock = threading.Lock()
    counts_until: dict[int, float] = {}

    def counting(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        me, now = threading.get_ident(), time.monotonic()
        with lock:
            beside = sum(now < until for until in counts_until.values())
            is_save = SAVE.fullmatch(environ["PATH_INFO"])
            counts_until[me] = now + (LONG_SAVE_SECONDS if is_save else LONG_SECONDS)
        try:
            if beside >= MOST_BESIDE and POLL.fullmatch(environ["PATH_INFO"]):
                start_response("503 Service Unavailable", REFUSAL)
                return []
            return application(environ, start_response)
        finally:
            with lock:
                del counts_until[me]

    return counting
