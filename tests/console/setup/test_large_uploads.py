"""Files too large to be read while somebody waits: read by a job, looked at, stored by a second one."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from console.jobs import READING, STORING, import_bank, import_models
from console.services.staging import staged_folder, upload_stage
from formats.item_parameters import ItemParameter, ItemParameters
from jobs.context import JobCancelled, JobContext
from jobs.models import Job, JobState
from jobs.services.starting import job_start
from jobs.services.working import jobs_work
from jobs.shown import NO_FILE
from scoring.models import ModelConfiguration, ModelScore
from studies.models import Bank, BankVersion, ItemBank, Prompt, User
from studies.services.banks import item_bank_import
from tests.console.setup.test_damaged_uploads import rows
from tests.console.setup.test_uploads import sent, zip_of
from tests.console.setup.test_walk import hidden

pytestmark = pytest.mark.django_db
LARGE = 6_000
IMPORT = "staff_bank_import"


class Watched(JobContext):
    """A job whose progress is kept, and which is called off once it has come so far in a phase."""

    def __init__(self, actor: User, now: datetime, *, off: str = "", at: int = 0) -> None:
        super().__init__(study=None, actor=actor, clock=lambda: now)
        self.off, self.at = off, at
        self.heard: list[tuple[int, int, str]] = []

    def progress(self, done: int, total: int, phase: str = "") -> None:
        self.heard.append((done, total, phase))
        if phase == self.off and done >= self.at:
            self.end_with(JobCancelled)
        super().progress(done, total, phase)

    @property
    def phases(self) -> list[str]:
        return list(dict.fromkeys(phase for _done, _total, phase in self.heard))


def worked(now: datetime) -> Job:
    assert jobs_work(clock=lambda: now) == 1
    return Job.objects.latest("created_at")


def model_lines(score: float, *, name: str = "M", number: int = LARGE) -> bytes:
    lines = (
        {"model": f"{name}{one % 3}", "prompt_id": f"p{one // 3}", "epoch": 1, "score": score}
        for one in range(number)
    )
    return "\n".join(map(json.dumps, lines)).encode()


@pytest.fixture
def bank() -> dict[str, object]:
    token = upload_stage(name="bank.jsonl", content=rows(LARGE))
    return {"token": token, "slug": "mine", "bank_format": "chiron", "mini": False, "partial": False}


@pytest.fixture
def item_bank(now: datetime) -> ItemBank:
    items = tuple(ItemParameter(f"p{one}", a=1.0, b=0.0) for one in range(LARGE // 3))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture
def models(item_bank: ItemBank) -> Callable[..., dict[str, object]]:
    def arguments(score: float, *, replace: bool) -> dict[str, object]:
        token = upload_stage(name="models.jsonl", content=model_lines(score))
        chosen = {"source": "A run", "model": "", "replace": replace}
        return {"token": token, "item_bank": item_bank.pk, **chosen}

    return arguments


@pytest.mark.django_db(transaction=True)
def test_a_large_bank_is_shown_with_its_problems_and_imported_without_them(
    staff: Client, now: datetime
) -> None:
    bad = b'{"id":"bad","text":""}\n' * 300
    staff.post(reverse("staff_bank_upload"), sent(rows(LARGE) + bad, "bank.jsonl"))
    job = worked(now)
    assert (job.kind, job.state) == ("read_bank", JobState.DONE)
    assert not BankVersion.objects.exists()
    shown = staff.get(reverse("staff_job", args=[job.pk])).text
    address = reverse("staff_bank_read", args=[job.arguments["token"]])
    assert f'href="{address}"' in shown
    assert "Nothing is stored yet." in shown
    page = staff.get(address).text
    assert page.count("<li>line ") == 3  # those of one kind are told as one
    assert " more" in page
    assert "Import the 6,000 questions without problems" in page
    assert "Add 0." in page
    button = {**hidden(page), "partial": "yes"}
    presses = [staff.post(reverse(IMPORT), button)["Location"] for _press in range(2)]
    assert presses[0] == presses[1]
    job = worked(now)
    assert (job.kind, job.state) == ("import_bank", JobState.DONE)
    version = BankVersion.objects.get()
    assert version.prompts.count() == LARGE
    assert len(version.problems) >= 300
    assert f'href="{reverse("staff_bank", args=["my-bank", 1])}"' in staff.get(presses[0]).text
    assert list(staged_folder(job.arguments["token"]).parent.iterdir()) == []
    gone = staff.get(address, follow=True)
    assert "it was imported already" in gone.text


@pytest.mark.django_db(transaction=True)
def test_a_large_file_that_is_no_bank_is_told_by_the_job_and_forgotten(staff: Client, now: datetime) -> None:
    content = b"[1, 2]\n" * 6_000
    staff.post(reverse("staff_bank_upload"), sent(content, "bank.jsonl"))
    page = staff.get(reverse("staff_bank_read", args=[worked(now).arguments["token"]])).text
    assert "Nothing of it can be used." in page
    assert "Import it" not in page
    two = zip_of(**{"one.jsonl": rows(LARGE), "two.jsonl": rows(1)})
    staff.post(reverse("staff_bank_upload"), sent(two, "bank.zip"))
    job = worked(now)
    assert "must hold one file that ends in .jsonl, and has 2" in job.error
    assert not staged_folder(job.arguments["token"]).exists()


def test_an_import_says_how_far_it_is_from_the_first_row_to_the_last(
    bank: dict[str, object], models: Callable[..., dict[str, object]], lead: User, now: datetime
) -> None:
    for run, arguments in ((import_bank, bank), (import_models, models(0.5, replace=False))):
        job = Watched(lead, now)
        run(job, **arguments)
        assert job.phases == [READING, STORING]
        done = [one for one, _total, _phase in job.heard]
        assert done == sorted(done)
        assert len(set(done)) > 300
        assert (done[0], done[-1], job.heard[-1][1]) == (0, 1000, 1000)


@pytest.mark.parametrize(("phase", "at"), [(READING, 0), (READING, 150), (STORING, 300), (STORING, 900)])
def test_a_bank_whose_import_is_called_off_is_not_there_at_all(
    bank: dict[str, object], lead: User, now: datetime, phase: str, at: int
) -> None:
    job = Watched(lead, now, off=phase, at=at)
    with pytest.raises(JobCancelled):
        import_bank(job, **bank)
    assert (Bank.objects.count(), BankVersion.objects.count(), Prompt.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize(("phase", "at"), [(READING, 150), (STORING, 300), (STORING, 900)])
def test_models_whose_replacement_is_called_off_stay_as_they_were(
    models: Callable[..., dict[str, object]], lead: User, now: datetime, phase: str, at: int
) -> None:
    import_models(Watched(lead, now), **models(0.5, replace=False))
    before = list(ModelConfiguration.objects.values_list("pk", "sha256"))
    with pytest.raises(JobCancelled):
        import_models(Watched(lead, now, off=phase, at=at), **models(0.75, replace=True))
    assert list(ModelConfiguration.objects.values_list("pk", "sha256")) == before
    assert ModelScore.objects.filter(score=0.5).count() == ModelScore.objects.count() == LARGE


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(120)
def test_an_import_that_runs_is_called_off_by_its_page_and_leaves_nothing(staff: Client) -> None:
    token = upload_stage(name="bank.jsonl", content=rows(60_000))
    arguments = {"token": token, "slug": "mine", "bank_format": "chiron", "mini": False, "partial": False}
    job = job_start(kind="import_bank", study=None, actor=None, now=timezone.now(), arguments=arguments)

    def work() -> int:
        try:
            return jobs_work(clock=timezone.now)
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=1) as pool:
        ended = pool.submit(work)
        while not Job.objects.get().done:
            assert Job.objects.get().is_open
            time.sleep(0.02)
        staff.post(reverse("staff_job_cancel", args=[job.pk]))
        assert ended.result(60) == 1
    assert Job.objects.get().state == JobState.CANCELLED
    assert not Bank.objects.exists()
    assert not staged_folder(token).exists()
    assert NO_FILE in staff.get(reverse("staff_job", args=[job.pk])).text
