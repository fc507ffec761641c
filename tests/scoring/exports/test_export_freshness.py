"""No export holds results that are missing, or older than the answers and verdicts they rest on."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import session_submit, session_withdraw
from batches.services.extending import session_reopen
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import CriterionScore
from psychometrics.inference.measure import Block
from scoring.coordinator import Scoring, results_bring_up
from scoring.models import Measurement, ResultSet
from scoring.readers.model_results.records import ModelResults, PublishedAbility
from scoring.services import freshness
from scoring.services.exports import ResultsOutOfDate, study_export
from scoring.services.leaderboards import leaderboard_import
from screening.models import VerdictDecision
from screening.offtask.readings import Reading
from screening.services.screening import study_screen
from screening.services.verdicts import verdict_record
from studies.bank.records import ContainsCheck, CriterionRecord, PromptRecord
from studies.models import Participant, Study, User
from studies.services.amendments import study_amend
from studies.services.banks import item_bank_import
from tests.support.measuring import only_blocks
from tests.support.taking_models import newest_models_taken

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).resolve().parents[3] / "docs" / "scoring.md"
CRITERIA = (CriterionRecord(text="Says red.", check=ContainsCheck(any_of=("red",))),)
PROMPTS = [PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", criteria=CRITERIA) for n in range(1, 5)]
NAMES = [one.prompt_id for one in PROMPTS]


@pytest.fixture(scope="module", autouse=True)
def measures_of_one_block() -> Iterator[None]:
    """What is out of date is told by what measurements rest on, not by what they hold."""
    with only_blocks(Block.EXCLUSIONS):
        yield


@pytest.fixture(scope="module")
def scored(
    kept: None,
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score_at: Callable[..., Scoring],
    now: datetime,
) -> None:
    """Five people who answered, one of whom wrote nothing of use and is excluded; scored and measured."""
    items = tuple(ItemParameter(name, a=1.0, b=n / 2) for n, name in enumerate(NAMES))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    study = make_study(
        prompts=PROMPTS,
        slug="pilot",
        judge_kind="checks",
        top_size=2,
        replicates_per_profile=50,
        item_bank=bank,
    )
    for number in range(4):
        work(make_person(study), dict.fromkeys(NAMES[: number + 1], "red and more words"))
    work(make_person(study), dict.fromkeys(NAMES, "idk"))
    study_screen(study=study, now=now)
    lead = User.objects.create_superuser("lead@example.org")
    decide(person(5), VerdictDecision.CONFIRM, lead, now)
    score_at(study, clock=lambda: now + timedelta(days=1))


@pytest.fixture
def study(scored: None, db: None) -> Study:
    return Study.objects.get(slug="pilot")


@pytest.fixture
def later(now: datetime) -> datetime:
    return now + timedelta(days=2)


def person(number: int) -> Participant:
    return Participant.objects.order_by("pk")[number - 1]


def decide(participant: Participant, decision: VerdictDecision, lead: User, now: datetime) -> None:
    newest = participant.verdicts.order_by("-pk").first()
    verdict_record(
        participant=participant,
        decision=decision,
        reason="Read.",
        actor=lead,
        now=now,
        seen_verdict_id=newest.pk if newest else None,
    )


def command(folder: Path) -> tuple[str, dict[str, Any]]:
    """What the command said, and the one run of the manifest."""
    out = StringIO()
    call_command("export_study", "pilot", str(folder), stdout=out)
    [run] = json.loads((folder / "manifest.json").read_text())["runs"]
    return out.getvalue(), run


def refused(study: Study, folder: Path, now: datetime) -> str:
    with pytest.raises(ResultsOutOfDate) as refusal:
        study_export(study=study, target=folder, replace=False, software="test", now=now)
    assert not folder.exists()
    return str(refusal.value)


# --- what may happen after the results were computed


def changes_an_answer(lead: User, now: datetime) -> None:
    participant = person(1)
    session = participant.session
    assert session.ended_at is not None
    moment = session.ended_at + timedelta(minutes=1)
    session_reopen(session=session, reason="Asked.", now=moment)
    answer = session.answers.get(prompt__prompt_id="p1")
    incoming = IncomingText(text="blue", base_revision=answer.revision, tab="two", sequence=1)
    answer_save(
        user_id=participant.user_id,
        session_id=session.pk,
        position=answer.position,
        incoming=incoming,
        now=moment,
    )
    session_submit(session=session, resources=None, now=moment)


def withdraws(lead: User, now: datetime) -> None:
    session_withdraw(participant=person(2), now=now)


def excluded_person_withdraws(lead: User, now: datetime) -> None:
    session_withdraw(participant=person(5), now=now)


def verdict_is_overturned(lead: User, now: datetime) -> None:
    decide(person(5), VerdictDecision.OVERTURN, lead, now)


def second_reviewer_agrees(lead: User, now: datetime) -> None:
    other = User.objects.create_superuser("second@example.org")
    decide(person(5), VerdictDecision.CONFIRM, other, now)
    other.verdict_set.update(reading=Reading.SECOND)  # they had not seen the first


def models_arrive(lead: User, now: datetime) -> None:
    results = ModelResults(published=(PublishedAbility("model", 1.0, 0.1, 5),))
    bank = Study.objects.get().item_bank
    assert bank is not None
    leaderboard_import(item_bank=bank, results=results, source="A paper", replace=False, now=now)
    newest_models_taken(bank, now)


MEASURED_ONLY = "measurement of 1 of the runs"
BOTH = f"results of 1 of the runs, {MEASURED_ONLY}"


@pytest.mark.parametrize(
    ("happens", "stale"),
    [
        (changes_an_answer, BOTH),
        (withdraws, BOTH),
        (verdict_is_overturned, BOTH),
        (excluded_person_withdraws, MEASURED_ONLY),
        (second_reviewer_agrees, MEASURED_ONLY),
        (models_arrive, MEASURED_ONLY),
    ],
)
def test_what_happens_after_the_results_is_in_them_before_they_are_exported(
    study: Study, later: datetime, tmp_path: Path, happens: Callable[[User, datetime], None], stale: str
) -> None:
    before = ResultSet.objects.get()
    happens(User.objects.get(email="lead@example.org"), later)
    assert f"Missing, or older than the answers: {stale}." in refused(study, tmp_path / "refused", later)
    said, run = command(tmp_path / "export")
    assert f"Computed first, as it was missing or older than the answers: {stale}." in said
    assert (run["inputs_sha256"] == before.inputs_sha256) == (stale == MEASURED_ONLY)
    assert run["measurement"] is not None
    again, same = command(tmp_path / "again")
    assert "Computed first" not in again
    assert same == run


def test_an_export_right_after_a_run_is_measured(study: Study, later: datetime, tmp_path: Path) -> None:
    Measurement.objects.all().delete()  # as workers leave it, until the next look at what is to be measured
    assert MEASURED_ONLY in refused(study, tmp_path / "refused", later)
    command(tmp_path / "export")
    assert len((tmp_path / "export" / "measures.jsonl").read_text().splitlines()) > 100


@pytest.mark.parametrize(("of", "other"), [("METHODS", "others"), ("CATALOGUE", {"theta.pool": None})])
def test_what_earlier_methods_measured_or_fewer_names_is_measured_again(
    study: Study, later: datetime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str, other: object
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(freshness, of, other)
        call_command("measure_study", "pilot", "--resamples", "100", stdout=StringIO())
    assert MEASURED_ONLY in refused(study, tmp_path / "refused", later)


def test_a_run_that_was_stopped_before_its_results_has_them_in_the_export(
    study: Study, later: datetime, tmp_path: Path
) -> None:
    ResultSet.objects.all().delete()
    assert BOTH in refused(study, tmp_path / "refused", later)
    _, run = command(tmp_path / "export")
    assert run["results_computed_at"] is not None


def test_a_measurement_that_is_right_but_old_keeps_its_seed(study: Study, later: datetime) -> None:
    call_command("measure_study", "pilot", "--seed", "7", "--resamples", "100", stdout=StringIO())
    models_arrive(User.objects.get(email="lead@example.org"), later)
    assert results_bring_up(study=study, clock=lambda: later).measurements
    found = Measurement.objects.get()
    assert (found.seed, found.resamples, found.computed_at) == (7, 100, later)


def test_measuring_again_computes_results_that_are_older_than_the_answers_first(
    study: Study, later: datetime
) -> None:
    withdraws(User.objects.get(email="lead@example.org"), later)
    call_command("measure_study", "pilot", "--resamples", "100", stdout=StringIO())
    newest = ResultSet.objects.latest("pk")
    assert (ResultSet.objects.count(), newest.flow["withdrawn"]) == (2, 1)
    assert newest.measurement.resamples == 100
    assert not results_bring_up(study=study, clock=lambda: later)


def test_results_under_an_earlier_design_stay_as_they_were_and_say_so(
    study: Study, score: Callable[..., Scoring], later: datetime, tmp_path: Path
) -> None:
    study_amend(study=study, changes={"top_size": 1}, reason="Few came.", now=later)
    score(study)
    withdraws(User.objects.get(email="lead@example.org"), later)
    out = StringIO()
    call_command("export_study", "pilot", str(tmp_path / "export"), stdout=out)
    assert out.getvalue().count("earlier design") == out.getvalue().count("Run 1: Scored under") == 1
    earlier, present = json.loads((tmp_path / "export" / "manifest.json").read_text())["runs"]
    of_earlier = [note for run in (earlier, present) for note in run["notes"] if "earlier design" in note]
    assert of_earlier == [note for note in earlier["notes"] if "earlier design" in note]
    assert len(of_earlier) == 1
    assert (earlier["flow"]["withdrawn"], present["flow"]["withdrawn"]) == (0, 1)


def test_a_study_that_nobody_scored_is_exported_without_results(study: Study, tmp_path: Path) -> None:
    ResultSet.objects.all().delete()
    CriterionScore.objects.all().delete()
    study.scoring_runs.all().delete()
    out = StringIO()
    call_command("export_study", "pilot", str(tmp_path / "export"), stdout=out)
    assert "Computed first" not in out.getvalue()


def test_an_export_is_found_again_by_the_hash_of_its_protocol_as_the_docs_say(
    study: Study, later: datetime, tmp_path: Path
) -> None:
    [command_said] = re.findall(r"^grep -l '(.*)0f3c…\"'", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    first = study.protocol_hash
    command(tmp_path / "first")
    closes_at = (later + timedelta(days=1)).isoformat()
    study_amend(study=study, changes={"closes_at": closes_at}, reason="Few came.", now=later)
    command(tmp_path / "second")
    line = re.compile(f'{command_said}{first}"', re.MULTILINE)
    found = [one.parent.name for one in tmp_path.glob("*/manifest.json") if line.search(one.read_text())]
    assert found == ["first"]
