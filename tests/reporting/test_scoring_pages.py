"""The staff's pages of a study: overview, screening, results."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from scoring.coordinator import Scoring
from scoring.models import ResultSet
from screening.models import Verdict, VerdictDecision
from screening.services.verdicts import verdict_record
from studies.bank.records import PromptRecord
from studies.models import Participant, Study, User
from studies.services.amendments import study_amend
from studies.services.banks import item_bank_import
from tests.support.headlines import estimates

pytestmark = pytest.mark.django_db
PROMPTS = [
    PromptRecord(prompt_id="p1", text="Question 1?", gold_answer="41", category="QR"),
    PromptRecord(prompt_id="p2", text="Question 2?", gold_answer="42", category="QR"),
    PromptRecord(prompt_id="p3", text="Question 3?", gold_answer="43", category="LR"),
    PromptRecord(prompt_id="p4", text="A hidden question?", gold_answer="44", category="LR", split="private"),
]
RIGHT = {f"p{n}": str(40 + n) for n in range(1, 5)}
OFF_TASK = {"p1": "idk", "p4": "&&& ..."}
ANSWERS = {"diligent": RIGHT, "off_task": OFF_TASK}
PAGES = ("staff_study", "staff_screening", "staff_results")


@pytest.fixture(scope="module")
def kept_results(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    keep_flagged: Callable[[Study, datetime], None],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> ResultSet:
    """Results of two people, one of them off-task and kept: with an open verdict no page shows them."""
    items = tuple(ItemParameter(f"p{n}", a=1.0, b=0.0) for n in range(1, 5))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    item_bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    study = make_study(prompts=PROMPTS, slug="pages", judge_kind="checks", top_size=1, item_bank=item_bank)
    for answers in ANSWERS.values():
        work(make_person(study), answers)
    tomorrow = now + timedelta(days=1)
    keep_flagged(study, tomorrow)
    return score_at(study, clock=lambda: tomorrow).judges[0].results


@pytest.fixture
def decided(kept_results: ResultSet, db: None) -> ResultSet:
    return ResultSet.objects.get(pk=kept_results.pk)


@pytest.fixture
def study(decided: ResultSet) -> Study:
    return decided.run.study


@pytest.fixture
def people(study: Study) -> dict[str, Participant]:
    return dict(zip(ANSWERS, Participant.objects.filter(study=study).order_by("pk"), strict=True))


@pytest.fixture
def scored(decided: ResultSet) -> ResultSet:
    """The same before anybody decided about the one who is flagged."""
    Verdict.objects.all().delete()
    return decided


def text(client: Client, name: str, **place: Any) -> str:
    response = client.get(reverse(name, kwargs={"slug": "pages", **place}))
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("view", PAGES)
def test_people_who_are_not_staff_learn_nothing(
    view: str, client: Client, study: Study, make_person: Callable[..., Participant]
) -> None:
    address = reverse(view, kwargs={"slug": "pages"})
    assert client.get(address).status_code == 302
    client.force_login(make_person(study).user)
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("view", PAGES)
def test_an_unknown_study_is_not_found(view: str, staff: Client) -> None:
    assert staff.get(reverse(view, kwargs={"slug": "nothing"})).status_code == 404


@pytest.mark.parametrize("view", PAGES)
def test_pages_work_before_anybody_has_started(
    view: str, staff: Client, make_study: Callable[..., Study]
) -> None:
    text(staff, view, slug=make_study(prompts=PROMPTS, judge_kind="checks").slug)


@pytest.mark.parametrize("view", PAGES)
def test_pages_need_no_inline_style_or_script(view: str, staff: Client, decided: ResultSet) -> None:
    content = text(staff, view)
    assert "style=" not in content
    assert "<style" not in content
    assert not re.search(r"<script(?! (type=\"module\" )?src=)", content)
    assert "onclick" not in content


@pytest.mark.parametrize(
    ("view", "queries"), [("staff_study", 15), ("staff_screening", 14), ("staff_results", 16)]
)
def test_pages_take_a_bounded_number_of_queries(
    view: str,
    queries: int,
    staff: Client,
    decided: ResultSet,
    django_assert_max_num_queries: Callable[[int], Any],
) -> None:
    with django_assert_max_num_queries(queries):
        text(staff, view)


def test_the_overview_shows_protocol_progress_and_amendments(
    staff: Client, study: Study, people: dict[str, Participant], lead: User, now: datetime
) -> None:
    study_amend(study=study, changes={"top_size": 2}, reason="Fewer people came.", actor=lead, now=now)
    study.refresh_from_db()
    content = text(staff, "staff_study")
    assert study.protocol_hash in content
    assert "Fewer people came." in content
    assert "Changed: People in Top." in content
    assert "STEM PhD: 2 of 2 places filled, 0 answering" in content
    assert "Answers per question so far: 1 to 2, median 1." in content


def test_the_overview_names_nobody(staff: Client, scored: ResultSet, people: dict[str, Participant]) -> None:
    content = text(staff, "staff_study")
    for participant in people.values():
        assert participant.user.email not in content
        assert participant.code not in content


def test_a_reviewer_sees_evidence_and_neither_score_nor_profile_nor_name(
    staff: Client, scored: ResultSet, people: dict[str, Participant]
) -> None:
    content = text(staff, "staff_screening")
    flagged = people["off_task"]
    assert flagged.code in content
    assert people["diligent"].code not in content
    assert "&amp;&amp;&amp; ..." in content
    assert "Question 1?" in content
    assert "A hidden question?" not in content
    assert "The question is private." in content
    for hidden in (flagged.user.email, "stem-phd", "STEM PhD", "theta"):
        assert hidden not in content


def decide(client: Client, participant: Participant, status: int = 200, **fields: str) -> str:
    address = reverse("staff_verdict", kwargs={"slug": "pages", "code": participant.code})
    response = client.post(
        address, {"decision": "confirm", "reason": "Nothing was answered.", **fields}, follow=True
    )
    assert response.status_code == status
    return response.content.decode()


def test_a_verdict_is_recorded_and_a_second_one_appended(
    staff: Client, scored: ResultSet, people: dict[str, Participant], lead: User
) -> None:
    content = decide(staff, people["off_task"])
    first = Verdict.objects.get()
    assert f"{people['off_task'].code}: Off-task: not counted." in content
    assert (first.decision, first.reason, first.decided_by) == ("confirm", "Nothing was answered.", lead)
    content = decide(
        staff, people["off_task"], decision="overturn", reason="They did answer.", seen=str(first.pk)
    )
    assert [verdict.decision for verdict in Verdict.objects.order_by("pk")] == ["confirm", "overturn"]
    assert "On task: counted." in content


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"reason": " "}, "A verdict needs a reason: choose one, or write why."),
        ({"decision": "maybe"}, "Choose one of the three verdicts."),
        (
            {"reason": "x" * 2001},
            "The text is 2,001 characters long and at most 2,000 are allowed; shorten it.",
        ),
        ({"seen": "9" * 30}, "Somebody decided about"),
        ({"seen": "x"}, "Open this page again before deciding."),
    ],
)
def test_a_verdict_that_cannot_be_recorded_says_why(
    fields: dict[str, str], sentence: str, staff: Client, scored: ResultSet, people: dict[str, Participant]
) -> None:
    content = decide(staff, people["off_task"], 409 if fields.get("seen", "").isdecimal() else 422, **fields)
    assert sentence in content
    assert fields.get("reason", "Nothing was answered.") in content
    assert not Verdict.objects.exists()


def test_a_verdict_on_somebody_who_is_not_flagged_is_not_found(
    staff: Client, scored: ResultSet, people: dict[str, Participant]
) -> None:
    address = reverse("staff_verdict", kwargs={"slug": "pages", "code": people["diligent"].code})
    assert staff.post(address, {"decision": "confirm", "reason": "x"}).status_code == 404
    assert staff.get(address).status_code == 405


def test_only_staff_decide(client: Client, scored: ResultSet, people: dict[str, Participant]) -> None:
    client.force_login(people["diligent"].user)
    address = reverse("staff_verdict", kwargs={"slug": "pages", "code": people["off_task"].code})
    assert client.post(address, {"decision": "confirm", "reason": "x"}).status_code == 404
    assert not Verdict.objects.exists()


def test_results_show_groups_and_no_single_person(
    staff: Client, decided: ResultSet, people: dict[str, Participant]
) -> None:
    content = text(staff, "staff_results")
    assert "Average Human + AI" in content
    assert "Top Human + AI (in-sample: selected on the outcome)" in content
    assert "cannot rank people" in content
    assert decided.inputs_sha256 in content
    for participant in people.values():
        assert participant.code not in content
        assert participant.user.email not in content


def test_categories_are_shown_on_the_scale_of_an_item_bank_only(staff: Client, decided: ResultSet) -> None:
    assert "By category" in text(staff, "staff_results")
    Study.objects.update(item_bank=None)
    content = text(staff, "staff_results")
    assert "By category" not in content
    assert "QR: Average" not in content
    assert "All public questions together." in content  # so few private ones would be told of beside them


def test_results_that_are_out_of_date_say_so(
    staff: Client, decided: ResultSet, people: dict[str, Participant], lead: User
) -> None:
    assert "Since these results were computed" not in text(staff, "staff_results")
    later, confirm = decided.computed_at + timedelta(days=1), VerdictDecision.CONFIRM
    verdict_record(
        participant=people["off_task"], decision=confirm, reason="Idle.", actor=lead, now=later,
        seen_verdict_id=Verdict.objects.get().pk,
    )  # fmt: skip
    assert "Since these results were computed: 1 verdict." in text(staff, "staff_results")


def test_results_of_an_earlier_protocol_say_so(
    staff: Client, decided: ResultSet, lead: User, now: datetime
) -> None:
    study = decided.run.study
    study_amend(study=study, changes={"top_size": 3}, reason="More people came.", actor=lead, now=now)
    assert "Since these results were computed: an amended protocol." in text(staff, "staff_results")


def test_a_simulated_study_says_so_on_every_page(staff: Client, decided: ResultSet) -> None:
    Study.objects.update(is_simulated=True)
    for view in PAGES:
        assert "the people in it are simulated" in text(staff, view)


def test_the_figure_is_an_svg_of_its_own_but_a_single_point_is_none_of_the_page(
    staff: Client, decided: ResultSet
) -> None:
    place = {"slug": "pages", "results_id": decided.pk, "extension": "svg"}
    address = reverse("staff_results_figure", kwargs=place)
    assert address not in text(staff, "staff_results")
    response = staff.get(address)
    assert (response.status_code, response["Content-Type"]) == (200, "image/svg+xml")
    assert response["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert response.content.startswith(b"<?xml")
    assert b"</svg>" in response.content


def test_a_category_that_looks_like_a_formula_is_drawn_as_it_is(staff: Client, decided: ResultSet) -> None:
    decided.measures.filter(group="top", subset="category:QR").update(subset=r"category:$\odd$")
    assert r"$\odd$" in {one.category for one in estimates(decided, group="top")}
    assert r"$\odd$" in text(staff, "staff_results")


def test_a_figure_of_another_study_is_not_found(
    staff: Client, scored: ResultSet, make_study: Callable[..., Study]
) -> None:
    make_study(slug="other")
    place = {"slug": "other", "results_id": scored.pk, "extension": "svg"}
    assert staff.get(reverse("staff_results_figure", kwargs=place)).status_code == 404
