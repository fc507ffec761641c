"""Files of 100,000 rows through the pages of a running site, to the end of their jobs.

    python -m benchmarks.console.large_imports
    python -m benchmarks.console.large_imports --database-url postgres://… --rows 20000
    python -m benchmarks.console.large_imports --rows 40000 --steps bank people judging

A web server and one worker, as in docs/operations.md, on a database of the benchmark's own. Uploaded are a
question bank (read, looked at, imported), results of models, and a list of people to invite, which is too
long and refused. By command 5,000 people are added, by page as many invited; a run of 100,000 calls is
started and called off. Meanwhile somebody asks for a page of the team's four times a second, a participant
saves an answer, and the job's page is asked how far it is; before, for a while, nothing else is done. Then
another bank is imported and called off, one whose web server is killed (SIGKILL) in the middle and started
again, and one whose worker is.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from benchmarks.sessions.site_under_load import ROOT, STUDY, SignedIn, everybody_at_work, site

EVERY_SECONDS = 0.25
TIMEOUT_SECONDS = 600
CANCEL_AT, KILL_AT = 20, 20  # per cent
FIELD = re.compile(r'name="(token|slug|bank_format|mini|partial)" value="([^"]*)"')
MODELS = 50
ALONE_SECONDS = 20
PEOPLE, JUDGED_PEOPLE, CRITERIA = 5_000, 1_000, 5
STEPS = ("bank", "models", "people", "judging", "kills")
Child = subprocess.Popen[bytes]


@dataclass
class Meanwhile:
    """What others saw while a job ran: seconds of their requests, and how far the job said it was."""

    pages: list[float] = field(default_factory=list)
    saves: list[float] = field(default_factory=list)
    percents: list[int] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    failed: int = 0

    def __str__(self) -> str:
        said = len(set(self.percents))
        return (
            f"{len(self.pages)} pages {_milliseconds(self.pages)}; {len(self.saves)} saves "
            f"{_milliseconds(self.saves)}; failed {self.failed}; "
            f"{said} different per cents seen, time left said {len(self.left)} times"
        )


def _milliseconds(seconds: list[float]) -> str:
    if not seconds:
        return "none"
    return f"median {1000 * statistics.median(seconds):.0f} ms, longest {1000 * max(seconds):.0f} ms"


class Team:
    """The browser of somebody of the study team."""

    def __init__(self, url: str, cookie: str) -> None:
        name, _, value = cookie.partition("=")
        cookies = {name: value, "csrftoken": "x" * 32}
        self.client = httpx.Client(
            base_url=url, cookies=cookies, headers={"X-CSRFToken": "x" * 32, "Accept-Language": "en"},
            timeout=120,
        )  # fmt: skip

    def job_of(self, path: str, data: dict[str, str], file: Path | None = None) -> str:
        """Send the form; the address of the job it leads to."""
        files = {"file": (file.name, file.read_bytes())} if file else None
        reply = self.client.post(path, data=data, files=files)
        if reply.status_code != httpx.codes.FOUND:
            sys.exit(f"{path}: HTTP {reply.status_code}")
        return reply.headers["Location"]

    def state(self, job: str) -> dict[str, object]:
        state: dict[str, object] = self.client.get(f"{job}state/").json()
        return state

    def until(self, job: str, over: Callable[[dict[str, object]], bool]) -> dict[str, object]:
        """Ask the job's page until then; by reload each time, as it is another request."""
        ends = time.monotonic() + TIMEOUT_SECONDS
        while not over(state := self.state(job)):
            if time.monotonic() > ends:
                sys.exit(f"{job} does not end: {state}")
            time.sleep(0.1)
        return state


class Others:
    """Somebody looks at pages, somebody saves, somebody follows the job, until the block ends."""

    def __init__(self, url: str, cookie: str, person: SignedIn, job: str) -> None:
        self.seen, self.over, self.job = Meanwhile(), threading.Event(), job
        self.team, self.works = Team(url, cookie).client, Team(url, person.cookie).client
        self.address = f"/api/sessions/{person.session_id}/answers/1"
        self.revision, self.sequence, self.tab = 0, 0, f"tab{time.time_ns():x}"
        nothing: list[float] = []
        walks = ((self.looks, self.seen.pages), (self.saves, self.seen.saves), (self.follows, nothing))
        self.threads = [threading.Thread(target=self.walk, args=walk) for walk in walks]

    def __enter__(self) -> Meanwhile:
        for thread in self.threads:
            thread.start()
        return self.seen

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()

    def walk(self, ask: Callable[[], bool], seconds: list[float]) -> None:
        while not self.over.wait(EVERY_SECONDS):
            began = time.perf_counter()
            try:
                failed = not ask()
            except httpx.HTTPError:
                failed = True
            self.seen.failed += failed
            seconds.append(time.perf_counter() - began)

    def looks(self) -> bool:
        return self.team.get("/staff/banks/").is_success

    def saves(self) -> bool:
        self.sequence += 1
        body = {
            "text": f"Draft {self.sequence}", "note": "", "confidence": 50, "tab": self.tab,
            "base_revision": self.revision, "sequence": self.sequence,
        }  # fmt: skip
        reply = self.works.post(self.address, json=body)
        if reply.status_code == httpx.codes.CONFLICT:  # what was saved during the job before
            self.revision = reply.json()["revision"]
            return True
        self.revision = reply.json()["revision"] if reply.is_success else self.revision
        return reply.is_success

    def follows(self) -> bool:
        if not self.job:
            return True
        reply = self.team.get(f"{self.job}state/")
        state = reply.json()
        self.seen.percents += [state["percent"]] if state["percent"] is not None else []
        self.seen.left += [state["left"]] if state["left"] else []
        return reply.is_success


def peak_megabytes(process: Child) -> int:
    """The most memory that the process has had so far."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) // 1024


def kill_whole(process: Child) -> None:
    """`kill -9` of a process and of those it started, which would go on without it."""
    started = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for number in (process.pid, *map(int, started)):
        os.kill(number, signal.SIGKILL)
    process.wait()


def bank_file(folder: Path, rows: int, first: str) -> Path:
    """A bank of this many questions, of which one in a thousand has no text."""
    file = folder / f"bank-{first}.jsonl"
    lines = (
        {
            "id": f"q{n:06d}", "gold_answer": str(2 * n), "category": f"c{n % 12}",
            "text": "" if n % 1000 == 999 else f"{first}: what is {n} plus {n}? Say only the number.",
        }
        for n in range(rows)
    )  # fmt: skip
    file.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    return file


def models_file(folder: Path, rows: int) -> Path:
    file = folder / "models.jsonl"
    lines = (
        {"model": f"M{n % MODELS}", "prompt_id": f"q{n // MODELS:06d}", "epoch": 1, "score": n % 101 / 100}
        for n in range(rows)
    )
    file.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    return file


def run_started() -> None:
    """Plan and start a run of the judged study, and cancel it; in a process of its own."""
    import django

    django.setup()
    from django.utils import timezone

    from judging.models import JudgeConfig
    from judging.services.running.judge_specs import JudgeSpec
    from judging.services.running.runs import run_cancel, run_plan, run_start
    from studies.models import Study

    study, specs = Study.objects.get(slug="judged"), [JudgeSpec(JudgeConfig.objects.get())]
    plan = run_plan(study=study, specs=specs, now=timezone.now(), progress=lambda done, of: None)
    began = time.perf_counter()
    run = run_start(plan=plan, budget=None, actor=None, now=timezone.now())
    print(f"   {run.planned:,} rows were stored in {time.perf_counter() - began:.1f} s", flush=True)
    run_cancel(run=run, actor=None, now=timezone.now())


def administrator() -> str:
    """The cookie of a signed-in administrator; an item bank is there for the models."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.db import connections
    from django.utils import timezone

    from formats.item_parameters import ItemParameter, ItemParameters
    from studies.models import User
    from studies.services.banks import item_bank_import

    items = tuple(ItemParameter(f"q{n:06d}", a=1.0, b=0.0) for n in range(2_000))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    item_bank_import(slug="items", parameters=parameters, now=timezone.now())
    user, store = User.objects.create_superuser("lead@example.org"), SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    connections.close_all()
    return f"{settings.SESSION_COOKIE_NAME}={store.session_key}"


@dataclass
class Walk:
    """The whole of it, step by step, each with a line of what it took."""

    url: str
    cookie: str
    person: SignedIn
    rows: int
    folder: Path
    worker: Callable[[], Child]

    def __post_init__(self) -> None:
        self.team = Team(self.url, self.cookie)

    def read(self, name: str) -> dict[str, str]:
        """Upload a bank and wait for what was read of it; the fields of the button that imports it."""
        data = {"bank_format": "chiron", "slug": name}
        job = self.job("read a bank", "/staff/banks/upload/", data, bank_file(self.folder, self.rows, name))
        page = self.team.client.get(str(job["link"])).text
        return dict(FIELD.findall(page))

    def job(self, what: str, path: str, data: dict[str, str], file: Path | None = None) -> dict[str, object]:
        began = time.perf_counter()
        job = self.team.job_of(path, data, file)
        asked = time.perf_counter() - began
        with Others(self.url, self.cookie, self.person, job) as seen:
            state = self.team.until(job, lambda state: not state["is_open"])
        took = time.perf_counter() - began
        link = self.team.client.get(str(state["link"])).status_code if state["link"] else "none"
        print(f"{what}: request {asked:.1f} s, all {took:.1f} s, {state['state']}; its link: {link}")
        print(f"   {seen}; peak of the worker {peak_megabytes(self.worker())} MB")
        print(f"   “{state['sentence'] or state['error'] or state['cancelled']}”")
        return state

    def imports(self, steps: Sequence[str]) -> None:
        self.beside("nothing else", lambda: time.sleep(ALONE_SECONDS))
        if "bank" in steps:
            self.job("store the bank", "/staff/banks/import/", self.read("first"))
        if "models" in steps:
            data = {"item_bank": "1", "source": "A run", "model": ""}
            self.job("models", "/staff/models/upload/", data, models_file(self.folder, self.rows))
        if "people" in steps:
            self.beside(f"{PEOPLE:,} people added", self.people_added)
            self.beside(f"{PEOPLE:,} people invited", self.people_invited)
            self.people_refused()
        if "judging" in steps:
            start = [sys.executable, "-m", "benchmarks.console.large_imports", "--start"]
            self.beside("a run planned, started, cancelled", lambda: subprocess.check_call(start))

    def beside(self, what: str, work: Callable[[], object]) -> None:
        """What is no job, and what others see of it."""
        began = time.perf_counter()
        with Others(self.url, self.cookie, self.person, job="") as seen:
            work()
        print(f"{what}: {time.perf_counter() - began:.1f} s; load {os.getloadavg()[0]:.0f}\n   {seen}")

    def people_added(self) -> None:
        file = self.folder / "people.csv"
        lines = (f"added{n}@example.org,stem-phd,approved\n" for n in range(PEOPLE))
        file.write_text("email,profile,status\n" + "".join(lines))
        command = [sys.executable, str(ROOT / "manage.py"), "import_participants", STUDY, str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def people_invited(self) -> None:
        lines = "".join(f"invited{n}@example.org,stem-phd\n" for n in range(PEOPLE))
        data = {"text": lines, "confirmed": "1"}
        reply = self.team.client.post(f"/staff/studies/{STUDY}/invitations/list/", data=data, timeout=600)
        assert reply.status_code == httpx.codes.FOUND, reply.status_code

    def people_refused(self) -> None:
        rows = "".join(f"person{n}@example.org,stem-phd\n" for n in range(self.rows))
        file = {"file": ("people.csv", f"email,profile\n{rows}".encode())}
        began = time.perf_counter()
        reply = self.team.client.post(f"/staff/studies/{STUDY}/invitations/list/", files=file)
        took = time.perf_counter() - began
        said = re.findall(r"The list is too long[^<]*", reply.text)
        print(
            f"people to invite: HTTP {reply.status_code} after {took:.1f} s\n   “{said[0] if said else ''}”"
        )

    def called_off(self, name: str) -> None:
        job = self.team.job_of("/staff/banks/import/", self.read(name))
        self.team.until(job, lambda state: (state["percent"] or 0) >= CANCEL_AT)  # type: ignore[operator]
        began = time.perf_counter()
        self.team.client.post(f"{job}cancel/")
        state = self.team.until(job, lambda state: not state["is_open"])
        took = time.perf_counter() - began
        print(f"called off at {CANCEL_AT} %: {state['state']} {took:.1f} s later; “{state['cancelled']}”")

    def killed(self, what: str, name: str, child: Child, again: Callable[[], None]) -> None:
        job = self.team.job_of("/staff/banks/import/", self.read(name))
        self.team.until(job, lambda state: (state["percent"] or 0) >= KILL_AT)  # type: ignore[operator]
        kill_whole(child)
        began = time.perf_counter()
        again()
        state = self.team.until(job, lambda state: not state["is_open"])
        took = time.perf_counter() - began
        print(f"{what} killed at {KILL_AT} %: {state['state']} {took:.1f} s later; “{state['sentence']}”")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--database-url", help="a PostgreSQL server; without it SQLite in a temporary folder")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--steps", choices=STEPS, nargs="+", default=STEPS)
    parser.add_argument("--start", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.start:
        run_started()
        return
    os.environ["CHIRON_STAFF_SECOND_FACTOR"] = "false"
    with site(arguments.database_url) as folder:
        people = everybody_at_work(people=2, batches=2, note_per_prompt=True, confidence_per_prompt=True)
        cookie = administrator()
        if "judging" in arguments.steps:
            from benchmarks.judging.judged_study import judge_config, judged_study

            judged_study(people=JUDGED_PEOPLE, prompts=20, criteria=CRITERIA)
            judge_config("http://127.0.0.1:9/v1")
        from operations.rehearsal.servers import (
            background_worker,
            free_port,
            process,
            wait_until_answers,
            web_command,
        )

        with ExitStack() as running:
            log, port = folder / "worker.log", free_port()
            url = f"http://127.0.0.1:{port}"
            servers: list[Child] = []
            workers: list[Child] = []

            def serve() -> None:
                out = folder / "web.log"
                server = process(web_command(port), environment={}, log=out, name="web server")
                servers.append(running.enter_context(server).child)
                wait_until_answers(url, servers[-1], out)

            def work() -> None:
                workers.append(running.enter_context(background_worker(environment={}, log=log)).child)

            serve()
            work()
            print(f"{'PostgreSQL' if arguments.database_url else 'SQLite'}, {arguments.rows:,} rows")
            walk = Walk(url, cookie, people[0], arguments.rows, folder, lambda: workers[-1])
            walk.imports(arguments.steps)
            if "kills" in arguments.steps:
                walk.called_off("second")
                walk.killed("web server", "third", servers[-1], serve)
                walk.killed("worker", "fourth", workers[-1], work)
            errors = [line for line in log.read_text().splitlines() if "rror" in line]
            print(f"lines of errors in the worker's log: {len(errors)}")
            print("\n".join(errors[:5]))


if __name__ == "__main__":
    main()
