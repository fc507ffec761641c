"""What a site holds is there after an upgrade from any release, on SQLite and on PostgreSQL."""

import gzip
import hashlib
import json
import math
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings

from psychometrics.inference.estimates import WITHHELD
from psychometrics.measures.methods import presently_named
from studies.models import Study
from tests.upgrades.databases import Databases
from tests.upgrades.keeping import exported, unpacked
from tests.upgrades.states import landed_migrations
from tests.upgrades.upgrade import changes_since

ROOT = Path(__file__).resolve().parents[2]
RELEASES = sorted(path for path in (ROOT / "tests" / "upgrades" / "releases").iterdir())
LANDED = ROOT / "tests" / "upgrades" / "landed.json"
NAMES = [path.name for path in RELEASES]
MAX_BYTES = 2_000_000
Export = dict[str, Any]

# What migrations are meant to do to rows that a release left, and nothing else.
MEANT_CHANGES = {
    "django_content_type.app_label: 15 of 61 values differ",  # screening, judging, reporting are apps now
    "django_content_type.model: 2 of 61 values differ",  # WorkerLease, JudgeComparison
    "scoring_judgegrant is gone",
    "scoring_judgeslice is gone",  # requests are on record before they are sent
    "scoring_criterionscore.rounds is gone",  # computed from the calls
    "batches_answer.history_characters is gone",  # now history_bytes
    "studies_studyevent: 6 new rows",  # staff became leads of the studies that there were
    "mfa_authenticator.data: 2 of 3 values differ",  # the secrets of app and recovery codes are encrypted
    "scoring_measurerow.name: 4870 of 12521 values differ",  # thetas have the names of their blocks
    # Every number is a row of measures; what a block computed once more is the row of the results.
    *(f"scoring_{table} is gone" for table in ("estimate", "taskaccuracy", "benchmarkmetric")),
    "scoring_agreement.values is gone",
    "scoring_measurerow.measurement_id is gone",
    "scoring_measurerow: 4610 new rows",
    "scoring_measurerow: 64 of 12521 rows are gone",
    "scoring_measurerow.block: 178 of 12521 values differ",
    # Gone: errors of Top that take no notice of the choice, and all that is told of a Top of one person.
    *(f"scoring_measurerow.{name}: 580 of 12521 values differ" for name in ("se", "low", "high")),
    # Of what is too few, and where all scores are alike, there is a reason and no number.
    "scoring_measurerow.value: 2352 of 12521 values differ",
    "scoring_measurerow.reason: 2847 of 12521 values differ",
}
# Where an export may say something else than that of the release did, and nowhere else.
MAY_DIFFER = re.compile(
    r"\.manifest\.(software|exported_at|audience|omitted\.texts|files.*"  # of the export itself
    # Measurements from before they kept the hash of what was measured are repeated, with the same numbers.
    r"|runs\[\d+\]\.measurement\.(computed_at|(public_)?blocks\.\w+\.seconds)"
    r"|runs\[\d+\]\.notes"  # of a run under an earlier design
    # Results from before the interval that serves the design are repeated: the same theta, another error.
    r"|runs\[\d+\]\.(results_computed_at|inputs_sha256))$"
    r"|\.tables\.estimates\[\d+\]\.(se|ci_low|ci_high)(_pool|_ql)?$"
    r"|\.tables\.(agreement|audit_results)\[\d+\]\.(se|low|high)$"
    # Where Top would be everybody there is none.
    r"|\.blocks\.top\.\w+$|\.public_blocks\.top\.\w+$"
    # Why a category has no number leaves with its counts.
    r"|\.tables\.estimates\[\d+\]\.reason_(pool|ql)$"
    # A part that is hidden for its neighbour's sake says so.
    r"|\.tables\.measures\.\[\d+, \"all\", \"(slices|dif)\".*\]\.reason$"
)


def without_errors(row: dict[str, Any]) -> dict[str, Any]:
    """A measure without its error: those of few groups are by CR2 now."""
    kept = ("run", "scope", "block", "name", "group", "subset", "participant", "prompt_id", "value", "n")
    return {name: row[name] for name in kept}


# Measures whose method changed since: how much people differ and what is shrunken by that, luck of Top,
# splits of cross-fitting, and what rests on the process of responding.
MEASURED_OTHERWISE = re.compile(
    r"tau|residual_sd|person\.(se|reliability)|top\.(eb|crossfit5|null|over_null|null_share)|human\.top_crossfit"
    r"|(dif|fit)\.(?!theta\.).*|theta\.modelled_k1|difference\.modelled|flow\.(top|retained\.leaving)|itt\..*|multiverse.*range_in_se"
)
KEY = ("run", "scope", "block", "name", "group", "subset", "participant", "prompt_id")


def comparable(measures: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows whose numbers should still be the same, by what they are about.

    The interval of a part by batch is that of its own row now, and has none beside it.
    """
    return {
        json.dumps([row.get(name) for name in KEY]): without_errors(row)
        for row in map(presently_named, measures)
        if row["group"] != "top" and not MEASURED_OTHERWISE.fullmatch(row["name"])
        if not (row["subset"] or "").endswith(";se.batch")
    }


# In the release Top was everybody in some runs, where there is none now: its rows are not compared.
OF_GROUPS = ("estimates", "agreement", "task_accuracies", "metrics")


def withheld(measures: list[dict[str, Any]]) -> set[str]:
    """Numbers that the present rule of what is too few withholds."""
    return {
        json.dumps([row.get(name) for name in KEY])
        for row in map(presently_named, measures)
        if row["reason"] in WITHHELD
    }


def named(row: dict[str, Any], columns: Iterable[str]) -> str:
    """What a row is told from others by: everything in these columns but numbers that may be rounded."""
    return json.dumps([None if isinstance(row.get(name), float) else row.get(name) for name in columns])


def differences(old: Any, new: Any, place: str) -> Iterator[str]:
    """Where the new value lacks something of the old one, or says it otherwise; more is no difference."""
    match old, new:
        case dict(), dict():
            for name, value in old.items():
                if name not in new:
                    yield f"{place}.{name} is gone"
                else:
                    yield from differences(value, new[name], f"{place}.{name}")
        case [dict() as first, *_], [dict(), *_] if len(old) == len(new):
            # Not all rows of an export have an order: PostgreSQL keeps names within JSON by its own.
            pairs = zip(
                *(sorted(rows, key=lambda row: named(row, first)) for rows in (old, new)), strict=True
            )
            for number, (one, other) in enumerate(pairs):
                yield from differences(one, other, f"{place}[{number}]")
        case float(), float() if math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12):
            return
        case _ if old != new:
            yield f"{place}: {old!r} became {new!r}"


@pytest.fixture
def upgraded(release: Path, databases: Databases, settings: Settings) -> Iterator[None]:
    """The site of a release, brought to the present."""
    shutil.copytree(release / "media", settings.MEDIA_ROOT)
    with databases.copy_of(databases.upgraded(release, as_a_site=True)):
        yield


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("upgraded")
@pytest.mark.parametrize("release", RELEASES, ids=NAMES)
def test_after_an_upgrade_every_row_and_every_exported_number_is_as_it_was(
    release: Path, tmp_path: Path
) -> None:
    assert set(changes_since(release)) <= MEANT_CHANGES
    for study in Study.objects.order_by("pk"):
        call_command("export_study", study.slug, str(tmp_path / study.slug))
    before: dict[str, Export] = unpacked(release / "export.json.gz")
    assert {"kept", "kept-tasks"} == before.keys()
    found: list[str] = []
    for slug, export in before.items():
        now = exported(tmp_path / slug)
        events, then = now["tables"]["events"], export["manifest"]["exported_at"]
        now["tables"]["events"] = [row for row in events if row["happened_at"] < then]
        untold = withheld(now["tables"]["measures"])
        for tables in (export["tables"], now["tables"]):
            measures = comparable(tables["measures"])
            tables["measures"] = {key: row for key, row in measures.items() if key not in untold}
            for name in OF_GROUPS:
                tables[name] = [row for row in tables.get(name, ()) if "top" not in row.values()]
        found += differences(export, now, slug)
    assert not [one for one in found if not MAY_DIFFER.search(one.partition(": ")[0])]


@pytest.mark.parametrize("release", RELEASES, ids=NAMES)
def test_a_migration_that_landed_is_never_edited(release: Path) -> None:
    """One that stands for others may be replaced by the next that does."""
    kept: dict[str, str] = json.loads((release / "release.json").read_text())["landed"]
    landed = {path: sha256 for path, sha256 in kept.items() if "_squashed_" not in path}
    now = landed_migrations()
    assert {path: now.get(path) for path in landed} == landed, "write a new migration instead"


def test_every_migration_is_on_record_from_the_day_it_lands() -> None:
    """Also between two releases: a site may run what is on the main line."""
    landed = json.loads(LANDED.read_text())
    now = landed_migrations()
    assert {path: now.get(path) for path in landed} == landed, "write a new migration instead"
    assert now.keys() == landed.keys(), f"add the new ones to {LANDED.name}: {now}"


@pytest.mark.parametrize("release", RELEASES, ids=NAMES)
def test_a_kept_release_is_small_and_whole(release: Path) -> None:
    files = [path for path in release.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MAX_BYTES
    with gzip.open(release / "rows.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = dict(map(json.loads, lines))
    media = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (release / "media").rglob("*.*")}
    assert {row["sha256"] for row in rows["studies.Attachment"]} <= media
    ends = {row["status"] for row in rows["batches.Session"]}
    assert ends == {"active", "expired", "submitted", "withdrawn"}


def test_there_is_a_release_to_upgrade_from() -> None:
    assert "0.1.0" in NAMES
