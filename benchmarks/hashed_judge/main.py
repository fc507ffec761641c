"""Starting the server and ending it in good order."""

import asyncio
import gc
import signal
import sys
from collections.abc import Sequence

from benchmarks.hashed_judge.http import Connection
from benchmarks.hashed_judge.options import JudgeOptions, read_options
from benchmarks.hashed_judge.serving import Judge

HOST = "127.0.0.1"
BACKLOG = 1024
LAST_REPLIES_SECONDS = 2.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until a signal, or until standard input closes if that was asked for."""
    options = read_options(arguments, description="An OpenAI-compatible judge on loopback; it means nothing.")
    asyncio.run(_serve(options))


async def _serve(options: JudgeOptions) -> None:
    loop = asyncio.get_running_loop()
    judge = Judge(options, loop)
    ended = _end_wanted(loop, options)
    server = await loop.create_server(lambda: Connection(judge), HOST, options.port, backlog=BACKLOG)
    port = server.sockets[0].getsockname()[1]
    # What was made for the start stays; the collector need not look at it again.
    gc.freeze()
    print(f"A judge that means nothing listens on http://{HOST}:{port}/v1 (Ctrl-C ends it).", flush=True)
    await ended.wait()
    server.close()
    await _last_replies(judge)
    judge.close()


def _end_wanted(loop: asyncio.AbstractEventLoop, options: JudgeOptions) -> asyncio.Event:
    ended = asyncio.Event()
    for wanted in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(wanted, ended.set)
    if options.while_stdin_open:
        loop.add_reader(sys.stdin, ended.set)
    return ended


async def _last_replies(judge: Judge) -> None:
    """Let the requests in flight end, for a while."""
    loop = asyncio.get_running_loop()
    until = loop.time() + LAST_REPLIES_SECONDS
    while judge.counts.in_flight and loop.time() < until:
        await asyncio.sleep(0.01)
    for connection in list(judge.connections):
        connection.transport.abort()
    await asyncio.sleep(0)
