"""Sites to break: real processes, real servers, nothing of the machine's own."""

import shutil
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from benchmarks.hashed_judge.running import RunningJudge, judge_server  # noqa: E402
from tests.faults.servers import Postgres, postgres_cluster, redis_server  # noqa: E402
from tests.faults.site import Site, site  # noqa: E402
from tests.support.made_once import MadeOnce  # noqa: E402

LATENCY_MS = 50


@pytest.fixture
def judge(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RunningJudge]:
    """A judge that takes its time, so that a test can hit a run in the middle; it logs every request.

    A parameter is how many milliseconds it takes.
    """
    latency_ms = getattr(request, "param", LATENCY_MS)
    with judge_server(latency_ms=latency_ms, log=tmp_path / "judge.jsonl") as running:
        yield running


@pytest.fixture(scope="session")
def cluster(made_once: MadeOnce, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """PostgreSQL of these tests' own, with two databases to copy.

    "empty" holds nothing, "made" a study whose 2,000 criteria are unjudged.
    """
    folder = tmp_path_factory.mktemp("cluster")

    def make(files: Path) -> None:
        with postgres_cluster(folder / "logs") as postgres:
            with site(folder, database_url=postgres.create("empty")) as empty:
                empty.make_tables()
            with site(folder, database_url=postgres.create("made", template="empty")) as made:
                made.make(people=25)
            postgres.files_to(files)

    with postgres_cluster(folder / "logs", like=made_once("cluster", make)) as postgres:
        yield postgres


@pytest.fixture(scope="session")
def empty_folder(made_once: MadeOnce) -> Path:
    """The data folder of an embedded site that holds nothing but the files of its pages."""

    def make(folder: Path) -> None:
        with site(folder) as empty:
            empty.make_tables()
            empty.collect_static()

    return made_once("empty", make) / "data"


@pytest.fixture(scope="session")
def made_folder(made_once: MadeOnce, empty_folder: Path) -> Path:
    """The data folder of an embedded site with a study whose 320 criteria are unjudged."""

    def make(folder: Path) -> None:
        shutil.copytree(empty_folder, folder / "data")
        with site(folder) as made:
            made.make(people=4)

    return made_once("made", make) / "data"


@contextmanager
def production_site(folder: Path, cluster: Postgres, template: str) -> Iterator[Site]:
    logs = folder / "logs"
    logs.mkdir()
    (logs / "postgres.log").symlink_to(cluster.log)
    with (
        cluster.copy_of(template, "judged") as url,
        redis_server(logs) as redis,
        site(folder, database_url=url, redis=redis) as running,
    ):
        yield running


@pytest.fixture
def production(tmp_path: Path, cluster: Postgres) -> Iterator[Site]:
    """PostgreSQL and Redis; one study."""
    with production_site(tmp_path, cluster, "made") as running:
        yield running


@pytest.fixture
def empty_production(tmp_path: Path, cluster: Postgres, empty_folder: Path) -> Iterator[Site]:
    """PostgreSQL and Redis; no study yet."""
    with production_site(tmp_path, cluster, "empty") as running:
        running.static_files = empty_folder / "static"
        yield running


@pytest.fixture
def embedded(tmp_path: Path, made_folder: Path) -> Iterator[Site]:
    """SQLite and the file broker; one study."""
    shutil.copytree(made_folder, tmp_path / "data")
    with site(tmp_path) as running:
        yield running


@pytest.fixture
def empty_embedded(tmp_path: Path, empty_folder: Path) -> Iterator[Site]:
    """SQLite and the file broker; no study yet."""
    shutil.copytree(empty_folder, tmp_path / "data")
    with site(tmp_path) as running:
        yield running


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the ends of all logs where a test failed."""
    report = yield
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if report.failed and folder:
        for log in sorted((folder / "logs").glob("*.log")):
            report.sections.append((log.name, "\n".join(log.read_text(errors="replace").splitlines()[-40:])))
    return report
