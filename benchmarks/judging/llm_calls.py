"""What a call to a judge costs this process: `llm.client` against a bare loop of sharded httpx clients.

    python -m benchmarks.judging.llm_calls
    python -m benchmarks.judging.llm_calls --calls 1200 --latency-ms 50 --rounds 5 --concurrency 32 64

A server in a process of its own answers every request after a fixed time. The bare loop is what one would
write first: clients of eight threads each, `client.post` and a pydantic model on the reply; it checks,
records and stores nothing. Both take turns in one run; the table shows medians. Nothing leaves the machine.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx

from benchmarks.judging.speed import THREADS_PER_CLIENT, BareReply, Verdict
from llm.client import ChatClient
from llm.egress import Egress
from llm.providers import response_format
from llm.requests import Attempt, Message

PROMPT = "Judge this response against the criterion. " + "The planet was seen at dawn. " * 60
VERDICT = json.dumps({"explanation": "It names the planet. " * 8, "score": 0.5, "confidence": 0.75})
REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "judge-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": VERDICT}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 500, "completion_tokens": 60, "total_tokens": 560},
}


class FixedLatency(asyncio.Protocol):
    """Reads requests with a Content-Length and answers each with the same bytes after the same time."""

    def __init__(self, seconds: float) -> None:
        body = json.dumps(REPLY).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._reply = head.encode() + body
        self._seconds = seconds
        self._pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._pending += data
        while (end := self._pending.find(b"\r\n\r\n")) >= 0:
            head = self._pending[:end].lower()
            size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            if len(self._pending) < end + 4 + size:
                return
            self._pending = self._pending[end + 4 + size :]
            asyncio.get_running_loop().call_later(self._seconds, self._answer)

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(self._reply)


async def serve(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: FixedLatency(seconds), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def running_server(latency_ms: float) -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.judging.llm_calls",
        "--serve",
        "--latency-ms",
        str(latency_ms),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


def bare(base_url: str, *, calls: int, threads: int) -> None:
    fields = {
        "model": "judge-1",
        "messages": [{"role": "user", "content": PROMPT}],
        "response_format": response_format(Verdict),
    }
    with ExitStack() as stack:
        clients = [
            stack.enter_context(httpx.Client(timeout=60)) for _ in range(-(-threads // THREADS_PER_CLIENT))
        ]

        def call(number: int) -> float:
            response = clients[number % len(clients)].post(f"{base_url}/chat/completions", json=fields)
            reply = BareReply.model_validate_json(response.content)
            return Verdict.model_validate_json(reply.choices[0].message.content).score

        with ThreadPoolExecutor(threads) as pool:
            assert sum(pool.map(call, range(calls))) == calls / 2


def ours(base_url: str, *, calls: int, threads: int) -> None:
    attempts: list[Attempt] = []
    with ChatClient(base_url=base_url, model="judge-1", timeout=60, egress=Egress(loopback=True)) as client:

        def call(number: int) -> float:
            messages = [Message("user", PROMPT)]
            completion = client.complete(messages, response_schema=Verdict)
            attempts.append(completion.attempt)
            return completion.parsed.score

        with ThreadPoolExecutor(threads) as pool:
            assert sum(pool.map(call, range(calls))) == calls / 2
    assert len(attempts) == calls


Loop = Callable[..., None]


def measured(loop: Loop, base_url: str, *, calls: int, threads: int) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    loop(base_url, calls=calls, threads=threads)
    return time.perf_counter() - wall, time.process_time() - cpu


def compare(base_url: str, *, calls: int, threads: int, rounds: int, ideal: float) -> None:
    loops: dict[str, Loop] = {"bare httpx": bare, "llm.client": ours}
    results: dict[str, list[tuple[float, float]]] = {name: [] for name in loops}
    for _ in range(rounds):
        for name, loop in loops.items():
            results[name].append(measured(loop, base_url, calls=calls, threads=threads))
    for name, pairs in results.items():
        wall, cpu = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(
            f"{threads:>11}  {name:<11} {wall:>7.2f} s {wall / ideal:>8.2f} x {cpu:>8.2f} s "
            f"{1000 * cpu / calls:>9.2f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=1200)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[32, 64])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.latency_ms / 1000))
        return
    print("concurrency  loop           wall  of ideal      CPU    CPU a call")
    with running_server(options.latency_ms) as base_url:
        for threads in options.concurrency:
            ideal = options.calls * options.latency_ms / 1000 / threads
            compare(base_url, calls=options.calls, threads=threads, rounds=options.rounds, ideal=ideal)


if __name__ == "__main__":
    main()
