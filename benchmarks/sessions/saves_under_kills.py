"""Sixteen people save without a pause while every part of the site is killed at random, for five minutes.

Run `python -m benchmarks.sessions.saves_under_kills`: PostgreSQL and Redis of its own, the web server, the
worker and the beat of docs/operations.md; `--embedded`: SQLite, where web server and worker are killed.
In the end the database must hold exactly the acknowledged saves; nothing of it is about speed.
`make test-faults` does the same for one minute.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.kills import save_under_kills
from tests.faults.servers import Postgres, postgres_cluster, redis_server
from tests.faults.site import Site, site

SEED = 16


@contextmanager
def a_site(folder: Path, *, embedded: bool) -> Iterator[tuple[Site, Postgres | None]]:
    """An empty site, and its PostgreSQL where it has one."""
    if embedded:
        with site(folder) as made:
            made.make_tables()
            yield made, None
        return
    logs = folder / "logs"
    with (
        postgres_cluster(logs) as cluster,
        redis_server(logs) as redis,
        site(folder, database_url=cluster.create("saves"), redis=redis) as made,
    ):
        made.make_tables()
        yield made, cluster


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--embedded", action="store_true", help="SQLite; otherwise PostgreSQL and Redis")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="chiron-kills-") as folder,
        a_site(Path(folder), embedded=asked.embedded) as (made, cluster),
    ):
        survived = save_under_kills(made, cluster, seconds=asked.minutes * 60, seed=asked.seed)
    print(f"seed {asked.seed}, {time.monotonic() - began:.0f} s in all: {survived}")


if __name__ == "__main__":
    main()
