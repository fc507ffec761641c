"""Freeze a small study, to tell whether every number stays the same: `python -m tests.frozen.make NAME`.

Names are those of `tests.frozen.studies.STUDIES`. Makes the study through the services in an empty SQLite
database of its own, and writes into `tests/frozen/NAME` what `tests.upgrades.keeping` names (facts, the rows
of every table, the export) and `recomputed.json`, what the export's own script says of its numbers.

A folder that is there is never written again. Where a change of method is meant to change numbers, first read
what `tests/scoring/test_frozen_studies.py` prints; then delete the folder, make it anew and name the
change in the commit: codes of people and thus draws are others then, so nothing can be compared across it.
"""

import argparse
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

from tests.upgrades.keeping import kept_write, own_site

HERE = Path(__file__).resolve().parent
EXPORTED_AT = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", choices=("split", "tasks", "logistic", "bankless", "unjudged", "judges"))
    name: str = parser.parse_args().name
    folder = HERE / name
    if folder.exists():
        parser.error(f"{folder} exists, and a frozen study is never written again; see the documentation.")
    with own_site() as data:
        frozen_write(data / "frozen", data, name)
        shutil.copytree(data / "frozen", folder)


def frozen_write(draft: Path, data: Path, name: str) -> None:
    from scoring.services.exports import study_export
    from studies.models import Study
    from tests.frozen.recomputed import export_recomputed
    from tests.frozen.studies import STUDIES

    STUDIES[name]()
    kept_write(
        draft,
        data,
        slugs=(name,),
        export=lambda slug, target: study_export(
            study=Study.objects.get(slug=slug), target=target, replace=False, software="", now=EXPORTED_AT
        ),
    )
    (draft / "recomputed.json").write_text(json.dumps(export_recomputed(data / name), indent=1) + "\n")


if __name__ == "__main__":
    main()
