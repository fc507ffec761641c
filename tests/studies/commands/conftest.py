"""Files and studies for the study leads' commands."""

import json
from pathlib import Path

import pytest

from studies.models import Study
from tests.studies.commands.study_commands import GOOD, run
from tests.support.told import TOLD

MATCH = json.dumps(
    {"judge_kind": "match", "match_rules": "bbeh", "consent_text": "We record answers.", **TOLD}
)


@pytest.fixture
def bank_file(tmp_path: Path) -> Path:
    path = tmp_path / "my_bank.jsonl"
    path.write_text(json.dumps(GOOD) + "\n")
    return path


@pytest.fixture
def parameters_file(tmp_path: Path) -> Path:
    path = tmp_path / "irt_params.json"
    items = {"one": {"a": 1.0, "b": 0.5}, "other": {"a": 2.0, "b": 0.0}}
    transform = {"squeeze_scale": 0.998, "squeeze_offset": 0.001}
    content = {"transform": transform, "calibration": {"sigma_hat": 2.5}, "items": items}
    path.write_text(json.dumps(content))
    return path


@pytest.fixture
def study(bank_file: Path) -> Study:
    run("import_bank", "chiron", bank_file, "--slug", "bank")
    run("create_study", "pilot", "--bank", "bank", "--protocol", MATCH)
    run("build_batches", "pilot")
    return Study.objects.get()


@pytest.fixture
def frozen(study: Study) -> Study:
    run("freeze_study", "pilot", "--without-item-bank")
    study.refresh_from_db()
    return study
