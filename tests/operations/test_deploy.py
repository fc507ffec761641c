"""The files in deploy/: units that systemd accepts and finds tight, settings that the site knows."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.conf import settings

from config.environment import Environment
from operations.rehearsal.servers import web_command
from studies.services.clock import BOOT_ID_FILE

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
# systemd's own scale from 0 (tight) to 10, times ten.
EXPOSURE = 15


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_accepts_each_unit_and_finds_it_tight(unit: Path, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    place = tmp_path / unit.name
    program = shutil.which("true") or "/bin/true"
    place.write_text(re.sub(r"/opt/chiron/\.venv/bin/\w+", program, unit.read_text()))
    for check in (["verify"], ["security", "--offline=true", "--no-pager", f"--threshold={EXPOSURE}"]):
        done = subprocess.run(
            ["systemd-analyze", *check, str(place)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert unit.name not in done.stderr


def test_there_is_a_unit_for_each_process_and_each_starts_again() -> None:
    assert [unit.stem for unit in UNITS] == ["chiron-beat", "chiron-web", "chiron-worker"]
    for unit in UNITS:
        assert {"Restart=always", "StartLimitIntervalSec=0"} <= set(unit.read_text().splitlines())


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_no_unit_hides_what_tells_one_start_of_the_machine_from_another(unit: Path) -> None:
    """Without it each process compares the clock with its own readings only: a jump passes for a pause."""
    assert BOOT_ID_FILE.is_relative_to("/proc/sys")
    assert "ProcSubset=pid" not in unit.read_text().splitlines()


def test_the_server_command_is_the_same_wherever_it_stands() -> None:
    options = web_command(8000)
    workers = options[options.index("--workers") : options.index("--no-access-log")]
    files = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *DEPLOY.iterdir()]
    texts = {file.name: " ".join(file.read_text().replace("\\\n", " ").split()) for file in files}
    telling = {name: text for name, text in texts.items() if "config.wsgi" in text}
    assert {"operations.md", "chiron-web.service"} <= telling.keys()
    for name, text in telling.items():
        assert "granian --interface wsgi config.wsgi:application" in text, name
        assert " ".join(workers) in text, name


def test_the_example_of_the_environment_names_settings_that_exist_and_all_that_production_needs() -> None:
    lines = (DEPLOY / "chiron.env").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert {name.lower() for name in values} <= Environment.model_fields.keys()
    # As `openssl rand -base64 32` gives it, which is long enough for every other secret, too.
    secret = Fernet.generate_key().decode()
    filled = {name.lower(): re.sub("<[^>]*>", secret, value) for name, value in values.items()}
    assert Environment.model_validate(filled).production


def test_both_proxies_take_what_the_site_reads_and_little_more() -> None:
    [nginx] = re.findall(r"client_max_body_size (\d+)m;", (DEPLOY / "nginx.conf").read_text())
    [caddy] = re.findall(r"max_size (\d+)MiB", (DEPLOY / "Caddyfile").read_text())
    assert int(nginx) == int(caddy) == settings.MAX_BODY_BYTES // 1024**2 + 1
