"""Every stored result names its program, version, script and inputs, and is small."""

import pytest

from tests.evidence.frozen_results import FOLDER, stored
from tests.evidence.inputs import FAMILIES

NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
MAX_BYTES = 50_000


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_result_says_where_it_comes_from(name: str) -> None:
    found = stored(name)
    assert set(found) == {"program", "version", "runs_on", "script", "inputs", "results"}
    assert all(found.values())
    assert (FOLDER.parents[2] / found["script"]).is_file()
    assert set(found["inputs"]) <= set(FAMILIES)
    assert (FOLDER / f"{name}.json").stat().st_size <= MAX_BYTES
    assert f"| {found['program']} | {found['version']} |" in (FOLDER.parent / "README.md").read_text()
