"""Exports of small studies are whole: their manifest, their hash, and when there is none."""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from batches.models import Session
from batches.services.answers import IncomingText, answer_save
from batches.services.ending import session_submit, session_withdraw
from batches.services.extending import session_reopen
from batches.services.starting import session_start
from scoring.coordinator import Scoring, results_bring_up
from scoring.export.manifest import Manifest
from scoring.export.rows import ROW_TYPES
from scoring.selectors.runs import changes_since, newest_study_results
from scoring.services.export_files import ExportRefused
from scoring.services.exports import study_export
from studies.models import Participant, Study
from tests.scoring.exports.small_study.exported_tables import FORMULA, PROMPTS, SECRET_ANSWER, cells, lines

pytestmark = pytest.mark.django_db


def test_notes_and_confidences_leave_with_their_texts_and_never_without(
    make_study: Callable[..., Study], make_person: Callable[..., Participant], tmp_path: Path, now: datetime
) -> None:
    study = make_study(prompts=PROMPTS, note_per_prompt=True, confidence_per_prompt=True)
    codes = {}
    for end in ("submitted", "withdrawn", "active"):
        person = make_person(study)
        codes[end] = person.code
        session = session_start(participant=person, now=now)
        places = dict(session.answers.values_list("prompt__prompt_id", "position"))
        for prompt_id, note, confidence in (
            ("p1", FORMULA, 70),
            ("p2", "", None),
            ("hidden", SECRET_ANSWER, 5),
        ):
            answer_save(
                user_id=person.user_id,
                session_id=session.pk,
                position=places[prompt_id],
                incoming=IncomingText("42", 0, "tab", 1, note=note, confidence=confidence),
                now=now,
            )
        if end == "withdrawn":
            session_withdraw(participant=person, now=now)
        elif end == "submitted":
            session_submit(session=session, resources=None, now=now)
    folder = tmp_path / "notes"
    study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    found = {
        (row["participant"], row["prompt_id"]): (row["note"], row["confidence"])
        for row in lines(folder, "answers")
    }
    assert found == {
        (codes["submitted"], "p1"): (FORMULA, 70),
        (codes["submitted"], "p2"): ("", None),
        (codes["submitted"], "p3"): (None, None),
        **{
            (codes[end], prompt): (None, None)
            for end in ("withdrawn", "active")
            for prompt in ("p1", "p2", "p3")
        },
    }
    table = {(row["participant"], row["prompt_id"]): row["note"] for row in cells(folder, "answers")}
    assert table[codes["submitted"], "p1"] == "'" + FORMULA
    assert SECRET_ANSWER not in (folder / "answers.jsonl").read_text(encoding="utf-8")


def test_the_manifest_describes_every_file(folder: Path, scored: Study) -> None:
    manifest = Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    assert {file.name for file in manifest.files} | {"manifest.json"} == {
        path.name for path in folder.iterdir()
    }
    for file in manifest.files:
        assert file.sha256 == hashlib.sha256((folder / file.name).read_bytes()).hexdigest()
    for row_type in ROW_TYPES:
        (entry,) = [file for file in manifest.files if file.name == f"{row_type.table}.jsonl"]
        assert entry.rows == len(lines(folder, row_type.table)) == len(cells(folder, row_type.table))
        assert entry.columns == tuple(row_type.model_fields)
    assert manifest.study.protocol_hash == scored.protocol_hash
    assert manifest.study.protocol == scored.settings
    assert manifest.study.bank_digest == scored.bank_version.digest
    (run,) = manifest.runs
    assert (run.judge, run.protocol_hash) == ({"kind": "checks"}, scored.protocol_hash)
    assert run.inputs_sha256 is not None


def test_the_inputs_hash_follows_from_the_files_where_no_prompt_is_private(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    tmp_path: Path,
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS[:3], batch_size=3, judge_kind="checks", top_size=1)
    work(make_person(study), {"p1": "42", "p2": "41"})
    work(make_person(study), {"p3": "44"}, end="expired")
    score(study)
    folder = tmp_path / "out"
    manifest = study_export(study=study, target=folder, replace=False, software="chiron test", now=now)
    retained = {row["participant"] for row in lines(folder, "participants") if row["retained"]}
    prompts = {row["prompt_id"]: row for row in lines(folder, "prompts")}
    scores = {(row["participant"], row["prompt_id"]): row["score"] for row in lines(folder, "scores")}
    places = [
        [
            row["participant"],
            row["prompt_id"],
            prompts[row["prompt_id"]]["task"],
            row["batch"],
            row["counts"],
            scores.get((row["participant"], row["prompt_id"])),
        ]
        for row in lines(folder, "answers")
        if row["participant"] in retained
    ]
    inputs = {
        "places": sorted(places),
        "prompts": sorted([prompt_id, row["category"]] for prompt_id, row in prompts.items()),
        "item_bank": manifest.study.item_bank_digest,
        "top_size": manifest.study.protocol["top_size"],
        "match_rules": manifest.study.protocol["match_rules"],
    }
    content = json.dumps(inputs, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert len(places) == 6
    assert manifest.runs[0].inputs_sha256 == hashlib.sha256(content.encode()).hexdigest()


def test_a_simulated_study_says_so_and_canaries_travel_along(
    scored: Study, tmp_path: Path, now: datetime
) -> None:
    Study.objects.update(is_simulated=True)
    version = scored.bank_version
    type(version).objects.filter(pk=version.pk).update(canaries=["canary-1"])
    fresh = Study.objects.get(pk=scored.pk)
    manifest = study_export(
        study=fresh, target=tmp_path / "out", replace=False, software="chiron test", now=now
    )
    assert manifest.study.simulated is True
    assert manifest.canaries == ("canary-1",)


def test_an_export_that_fails_half_way_leaves_nothing(scored: Study, tmp_path: Path, now: datetime) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(ExportRefused, match="exists and is not an earlier export"):
        study_export(study=scored, target=tmp_path / "out", replace=True, software="chiron test", now=now)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_an_unscored_study_can_be_exported(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    tmp_path: Path,
    now: datetime,
) -> None:
    study = make_study(prompts=PROMPTS, judge_kind="checks", replicates_per_profile=50)
    for end in ("submitted", "expired", "withdrawn", "active"):
        work(make_person(study), {"p1": "42", "hidden": SECRET_ANSWER}, end=end)
    study_export(study=study, target=tmp_path / "out", replace=False, software="chiron test", now=now)
    assert lines(tmp_path / "out", "scores") == []
    assert len(lines(tmp_path / "out", "answers")) == 12  # four people, three public prompts


def test_more_answers_take_no_more_queries(
    scored: Study,
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    tmp_path: Path,
    now: datetime,
    django_assert_max_num_queries: Callable[[int], Any],
) -> None:
    for _ in range(3):
        work(make_person(scored), {"p1": "42"})
    results_bring_up(study=scored, clock=lambda: now)
    with django_assert_max_num_queries(108):
        study_export(study=scored, target=tmp_path / "out", replace=False, software="chiron test", now=now)


def test_a_score_of_a_text_that_was_changed_after_a_reopening_leaves_with_no_export(
    scored: Study, people: dict[str, Participant], tmp_path: Path, now: datetime
) -> None:
    tomorrow, person = now + timedelta(days=1), people["diligent"]
    session = session_reopen(session=person.session, reason="Handed in by mistake", now=tomorrow)
    answer = session.answers.get(prompt__prompt_id="p1")
    changed = IncomingText(text="another number", base_revision=1, tab="two", sequence=1)
    answer_save(
        user_id=person.user_id,
        session_id=session.pk,
        position=answer.position,
        incoming=changed,
        now=tomorrow,
    )
    results = newest_study_results(scored)
    assert results is not None
    assert "1 session that goes on after its end" in changes_since(results)
    session_submit(session=session, resources=None, now=tomorrow)
    target = tmp_path / "export"
    results_bring_up(study=scored, clock=lambda: tomorrow)
    study_export(study=scored, target=target, replace=False, software="chiron test", now=tomorrow)
    for table in ("scores", "criteria"):
        own = [row["prompt_id"] for row in lines(target, table) if row["participant"] == person.code]
        assert own == ["p2"]
