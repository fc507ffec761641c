"""The pages, figures, command and export of judges' agreement, after real runs on two judge servers."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from batches.models import Session
from benchmarks.hashed_judge.running import judge_server
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, JudgeConfig, JudgingRun, ScoringRun
from presentation.absence import WHY_ABSENT
from presentation.agreement import PUBLISHED_ONLY, STATISTICS, judge_name, warning_text
from presentation.catalogue import meaning_of
from psychometrics.agreement.measures import level_measures
from psychometrics.agreement.reference import REFERENCE_FIGURES, Level
from psychometrics.inference.estimates import Reason
from psychometrics.inference.measure import Block, Scope
from scoring.coordinator import Scoring
from scoring.models import JudgeComparison
from scoring.services.exports import study_export
from scoring.services.storing import measures_store
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Participant, Study
from studies.services.banks import item_bank_import

pytestmark = pytest.mark.django_db

PROMPTS = [
    PromptRecord(
        prompt_id=f"p{n:03d}",
        text=f"Question {n}?",
        gold_answer=str(n),
        criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(3 if n < 4 else 0)),
    )
    for n in range(1, 5)
]


def study_of(make_study: Callable[..., Study], slug: str, now: datetime) -> Study:
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=0.0) for n in range(1, 5))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    item_bank, _ = item_bank_import(slug=f"items-{slug}", parameters=parameters, now=now)
    return make_study(prompts=PROMPTS, slug=slug, replicates_per_profile=50, item_bank=item_bank, top_size=2)


@pytest.fixture(scope="module")
def panel(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    make_judge: Callable[..., JudgeConfig],
    score_at: Callable[..., Scoring],
    now: datetime,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Eight people, judged by two judges that often differ."""
    study = study_of(make_study, "panel", now)
    for number in range(8):
        work(make_person(study), {f"p{n:03d}": f"Answer {number} to {n}" for n in range(1, 5)})
    logs = tmp_path_factory.mktemp("judges")
    with (
        judge_server(log=logs / "alpha.log", latency_ms=2) as alpha,
        judge_server(log=logs / "beta.log", judge="B", agreement=0.3) as beta,
    ):
        score_at(study, make_judge(alpha.url, "alpha"), make_judge(beta.url, "beta"), clock=lambda: now)


@pytest.fixture
def judged(panel: None, db: None) -> Study:
    return Study.objects.get(slug="panel")


@pytest.fixture
def study(make_study: Callable[..., Study], now: datetime) -> Study:
    """A study that nobody has judged."""
    return study_of(make_study, "alone", now)


def page(client: Client, slug: str = "panel", **query: Any) -> str:
    response = client.get(reverse("staff_agreement", kwargs={"slug": slug}), query)
    assert response.status_code == 200
    return unescape(response.content.decode())


def row(content: str, heading: str) -> str:
    """The first table row whose heading this is, as text."""
    found = re.search(rf"<tr>\s*<th scope=\"row\">{re.escape(heading)}</th>.*?</tr>", content, re.DOTALL)
    assert found, heading
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())


class Cells(HTMLParser):
    """How many columns each row of the tables on a page has."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append(0)
        elif tag in {"td", "th"}:
            self.tables[-1][-1] += int(dict(attrs).get("colspan") or 1)


@pytest.mark.slow
def test_the_page_shows_what_is_stored_beside_the_paper(staff: Client, judged: Study) -> None:
    content = page(staff)
    assert "x = alpha, y = beta" in content
    kappa = JudgeComparison.objects.get(level="criterion").values["statistics"]["kappa"]["value"]
    shown = f"{kappa:.3f}".replace("-", "−")
    assert row(content, "Cohen's κ").startswith(f"Cohen's κ {shown} ")
    assert row(content, "Cohen's κ").endswith("0.815 GIM paper, F.2; n = 18,395")
    assert "its judges and prompts, and models' answers, not yours" in content
    assert "72 pairs of 72 scores; without a score by x: 0, by y: 0." in content
    assert "Krippendorff's α is" in content
    assert "below 0.80: conclusions may hang on the judge." in content
    assert "The scores come from only 8 independent sources" in content
    for name in STATISTICS:
        assert meaning_of(f"agreement.{name}") in content


@pytest.mark.slow
def test_the_order_of_single_peoples_thetas_stands_with_what_it_cannot_say(
    staff: Client, judged: Study
) -> None:
    rho = JudgeComparison.objects.get(level="ability").values["spearman_of_people"]
    found = row(page(staff), "Spearman's ρ of single people's theta")
    assert found.startswith("Spearman's ρ of single people's theta " + f"{rho:.3f}".replace("-", "−"))
    assert "One batch cannot rank people." in found
    assert "Item parameters are those of the study's bank under every judge: a bank recalibrated" in found


@pytest.mark.slow
def test_theta_stands_under_each_judge_with_its_change(staff: Client, judged: Study) -> None:
    content = page(staff)
    average, _ = JudgeComparison.objects.get(level="ability").values["groups"]
    shown = f"{average['change']['value']:.2f}".replace("-", "−")
    table = content[content.index("Theta under each judge") :]
    assert re.search(rf"<td>beta</td>.*?{shown}", table, re.DOTALL)
    assert table.count("Top (in-sample)") >= 2


@pytest.mark.slow
def test_every_row_of_every_table_has_the_columns_of_its_head(staff: Client, judged: Study) -> None:
    parser = Cells()
    parser.feed(page(staff))
    assert len(parser.tables) == 9
    for widths in parser.tables[1:]:  # the first has a heading over two rows
        assert len(set(widths)) == 1


@pytest.mark.slow
def test_the_page_needs_no_inline_style_or_script_and_few_queries(
    staff: Client, judged: Study, django_assert_num_queries: Callable[[int], Any]
) -> None:
    page(staff)
    with django_assert_num_queries(9):
        content = page(staff)
    for unwanted in ("style=", "<style", "<script", "onclick"):
        assert unwanted not in content


@pytest.mark.slow
def test_a_figure_is_an_svg_that_loads_nothing(staff: Client, judged: Study) -> None:
    content = page(staff)
    addresses = re.findall(r'<img src="([^"]+)"', content)
    assert len(addresses) == 4
    for address in addresses:
        response = staff.get(address)
        assert response["Content-Type"] == "image/svg+xml"
        assert response["Content-Security-Policy"].startswith("default-src 'none'")
        assert ElementTree.fromstring(response.content).tag.endswith("svg")  # noqa: S314
    people = JudgeComparison.objects.get(level="people")
    for name, pk in (("differences", people.pk), ("nothing", people.pk), ("differences", 0)):
        place = {"slug": "panel", "agreement_id": pk, "figure": name}
        assert staff.get(reverse("staff_agreement_figure", kwargs=place)).status_code == 404


@pytest.mark.slow
def test_the_run_page_shows_its_judges_agreement(staff: Client, judged: Study) -> None:
    run = JudgingRun.objects.get()
    address = reverse("staff_judging_run", kwargs={"slug": "panel", "number": run.pk})
    content = staff.get(address).content.decode()
    assert "Agreement of the judges" in content
    assert "alpha and beta" in content


@pytest.mark.slow
def test_new_scores_are_announced_until_they_are_compared(
    staff: Client, judged: Study, now: datetime
) -> None:
    later = now + timedelta(days=400)
    AnswerScore.objects.filter(pk=AnswerScore.objects.latest("pk").pk).update(score=0.0, judged_at=later)
    assert "1 answer was judged since these numbers were computed." in " ".join(page(staff).split())


@pytest.mark.slow
def test_the_command_prints_the_same_numbers(judged: Study, capsys: pytest.CaptureFixture[str]) -> None:
    before = {one.level: one.values for one in JudgeComparison.objects.all()}
    call_command("judge_agreement", "panel")
    printed = capsys.readouterr().out
    assert "== x = alpha, y = beta" in printed
    pearson = before["criterion"]["statistics"]["pearson"]["value"]
    assert re.search(rf"Pearson's r +{pearson:.3f} .* 0\.845\n", printed)
    assert "Warning, rubric criteria: Krippendorff's α is" in printed
    assert "its judges and prompts" in printed
    assert {one.level: one.values for one in JudgeComparison.objects.all()} == before


@pytest.mark.slow
def test_an_export_holds_every_statistic(judged: Study, tmp_path: Path, now: datetime) -> None:
    study_export(study=judged, target=tmp_path / "out", replace=False, software="test", now=now)
    rows = [json.loads(line) for line in (tmp_path / "out" / "agreement.jsonl").read_text().splitlines()]
    by_place = {(one["level"], one["statistic"], one["x_run"], *one["runs"]): one for one in rows}
    assert len(by_place) == len(rows)
    stored = JudgeComparison.objects.get(level="answer").values
    assert by_place["answer", "pearson", 1, 1, 2] == {
        "scope": "all", "x_run": 1, "y_run": 2, "runs": [1, 2], "level": "answer", "statistic": "pearson",
        **{name: stored["statistics"]["pearson"][name] for name in ("value", "se", "low", "high")},
        "n": 32, "clusters": 8, "seed": stored["seed"], "resamples": stored["resamples"], "reason": None,
    }  # fmt: skip
    assert ("criterion", "alpha_interval", None, 1, 2) in by_place
    assert {level for level, *_ in by_place} == {"criterion", "answer", "people", "average", "top"}


def test_a_study_with_one_judge_or_none_says_what_is_needed(
    staff: Client, study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Two judges, or two replicates of one, must have scored the study" in page(staff, "alone")
    call_command("judge_agreement", "alone")
    assert "There is nothing to compare" in capsys.readouterr().out


def test_an_absent_number_is_a_dash_with_its_reason(staff: Client, study: Study, now: datetime) -> None:
    absent = {"value": None, "se": None, "low": None, "high": None, "reason": "no_pairs"}
    values = {
        "rows": 4, "n": 0, "missing_x": 0, "missing_y": 4, "clusters": 0, "seed": 1, "resamples": 1000,
        "statistics": dict.fromkeys(STATISTICS, absent), "cells": [], "outside": 0,
        "warnings": [
            {
                "code": "not_measured", "subject": "kappa", "value": None, "threshold": 0.75,
                "reason": "no_pairs",
            }
        ],
    }  # fmt: skip
    runs = [
        ScoringRun.objects.create(
            study=study,
            judge_kind="llm",
            judge={},
            judge_sha256=name * 64,
            design_hash="d",
            protocol_hash="p",
            started_at=now,
        )
        for name in "ab"
    ]
    for level in ("answer", "people"):
        comparison = JudgeComparison.objects.create(
            first=runs[0], second=runs[1], level=level, inputs_sha256="", computed_at=now
        )
        measures_store(
            level_measures(level, values), Block.AGREEMENT, comparison=comparison, scope=Scope.ALL,
            may_leave=lambda _: True,
        )  # fmt: skip
    content = page(staff, "alone")
    assert row(content, "Cohen's κ") == "Cohen's κ – – nothing was scored by both judges"
    assert "Cohen's κ could not be measured (nothing was scored by both judges)." in content
    assert "<img" not in content


def test_others_learn_nothing(client: Client, study: Study, make_person: Callable[..., Participant]) -> None:
    address = reverse("staff_agreement", kwargs={"slug": "alone"})
    assert client.get(address).status_code == 302
    client.force_login(make_person(study).user)
    assert client.get(address).status_code == 404


def test_every_reason_and_every_warning_has_words() -> None:
    named = {(figure.level, figure.statistic) for figure in REFERENCE_FIGURES}
    assert named == set(PUBLISHED_ONLY) | {
        (level, name)
        for level, name in named
        if level in {Level.CRITERION, Level.PROMPT} and name in STATISTICS
    }
    assert set(WHY_ABSENT) == {reason.value for reason in Reason}
    facts = {"subject": "average_pool", "value": -1.26, "threshold": 1.0, "reason": ""}
    assert warning_text({"code": "theta_moved", **facts}) == (
        "Theta of Average (pooled) changes by −1.26 cluster standard errors with the judge, more than 1."
    )
    assert warning_text({"code": "offset_large", **facts, "value": -0.045, "threshold": 0.03}) == (
        "The judges are −0.045 score points apart on average, more than 0.03."
    )


def test_runs_of_one_judge_are_told_apart() -> None:
    judge = JudgeConfig(slug="alpha")
    assert judge_name(ScoringRun(config=judge, judge={})) == "alpha"
    assert judge_name(ScoringRun(config=judge, judge={"criteria_per_call": 4}, replicate=2)) == (
        "alpha, 4 criteria a call, replicate 2"
    )
