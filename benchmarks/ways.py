"""Which of our files and functions a save, a page, a measure and a job run through.

    python -m benchmarks.ways
    python -m benchmarks.ways --list

A small study on SQLite, in this process. Each way is gone twice, and counted is the second time: every
function of ours that runs, in any thread, but those of the settings and while modules are imported. The way
of a judge call has a benchmark of its own, `benchmarks.judging.way_of_a_call`.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from itertools import count
from pathlib import Path
from types import FrameType

from benchmarks.judging.speed import close_connections, set_up

ROOT = Path(__file__).resolve().parents[1]
APART = ("benchmarks", ".venv", "tests", "config")
Functions = Mapping[str, set[str]]


def main() -> None:
    with small_site(__doc__) as listed:
        settings_of_a_client()
        for name, go in ways():
            go()
            report(name, functions_of(go), listed=listed)


@contextmanager
def small_site(description: str | None) -> Iterator[bool]:
    """An empty site of this process's own, on SQLite; whether the files are to be named."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the files, with their functions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({"CHIRON_DATA_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/site.sqlite3"})
        set_up()
        try:
            yield bool(options.list)
        finally:
            close_connections()


def settings_of_a_client() -> None:
    """Django's client is answered, and pages name static files without their being collected."""
    from django.conf import settings

    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.STAFF_SECOND_FACTOR = False


def ways() -> Iterator[tuple[str, Callable[[], object]]]:
    """Each way with what goes it."""
    from django.test import Client
    from django.urls import reverse
    from django.utils import timezone

    from batches.models import Session
    from benchmarks.judging.judged_study import judged_study
    from benchmarks.sessions.running_study import start_everybody
    from jobs.services.starting import job_start
    from jobs.services.working import jobs_work
    from judging.services.running.judge_specs import study_judge_specs
    from scoring.coordinator import no_step, study_score
    from scoring.services.measurement import measurement_compute
    from studies.models import User

    start_everybody(slug="running", people=1, batches=1, batch_size=2)
    session = Session.objects.get()
    person, staff, admin = Client(), Client(), User.objects.create_superuser("admin@example.org")
    person.force_login(session.participant.user)
    staff.force_login(admin)
    revisions = count()

    def save() -> None:
        body = {"text": "2", "base_revision": next(revisions), "tab": "a", "sequence": 1}
        address = f"/api/sessions/{session.pk}/answers/1"
        reply = person.post(address, json.dumps(body), content_type="application/json")
        assert reply.status_code == HTTPStatus.OK, reply.content

    def page(client: Client, name: str, *arguments: object) -> Callable[[], object]:
        address = reverse(name, args=arguments)

        def ask() -> None:
            assert client.get(address).status_code == HTTPStatus.OK, address

        return ask

    yield "a save", save
    yield "a prompt's page", page(person, "session_prompt", session.pk, 1)
    study = judged_study(people=2, prompts=2, criteria=0, judge_kind="match", match_rules="bbeh", top_size=1)
    scoring = study_score(
        study=study, specs=study_judge_specs(study=study, configs=[]), budget=None, actor=None,
        clock=timezone.now, planning=no_step, judging=no_step,
    )  # fmt: skip
    results = scoring.judges[0].results
    yield "the page of people", page(staff, "staff_participants", study.slug)
    yield "measuring", lambda: measurement_compute(results=results, now=timezone.now(), resamples=20)
    yield "the page of a measure", page(staff, "staff_measurement", study.slug, "cohort")

    def job() -> None:
        made = {"contents": "internal"}
        job_start(kind="export", study=study, actor=admin, now=timezone.now(), arguments=made)
        assert jobs_work(clock=timezone.now) == 1

    yield "an export as a job", job


def functions_of(go: Callable[[], object]) -> Functions:
    functions = defaultdict[str, set[str]](set)
    with noted(lambda file, name: functions[file].add(name)):
        go()
    return functions


@contextmanager
def noted(note: Callable[[str, str], None]) -> Iterator[None]:
    """`note(file, function)` is called for each function of ours that runs, in any thread."""

    def called(frame: FrameType, event: str, _argument: object) -> None:
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname
        if event == "call" and path.is_relative_to(ROOT) and name != "<module>":
            file = path.relative_to(ROOT)
            if file.parts[0] not in APART:
                note(str(file), name)

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def report(title: str, functions: Functions, *, listed: bool) -> None:
    for file in sorted(functions) if listed else ():
        print(f"{file}: {', '.join(sorted(functions[file]))}")
    print(f"{title}: {len(functions)} files, {sum(map(len, functions.values()))} functions")


if __name__ == "__main__":
    main()
