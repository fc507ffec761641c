"""The planner page and command: a plan in the address, tables and a figure, one sentence for bad input."""

import json
import re
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from console.tasks import clear_leftovers
from formats.item_parameters import ItemParameter, ItemParameters, ResponseModel, write_item_parameters
from jobs.models import Job, JobState
from jobs.registry import kinds
from jobs.services.claims import cancel_is_asked, job_claim
from jobs.services.working import jobs_work
from psychometrics.planning.computing import planned
from psychometrics.planning.formulas import Plan, Prices
from psychometrics.planning.records import Simulated
from psychometrics.planning.tables import Rehearsal
from reporting.forms.planner import PLAN
from reporting.views.planner.pages import curve_people
from studies.models import ItemBank, User
from studies.services.banks import item_bank_import
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db

PAGE, FIGURE = "/staff/planner/", "/staff/planner/half-width.svg"


def asked(client: Client, **values: object) -> tuple[int, str]:
    """The page once a worker has computed what the formulas do not say."""
    client.get(f"{PAGE}?{urlencode(values)}")
    jobs_work(clock=timezone.now)
    reply = client.get(f"{PAGE}?{urlencode(values)}")
    return reply.status_code, reply.content.decode()


def cells(page: str) -> list[str]:
    return [read(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", page)]


def test_the_page_opens_with_the_published_design_and_its_numbers(staff: Client) -> None:
    status, page = asked(staff)
    assert status == 200
    found = cells(page)
    assert found[found.index("Half-width of the 95 % interval") + 1] == "0.15"
    assert found[found.index("nested (this plan)") + 1 :][:4] == ["41", "820", "6", "19"]
    assert "<script" not in page.partition("<main")[2]
    assert f'href="{FIGURE}"' in page
    assert re.search(r"this plan: \d+ people, half-width 0.15", page)


def test_an_address_holds_a_plan_and_its_figure(staff: Client) -> None:
    status, page = asked(staff, people=60, between_sd=0.35, wanted=0.25, pay=40, design="matrix")
    assert status == 200
    found = cells(page)
    assert found[found.index("Half-width of the 95 % interval") + 1] == "0.22"
    assert found[found.index("± 0.25") + 1] == "48"
    assert found[found.index("Cost of people") + 1] == "2,400.00"
    assert "matrix sampling (this plan)" in page
    address = re.search(r'href="([^"]+half-width\.svg[^"]*)"', page)
    assert address is not None
    figure = staff.get(address.group(1).replace("&amp;", "&"))
    assert figure.headers["Content-Type"] == "image/svg+xml"
    assert figure.content.startswith(b"<?xml")


def test_a_rehearsal_shows_bias_and_coverage_and_says_that_it_is_simulated(staff: Client) -> None:
    status, page = asked(staff, people=40, bank_prompts=100, studies=5, top_size=5)
    assert status == 200
    assert "Top as published" in cells(page)
    assert "Simulated: responses follow an assumed process" in page
    assert re.search(r"\d\.\d % ± \d", page)
    assert "± 0.0" not in page


def test_formulas_stand_at_once_and_the_rest_when_it_is_computed(staff: Client, lead: User) -> None:
    plan = {"people": 40, "bank_prompts": 100, "studies": 5, "top_size": 5}
    address = f"{PAGE}?{urlencode(plan)}"
    page = staff.get(address).text
    assert "Half-width of the 95 % interval" in cells(page)
    assert "nested (this plan)" not in cells(page)
    assert "Linkage and rehearsal of a plan" in page
    staff.get(address)
    job = Job.objects.get(kind=PLAN)
    assert (job.state, job.actor) == (JobState.WAITING, lead)
    jobs_work(clock=timezone.now)
    page = staff.get(address).text
    assert {"nested (this plan)", "Top as published"} <= set(cells(page))
    assert "Linkage and rehearsal of a plan" not in page
    # Prices and wishes change nothing of it, another seed does.
    assert "nested (this plan)" in cells(staff.get(f"{address}&pay=40&wanted=0.2").text)
    assert Job.objects.count() == 1
    assert "nested (this plan)" not in cells(staff.get(f"{address}&seed=3").text)
    assert Job.objects.count() == 2


def test_what_is_computed_is_shown_to_everybody_and_who_waits_follows_a_job_of_their_own(
    staff: Client,
) -> None:
    client = Client()
    other = User.objects.create_user("other@example.org", is_staff=True, is_superuser=True)
    client.force_login(other)
    for one in (staff, client):
        one.get(PAGE)
    assert Job.objects.count() == 2
    jobs_work(clock=timezone.now)
    assert all("nested (this plan)" in cells(one.get(PAGE).text) for one in (staff, client))


def test_what_failed_is_told_and_asked_for_again_a_minute_later(staff: Client) -> None:
    staff.get(PAGE)
    now = timezone.now()
    Job.objects.update(state=JobState.FAILED, error="It ended.", finished_at=now)
    page = staff.get(PAGE).text
    assert "It ended." in page
    assert "Half-width of the 95 % interval" in cells(page)
    assert Job.objects.count() == 1
    Job.objects.update(finished_at=now - timedelta(minutes=2))
    assert "It ended." not in staff.get(PAGE).text
    assert Job.objects.count() == 2


def states() -> list[str]:
    return list(Job.objects.filter(kind=PLAN).order_by("created_at").values_list("state", flat=True))


def test_each_person_has_one_open_plan_and_a_look_at_the_head_asks_for_none(staff: Client) -> None:
    staff.head(PAGE)
    assert not Job.objects.exists()
    client = Client()
    client.force_login(User.objects.create_user("other@example.org", is_staff=True, is_superuser=True))
    client.get(PAGE)
    for people in (40, 41, 42):
        staff.get(f"{PAGE}?people={people}")
    assert states() == ["waiting", "cancelled", "cancelled", "waiting"]
    assert job_claim(kinds=kinds(), now=timezone.now())  # of the other
    claim = job_claim(kinds=kinds(), now=timezone.now())
    assert claim
    staff.get(f"{PAGE}?people=43")
    assert cancel_is_asked(claim)
    assert states() == ["running", "cancelled", "cancelled", "running", "waiting"]


def test_a_plan_is_called_off_and_started_again_at_its_own_address(
    staff: Client, stored: dict[ResponseModel, ItemBank]
) -> None:
    bank = str(stored[ResponseModel.LOGIT_NORMAL]).replace(" ", "-")
    sizes = {"people": 30, "prompts_per_person": 10}
    rehearsed = sizes | {"studies": 2, "top_size": 5, "design": "matrix", "batches": "balanced"}
    for plan in (sizes, rehearsed, rehearsed | {"item_bank": bank}):
        address = f"{PAGE}?{urlencode(plan)}"
        page = staff.get(address).text
        assert f'name="next" value="{address.replace("&", "&amp;")}"' in page
        job = Job.objects.filter(kind=PLAN).latest("created_at")
        staff.post(f"/staff/jobs/{job.pk}/cancel/", {"next": address})
        again = f"{PAGE}?again={job.pk}"
        assert f'href="{again}"' in staff.get(address).text
        number = Job.objects.count()
        staff.head(again)
        assert Job.objects.count() == number
        for _press in range(2):
            reply = staff.get(again, follow=True)
            assert reply.status_code == 200
        newest = Job.objects.filter(kind=PLAN).latest("created_at")
        assert (Job.objects.count(), newest.arguments) == (number + 1, job.arguments)
        assert f"/staff/jobs/{newest.pk}/state/" in reply.text
    assert staff.get(f"{PAGE}?again=none")["Location"] == PAGE


def test_what_another_version_kept_is_computed_anew(staff: Client) -> None:
    asked(staff)
    job = Job.objects.get()
    assert job.arguments["method"] == 1
    Job.objects.update(result={**job.result, "found": {"linkage": [["nested", {"of": "yore"}]]}})
    assert staff.get(PAGE).status_code == 200
    assert Job.objects.count() == 1  # it has just ended: not for ever
    Job.objects.update(finished_at=timezone.now() - timedelta(minutes=2))
    assert "nested (this plan)" not in cells(staff.get(PAGE).text)
    jobs_work(clock=timezone.now)
    assert "nested (this plan)" in cells(staff.get(PAGE).text)
    assert Job.objects.count() == 2


@pytest.mark.usefixtures("fresh_clock", "sure_clock")
def test_a_plan_is_kept_for_thirty_days(staff: Client) -> None:
    asked(staff)
    staff.get(f"{PAGE}?people=40")
    now = timezone.now()
    Job.objects.filter(state=JobState.DONE).update(finished_at=now - timedelta(days=29, hours=23))
    clear_leftovers()
    assert states() == ["done", "waiting"]
    Job.objects.filter(state=JobState.DONE).update(finished_at=now - timedelta(days=30, minutes=1))
    clear_leftovers()
    assert states() == ["waiting"]


@pytest.mark.parametrize("studies", [0, 3])
def test_what_is_kept_of_a_simulation_is_all_of_it(studies: int) -> None:
    plan = Plan(people=5, prompts_per_person=1, bank_prompts=40, missing=0)
    found = planned(plan, "nested", Prices(), rehearsal=Rehearsal(studies, top_size=4))
    kept = Simulated(found.linkage, found.rehearsed)
    again = Simulated.from_json(json.loads(json.dumps(kept.as_json(), allow_nan=False)))
    assert repr(again) == repr(kept)


def test_the_curve_is_drawn_at_the_points_of_a_geometric_series() -> None:
    for most in range(500, 20_001, 2):
        points = np.unique(np.geomspace(3, most, 60).round())
        assert curve_people(most) == points.astype(int).tolist()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"people": "many"}, "Write a whole number from 1 to 10,000."),
        ({"people": 0}, "Write a whole number from 1 to 10,000."),
        ({"people": ""}, "Write a whole number from 1 to 10,000."),
        ({"missing": 1}, "Write a number from 0 to 0.95."),
        ({"between_sd": "nan"}, "Write a number from 0 to 5."),
        ({"between_sd": -1}, "Write a number from 0 to 5."),
        ({"design": "ring"}, "Choose one of the values in the list."),
        ({"bank_prompts": 10}, "A person cannot get more questions than the bank has."),
        (
            {"people": 9000, "prompts_per_person": 100},
            "People times questions per person must be at most 400,000.",
        ),
        (
            {"people": 5000, "studies": 500},
            "Rehearse fewer studies: at most 1,500,000 answers and questions of the bank in all.",
        ),
        (
            {"people": 2, "prompts_per_person": 1, "bank_prompts": 20_000, "studies": 500},
            "Rehearse fewer studies: at most 1,500,000 answers and questions of the bank in all.",
        ),
        (
            {"people": 12, "studies": 5, "top_size": 13},
            "Top of a rehearsal cannot have more people than the study.",
        ),
        ({"people": 10**9}, "Write a whole number from 1 to 10,000."),
        ({"people": "9" * 5000}, "Write a whole number from 1 to 10,000."),
        ({"people": "-3"}, "Write a whole number from 1 to 10,000."),
        ({"pay": -1}, "Write a number from 0 to 1,000,000."),
        ({"between_sd": "1e999"}, "Write a number from 0 to 5."),
    ],
)
def test_bad_input_is_refused_in_one_sentence_and_kept(
    staff: Client, values: dict[str, object], sentence: str
) -> None:
    status, page = asked(staff, **values)
    assert status == 422
    assert page.count(sentence) == 1
    assert "<table" not in page
    assert staff.get(f"{FIGURE}?{urlencode(values)}").status_code == 404


@pytest.fixture
def stored(now: datetime) -> dict[ResponseModel, ItemBank]:
    """A bank of 30 items by each of the two models."""
    items = tuple(ItemParameter(f"p{n}", a=0.5 + n / 20, b=n / 10 - 1.5) for n in range(30))
    found = {}
    for model, slug in zip(ResponseModel, ("calibrated", "binary"), strict=True):
        parameters = ItemParameters(items, 0.998, 0.001, 2.5, response_model=model)
        found[model], _ = item_bank_import(slug=slug, parameters=parameters, now=now)
    return found


def test_a_stored_bank_gives_the_plan_its_size_and_is_rehearsed(
    staff: Client, stored: dict[ResponseModel, ItemBank]
) -> None:
    bank = stored[ResponseModel.LOGIT_NORMAL]
    chosen = str(bank).replace(" ", "-")
    plan = {"people": 12, "prompts_per_person": 10, "studies": 2, "top_size": 3, "item_bank": chosen}
    status, page = asked(staff, **plan, bank_prompts=820)
    assert status == 200
    found = cells(page)
    assert found[found.index("Item bank") + 1] == str(bank)
    assert found[found.index("Questions of the bank") + 1] == "30"
    assert found[found.index("Question sets of one cut") + 1] == "3"
    assert f"The items are those of the item bank {bank}." in page
    assert f'<option value="{chosen}" selected>{bank}, questions: 30</option>' in page
    assert 'name="bank_prompts" value="820"' in page
    assert staff.get(f"{FIGURE}?{urlencode(plan)}").status_code == 200
    status, page = asked(staff, people=12, studies=2, top_size=3)
    assert "The bank is synthetic" in page
    assert cells(page)[cells(page).index("Item bank") + 1] == "synthetic"


@pytest.mark.parametrize(
    ("name", "more", "sentence"),
    [
        ("none", {}, "Choose one of the values in the list."),
        (
            "binary",
            {},
            "This bank was fitted with the logistic 2PL, and plans are for abilities by logits of scores",
        ),
        ("calibrated", {"prompts_per_person": 31}, "A person cannot get more questions than the bank has."),
    ],
)
def test_a_bank_that_cannot_be_planned_with_is_refused_and_nothing_typed_is_lost(
    staff: Client, stored: dict[ResponseModel, ItemBank], name: str, more: dict[str, int], sentence: str
) -> None:
    chosen = next((str(bank).replace(" ", "-") for bank in stored.values() if bank.slug == name), name)
    status, page = asked(staff, item_bank=chosen, people=77, bank_prompts=555, **more)
    assert status == 422
    assert page.count(sentence) == 1
    assert 'name="people" value="77"' in page
    assert 'name="bank_prompts" value="555"' in page
    assert "<table" not in page


def test_rows_of_top_without_a_number_say_why(staff: Client) -> None:
    status, page = asked(
        staff, people=5, prompts_per_person=1, bank_prompts=40, missing=0, studies=3, top_size=4
    )
    assert status == 200
    found = cells(page)
    for name in ("Top free of the choice", "Top drawn to the mean"):
        assert found[found.index(name) + 1] == "no number, see below"
    assert (
        "Studies without a number: 3 of 3, for Top free of the choice; Top drawn to the mean "
        "(people have too few answers with a score each)."
    ) in read(page)


def test_the_page_is_for_staff_only(client: Client) -> None:
    assert client.get(PAGE).status_code == 302
    client.force_login(User.objects.create_user("person@example.org"))
    assert [client.get(address).status_code for address in (PAGE, FIGURE)] == [404, 404]


@pytest.mark.parametrize("people", [1, 10_000])
def test_the_smallest_and_the_largest_plan_have_tables(staff: Client, people: int) -> None:
    status, page = asked(staff, people=people)
    assert status == 200
    assert "nan" not in " ".join(cells(page))


def test_the_command_prints_what_the_page_shows_as_json() -> None:
    said = StringIO()
    call_command("plan_study", "--people", "195", "--between-sd", "0.6", "--studies", "2", stdout=said)
    found = json.loads(said.getvalue())
    assert found["precision"]["half_width"] == pytest.approx(0.14, abs=0.005)
    assert [0.1, 388] in found["needed"]
    assert found["rehearsed"]["studies"] == 2
    recoveries = {one["name"]: one for one in found["rehearsed"]["recoveries"]}
    assert recoveries["top.paper"]["coverage"] is None
    assert 0 < recoveries["theta.ql, se.participant"]["error"] < 0.25


def test_the_command_prints_tables_and_refuses_with_the_name_of_the_option() -> None:
    said = StringIO()
    call_command("plan_study", "--table", stdout=said)
    assert "How people and questions hang together" in said.getvalue()
    assert "The bank is synthetic" not in said.getvalue()  # nothing is rehearsed
    with pytest.raises(CommandError, match=r"--top-size: Top of a rehearsal cannot have more people"):
        call_command("plan_study", "--people", "12", "--studies", "2")
    with pytest.raises(CommandError, match=r"--between-sd: Write a number from 0 to 5\."):
        call_command("plan_study", "--between-sd", "9")


def test_the_command_plans_on_a_stored_bank_or_a_file(
    stored: dict[ResponseModel, ItemBank], tmp_path: Path
) -> None:
    path = tmp_path / "own.json"
    items = tuple(ItemParameter(f"p{n}", a=1.0, b=0.0) for n in range(25))
    write_item_parameters(path, ItemParameters(items, 0.998, 0.001, 2.5), description="")
    for name, called, size in (
        ("calibrated", str(stored[ResponseModel.LOGIT_NORMAL]), 30),
        (stored[ResponseModel.LOGIT_NORMAL].digest[:8], str(stored[ResponseModel.LOGIT_NORMAL]), 30),
        (str(path), "own.json", 25),
    ):
        said = StringIO()
        call_command("plan_study", "--item-bank", name, "--people", "15", "--studies", "1", stdout=said)
        found = json.loads(said.getvalue())
        assert (found["item_bank"], found["plan"]["bank_prompts"]) == (called, size)
    for name, sentence in (
        ("binary", "--item-bank: This bank was fitted with the logistic 2PL"),
        ("", "An empty name is given for the item bank; name a stored one or a file."),
        ("none", 'There is no item bank "none". There are: binary, calibrated.'),
        (str(tmp_path / "none.json"), "There is no file"),
        (__file__, "not JSON"),
    ):
        with pytest.raises(CommandError, match=re.escape(sentence)):
            call_command("plan_study", "--item-bank", name, stdout=StringIO())
