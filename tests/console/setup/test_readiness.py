"""What is missing before the lock is one list: cards, set-up, lock page, service and command agree."""

from datetime import datetime
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from batches.services.plans import batches_build
from console.selectors.readiness import readiness
from judging.models import JudgeConfig
from judging.selectors.planned_cost import planned_judging
from judging.services.judge_rules import JudgeSettings
from judging.services.judges import judge_add
from studies.models import Study, StudyStatus
from studies.protocol.settings import ProtocolSettings
from studies.services.studies import study_update_settings
from tests.console.setup.conftest import Save
from tests.support.told import TOLD

pytestmark = pytest.mark.django_db


def sentences(study: Study, now: datetime) -> dict[str, str]:
    study.refresh_from_db()
    return {one.sentence: one.level for one in readiness(study, now).entries}


def judge_of(now: datetime, **settings: object) -> JudgeConfig:
    made = JudgeSettings(base_url="https://judge.example.org/v1", model="some-model", **settings)  # type: ignore[arg-type]
    return judge_add(slug="main", settings=made, actor=None, now=now)


def test_every_page_counts_the_same_things_and_the_command_says_them(
    draft: Study, staff: Client, now: datetime
) -> None:
    words = "5 things missing before it can be locked"
    for address in (
        reverse("staff_home"),
        reverse("staff_setup_step", args=["draft", "people"]),
        reverse("staff_lock", args=["draft"]),
    ):
        assert words in staff.get(address).content.decode(), address
    steps = reverse("staff_setup_step", args=["draft", "people"])
    # Questions (no sets) and texts (what people are told); the others are at most to be looked at.
    assert staff.get(steps).text.count("(something is missing)") == 2
    home = staff.get(reverse("staff_home"))
    assert [card.facts.planned for card in home.context["cards"]] == [6]
    with pytest.raises(CommandError, match=r"The question sets are not built yet\.") as refusal:
        call_command("freeze_study", "draft")
    assert str(refusal.value).split("\n") == [one.sentence for one in readiness(draft, now).blocking]
    settings = ProtocolSettings.model_validate(TOLD)
    draft = study_update_settings(study=draft, settings=settings, now=now)
    batches_build(study=draft, now=now)
    assert "7 things to look at before the lock" in staff.get(reverse("staff_lock", args=["draft"])).text
    page = staff.get(steps).text
    assert ("(something is missing)" in page, "(something to look at)" in page) == (False, True)
    said = StringIO()
    call_command("freeze_study", "draft", stdout=said)
    assert "Judge: This site knows no judge yet; answers could not be scored.\n" in said.getvalue()
    draft.refresh_from_db()
    assert draft.status == StudyStatus.FROZEN
    assert readiness(draft, now).entries == ()


def test_numbers_that_people_are_told_are_those_of_the_study(draft: Study, save: Save, now: datetime) -> None:
    few = "A set is to hold 20 questions and the bank has 6: everybody gets them all."
    assert sentences(draft, now)[few] == "should"
    save(draft, "consent", consent_text="You answer 20 questions in five hours, then rest for one hour.")
    save(draft, "instructions", instructions="Sechs Stunden für 6 Fragen.")
    assert [one for one in sentences(draft, now) if one.startswith("The text says")] == [
        "The text says “20 questions”, “one hour”; people get 6 questions and 300 minutes.",
        "The text says “Sechs Stunden”; people get 6 questions and 300 minutes.",
    ]
    save(draft, "questions", batch_size="4")
    assert few not in sentences(draft, now)
    assert (
        sentences(draft, now)["The questions do not come out even: one set has 2, the others 4."] == "known"
    )


def test_what_judging_costs_is_known_before_the_lock(
    draft: Study, save: Save, staff: Client, now: datetime
) -> None:
    judge = judge_of(now)
    assert "No judge is chosen; answers could not be scored." in sentences(draft, now)
    save(draft, "judge", planned_judge="main", judge_budget="")
    assert "The judge main has no prices: nobody can say what judging costs, or keep a budget." in sentences(
        draft, now
    )
    page = staff.get(reverse("staff_setup_step", args=["draft", "judge"])).content.decode()
    assert reverse("staff_judge", args=["main"]) in page
    JudgeConfig.objects.filter(pk=judge.pk).update(input_price="2", output_price="1000")
    planned = planned_judging(draft)
    assert (planned.answers, planned.calls) == (36, 36)
    assert planned.cost is not None
    assert Decimal("7.2") < planned.cost < Decimal("7.3")  # 36 replies of 200 tokens, and what is read
    assert any(one.startswith("No budget: judging costs about 7.") for one in sentences(draft, now))
    save(draft, "judge", judge_budget="5")
    assert any("more than the budget of 5.00: it would pause" in one for one in sentences(draft, now))
    save(draft, "judge", judge_budget="20")
    assert not [one for one, level in sentences(draft, now).items() if "budget" in one and level == "should"]
    lock = staff.get(reverse("staff_lock", args=["draft"])).content.decode()
    assert "About 7.2" in lock
    save(draft, "judge", judge_kind="match", match_rules="bbh")
    draft.refresh_from_db()
    assert (draft.protocol.planned_judge, draft.protocol.judge_budget) == (None, None)


def test_a_program_is_chosen_among_those_of_the_site_and_missed_where_it_is_gone(
    draft: Study, staff: Client, save: Save, now: datetime, settings: Settings
) -> None:
    settings.JUDGE_COMMANDS = {"units": ("/opt/judges/units",)}
    refused = save(draft, "judge", judge_kind="command").text
    assert "This is needed by the judge" in refused
    assert save(draft, "judge", judge_kind="command", judge_command="other").status_code == 422
    assert save(draft, "judge", judge_kind="command", judge_command="units").status_code == 302
    missing = "This site has no program units; answers could not be scored."
    assert missing not in sentences(draft, now)
    assert (draft.protocol.judge_kind, draft.protocol.judge_command) == ("command", "units")
    page = staff.get(reverse("staff_study", args=["draft"])).text
    assert '<span class="coded" title="command">a program of the site</span>: units' in page
    settings.JUDGE_COMMANDS = {}
    assert sentences(draft, now)[missing] == "should"
    save(draft, "judge", judge_kind="checks", judge_command="")
    draft.refresh_from_db()
    assert draft.protocol.judge_command is None


def test_the_lock_page_says_what_follows_from_what_differs(draft: Study, save: Save, staff: Client) -> None:
    save(draft, "questions", batch_size="3")
    save(draft, "time", time_budget_minutes="90")
    save(draft, "reporting", top_size="4")
    context = staff.get(reverse("staff_lock", args=["draft"])).context
    assert [(row.name, row.value, row.pilot, row.follows) for row in context["differing"]] == [
        ("batch_size", "3", "20", "3 answers a person"),
        ("time_budget_minutes", "1 hour 30 minutes", "5 hours", "30 min a question; the pilot had 15"),
        ("top_size", "best 4", "best 15", "4 of 12 planned people"),
    ]
    assert len(context["differing"]) + len(context["same"]) == context["number"]
    assert [one.is_own for one in context["texts"]] == [False] * len(context["texts"])


def test_licence_and_authors_are_asked_for_until_the_form_of_the_exports_was_saved(
    draft: Study, staff: Client, now: datetime
) -> None:
    exports, said = reverse("staff_exports", args=["draft"]), "Licence and authors are not said yet"
    for page in (
        reverse("staff_lock", args=["draft"]),
        reverse("staff_setup_step", args=["draft", "reporting"]),
    ):
        assert f'href="{exports}#publish"' in staff.get(page).text, page
    assert [level for one, level in sentences(draft, now).items() if one.startswith(said)] == ["should"]
    form = {"licence": "", "title": "", "authors": "Example Group", "doi": ""}
    assert staff.post(exports, form).status_code == 302
    assert not [one for one in sentences(draft, now) if one.startswith(said)]
