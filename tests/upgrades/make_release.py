"""Keep the state of a release for the upgrade tests: `python -m tests.upgrades.make_release NAME`.

Run on the release itself. Makes small studies in which everything has happened once, in an empty SQLite
database of its own, and writes into `tests/upgrades/releases/NAME` what `tests.upgrades.keeping` names:
facts, the rows of every table, what that release exports of each study, and the files that rows name.

A folder that is there is never written again.
"""

import argparse
import shutil
from pathlib import Path

from tests.upgrades.keeping import kept_write, own_site

RELEASES = Path(__file__).resolve().parent / "releases"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", help="of the release, such as 0.1.0")
    folder: Path = RELEASES / parser.parse_args().name
    with own_site() as data:
        release_write(data / "release", data)
        if folder.exists():
            parser.error(f"{folder} exists, and a release never changes; choose another name.")
        shutil.copytree(data / "release", folder)


def release_write(folder: Path, data: Path) -> None:
    from django.core.management import call_command

    from tests.upgrades.everything_once import TASKS_SLUG, everything_make
    from tests.upgrades.kept_study import SLUG

    everything_make()
    kept_write(
        folder,
        data,
        slugs=(SLUG, TASKS_SLUG),
        export=lambda slug, target: call_command("export_study", slug, str(target)),
    )


if __name__ == "__main__":
    main()
