"""The public bundle, as whoever takes it away finds it."""

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.console_walk.colleagues import HOST, go, press, says
from tests.e2e.console_walk.people import NAMED, OF_THEIRS
from tests.e2e.console_walk.reviewing import COMPUTED_MS


def bundle_is_taken(analyst: Page, folder: Path) -> Path:
    """The public bundle, unpacked into a folder."""
    return _taken(analyst, "public", folder) / "walk-public"


def report_is_taken(analyst: Page, folder: Path) -> bytes:
    """The report as it is printed."""
    return next(_taken(analyst, "report", folder).rglob("*.pdf")).read_bytes()


def _taken(analyst: Page, contents: str, folder: Path) -> Path:
    """Ordered, waited for, downloaded by its link, and whole; the folder it was unpacked into."""
    go(analyst, "Export")
    choice = analyst.locator("main label", has=analyst.locator(f"[value={contents}]"))
    choice.get_by_role("radio").check()
    made = analyst.locator("main tr", has_text=choice.locator("strong").inner_text())
    press(analyst, "Make export")
    row = made.filter(has=analyst.get_by_role("link", name="Download"))
    expect(row).to_be_visible(timeout=COMPUTED_MS)
    row.locator(".export-hash summary").click()
    fingerprint = row.locator(".export-hash code").inner_text()
    with analyst.expect_download() as taken:
        row.get_by_role("link", name="Download").click()
    packed = folder / taken.value.suggested_filename
    taken.value.save_as(packed)
    assert hashlib.sha256(packed.read_bytes()).hexdigest() == fingerprint
    analyst.reload()
    says(analyst, f"analyst@{HOST}")
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    return folder


def bundle_is_whole(bundle: Path) -> None:
    """Every file is the one that the manifest names; what publishing takes is among them."""
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    named = {one["name"]: one["sha256"] for one in manifest["files"]}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in bundle.iterdir()}
    del found["manifest.json"]
    assert found == named
    assert {"README.md", "LICENSE", "CITATION.cff"} <= named.keys()


def bundle_names_nobody(bundle: Path) -> None:
    """No address, of people or of the team, and nothing that anybody wrote."""
    for path in bundle.iterdir():
        content = path.read_bytes()
        for secret in (HOST, OF_THEIRS, NAMED):
            assert secret.encode() not in content, f"{secret} in {path.name}"


def bundle_is_recomputed(bundle: Path) -> str:
    """The bundle's own script, run where only the bundle is; what it said."""
    ran = subprocess.run(
        [sys.executable, "-I", bundle / "recompute.py"],
        cwd=bundle,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
