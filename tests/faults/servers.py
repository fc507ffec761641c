"""PostgreSQL and Redis of a test's own, to be killed; the machine's are left alone."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import redis

from tests.faults.parts import Part, binary, free_port, until

START_SECONDS = 30.0


class Postgres(Part):
    """A cluster in a folder of its own, as safe as in operation: commits reach the disk."""

    def __init__(self, folder: Path, logs: Path, *, port: int, user: str | None) -> None:
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
        command = [binary("postgres"), "-D", str(folder / "data"), *options.split()]
        super().__init__("postgres", command, environment=os.environ, logs=logs, user=user)
        self._folder = folder
        self.url = f"postgres://postgres@127.0.0.1:{port}/postgres"

    def start_answering(self) -> None:
        self.start()
        until(self._answers, seconds=START_SECONDS, what="PostgreSQL answers")

    def restart_immediately(self) -> float:
        """End without a checkpoint and recover, as after a crash; the moment from which it was gone."""
        self.send(signal.SIGQUIT)
        at = time.time()
        self.start_answering()
        return at

    def files_to(self, folder: Path) -> None:
        """End in order and copy all files to a new folder, for other clusters to begin with."""
        self.send(signal.SIGINT)
        subprocess.run(["cp", "-a", str(self._folder / "data"), str(folder)], check=True, timeout=120)

    @contextmanager
    def copy_of(self, template: str, name: str) -> Iterator[str]:
        """A database like `template` for a while; its address."""
        try:
            yield self.create(name, template=template)
        finally:
            self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def url_of(self, database: str) -> str:
        return self.url.removesuffix("postgres") + database

    def create(self, database: str, *, template: str = "template1") -> str:
        """A new database like `template`; its address."""
        self._execute(f"CREATE DATABASE {database} TEMPLATE {template}")
        return self.url_of(database)

    def _execute(self, sql: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.encode())

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def postgres_cluster(logs: Path, *, like: Path | None = None) -> Iterator[Postgres]:
    """A cluster that runs; with the databases of the one whose files are in `like`, where that is given."""
    user = "postgres" if os.geteuid() == 0 else None
    # Not below the test's own folder, which the server's user may not enter.
    folder = Path(tempfile.mkdtemp(prefix="chiron-pg-"))
    if user:
        shutil.chown(folder, user)
    if like:
        subprocess.run(["cp", "-a", str(like), str(folder / "data")], check=True, timeout=120)
    else:
        options = ("-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync")
        command = [binary("initdb"), "-D", str(folder / "data"), *options]
        subprocess.run(command, check=True, capture_output=True, cwd="/", user=user, timeout=120)
    cluster = Postgres(folder, logs, port=free_port(), user=user)
    try:
        cluster.start_answering()
        yield cluster
    finally:
        cluster.clear()
        shutil.rmtree(folder, ignore_errors=True)


class Redis(Part):
    """A broker that keeps nothing on the disk: what it held is gone when it is killed."""

    def __init__(self, logs: Path, *, port: int) -> None:
        options = f"--port {port} --bind 127.0.0.1 --save  --appendonly no --daemonize no"
        command = [binary("redis-server"), *options.split(" ")]
        super().__init__("redis", command, environment=os.environ, logs=logs)
        self.url = f"redis://127.0.0.1:{port}/0"

    def start_answering(self) -> None:
        self.start()
        until(self._answers, seconds=START_SECONDS, what="Redis answers")

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


@contextmanager
def redis_server(logs: Path) -> Iterator[Redis]:
    server = Redis(logs, port=free_port())
    try:
        server.start_answering()
        yield server
    finally:
        server.clear()
