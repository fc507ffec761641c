"""The broker of production: each queue is a list in Redis, from whose other end workers take."""

import re
from types import TracebackType
from typing import Self

from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

# As the workers' library writes it, which takes the other form too.
CERTIFICATES = re.compile(r"(ssl_cert_reqs=)CERT_(\w+)")


class RedisBroker:
    """`location` is the address. Each answer is waited for once, `timeout` seconds at most."""

    errors = (
        RedisError,
        OSError,
        TypeError,
    )  # the last one of a word in the address that redis-py does not know

    def __init__(self, location: str, timeout: float) -> None:
        self._redis = Redis.from_url(
            CERTIFICATES.sub(lambda match: match[1] + match[2].lower(), location),
            socket_connect_timeout=timeout,
            socket_timeout=timeout,
            # Redis-py's own tries thrice, with pauses.
            retry=Retry(NoBackoff(), 0),
            decode_responses=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._redis.close()

    def put(self, queue: str, message: str) -> None:
        self._redis.lpush(queue, message)

    def waiting(self, queue: str) -> int:
        return int(self._redis.llen(queue))

    def sign_write(self, name: str, sign: str, *, keep_seconds: int) -> None:
        self._redis.set(name, sign, ex=keep_seconds)

    def sign_read(self, name: str) -> str | None:
        sign = self._redis.get(name)
        return None if sign is None else str(sign)
