"""The script that ships in an export computes its numbers again, and says so when one was changed."""

import copy
import gzip
import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from batches.models import Answer, Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, AuditSample, CriterionScore, JudgeConfig, JudgingRun, ScoringRun
from judging.services.audits import audit_draw
from psychometrics.benchmark.accuracy_table import AccuracyTable
from psychometrics.measures.methods import METHODS
from psychometrics.recompute.export import PRIVATE
from psychometrics.recompute.renamed import presently_named
from reporting.report.html import document_html
from reporting.selectors.report_records import StudyRecords, study_records
from reporting.views.report.parts import study_document
from scoring.coordinator import Scoring
from scoring.export.scripts import SCRIPT, library_archive
from scoring.models import ModelConfiguration, ModelScore
from scoring.services.agreements import agreements_compute
from scoring.services.exports import study_export
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from scoring.services.task_tables import task_table_import
from screening.models import Verdict, VerdictDecision
from screening.services.verdicts import verdict_record
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Criterion, ItemBank, Participant, Study, User
from studies.services.banks import item_bank_import

pytestmark = pytest.mark.django_db
PROFILES = ("stem-phd", "stem-undergraduate", "non-stem-undergraduate")
NAMES = [f"p{n:02d}" for n in range(1, 13)]
# The keys of answers follow the order of prompts, which is drawn by codes of people that no test fixes.
NOT_BY_KEY = ("answer__session__participant", "answer__prompt__prompt_id")


def prompt(n: int, *, split: str = "public", task: str = "") -> PromptRecord:
    return PromptRecord(
        prompt_id=f"p{n:02d}", text=f"Question {n}?", gold_answer=str(n), category=("QR", "LR")[n % 2],
        labels=("long",) if n % 3 else (), split=split, task=task,
    )  # fmt: skip


@pytest.fixture
def make_measured(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> Callable[..., Study]:
    """A study of 14 people and scores of every kind, scored, screened and measured."""

    def make(
        prompts: list[PromptRecord],
        *,
        with_bank: bool = True,
        table: ItemBank | None = None,
        **settings: object,
    ) -> Study:
        chance = random.Random(5)
        items = tuple(
            ItemParameter(name, a=chance.uniform(0.5, 2.5), b=chance.gauss(0, 1), subcategory="")
            for name in NAMES[:-1]
        )
        parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
        bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
        study = make_study(
            prompts=prompts, top_size=4, replicates_per_profile=50, slug="measured",
            item_bank=bank if with_bank else table, **settings,
        )  # fmt: skip
        if with_bank:
            add_models(bank, random.Random(6), now)
        people = [make_person(study, profile=PROFILES[n % 3]) for n in range(14)]
        for number, person in enumerate(people):
            texts = {name: "an answer of several words" for name in NAMES if chance.random() < 0.85}
            texts |= {name: "" for name in NAMES if chance.random() < 0.1}
            if number == 3:
                texts = dict.fromkeys(NAMES, "idk")
            work(person, texts, end="expired" if number % 4 == 0 else "submitted")
        results = score(study, clock=lambda: now + timedelta(days=1)).judges[0].results
        for one in AnswerScore.objects.filter(run=results.run).order_by(*NOT_BY_KEY):
            sure = chance.random()
            AnswerScore.objects.filter(pk=one.pk).update(score=chance.choice((0.0, 0.25, 0.5, 0.9, 1.0, 1.0)))
            criteria = CriterionScore.objects.filter(run=one.run, answer=one.answer)
            criteria.update(confidence=round(sure, 2), score=round(1 - sure, 2))
        lead = User.objects.create_superuser("lead@example.org")
        verdict_record(
            participant=people[3], decision=VerdictDecision.CONFIRM, reason="Comments only.", actor=lead,
            now=now + timedelta(days=1),
        )  # fmt: skip
        decide_twice(people[3:9], now)
        later = now + timedelta(days=2)
        results = results_compute(run=results.run, now=later)
        measurement_compute(results=results, now=later, resamples=60)
        return study

    return make


def decide_twice(people: list[Participant], now: datetime) -> None:
    """Two reviewers about the same six people, of one mind on five; the second one's word counts."""
    rules = Verdict.objects.get().rules_version
    for reviewer, decisions in (("one", "ccocoo"), ("two", "coocoo")):
        actor = User.objects.create_user(f"{reviewer}@example.org")
        for person, letter in zip(people, decisions, strict=True):
            decision = VerdictDecision.CONFIRM if letter == "c" else VerdictDecision.OVERTURN
            Verdict.objects.create(
                participant=person, rules_version=rules, decision=decision, reason="Read.", decided_by=actor,
                decided_at=now + timedelta(days=1),
            )  # fmt: skip


def add_models(bank: ItemBank, chance: random.Random, now: datetime) -> None:
    """Two configurations with nine epochs, one of which lacks prompts; two of which thetas are published."""
    for name, theta, se, epochs in (("paper-a", 0.4, 0.12, 5), ("paper-b", 0.1, None, None)):
        ModelConfiguration.objects.create(
            item_bank=bank, name=name, source="a paper", published_theta=theta, published_se=se,
            epochs=epochs, sha256=name, imported_at=now,
        )  # fmt: skip
    for name in ("model-a", "model-b"):
        facts = {"source": "a test", "sha256": name, "imported_at": now}
        model = ModelConfiguration.objects.create(item_bank=bank, name=name, **facts)
        ModelScore.objects.bulk_create(
            ModelScore(
                configuration=model, prompt_id=prompt_id, epoch=epoch, score=chance.choice((0.0, 0.4, 1.0))
            )
            for prompt_id in NAMES[: -1 if name == "model-a" else -3]
            for epoch in range(1, 10)
        )


def exported(study: Study, folder: Path, now: datetime) -> Path:
    later = now + timedelta(days=3)
    study_export(study=study, target=folder, replace=False, software="chiron test", now=later)
    return folder


def run_script(folder: Path) -> tuple[int, str]:
    """As a reader runs it: from elsewhere, isolated from everything of ours."""
    command = [sys.executable, "-I", str(folder / "recompute.py")]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_every_number_that_an_export_allows_agrees_and_a_changed_score_is_noticed(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    arms = [{"slug": slug, "instructions": "Do it."} for slug in ("alone", "with-ai")]
    study = make_measured([prompt(n) for n in range(1, 13)], judge_kind="checks", batch_size=6, arms=arms)
    folder = exported(study, tmp_path / "export", now)
    code, said = run_script(folder)
    assert "Everything that could be computed agrees." in said, said
    assert code == 0
    assert_complete(said)
    assert_agree(
        said,
        "estimates",
        "uncertainty uncertainty.theta.prompt",
        "slices slices.theta.ql",
        "slices arms.theta.prompt",
        "top top.eb",
    )
    assert_agree(said, "top top.crossfit5", "top top.null", "top top.over_null", "top top.null_share")
    assert_agree(
        said, "uncertainty uncertainty.theta.pool", "exclusions screening.kappa", "exclusions screening.ac1"
    )
    assert_agree(said, "missing missing.odds_ratio", "exclusions multiverse")
    assert_agree(said, "dif dif.sd", "dif dif.item", "dif dif.group", "dif dif.slope.excess")
    assert_agree(said, "fit fit.flagged", "fit fit.theta_sd", "fit fit.grid")
    assert_agree(said, "missing missing.theta.ql", "exclusions multiverse.ql", "exclusions itt.theta.ql")
    assert_agree(said, "judge influence.answer.ql", "judge theta.flips.ql", "judge theta.change.ql")
    assert_agree(said, "top top.paper.ql", "dif dif.items_flagged.holm", "dif dif.theta.ql")
    assert_counts(said, study_records(study))
    change_scores(folder / "scores.jsonl", "p01")
    code, said = run_script(folder)
    assert code == 1
    assert "scores.jsonl is not the file that the manifest names" in said
    assert "differs: theta_pool is" in said


def assert_counts(said: str, records: StudyRecords) -> None:
    """What the sentences of a report count."""
    lines = (line.strip().partition(": ") for line in said.splitlines())
    found = {name: value for name, colon, value in lines if colon}

    def shown(counts: Mapping[str, int]) -> str:
        return ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))

    assert found["retained people by profile"] == shown(records.profiles)
    assert found["prompts by modality"] == shown(records.asked.modalities)
    assert found["people flagged by rule"] == shown(records.screening.flagged_people)
    assert found["answers flagged by rule"] == shown(records.screening.flagged_answers)
    states = {name: number for name, number in records.flow.answers_retained.items() if number}
    assert found["answers of retained people by state"] == shown(states)
    asked = f"{records.asked.asked}, {records.asked.private}"
    assert found["prompts of the batches, and how many are private"] == asked
    assert int(found["people decided about"]) == records.screening.decided
    undecided = found["retained people flagged and not decided about"]
    assert int(undecided) == records.screening.undecided
    assert int(found["prompts with scores of models"]) == records.models.prompts
    assert int(found["most responses of a model to one of them"]) == records.models.epochs
    assert records.minutes
    minutes = (records.minutes.shortest, records.minutes.middle, records.minutes.longest)
    assert found["minutes, shortest, median and longest"] == ", ".join(f"{one:.1f}" for one in minutes)


def change_scores(table: Path, prompt_id: str) -> None:
    """Change what everybody has on a prompt; one person alone might be left out of a result."""
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    for row in rows:
        if row["prompt_id"] == prompt_id and row["score"] is not None:
            row["score"] = 0.5 if row["score"] != 0.5 else 0.75
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))


def assert_agree(said: str, *names: str) -> None:
    """Of each of these names some numbers were computed, and all of them agree."""
    lines = {line[29:].removeprefix("measures: "): line.split()[:3] for line in said.splitlines()}
    for name in names:
        agree, differ, _ = map(int, lines[name])
        assert agree, name
        assert not differ, name


def assert_complete(said: str) -> None:
    """Nothing is left that the script does not compute."""
    numbers = [line.split(maxsplit=3) for line in said.splitlines() if line[:8].strip().isdigit()]
    assert not [one for one in numbers if len(one) == 4 and one[2].isdigit() and one[2] != "0"], said


def test_with_private_prompts_all_of_the_public_scope_agrees_and_nothing_private_leaves(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    private = {2, 4, 6}
    prompts = [prompt(n, split="private" if n in private else "public") for n in range(1, 13)]
    study = make_measured(prompts, judge_kind="checks", batch_size=12)
    Answer.objects.filter(prompt__split="private", has_text=True).update(text="hidden words")
    folder = exported(study, tmp_path / "export", now)
    code, said = run_script(folder)
    assert code == 0, said
    of_public, of_all = (lines_of(said, with_private=one) for one in (False, True))
    assert not [(what, found) for what, found in of_public.items() if found[1]]
    reasons = {reason for found in of_public.values() for reason in found[2]}
    assert PRIVATE not in reasons
    for name in ("inputs_sha256", "estimates", *(f"measures: {name}" for name in OF_EVERY_BLOCK)):
        assert of_public[name][0], name
    assert of_all["estimates with private prompts"][0]  # the category without a private prompt
    assert of_all["measures with private prompts: slices slices.theta.pool"][0]
    assert of_all["measures with private prompts: exclusions flow.recruited"][0]
    assert of_all["measures with private prompts: results theta.pool"][0]  # of that category as well
    assert PRIVATE in of_all["measures with private prompts: cohort theta.prompt"][2]
    assert_theta_by_hand(folder)
    report = document_html(study_document(study))
    for text in (
        *(path.read_text() for path in folder.iterdir() if path.suffix in (".csv", ".json", ".jsonl", ".md")),
        report,
    ):
        assert not [name for name in ("p02", "p04", "p06", "hidden words") if name in text]
    alone = [row for row in rows_of(folder, "measures") if row["participant"] or row["prompt_id"]]
    assert {row["scope"] for row in alone} == {"public"}
    assert "leaves only as aggregates, in the rows of scope all of the export." in report
    assert_counts(said, study_records(study))


OF_EVERY_BLOCK = (
    "results theta.ql", "top top.crossfit5", "top top.null", "uncertainty uncertainty.theta.pool",
    "models difference.ql", "missing missing.theta.prompt", "exclusions multiverse",
    "exclusions itt.theta.prompt", "exclusions rule.removed", "exclusions flow.with_scores",
    "judge judge.confidence", "judge influence.answer", "fit fit.theta_sd", "dif dif.sd",
    "slices slices.theta.ql",
)  # fmt: skip


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.jsonl").read_text().splitlines()]


def lines_of(said: str, *, with_private: bool) -> dict[str, tuple[int, int, list[str]]]:
    """What the script says of each name: how many agree, how many differ, and why others are not computed."""
    found: dict[str, tuple[int, int, list[str]]] = {}
    last = ""
    for line in said.splitlines():
        head = re.match(r" *(\d+) +(\d+) +\d+  (.+)", line)
        if head:
            last = head[3]
            if ("with private prompts" in last) == with_private:
                found[last] = (int(head[1]), int(head[2]), [])
        elif last in found and " x " in line:
            found[last][2].append(line.partition(" x ")[2])
    return found


def assert_theta_by_hand(folder: Path) -> None:
    """Theta.pool of Average in the public scope from the exported scores, by the formula of the GIM paper."""
    retained = {one["participant"] for one in rows_of(folder, "participants") if one["retained"]}
    items = {one["prompt_id"]: (one["a"], one["b"]) for one in rows_of(folder, "prompts") if one["a"]}
    above = below = 0.0
    for one in rows_of(folder, "scores"):
        if one["participant"] in retained and one["prompt_id"] in items and one["score"] is not None:
            a, b = items[one["prompt_id"]]
            q = 0.998 * one["score"] + 0.001
            above += a * (math.log(q / (1 - q)) + a * b)
            below += a * a
    key = {"scope": "public", "block": "results", "name": "theta.pool", "group": "average", "subset": None}
    stored = next(one for one in rows_of(folder, "measures") if key.items() <= one.items())
    assert stored["value"] == pytest.approx(above / below, abs=1e-12)


def test_numbers_on_one_or_two_private_prompts_do_not_leave(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    prompts = [prompt(n, split="private" if n in (2, 4) else "public") for n in range(1, 13)]
    study = make_measured(prompts, judge_kind="checks")
    folder = exported(study, tmp_path / "export", now)
    for table in ("estimates", "measures"):
        assert {row["scope"] for row in rows_of(folder, table)} == {"public"}


def test_a_task_benchmark_beside_a_table_of_models_is_computed_again(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    accuracies: dict[str, list[float | None]] = {
        "Web of Lies": [25.0, 80.0],
        "DisambiguationQA": [10.0, 60.0],
    }
    table = AccuracyTable(models=["Random", "large"], tasks=list(accuracies), accuracy_percent=accuracies)
    bank, _, _ = task_table_import(slug="table", table=table, source="a test", now=now)
    prompts = [prompt(n, task=("web of lies", "disambiguation qa")[n % 2]) for n in range(1, 13)]
    study = make_measured(prompts, judge_kind="match", match_rules="bbeh", with_bank=False, table=bank)
    code, said = run_script(exported(study, tmp_path / "export", now))
    assert code == 0, said
    assert_agree(said, "results benchmark.macro", "benchmark benchmark.micro.questions")
    assert_agree(said, "benchmark human.max.equal", "benchmark human.top_crossfit")
    assert_agree(
        said, "benchmark theta.task", "benchmark theta.task.ql.model", "benchmark benchmark.macro.model"
    )
    assert_complete(said)


def test_the_variants_of_a_task_of_bbh_are_averaged_first(
    make_measured: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    tasks = ("word_sorting", "logical_deduction_three_objects", "logical_deduction_five_objects")
    prompts = [prompt(n, task=tasks[n % 3]) for n in range(1, 13)]
    study = make_measured(prompts, judge_kind="match", match_rules="bbh", with_bank=False)
    code, said = run_script(exported(study, tmp_path / "export", now))
    assert code == 0, said
    assert_agree(said, "benchmark benchmark.macro.bbh23", "benchmark human.top_crossfit")


def test_what_three_judges_agree_on_is_computed_again(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    make_judge: Callable[..., JudgeConfig],
    tmp_path: Path,
    now: datetime,
) -> None:
    chance = random.Random(7)
    items = tuple(ItemParameter(name, a=1 + n / 10, b=n / 5 - 1) for n, name in enumerate(NAMES[:3]))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
    rubric = tuple(CriterionRecord(text=f"Says part {c}.") for c in range(2))
    prompts = [prompt(n).model_copy(update={"criteria": rubric if n > 1 else ()}) for n in range(1, 5)]
    study = make_study(prompts=prompts, replicates_per_profile=50, item_bank=bank, top_size=3)
    for number in range(8):
        work(make_person(study), dict.fromkeys(NAMES[:4], f"Answer {number}"))
    judging_run = JudgingRun.objects.create(
        study=study, state="finished", planned=0, estimate=[], plan_sha256="", started_at=now,
        resumed_at=now, ended_at=now,
    )  # fmt: skip
    for name in "abc":
        run = ScoringRun.objects.create(
            study=study, config=make_judge("http://127.0.0.1:9/v1", slug=f"judge-{name}"), judge_kind="llm",
            judge={}, judge_sha256=name * 64, protocol_hash=study.protocol_hash,
            design_hash=study.design_hash, started_at=now,
        )  # fmt: skip
        for answer in Answer.objects.order_by("pk"):
            judged(judging_run, run, answer, chance)
    agreements_compute(study=study, now=now)
    for run in ScoringRun.objects.order_by("-pk"):
        results = results_compute(run=run, now=now)
        measurement_compute(results=results, now=now, resamples=60)
    rate_some(audit_draw(run=judging_run, size=30, seed=4, public_only=False, actor=None, now=now), chance)
    code, said = run_script(exported(study, tmp_path / "export", now))
    assert code == 0, said
    rows = [line.split() for line in said.splitlines() if "agreement: " in line or "audit_results: " in line]
    assert len(rows) == 78 + 1 + 2 * 2 + 2 * 11 + 3, said
    for agree, *_, what in rows:
        assert int(agree) >= 3, what
    assert_agree(said, "judge theta.change", "judge judge.confidence", "flow of answers_retained")
    assert_agree(
        said, "judge theta.change.ql", "agreement: average theta_change.ql", "agreement: top theta.ql"
    )
    assert_agree(said, "agreement: people theta_order", "agreement: average theta_moved.pool")
    assert_complete(said)


def rate_some(sample: AuditSample, chance: random.Random) -> None:
    """Two raters judge most of the drawn verdicts."""
    for item in sample.items.all():
        if chance.random() < 0.9:
            item.human_score, item.rater = chance.choice((0.0, 0.5, 1.0)), chance.choice(("r1", "r2"))
            item.rated_at = sample.drawn_at
            item.save()


def judged(judging_run: JudgingRun, run: ScoringRun, answer: Answer, chance: random.Random) -> None:
    """Scores of an answer's criteria, one in ten missing, and their mean."""
    scores = []
    rubric: list[Criterion | None] = [*answer.prompt.criteria.order_by("position")]
    for criterion in rubric or [None]:
        score = chance.choice((0.0, 0.3, 0.5, 1.0, 1.0)) if chance.random() > 0.1 else None
        scores.append(score)
        CriterionScore.objects.create(
            judging_run=judging_run, run=run, answer=answer, revision=answer.revision, criterion=criterion,
            available_at=run.started_at, decided_at=run.started_at, score=score, origin="asked",
            confidence=None if score is None else 1.0, state="unscored" if score is None else "scored",
            unscored_reason="reply_empty" if score is None else "",
        )  # fmt: skip
    known = [one for one in scores if one is not None]
    AnswerScore.objects.create(
        run=run, answer=answer, revision=answer.revision, score=sum(known) / len(known) if known else None,
        unscored_reason="" if known else "reply_empty", judged_at=run.started_at,
    )  # fmt: skip


def test_a_folder_that_is_no_export_is_refused(tmp_path: Path) -> None:
    (tmp_path / "recompute.py").write_text(SCRIPT)
    (tmp_path / "psychometrics.zip").write_bytes(library_archive())
    code, said = run_script(tmp_path)
    assert code == 2
    assert "is not an export" in said


def test_an_export_of_before_is_still_read_and_what_changed_since_is_said(tmp_path: Path) -> None:
    release = Path(__file__).parents[1] / "upgrades" / "releases" / "0.1.0" / "export.json.gz"
    export = json.loads(gzip.decompress(release.read_bytes()))["kept-tasks"]
    (tmp_path / "manifest.json").write_text(json.dumps(export["manifest"] | {"files": []}))
    for table, rows in export["tables"].items():
        (tmp_path / f"{table}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-m", "psychometrics.recompute", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Measured by methods of before: errors and details are not compared." in done.stdout
    assert "1 x its method changed since this export was written" in done.stdout
    assert done.stdout.endswith("Everything that could be computed agrees.\n")


@pytest.fixture(scope="module")
def tampered_from(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """An export that is right: the frozen study without an item bank, measured by the present methods."""
    packed = Path(__file__).parents[1] / "frozen" / "bankless" / "export.json.gz"
    export: dict[str, Any] = json.loads(gzip.decompress(packed.read_bytes()))["bankless"]
    for run in export["manifest"]["runs"]:
        if run["measurement"]:
            rows = map(presently_named, export["tables"]["measures"])
            names = {row["name"] for row in rows if row["block"] != "results"}  # whose parts were fewer
            run["measurement"] |= {"methods": METHODS, "names": sorted(names)}
    return export


def recomputed(export: dict[str, Any], folder: Path) -> tuple[int, str]:
    """What the library says of an export whose files are all as its manifest has them."""
    (folder / "manifest.json").write_text(json.dumps(export["manifest"] | {"files": []}))
    for table, rows in export["tables"].items():
        (folder / f"{table}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-m", "psychometrics.recompute", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def another_subset(rows: list[dict[str, Any]]) -> str:
    next(row for row in rows if row["value"] is not None)["subset"] = "category:None"
    return "is no row that these tables give"


def a_row_less(rows: list[dict[str, Any]]) -> str:
    rows.pop()
    return "is not in the table"


def a_number_that_became_a_reason(rows: list[dict[str, Any]]) -> str:
    row = next(row for row in rows if row["value"] is not None and row["se"] is None)
    row["value"], row["reason"] = None, "no_pairs"
    return "value is None, computed"


def a_fact_more(rows: list[dict[str, Any]]) -> str:
    rows[0]["details"]["invented"] = 1
    return "invented is 1, computed None"


def an_unknown_block(rows: list[dict[str, Any]]) -> str:
    rows[0]["block"] = "unheard"
    return "cannot be read: ValueError"


@pytest.mark.parametrize(
    "change", [another_subset, a_row_less, a_number_that_became_a_reason, a_fact_more, an_unknown_block]
)
def test_a_table_of_measures_that_the_others_do_not_give_is_noticed(
    change: Callable[[list[dict[str, Any]]], str], tampered_from: dict[str, Any], tmp_path: Path
) -> None:
    assert recomputed(tampered_from, tmp_path)[0] == 0
    export = copy.deepcopy(tampered_from)
    said = change(export["tables"]["measures"])
    code, found = recomputed(export, tmp_path)
    assert code == 1
    assert said in found
