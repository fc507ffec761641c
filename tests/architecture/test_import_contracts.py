"""The contracts of `.importlinter` notice an import that runs the wrong way, and name where it stands."""

import ast
import configparser
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("psychometrics", "formats")


def test_imports_that_run_the_wrong_way_break_the_contracts_by_name(tmp_path: Path) -> None:
    contracts = copy_of_the_rooms(tmp_path)
    wrong = {
        "psychometrics/irt/upward.py": "import reporting\n",
        "psychometrics/irt/inside.py": "import psychometrics.measures\n",
        "psychometrics/irt/with_pydantic.py": "import pydantic\n",
    }
    for name, text in wrong.items():
        (tmp_path / name).write_text(text)

    code, said = linted(tmp_path, contracts)

    assert code == 1
    assert {name for name in contracts.values() if f"{name} BROKEN" in said} == set(contracts.values())
    assert "psychometrics.irt.upward -> reporting" in said
    assert "psychometrics.irt.inside -> psychometrics.measures" in said
    assert "psychometrics.irt.with_pydantic -> pydantic" in said


def copy_of_the_rooms(folder: Path) -> dict[str, str]:
    """The library as it is, the other rooms empty; the names of the contracts that are looked at."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", folder)
    settings = configparser.ConfigParser()
    settings.read(ROOT / ".importlinter")
    for name in settings["importlinter"]["root_packages"].split():
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "__init__.py").touch()
    kept = ("rooms", "psychometrics-inside", "library")
    return {name: settings[f"importlinter:contract:{name}"]["name"] for name in kept}


def linted(folder: Path, contracts: dict[str, str]) -> tuple[int, str]:
    program = Path(sys.executable).with_name("lint-imports")
    asked = [part for name in contracts for part in ("--contract", name)]
    run = subprocess.run(
        [program, "--no-cache", *asked], cwd=folder, capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout + run.stderr


def test_the_library_names_numpy_and_scipy_and_no_other_package() -> None:
    found = {
        name.partition(".")[0]
        for path in (ROOT / "psychometrics").rglob("*.py")
        if "packaging" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in names_of(node)
    }
    assert found - set(sys.stdlib_module_names) == {"numpy", "scipy", "psychometrics", "formats"}


def names_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
