"""When worker and beat were last at work: a number beside the broker, in Redis or in the data folder."""

from contextlib import suppress
from pathlib import Path
from typing import Literal

from celery import current_app
from redis import Redis, RedisError

Part = Literal["worker", "beat"]
KEEP_SECONDS = 24 * 3600
# Asked by a worker between two tasks, and by the beat: neither may be held up.
TIMEOUT_SECONDS = 1.0


def heartbeat_write(part: Part, *, now: float) -> None:
    """Note that the part works; `now` in seconds since 1970. What is down keeps nobody from work."""
    with suppress(RedisError, OSError):
        if redis := _redis():
            with redis:
                redis.set(_key(part), now, ex=KEEP_SECONDS)
        else:
            _file(part).parent.mkdir(parents=True, exist_ok=True)
            _file(part).write_text(str(now))


def heartbeat_read(part: Part) -> float | None:
    """When the part last worked, in seconds since 1970; None where nothing is known.

    Raises RedisError or OSError where that cannot be asked.
    """
    if redis := _redis():
        with redis:
            seen = redis.get(_key(part))
    else:
        seen = _file(part).read_text() if _file(part).exists() else None
    try:
        return float(seen) if isinstance(seen, bytes | str) else None
    except ValueError:  # it was being written
        return None


def _redis() -> "Redis | None":
    url = str(current_app.conf.broker_url)
    if not url.startswith("redis"):
        return None
    timeouts = {"socket_connect_timeout": TIMEOUT_SECONDS, "socket_timeout": TIMEOUT_SECONDS}
    return Redis.from_url(url, **timeouts)


def _key(part: Part) -> str:
    return f"chiron-sign-of-{part}"


def _file(part: Part) -> Path:
    return Path(current_app.conf.broker_transport_options["data_folder_in"]).parent / f"sign_of_{part}"
