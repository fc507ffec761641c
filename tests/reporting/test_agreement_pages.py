"""The pages, figures, command and export of judges' agreement, after real runs on two judge servers."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batches.models import Session
from benchmarks.hashed_judge.running import judge_server
from judging.models import AnswerScore, JudgeConfig, JudgingRun
from presentation.agreement import STATISTICS
from presentation.catalogue import meaning_of
from scoring.coordinator import Scoring
from scoring.models import JudgeComparison
from scoring.services.exports import study_export
from studies.models import Participant, Study
from tests.support.agreement_studies import page, row, study_of

pytestmark = pytest.mark.django_db


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
        judges, began = (make_judge(alpha.url, "alpha"), make_judge(beta.url, "beta")), timezone.now()
        score_at(study, *judges, clock=lambda: now + (timezone.now() - began))


@pytest.fixture
def judged(panel: None, db: None) -> Study:
    return Study.objects.get(slug="panel")


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
    assert "alpha (x) and beta (y) pass" in content
    kappa = JudgeComparison.objects.get(level="criterion").values["statistics"]["kappa"]["value"]
    shown = f"{kappa:.3f}".replace("-", "−")
    assert row(content, "Cohen's κ").startswith(f"Cohen's κ {shown} ")
    assert row(content, "Cohen's κ").endswith("0.815 GIM paper, F.2; n = 18,395")
    assert "its judges and questions, and models' answers, not yours" in content
    assert "72 of 72 scores are of both; without a score by x: 0, by y: 0." in content
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
    content = page(staff)
    found = row(content, "Spearman's ρ of single people's ability")
    assert found.startswith("Spearman's ρ of single people's ability " + f"{rho:.3f}".replace("-", "−"))
    assert "One question set cannot rank people." in content
    assert "Item parameters are those of the study's bank under every judge: a bank recalibrated" in content


@pytest.mark.slow
def test_theta_stands_under_each_judge_with_its_change(staff: Client, judged: Study) -> None:
    content = page(staff)
    average, _ = JudgeComparison.objects.get(level="ability").values["groups"]
    shown = f"{average['change']['value']:.2f}".replace("-", "−")
    table = content[content.index("Ability under each judge") :]
    assert re.search(rf"<td>beta</td>.*?{shown}", table, re.DOTALL)
    assert table.count("Top (in-sample)") >= 2


@pytest.mark.slow
def test_every_row_of_every_table_has_the_columns_of_its_head(staff: Client, judged: Study) -> None:
    parser = Cells()
    parser.feed(page(staff))
    assert len(parser.tables) == 8
    for widths in parser.tables[1:]:  # the first has a heading over two rows
        assert len(set(widths)) == 1


@pytest.mark.slow
def test_the_page_needs_no_inline_style_or_script_and_few_queries(
    staff: Client, judged: Study, django_assert_num_queries: Callable[[int], Any]
) -> None:
    page(staff)
    with django_assert_num_queries(9):
        content = page(staff)
    assert not re.findall(r"style=|<style|<script(?! (?:type=\"module\" )?src=)|onclick", content)


@pytest.mark.slow
def test_a_figure_is_an_svg_that_loads_nothing(staff: Client, judged: Study) -> None:
    content = page(staff)
    addresses = re.findall(r'href="([^"]+agreement[^"]+\.svg)"', content)
    assert len(addresses) == 4
    for address in addresses:
        response = staff.get(address)
        assert response["Content-Type"] == "image/svg+xml"
        assert response["Content-Security-Policy"].startswith("default-src 'none'")
        assert ElementTree.fromstring(response.content).tag.endswith("svg")  # noqa: S314
    people = JudgeComparison.objects.get(level="people")
    for name, pk in (("differences", people.pk), ("nothing", people.pk), ("differences", 0)):
        place = {"slug": "panel", "agreement_id": pk, "figure": name, "extension": "svg"}
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
