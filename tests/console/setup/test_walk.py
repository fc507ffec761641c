"""From an empty site to a locked study with question sets, by pages alone."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.jobs import BUILDING
from batches.models import BatchPlan
from jobs.models import Job
from jobs.services.working import jobs_work
from studies.models import ItemBank, Study, StudyStatus
from studies.services.events import StudyEventKind
from tests.console.setup.conftest import BANK, Save
from tests.support.told import TOLD
from tests.support.waited_for import waited_for

pytestmark = pytest.mark.django_db


def zipped_bank() -> io.BytesIO:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.write(BANK / "bank.jsonl", "demo/bank.jsonl")
        for path in (BANK / "media").iterdir():
            archive.write(path, f"demo/media/{path.name}")
    content.seek(0)
    content.name = "demo.zip"
    return content


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of the form that imports what was read."""
    part = page[page.index('id="import-form"') :]
    part = part[: part.index("</form>")]
    return {"token": part.split('name="token"')[1].split('value="')[1].split('"')[0]}


def test_from_nothing_to_a_locked_study(staff: Client, save: Save) -> None:
    new = staff.get(reverse("staff_study_new")).content.decode()
    assert reverse("staff_bank_upload") in new
    assert "there is none yet" in new

    sent = {"bank_format": "chiron", "slug": "demo", "file": zipped_bank()}
    read = waited_for(staff, staff.post(reverse("staff_bank_upload"), sent))
    assert "nothing is stored yet" in read.text
    imported = waited_for(staff, staff.post(reverse("staff_bank_import"), hidden(read.text)))
    assert "demo v1 is imported." in imported.text

    with (BANK / "item_parameters.json").open("rb") as file:
        waited_for(staff, staff.post(reverse("staff_item_banks"), {"slug": "demo-items", "file": file}))
    items = ItemBank.objects.get()

    page = staff.get(reverse("staff_study_new")).content.decode()
    version = page.split('<option value="')[1].split('"')[0]
    made = staff.post(
        reverse("staff_study_new"), {"name": "Spring pilot", "slug": "spring", "bank_version": version}
    )
    assert made["Location"] == reverse("staff_setup", args=["spring"])
    study = Study.objects.get()
    assert staff.get(made["Location"])["Location"].endswith("/setup/questions/")

    lock = reverse("staff_lock", args=["spring"])
    assert "The question sets are not built yet." in staff.get(lock).content.decode()
    saved = save(study, "questions", batch_size="12", go="next")
    assert saved["Location"].endswith("/setup/items/")
    save(study, "people", **{"profiles-2-DELETE": "on", "replicates_per_profile": "1"})
    closes = timezone.now() + timedelta(days=30)
    save(study, "time", time_budget_minutes="90", closes_at=closes.strftime("%Y-%m-%dT%H:%M"))
    save(study, "judge", judge_kind="checks")
    assert (
        "Build the question sets"
        in staff.post(reverse("staff_questions_build", args=["spring"]), follow=True).text
    )
    assert jobs_work(clock=timezone.now) == 1
    assert (
        "Question sets that are built: 4."
        in staff.get(reverse("staff_job", args=[Job.objects.get(kind=BUILDING).pk])).text
    )

    study.refresh_from_db()
    assert [profile.slug for profile in study.protocol.profiles] == ["stem-undergraduate", "stem-phd"]
    assert study.protocol.time_budget_minutes == 90
    assert study.closes_at is not None

    confirm = reverse("staff_lock_confirm", args=["spring"])
    page = staff.get(lock).content.decode()
    assert "There are item parameters for these questions (demo-items) and the study uses none" in page
    assert 'id="lock-form"' not in page
    assert "Say which organisation runs the study." in page
    save(study, "told", **TOLD)
    save(study, "items", item_bank="")
    page = staff.get(lock).content.decode()
    assert "Results are raw scores: nobody is placed on a scale of ability" in page
    assert "Item parameters:" not in page
    seen = page.split('name="seen" value="')[1].split('"')[0]

    save(study, "items", item_bank=str(items.pk))
    stale = staff.post(confirm, {"seen": seen, "confirmed": "yes", "again": "yes"})
    assert stale.status_code == 422
    # Sets are alike in difficulty: those built without item parameters are built again.
    assert "The question sets were built under other settings; build them again." in stale.content.decode()
    staff.post(reverse("staff_questions_build", args=["spring"]))
    jobs_work(clock=timezone.now)
    stale = staff.post(confirm, {"seen": seen, "confirmed": "yes", "again": "yes"})
    assert "changed after you opened" in stale.content.decode()

    page = staff.get(lock).content.decode()
    sent = {"seen": page.split('name="seen" value="')[1].split('"')[0]}
    unticked = staff.post(confirm, sent)
    assert (unticked.status_code, "tick what it means first" in unticked.content.decode()) == (422, True)
    asked = staff.post(confirm, sent | {"confirmed": "yes"}).content.decode()
    assert "Lock the study?" in asked
    assert "8 people will be asked for 1 hour 30 minutes each, 12 h of paid time in all;" in asked
    Study.objects.update(is_simulated=True)
    asked = staff.get(lock).content.decode()
    assert ("Simulated people will answer" in asked, "will be asked for" in asked) == (True, False)
    Study.objects.update(is_simulated=False)
    study.refresh_from_db()
    assert study.status == StudyStatus.DRAFT
    locked = staff.post(confirm, sent | {"confirmed": "yes", "again": "yes"})
    assert locked["Location"] == reverse("staff_study", args=["spring"])
    study.refresh_from_db()
    assert study.status == StudyStatus.FROZEN
    assert study.item_bank == items
    assert BatchPlan.objects.get().report["sizes"] == [12, 12, 12, 12]
    steps = [event.details.get("step") for event in study.events.filter(kind=StudyEventKind.SETTINGS_CHANGED)]
    assert steps == ["questions", "people", "time", "judge", "told", "items", "items"]
    assert save(study, "time").status_code == 422  # a locked study is not changed by its steps


def test_a_protocol_goes_out_and_comes_in_as_a_file(staff: Client, draft: Study) -> None:
    study = draft
    file = staff.get(reverse("staff_setup_file", args=["draft"]))
    settings = json.loads(file.content)
    assert settings == study.protocol.model_dump(mode="json")
    upload = io.BytesIO(json.dumps({**settings, "top_size": 3}).encode())
    upload.name = "protocol.json"
    staff.post(reverse("staff_setup_import", args=["draft"]), {"file": upload})
    study.refresh_from_db()
    assert study.protocol.top_size == 3
    wrong = io.BytesIO(b'{"top_size": 0, "batch_size": "many"}')
    wrong.name = "protocol.json"
    refused = staff.post(reverse("staff_setup_import", args=["draft"]), {"file": wrong})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "top_size is below 1" in page
    assert "batch_size is text" in page
    study.refresh_from_db()
    assert study.protocol.top_size == 3
