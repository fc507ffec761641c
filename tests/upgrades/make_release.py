"""Keep the state of a release for the upgrade tests: `python -m tests.upgrades.make_release NAME`.

Run on the release itself. Makes small studies in which everything has happened once, in an empty SQLite
database of its own, and writes into `tests/upgrades/releases/NAME`:

* `release.json`: the newest migration of every app, the sha256 of our own migration files;
* `rows.jsonl.gz`: every row of every table, as plain values that either database takes;
* `export.json.gz`: what that release exports of each study;
* `media/`: the files that rows name.

A folder that is there is never written again.
"""

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent.parent
RELEASES = Path(__file__).resolve().parent / "releases"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", help="of the release, such as 0.1.0")
    folder: Path = RELEASES / parser.parse_args().name
    with TemporaryDirectory() as data:
        os.environ |= {"CHIRON_DATA_DIR": data, "DJANGO_SETTINGS_MODULE": "config.settings"}
        for name in ("DATABASE_URL", "REDIS_URL", "CHIRON_MODE"):
            os.environ.pop(name, None)
        sys.path.append(str(ROOT / "benchmarks"))
        import django  # after the environment is what it has to be

        django.setup()
        draft = Path(data) / "release"
        release_write(draft, Path(data))
        if folder.exists():
            parser.error(f"{folder} exists, and a release never changes; choose another name.")
        shutil.copytree(draft, folder)


def release_write(folder: Path, data: Path) -> None:
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    from tests.upgrades.everything_once import SLUG, TASKS_SLUG, everything_make
    from tests.upgrades.states import landed_migrations, table_rows

    folder.mkdir()
    call_command("migrate", verbosity=0)
    everything_make()
    for slug in (SLUG, TASKS_SLUG):
        call_command("export_study", slug, str(data / slug))
    loader = MigrationLoader(connection)
    release = {
        "commit": output_of("git", "rev-parse", "HEAD"),
        "newest_migrations": sorted(loader.graph.leaf_nodes()),
        "landed": landed_migrations(),
    }
    (folder / "release.json").write_text(json.dumps(release, indent=1) + "\n")
    rows = (json.dumps(one) for one in table_rows(loader.project_state().apps))
    packed(folder / "rows.jsonl.gz", "\n".join(rows))
    packed(
        folder / "export.json.gz", json.dumps({slug: exported(data / slug) for slug in (SLUG, TASKS_SLUG)})
    )
    shutil.copytree(settings.MEDIA_ROOT, folder / "media")


def exported(folder: Path) -> dict[str, object]:
    """The manifest and the rows of every table."""
    tables = {
        path.stem: [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted(folder.glob("*.jsonl"))
    }
    return {"manifest": json.loads((folder / "manifest.json").read_text()), "tables": tables}


def packed(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def output_of(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
