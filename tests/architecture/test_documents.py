"""Documents that can fail: what they promise is compared with the code."""

import re
import subprocess
from pathlib import Path

import pytest
from django.core.management import get_commands

from config.environment import Environment
from psychometrics.measures.blocks import judge
from psychometrics.measures.catalogue import prompts
from tests.psychometrics.agreement import test_judge_effects_influence

ROOT = Path(__file__).resolve().parents[2]
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_every_setting_is_documented_and_no_other() -> None:
    table = (ROOT / "docs" / "operations.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE))
    assert documented == {name.upper() for name in Environment.model_fields}


def test_every_command_of_ours_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    ours = {name for name, app in get_commands().items() if app in {"studies", "batches", "scoring"}}
    assert {name for name in ours if name not in readme} == set()


def test_every_link_between_documents_leads_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in [
            *ROOT.glob("*.md"),
            *ROOT.glob("docs/**/*.md"),
            *ROOT.glob("benchmarks/*.md"),
            *ROOT.glob("psychometrics/*.md"),
        ]
        for target in re.findall(r"\]\(([^)#]+)", page.read_text())
        if not target.startswith(("http", "mailto:")) and not (page.parent / target).exists()
    ]
    assert broken == []


def test_the_repository_names_no_package_registry_and_holds_no_vendored_asset() -> None:
    hosts = "|".join(name + "[.](org|com)" for name in ("py" + "pi", "python" + "hosted", "npm" + "js"))
    found = subprocess.run(
        ["git", "grep", "-nIE", hosts], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.stdout == ""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [
        name for name in files.splitlines() if re.search(r"\.min\.(js|css)$|node_modules/|vendor/", name)
    ] == []


def test_the_example_of_a_measure_works_as_the_page_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "extending" / "measure.md").read_text()
    formula, entry, test = (compile(code, "measure.md", "exec") for code in PYTHON.findall(page))
    known = dict(vars(judge))
    exec(formula, known)  # noqa: S102  # our own page
    monkeypatch.setattr(judge, "partial_measure", known["partial_measure"], raising=False)
    exec(entry, dict(vars(prompts)))  # noqa: S102
    tested = dict(vars(test_judge_effects_influence))
    exec(test, tested)  # noqa: S102
    tested["test_partial_credit_is_counted_of_scored_answers_alone"]()
