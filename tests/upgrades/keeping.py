"""Keep what a site holds as plain values: what releases and frozen studies have in common.

* `release.json`: the commit, the newest migration of every app, the sha256 of our own migration files;
* `rows.jsonl.gz`: every row of every table, as plain values that either database takes;
* `export.json.gz`: what is exported of each study;
* `media/`: the files that rows name.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from psychometrics.recompute.export import table_row

ROOT = Path(__file__).resolve().parent.parent.parent


@contextmanager
def own_site() -> Iterator[Path]:
    """A data folder of its own with an empty SQLite database, migrated; Django is set up for it.

    Whatever needs Django is imported inside.
    """
    with TemporaryDirectory() as data:
        os.environ |= {
            "CHIRON_DATA_DIR": data,
            "CHIRON_JUDGING_ROUND_WAIT_SECONDS": "0",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        for name in ("DATABASE_URL", "REDIS_URL", "CHIRON_MODE"):
            os.environ.pop(name, None)
        sys.path.append(str(ROOT / "benchmarks"))
        import django  # after the environment is what it has to be

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        yield Path(data)


def kept_write(
    folder: Path, data: Path, *, slugs: Sequence[str], export: Callable[[str, Path], object]
) -> None:
    """Write the state of the site into `folder`; `export` puts a study into a folder below `data`."""
    from django.conf import settings
    from django.db import connection

    from tests.upgrades.states import landed, landed_migrations, table_rows

    folder.mkdir()
    for slug in slugs:
        export(slug, data / slug)
    loader = landed(connection)
    release = {
        "commit": output_of("git", "rev-parse", "HEAD"),
        "newest_migrations": sorted(loader.graph.leaf_nodes()),
        "landed": landed_migrations(),
    }
    (folder / "release.json").write_text(json.dumps(release, indent=1) + "\n")
    rows = (json.dumps(one) for one in table_rows(loader.project_state().apps))
    packed(folder / "rows.jsonl.gz", "\n".join(rows))
    packed(folder / "export.json.gz", json.dumps({slug: exported(data / slug) for slug in slugs}))
    if settings.MEDIA_ROOT.exists():
        shutil.copytree(settings.MEDIA_ROOT, folder / "media")


def exported(folder: Path) -> dict[str, Any]:
    """The manifest and the rows of every table of an export."""
    tables = {
        path.stem: [table_row(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        for path in sorted(folder.glob("*.jsonl"))
    }
    return {"manifest": json.loads((folder / "manifest.json").read_text()), "tables": tables}


def packed(path: Path, text: str) -> None:
    """Write a gzip file whose bytes depend on the text alone."""
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def unpacked(path: Path) -> Any:
    """The one JSON value of a packed file."""
    return json.loads(gzip.decompress(path.read_bytes()))


def output_of(*command: str) -> str:
    """What a command prints, run in the repository."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
