"""What the long work of a study at full size takes: exports, report, lists, and the plan of judging.

    python -m benchmarks.console.large_work DATA
    python -m benchmarks.console.large_work DATA --people 4000 --works report people
    python -m benchmarks.console.large_work DATA --keep FOLDER --database-url postgres://…/a_database

DATA is the folder that holds gim/irt_params.json. A site with one large study is made as rows (`full_site`)
in a PostgreSQL database of the benchmark's own, or kept with --keep as `benchmarks.console.pages` does. Each
work is a process of its own: printed are the processor time of it and of its connection's process at the
database, its peak memory, and how many rows it wrote (of the report, bytes). For the plan every answer gets
a text of its own and the study a language model as its judge, so that no request is equal to another;
nothing is sent.
"""

import argparse
import importlib
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.console.pages import database_seconds
from benchmarks.judging.speed import close_connections, set_up
from benchmarks.sessions.site_under_load import own_database

if TYPE_CHECKING:
    from datetime import datetime

    from studies.models import Study

MIB = 1024
SITE = "site"
LARGE_SHARE = 0.975  # of all people; the others are in two small studies
OWN_TEXTS = """
UPDATE batches_answer answer SET text = 'It follows from what was measured before: ' || answer.id
FROM batches_session session JOIN studies_participant person ON person.id = session.participant_id
WHERE session.id = answer.session_id AND person.study_id = %s AND answer.has_text
"""


def export(contents: str) -> int:
    from scoring.models import ExportContents
    from scoring.services.exports import tables_file_make

    return tables_file_make(
        study=large(), contents=ExportContents(contents), actor=None, software="benchmark", now=now(),
        writing=unseen, packing=unseen,
    ).rows  # fmt: skip


def report() -> int:
    from reporting.report.html import document_html
    from reporting.report.pdf import document_pdf
    from reporting.views.report.parts import study_document
    from studies.services.database import snapshot

    with snapshot():
        document = study_document(large())
    return len(document_html(document)) + len(document_pdf(document))


def listed(name: str) -> int:
    """The rows of a list, as the job writes it."""
    from jobs.context import JobContext
    from jobs.jobs import list_write
    from jobs.services.lists import list_start
    from studies.models import User

    study, lead = large(), User.objects.get(email="lead@example.org")
    job = list_start(path=f"/staff/studies/{study.slug}/{name}.csv", study=study, actor=lead, now=now())
    done = list_write(
        JobContext(study=study, actor=lead, clock=now, number=job.pk), token=job.arguments["token"]
    )
    job.delete()
    return int(done.facts["rows"])


def plan(*, start: bool) -> int:
    """Plan, and `start` what is planned; of that nothing is left afterwards."""
    from django.db import connection

    from judging.models import JudgeConfig
    from judging.services.running.judge_specs import JudgeSpec
    from judging.services.running.run_rows import rows_delete
    from judging.services.running.runs import run_plan, run_start

    study = large()
    if study.settings["judge_kind"] != "llm":
        study.settings["judge_kind"] = "llm"
        study.save(update_fields=["settings"])
        with connection.cursor() as cursor:
            cursor.execute(OWN_TEXTS, [study.pk])
            cursor.execute("VACUUM ANALYZE batches_answer")
    own = {
        "base_url": "http://127.0.0.1:9/v1",
        "model": "judge-1",
        "provider": "generic",
        "created_at": now(),
    }
    config, _ = JudgeConfig.objects.get_or_create(slug="benchmark", defaults=own)
    began()
    made = run_plan(study=study, specs=[JudgeSpec(config)], now=now(), progress=unseen)
    rows, _estimates, _sha256 = made.rows, made.estimates, made.sha256()
    if start:
        began()
        run = run_start(plan=made, budget=None, actor=None, now=now())
        told("start", rows)
        rows_delete(run)
        run.delete()
        return 0
    return rows


WORKS: Mapping[str, Callable[[], int]] = {
    "export, internal": lambda: export("internal"),
    "export, public": lambda: export("public"),
    "report": report,
    "people": lambda: listed("people"),
    "payments": lambda: listed("payments"),
    "history": lambda: listed("history"),
    "plan": lambda: plan(start=False),
    "start": lambda: plan(start=True),
}
_before = [0.0, 0.0]


def began() -> None:
    _before[:] = [time.process_time(), database_seconds()]


def told(name: str, rows: int) -> None:
    own, database = time.process_time() - _before[0], database_seconds() - _before[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB
    print(f"| {name} | {own:.1f} | {database:.1f} | {peak:.0f} | {rows:,} |", flush=True)


def large() -> "Study":
    from benchmarks.console.full_site import LARGE
    from studies.models import Study

    return Study.objects.get(slug=LARGE)


def now() -> "datetime":
    from django.utils import timezone

    return timezone.now()


def unseen(_done: float, _of: float) -> None:
    """Nobody watches."""


def make_site(data: Path, people: int) -> None:
    set_up()
    from benchmarks.console.full_site import full_site
    from studies.models import Study

    if not Study.objects.exists():
        full_site(
            studies=3, people=round(people / LARGE_SHARE), published=data / "gim" / "irt_params.json",
            large_share=LARGE_SHARE,
        )  # fmt: skip
    close_connections()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--people", type=int, default=40_000)
    parser.add_argument("--works", nargs="+", choices=list(WORKS), default=list(WORKS), metavar="WORK")
    parser.add_argument("--database-url", default="postgres://postgres@127.0.0.1:5432/postgres")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here == SITE:
        make_site(arguments.data, arguments.people)
        return
    if arguments.here:
        set_up()
        importlib.import_module("config.celery")  # as a worker does
        began()
        if rows := WORKS[arguments.here]():
            told(arguments.here, rows)
        return
    with ExitStack() as stack:
        folder, url = arguments.keep, arguments.database_url
        if folder is None:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            url = stack.enter_context(own_database(url))
        folder.mkdir(exist_ok=True)
        os.environ.update({"CHIRON_DATA_DIR": str(folder), "DATABASE_URL": url})
        # What made the site is another process: to the memory a process had counts what its parent held.
        again = [sys.executable, "-m", "benchmarks.console.large_work", str(arguments.data)]
        again += ["--people", str(arguments.people), "--here"]
        subprocess.run([*again, SITE], check=True)
        print("| work | processor s | of the database | peak MiB | rows |\n|---|--:|--:|--:|--:|", flush=True)
        for name in arguments.works:
            subprocess.run([*again, name], check=True)


if __name__ == "__main__":
    main()
