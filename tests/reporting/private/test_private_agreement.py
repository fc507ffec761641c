"""Agreement of judges in a study with private prompts: all answers, and the public as if alone asked."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from judging.models import ScoringRun
from presentation.numbers import decimals
from psychometrics.inference.measure import Scope
from reporting.report.parts import Paragraph
from scoring.models import JudgeComparison
from scoring.services import agreements as agreeing
from scoring.services.agreement_inputs import Compared
from scoring.services.agreements import agreements_compute
from studies.models import Prompt, Study
from tests.support.judged_study import (
    PEOPLE,
    answers,
    change_private_scores,
    hashes,
    judges_section,
    stored,
    without_private_prompts,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def computes() -> Callable[[Study, datetime], object]:
    """Agreement, which rests on scores alone."""
    return agreement


def agreement(study: Study, now: datetime) -> None:
    agreements_compute(study=study, now=now)


def test_agreement_is_there_of_all_answers_and_of_the_public_ones(study: Study) -> None:
    levels = {"criterion", "answer", "people", "ability", "panel"}
    for scope in Scope:
        assert {level for *_, level in stored(scope)} == levels
    [(of_all, of_public)] = [
        (found, stored("public")[key]) for key, found in stored("all").items() if key[2] == "answer"
    ]
    private = sum(one.prompt.split == "private" for one in answers(study))
    assert of_all["rows"] - of_public["rows"] == private > 0


def test_the_terminal_says_over_which_prompts_judges_are_compared(study: Study) -> None:
    said = StringIO()
    call_command("judge_agreement", study.slug, stdout=said)
    assert "over all prompts, private ones included" in said.getvalue()
    Prompt.objects.update(split="public")
    said = StringIO()
    call_command("judge_agreement", study.slug, stdout=said)
    assert "private" not in said.getvalue()


def test_a_saved_figure_of_two_judges_says_which_prompts_it_rests_on(staff: Client, study: Study) -> None:
    words = {"all": "All questions", "public": "Public questions only"}
    for scope in Scope:
        pair = JudgeComparison.objects.get(first__study=study, level="answer", scope=scope)
        place = {"slug": study.slug, "agreement_id": pair.pk, "figure": "differences", "extension": "svg"}
        drawn = staff.get(reverse("staff_agreement_figure", kwargs=place)).content.decode()
        assert [one for one in words.values() if one in drawn] == [words[scope]]


def test_the_public_scope_is_that_of_a_study_without_private_prompts(study: Study, now: datetime) -> None:
    public, everything = stored("public"), stored("all")
    without_private_prompts()
    agreements_compute(study=study, now=now)
    assert stored("all") == public == stored("public")
    assert everything != public
    average, top = next(values for (*_, level), values in public.items() if level == "ability")["groups"]
    assert (average["x"]["participants"], top["x"]["participants"]) == (PEOPLE, 3)


def test_a_score_of_a_private_prompt_changes_nothing_of_the_public_scope(study: Study, now: datetime) -> None:
    before = {scope: (stored(scope), hashes(scope)) for scope in Scope}
    change_private_scores()
    agreements_compute(study=study, now=now + timedelta(hours=1))
    assert (stored("public"), hashes("public")) == before[Scope.PUBLIC]
    assert not hashes("all") & before[Scope.ALL][1]
    assert stored("all") != before[Scope.ALL][0]


def test_a_study_without_private_prompts_has_one_scope(make_judged: Callable[..., Study]) -> None:
    study = make_judged([], agreement)
    assert set(JudgeComparison.objects.filter(first__study=study).values_list("scope", flat=True)) == {"all"}


def test_where_every_prompt_is_private_the_public_scope_is_empty_and_says_so(
    study: Study, now: datetime
) -> None:
    Prompt.objects.update(split="private")
    agreement(study, now)
    values = next(values for (*_, level), values in stored("public").items() if level == "answer")
    assert (values["rows"], values["statistics"]["kappa"]["reason"]) == (0, "no_pairs")
    assert "nothing was scored by both judges" in str(judges_section(study))


def test_the_page_of_agreement_shows_all_answers_or_the_public_ones(staff: Client, study: Study) -> None:
    address = reverse("staff_agreement", kwargs={"slug": study.slug})
    offsets = {
        scope: decimals(values["statistics"]["offset"]["value"], 3)
        for scope in Scope
        for (*_, level), values in stored(scope).items()
        if level == "answer"
    }
    assert offsets[Scope.ALL] != offsets[Scope.PUBLIC]
    first, second = ScoringRun.objects.order_by("pk").values_list("pk", flat=True)
    of_pair = f"x={first}&amp;y={second}"
    for query, scope in (("", "all"), ("?prompts=public", "public"), ("?prompts=private", "all")):
        content = staff.get(address + query).content.decode()
        shown = offsets[Scope(scope)]
        assert re.search(
            rf"<th scope=\"row\">Offset, y − x</th>\s*<td class=\"numeric\">{shown}</td>", content
        )
        assert ("rest on the answers to public questions alone" in content) == (scope == "public")
        assert f'href="{address}?prompts=public"' in content
        assert (f"{address}?{of_pair}&amp;prompts=public" in content) == (scope == "public")
        for figure in re.findall(r'<img src="([^"]+)"', content):
            assert staff.get(figure).status_code == 200
    content = staff.get(f"{address}?x={first}&y={second}&prompts=public").content.decode()
    assert f'<a href="{address}?{of_pair}"' in content  # the same pair over all prompts
    assert f'href="{address}?{of_pair}&amp;prompts=public"' in content


def test_without_private_prompts_the_page_of_agreement_has_nothing_to_switch(
    staff: Client, make_judged: Callable[..., Study]
) -> None:
    address = reverse("staff_agreement", kwargs={"slug": make_judged([], agreement).slug})
    assert "Public questions only" not in staff.get(address, {"prompts": "public"}).content.decode()


class Killed(Exception):
    """Ends the computing where a signal could."""


def test_an_ended_process_leaves_no_scope_without_the_other(
    study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    JudgeComparison.objects.all().delete()
    stored_before, kept = [], agreeing.agreement_store

    def ends(one: Compared, levels: agreeing.Levels | None, now: datetime) -> list[JudgeComparison]:
        if one.scores.scope == Scope.PUBLIC:
            raise Killed
        stored_before.append(one)
        return kept(one, levels, now)

    monkeypatch.setattr(agreeing, "agreement_store", ends)
    with pytest.raises(Killed):
        agreements_compute(study=study, now=now)
    assert stored_before
    assert not JudgeComparison.objects.exists()


def test_a_report_says_where_agreement_was_never_computed(study: Study) -> None:
    JudgeComparison.objects.filter(scope=Scope.PUBLIC).delete()
    said = [part.text for part in judges_section(study) if isinstance(part, Paragraph)]
    assert "Agreement of the judges has not been computed yet: it is when the results are recomputed." in said


def test_a_report_of_one_judge_says_that_there_is_nothing_to_compare(study: Study) -> None:
    JudgeComparison.objects.all().delete()
    ScoringRun.objects.latest("pk").criteria.all().delete()
    said = [part.text for part in judges_section(study) if isinstance(part, Paragraph)]
    assert "One judge has scored the study once, so there is no agreement to report." in said
