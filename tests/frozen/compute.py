"""Compute a frozen study anew: `python -m tests.frozen.compute FOLDER OUT`, in an empty database.

Loads what `FOLDER` keeps, migrates to the present, computes everything that rests on judged answers again,
and writes into `OUT` the export (`export`) and what its own script says (`recomputed.json`).
"""

import argparse
import json
from datetime import datetime, timedelta
from pathlib import Path

from tests.upgrades.keeping import unpacked
from tests.upgrades.upgrade import kept_load  # sets Django up

# isort: split
from django.core.management import call_command
from django.db.models import Q

from scoring.coordinator import results_bring_up
from scoring.models import MeasureRow
from scoring.services.exports import study_export
from studies.models import Study
from tests.frozen.computing import study_compute
from tests.frozen.places import places_compared
from tests.frozen.recomputed import export_recomputed


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--and-back", action="store_true", help="migrate back and forward first")
    parser.add_argument("--upgraded", action="store_true", help="compute only what is due after migrating")
    asked = parser.parse_args()
    kept_load(asked.folder)
    if asked.and_back:
        call_command("migrate", "scoring", "0007", verbosity=0)
        call_command("migrate", verbosity=0)
        leaving = MeasureRow.objects.filter(may_leave=True)
        (asked.out / "leaving.json").write_text(json.dumps(list(leaving.values("scope", "name")[:20])))
        return
    [(slug, kept)] = unpacked(asked.folder / "export.json.gz").items()
    now = datetime.fromisoformat(kept["manifest"]["exported_at"]) + timedelta(days=1)
    study = Study.objects.get(slug=slug)
    if asked.upgraded:
        results_bring_up(study=study, clock=lambda: now)
    else:
        study_compute(study, now)
    study_export(study=study, target=asked.out / "export", replace=False, software="", now=now)
    compared = places_compared(study, asked.out / "export")
    (asked.out / "places.json").write_text(json.dumps(vars(compared)))
    (asked.out / "stored.json").write_text(json.dumps(stored_rows(study)))
    (asked.out / "recomputed.json").write_text(json.dumps(export_recomputed(asked.out / "export")))


def stored_rows(study: Study) -> list[dict[str, str]]:
    """What every stored measure of the study is about."""
    of_results, of_judges = Q(results__run__study=study), Q(comparison__first__study=study)
    names = ("block", "name", "group", "subset", "participant", "prompt_id")
    return list(MeasureRow.objects.filter(of_results | of_judges).values(*names).distinct())


if __name__ == "__main__":
    main()
