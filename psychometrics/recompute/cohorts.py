"""From the tables of an export to what the blocks of the measurement are given."""

import math
import statistics
from collections import Counter, defaultdict
from datetime import datetime

import numpy as np

from formats.item_parameters import ResponseModel
from psychometrics.benchmark.accuracy_table import TableColumn
from psychometrics.benchmark.metrics import task_key
from psychometrics.data.cohort import Cohort, cohort_of
from psychometrics.data.places import AskedPrompt, Outcome, Person
from psychometrics.exclusions.work import Work, facts_of_work
from psychometrics.irt.bank import ItemBank
from psychometrics.measures import inputs
from psychometrics.models.leaderboard import Configuration, Leaderboard, score_arrays
from psychometrics.recompute.export import ENDED, Export, Place, Values, place_of

OUTCOME_OF_STATE = {"drafted_at_expiry": Outcome.NOT_SUBMITTED, "not_reached": Outcome.NOT_REACHED}
CONFIDENCE_DECIMALS = 2
NOT_JUDGED = "not_judged"


def cohort_from(export: Export, run: int) -> Cohort:
    """Everybody whose session ended, with the scores of one run; the excluded are there, not retained."""
    arms = {session["participant"]: session.get("arm") or "" for session in export.table("sessions")}
    people = [
        Person(
            participant["participant"],
            participant["profile"],
            bool(participant["retained"]),
            arms.get(participant["participant"], ""),
        )
        for participant in sorted(export.table("participants"), key=lambda row: str(row["participant"]))
        if participant["session_status"] in ENDED
    ]
    prompts = [
        AskedPrompt(
            prompt["prompt_id"], prompt["result_category"], prompt["result_subcategory"], prompt["modality"],
            task=prompt["task"], labels=tuple(prompt["labels"]), criteria=prompt["criteria"],
        )
        for prompt in sorted(export.table("prompts"), key=lambda row: str(row["prompt_id"]))
    ]  # fmt: skip
    # The item parameters that the prompts have, as their table gives them.
    bank = _bank(export, [prompt for prompt in export.table("prompts") if prompt["a"] is not None])
    rows = _rows(export, run, [person.code for person in people], [prompt.prompt_id for prompt in prompts])
    return cohort_of(people=people, prompts=prompts, bank=bank, transform=export.transform, rows=rows)


def items_from(export: Export) -> ItemBank | None:
    """The items of the study's bank that the export holds; None where the study has no bank."""
    return _bank(export, export.table("items"))


def _bank(export: Export, items: list[Values]) -> ItemBank | None:
    if not export.bank:
        return None
    return ItemBank(
        prompt_ids=tuple(item["prompt_id"] for item in items),
        a=np.array([item["a"] for item in items], dtype=np.float64),
        b=np.array([item["b"] for item in items], dtype=np.float64),
        subcategories=("",) * len(items),
        transform=export.transform,
        sigma_hat=export.bank["sigma_hat"],
        response_model=ResponseModel(export.bank["response_model"]),
    )


def _rows(
    export: Export, run: int, codes: list[str], prompt_ids: list[str]
) -> list[tuple[int, int, int, int, float, float, str]]:
    people = {code: place for place, code in enumerate(codes)}
    prompts = {prompt_id: place for place, prompt_id in enumerate(prompt_ids)}
    scores = scores_from(export, run)
    # Scores with every confidence of the judge taken as 1 are the means of their criteria.
    of_criteria: dict[Place, list[float]] = defaultdict(list)
    for row in export.rows_of("criteria", run):
        if row["score"] is not None:
            of_criteria[place_of(row)].append(row["score"])
    certain = {key: statistics.fmean(values) for key, values in of_criteria.items()}
    found = []
    for answer in export.table("answers"):
        key = place_of(answer)
        if answer["participant"] not in people:
            continue
        p = scores.get(key, math.nan) if answer["counts"] else math.nan
        outcome = Outcome.UNSCORED if math.isnan(p) else Outcome.SCORED
        if not answer["counts"]:
            outcome = OUTCOME_OF_STATE.get(answer["state"], Outcome.SKIPPED)
        sure = certain.get(key, p) if outcome == Outcome.SCORED else math.nan
        place = (
            people[answer["participant"]],
            prompts[answer["prompt_id"]],
            answer["batch"],
            answer["position"],
        )
        found.append((*place, p, sure, str(outcome)))
    return found


def scores_from(export: Export, run: int) -> dict[Place, float]:
    """The scores that a run gave, by person and prompt."""
    rows = export.rows_of("scores", run)
    return {place_of(row): row["score"] for row in rows if row["score"] is not None}


def facts_from(export: Export, entry: Values, everyone: Cohort, stored: list[Values]) -> inputs.Facts:
    """What blocks look at beside the cohort. `stored` are the run's own measures in the export's scope.

    From them come the names that judges were given and the rates of guessing, which rest on texts that an
    export does not hold.
    """
    rules = export.protocol.get("match_rules")
    items = items_from(export)
    bank = None if asks_tasks(export, everyone) else export.bank
    return inputs.Facts(
        top_size=export.protocol["top_size"],
        flow={name: value for name, value in entry["flow"].items() if isinstance(value, int)},
        # As the manifest has them: the items of private prompts are not in the tables.
        items_by_category={} if bank is None else dict(bank["items_by_category"]),
        screening=_screening(export, everyone),
        judge=_judge(export, entry, everyone, stored),
        models=inputs.ModelFacts("", items, _board(export, items)) if items else None,
        benchmark=_benchmark(export, rules, stored) if rules else None,
    )


def asks_tasks(export: Export, everyone: Cohort) -> bool:
    """Whether the items of the bank are tasks of the prompts, and no prompt is one of them."""
    names = [item["prompt_id"] for item in export.table("items")]
    if {prompt.prompt_id for prompt in everyone.prompts} & set(names):
        return False
    tasks = {task_key(prompt.task) for prompt in everyone.prompts if prompt.task}
    return any(task_key(name) in tasks for name in names)


def _screening(export: Export, everyone: Cohort) -> inputs.ScreeningFacts:
    codes = [person.code for person in everyone.people]
    excluded = {person.code for person in everyone.people if not person.retained}
    decisions: dict[str, dict[int, bool]] = {}
    for verdict in export.table("verdicts"):
        # Exports of before did not say who was independent.
        is_rating = verdict.get("independent", True) and verdict["decision"] in ("confirm", "overturn")
        if verdict["participant"] in codes and is_rating:
            of_person = decisions.setdefault(verdict["participant"], {})
            of_person.setdefault(verdict["reviewer"], verdict["decision"] == "confirm")
    reasons: dict[str, set[str]] = defaultdict(set)
    for flag in export.table("flags"):
        if flag["prompt_id"] is None and flag["participant"] in excluded:
            reasons[flag["participant"]].add(flag["reason"])
    return inputs.ScreeningFacts(
        people=facts_of_work(codes, _work(export, set(codes)), excluded),
        excluded=dict(sorted(Counter("+".join(sorted(own)) for own in reasons.values()).items())),
        decisions=decisions,
    )


def _work(export: Export, codes: set[str]) -> dict[str, Work]:
    flags = [flag for flag in export.table("flags") if flag["prompt_id"] is not None]
    newest = flags[-1]["rules_version"] if flags else ""
    reasons: dict[Place, set[str]] = defaultdict(set)
    for flag in flags:
        if flag["rules_version"] == newest:
            reasons[place_of(flag)].add(flag["reason"])
    started = {session["participant"]: session["started_at"] for session in export.table("sessions")}
    work: dict[str, Work] = defaultdict(Work)
    for answer in export.table("answers"):
        if answer["participant"] in codes:
            work[answer["participant"]].add(
                answer["text"] if answer["state"] in ("answered", "drafted_at_expiry") else None,
                frozenset(reasons.get(place_of(answer), ())),
                started_at=datetime.fromisoformat(started[answer["participant"]]),
                saved_at=datetime.fromisoformat(answer["saved_at"]) if answer["saved_at"] else None,
            )
    return work


def _judge(export: Export, entry: Values, everyone: Cohort, stored: list[Values]) -> inputs.JudgeFacts:
    run, retained = entry["number"], {person.code for person in everyone.people if person.retained}
    confidences = Counter(
        round(row["confidence"], CONFIDENCE_DECIMALS)
        for row in export.rows_of("criteria", run)
        if row["confidence"] is not None and row["participant"] in retained
    )
    reasons = {place_of(row): row["unscored_reason"] for row in export.rows_of("scores", run)}
    unscored = Counter(
        reasons.get(place_of(answer), NOT_JUDGED)
        for answer in export.table("answers")
        if answer["counts"] and answer["participant"] in retained
    )
    # The name by which a model's judge may be this one: the model's.
    named = (row["details"]["study_judge"] for row in stored if "study_judge" in row["details"])
    # Name and number of each run that the block Judge compares with.
    others = {
        (row["subset"].partition(":")[2].partition("/")[0], row["details"]["run"])
        for row in stored
        if row["block"] == "judge" and (row["subset"] or "").startswith("judge:") and "run" in row["details"]
    }
    return inputs.JudgeFacts(
        names=(next(named, ""),),
        confidences=dict(sorted(confidences.items())),
        unscored={reason: number for reason, number in unscored.most_common() if reason},
        others=tuple(
            inputs.OtherJudge(name, number, scores_from(export, number))
            for name, number in sorted(others, key=lambda judge: judge[1])
        ),
    )


def _board(export: Export, items: ItemBank) -> Leaderboard:
    models = sorted(export.table("models"), key=lambda model: str(model["model"]))
    scored = [model for model in models if model["published_theta"] is None]
    layers = {model["model"]: layer for layer, model in enumerate(scored)}
    rows = (
        (layers[model_score["model"]], model_score["prompt_id"], model_score["epoch"], model_score["score"])
        for model_score in export.table("model_scores")
    )
    return Leaderboard(
        tuple(map(_configuration, scored)),
        score_arrays(len(scored), items, rows),
        tuple(_configuration(model) for model in models if model["published_theta"] is not None),
    )


def _configuration(values: Values) -> Configuration:
    return Configuration(
        name=values["model"], family=values["family"], source=values["source"], judge=values["judge"],
        published_theta=values["published_theta"], published_se=values["published_se"],
        epochs=values["epochs"],
    )  # fmt: skip


def _benchmark(export: Export, rules: str, stored: list[Values]) -> inputs.BenchmarkFacts:
    keys = {task_key(prompt["task"]) for prompt in export.table("prompts") if prompt["task"]}
    columns = {model["model"]: TableColumn(model["model"], {}) for model in export.table("models")}
    for model_score in export.table("model_scores"):
        key = task_key(model_score["prompt_id"])
        if model_score["epoch"] == 1 and model_score["score"] is not None and key in keys:
            columns[model_score["model"]].accuracy[key] = 100 * model_score["score"]
    guessing = {
        row["subset"].partition(":")[2]: row["details"]["guessing"]
        for row in stored
        if row["name"] == "task.accuracy.corrected" and row["details"].get("guessing") is not None
    }
    measured = tuple(column for column in columns.values() if column.accuracy)
    return inputs.BenchmarkFacts(rules, measured, guessing)
