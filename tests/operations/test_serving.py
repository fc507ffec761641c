"""The web server's entry point."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_without_collected_static_files_the_site_says_how_to_collect_them(tmp_path: Path) -> None:
    refused = subprocess.run(
        [sys.executable, "-c", "import config.wsgi"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "CHIRON_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert "collectstatic --no-input" in refused.stderr
    assert "Traceback" not in refused.stderr
