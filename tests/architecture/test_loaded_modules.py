"""What each kind of process loads: large packages only where something is computed, drawn or read by them."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studies.views.late import LateViews

ROOT = Path(__file__).resolve().parents[2]
COMPUTING = {"numpy", "scipy", "pyarrow"}
DRAWING = {"PIL", "fontTools", "typst", "ziamath", "matplotlib"}
WORKERS = {"celery", "kombu", "amqp", "billiard"}
LARGE = COMPUTING | DRAWING | WORKERS
# What begins a process, as its first lines, and which large packages it may have loaded by then.
EVERY_VIEW = """
from django.urls import get_resolver
from studies.views.late import LateView
def load(patterns):
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            load(pattern.url_patterns)
        elif isinstance(pattern.callback, LateView):
            assert callable(pattern.callback.view), pattern
load(get_resolver().url_patterns)
"""
SERVER = "from django.core.wsgi import get_wsgi_application; get_wsgi_application()\n"
COMMAND = "from django.core.management import execute_from_command_line as run\n"
ENTRIES: dict[str, tuple[str, set[str]]] = {
    "a server before its first request": (SERVER + "import config.urls", set()),
    "a server that has shown every page": (SERVER + EVERY_VIEW, set()),
    "a server that knows the kinds of jobs": (SERVER + "from jobs.registry import kinds; kinds()", set()),
    "check": (COMMAND + "run(['manage.py', 'check'])", set()),
    "a worker before its first job": (
        "from config.celery import app; app.loader.import_default_modules()", WORKERS,
    ),
    "the beat": ("import config.beat", WORKERS),
}  # fmt: skip
# Commands that compute, draw or read Parquet; the others load no large package before they are run.
COMPUTE = set(
    "audit_sample benchmark_metrics build_batches calibrate compare_batched demo export_study freeze_study "
    "import_bank import_item_bank import_models import_task_table judge_agreement measure_study plan_study "
    "recompute rehearse report_study score_study take_models theta".split()
)
EVERY_COMMAND = """
import json, sys
import django
django.setup()
from django.core.management import get_commands, load_command_class
large, own = set(json.loads(sys.argv[1])), set(json.loads(sys.argv[2]))
for name, app in sorted(get_commands().items(), key=lambda named: named[0] in own):
    if not str(app).startswith(("django", "allauth", "whitenoise")):
        load_command_class(app, name)
        if name not in own:
            assert not large & {module.partition(".")[0] for module in sys.modules}, name
"""
TASK_FILES = {"tasks.py", "jobs.py", "urls.py", "apps.py"}


def run(program: str, folder: Path, *arguments: str) -> set[str]:
    """The packages that a new process has loaded once the program has run."""
    told = "\nimport sys\nprint('\\n'.join({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", program + told, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "CHIRON_DATA_DIR": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_process_loads_no_large_package_before_it_needs_it(entry: str, tmp_path: Path) -> None:
    program, allowed = ENTRIES[entry]
    assert run(program, tmp_path) & LARGE <= allowed


def test_the_beat_loads_no_model_and_no_task(tmp_path: Path) -> None:
    told = "\nours = [name for name in sys.modules if name.endswith(('.models', '.tasks'))]"
    run("import sys, config.beat" + told + "\nassert ours == ['asyncio.tasks'], ours", tmp_path)


def test_a_command_loads_no_large_package_at_its_start_unless_it_computes(tmp_path: Path) -> None:
    run(EVERY_COMMAND, tmp_path, json.dumps(sorted(COMPUTING | DRAWING)), json.dumps(sorted(COMPUTE)))


def test_a_wrong_name_in_an_urlconf_is_named() -> None:
    views = LateViews("jobs.views")
    with pytest.raises(AttributeError, match=r"jobs\.views.*no_such_view"):
        views.no_such_view(None)
    with pytest.raises(ModuleNotFoundError):
        LateViews("jobs.no_views").staff_job(None)


def test_the_list_of_large_packages_can_fail(tmp_path: Path) -> None:
    assert run("import psychometrics.irt.bank", tmp_path) & LARGE == {"numpy"}


def test_modules_are_imported_inside_functions_by_tasks_and_views_alone() -> None:
    packages = [path.parent.name for path in ROOT.glob("*/__init__.py")] + ["config", "operations", "console"]
    hidden = {
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for package in sorted(set(packages) - {"tests", "benchmarks"})
        for path in (ROOT / package).rglob("*.py")
        if path.name not in TASK_FILES and not {"views", "migrations"} & set(path.parts)
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert hidden == set()
