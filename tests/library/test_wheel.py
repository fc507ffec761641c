"""The wheel of the library is built without a network and works beside numpy and scipy alone."""

import json
import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "psychometrics" / "examples"
ALONE = """
import json
import sys

wheel, packages, examples = sys.argv[1:]
sys.path[:] = [wheel, *(place for place in sys.path if "-packages" not in place), packages]

import psychometrics as pm

bank = pm.load_item_bank(f"{examples}/bank.json")
pm.measure(pm.load_cohort(f"{examples}/answers.csv", bank), top_size=6, resamples=100)
pm.calibrate(pm.load_response_matrix(f"{examples}/matrix.csv"))
pm.plan(pm.Plan(people=60, prompts_per_person=20), bank=bank)
pm.agreement_of([0, 1, 1, 0.5], [0, 1, 0.5, 0.5])
try:
    pm.measure(pm.load_cohort(f"{examples}/answers.csv", bank), blocks=["cohort"]).to_frame()
except ImportError as error:
    print(error)
for name in MODULES:
    __import__(name)
    assert wheel in sys.modules[name].__file__, name
print(pm.ability(pm.load_scores(f"{examples}/scores.csv", bank)["model"], bank))
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by pip as anybody would, with an index that does not exist."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--wheel-dir"]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run([*command, folder, ROOT / "psychometrics"], check=True, env=environment)
    return next(folder.glob("*.whl"))


def test_the_wheel_works_beside_numpy_and_scipy_alone(wheel: Path, tmp_path: Path) -> None:
    beside = folder_of_numpy_and_scipy(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        files = [name for name in archive.namelist() if name.endswith(".py")]
    modules = [name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files]
    script = ALONE.replace("MODULES", repr([name for name in modules if not name.endswith("__main__")]))

    run = subprocess.run(
        [sys.executable, "-I", "-c", script, wheel, beside, EXAMPLES],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert run.returncode == 0, run.stderr
    why, theta, imported = run.stdout.splitlines()
    assert why.startswith("to_frame() needs pandas or polars; install it")
    assert theta.startswith("theta 1.316 [0.5934, 2.039]")
    packages = set(json.loads(imported)) - set(sys.stdlib_module_names)
    assert {"psychometrics", "formats", "numpy", "scipy"} <= packages
    others = {"django", "pydantic", "pydantic_core", "pyarrow", "scoring", "studies", "config", "llm"}
    assert others.isdisjoint(packages)


def test_the_wheel_lists_its_files_and_says_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        folder = next(name for name in names if name.endswith("/RECORD")).removesuffix("RECORD")
        record, metadata = (archive.read(folder + name).decode() for name in ("RECORD", "METADATA"))

    assert [line.split(",")[0] for line in record.splitlines()] == names
    assert {name.split("/")[0] for name in names} == {"psychometrics", "formats", folder.rstrip("/")}
    assert "psychometrics/py.typed" in names
    needs = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert [line.split(">=")[0] for line in needs] == ["Requires-Dist: numpy", "Requires-Dist: scipy"]


def folder_of_numpy_and_scipy(folder: Path) -> Path:
    """A place for packages that holds these two and the libraries they were built with."""
    for name in ("numpy", "scipy"):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        for package in (Path(spec.origin).parent, Path(spec.origin).parent.with_name(f"{name}.libs")):
            if package.is_dir():
                (folder / package.name).symlink_to(package)
    return folder
