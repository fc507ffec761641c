"""From the tables of an export to what the blocks of the measurement are given."""

import math
import statistics
from collections import Counter, defaultdict
from datetime import datetime

import numpy as np

from formats.item_parameters import ResponseModel
from psychometrics.benchmark.metrics import task_key
from psychometrics.benchmark.table import TableColumn
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
    arms = {one["participant"]: one.get("arm") or "" for one in export.table("sessions")}
    people = [
        Person(one["participant"], one["profile"], bool(one["retained"]), arms.get(one["participant"], ""))
        for one in sorted(export.table("participants"), key=lambda one: str(one["participant"]))
        if one["session_status"] in ENDED
    ]
    prompts = [
        AskedPrompt(
            one["prompt_id"], one["result_category"], one["result_subcategory"], one["modality"],
            task=one["task"], labels=tuple(one["labels"]), criteria=one["criteria"],
        )
        for one in sorted(export.table("prompts"), key=lambda one: str(one["prompt_id"]))
    ]  # fmt: skip
    # The item parameters that the prompts have, as their table gives them.
    bank = _bank(export, [one for one in export.table("prompts") if one["a"] is not None])
    rows = _rows(export, run, [one.code for one in people], [one.prompt_id for one in prompts])
    return cohort_of(people=people, prompts=prompts, bank=bank, transform=export.transform, rows=rows)


def items_from(export: Export) -> ItemBank | None:
    """The items of the study's bank that the export holds; None where the study has no bank."""
    return _bank(export, export.table("items"))


def _bank(export: Export, items: list[Values]) -> ItemBank | None:
    if not export.bank:
        return None
    return ItemBank(
        prompt_ids=tuple(one["prompt_id"] for one in items),
        a=np.array([one["a"] for one in items], dtype=np.float64),
        b=np.array([one["b"] for one in items], dtype=np.float64),
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
    scores, certain = scores_from(export, run), _certain_scores(export, run)
    found = []
    for one in export.table("answers"):
        key = place_of(one)
        if one["participant"] not in people:
            continue
        p = scores.get(key, math.nan) if one["counts"] else math.nan
        outcome = Outcome.UNSCORED if math.isnan(p) else Outcome.SCORED
        if not one["counts"]:
            outcome = OUTCOME_OF_STATE.get(one["state"], Outcome.SKIPPED)
        sure = certain.get(key, p) if outcome == Outcome.SCORED else math.nan
        place = (people[one["participant"]], prompts[one["prompt_id"]], one["batch"], one["position"])
        found.append((*place, p, sure, str(outcome)))
    return found


def scores_from(export: Export, run: int) -> dict[Place, float]:
    """The scores that a run gave, by person and prompt."""
    rows = export.rows_of("scores", run)
    return {place_of(one): one["score"] for one in rows if one["score"] is not None}


def _certain_scores(export: Export, run: int) -> dict[Place, float]:
    """Scores with every confidence of the judge taken as 1."""
    found: dict[Place, list[float]] = defaultdict(list)
    for one in export.rows_of("criteria", run):
        if one["score"] is not None:
            found[place_of(one)].append(one["score"])
    return {key: statistics.fmean(values) for key, values in found.items()}


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
        benchmark=inputs.BenchmarkFacts(rules, _columns(export), _guessing(stored)) if rules else None,
    )


def asks_tasks(export: Export, everyone: Cohort) -> bool:
    """Whether the items of the bank are tasks of the prompts, and no prompt is one of them."""
    names = [one["prompt_id"] for one in export.table("items")]
    if {one.prompt_id for one in everyone.prompts} & set(names):
        return False
    tasks = {task_key(one.task) for one in everyone.prompts if one.task}
    return any(task_key(name) in tasks for name in names)


def _screening(export: Export, everyone: Cohort) -> inputs.ScreeningFacts:
    codes = [one.code for one in everyone.people]
    excluded = {one.code for one in everyone.people if not one.retained}
    decisions: dict[str, dict[int, bool]] = {}
    for one in export.table("verdicts"):
        # Exports of before did not say who was independent.
        is_rating = one.get("independent", True) and one["decision"] in ("confirm", "overturn")
        if one["participant"] in codes and is_rating:
            of_person = decisions.setdefault(one["participant"], {})
            of_person.setdefault(one["reviewer"], one["decision"] == "confirm")
    return inputs.ScreeningFacts(
        people=facts_of_work(codes, _work(export, set(codes)), excluded),
        excluded=_excluded_by_flag(export, excluded),
        decisions=decisions,
    )


def _work(export: Export, codes: set[str]) -> dict[str, Work]:
    flags = [one for one in export.table("flags") if one["prompt_id"] is not None]
    newest = flags[-1]["rules_version"] if flags else ""
    reasons: dict[Place, set[str]] = defaultdict(set)
    for one in flags:
        if one["rules_version"] == newest:
            reasons[place_of(one)].add(one["reason"])
    started = {one["participant"]: one["started_at"] for one in export.table("sessions")}
    work: dict[str, Work] = defaultdict(Work)
    for one in export.table("answers"):
        if one["participant"] in codes:
            work[one["participant"]].add(
                one["text"] if one["state"] in ("answered", "drafted_at_expiry") else None,
                frozenset(reasons.get(place_of(one), ())),
                started_at=datetime.fromisoformat(started[one["participant"]]),
                saved_at=datetime.fromisoformat(one["saved_at"]) if one["saved_at"] else None,
            )
    return work


def _excluded_by_flag(export: Export, excluded: set[str]) -> dict[str, int]:
    reasons: dict[str, set[str]] = defaultdict(set)
    for one in export.table("flags"):
        if one["prompt_id"] is None and one["participant"] in excluded:
            reasons[one["participant"]].add(one["reason"])
    return dict(sorted(Counter("+".join(sorted(own)) for own in reasons.values()).items()))


def _judge(export: Export, entry: Values, everyone: Cohort, stored: list[Values]) -> inputs.JudgeFacts:
    run, retained = entry["number"], {one.code for one in everyone.people if one.retained}
    confidences = Counter(
        round(one["confidence"], CONFIDENCE_DECIMALS)
        for one in export.rows_of("criteria", run)
        if one["confidence"] is not None and one["participant"] in retained
    )
    # The name by which a model's judge may be this one: the model's.
    named = (one["details"]["study_judge"] for one in stored if "study_judge" in one["details"])
    return inputs.JudgeFacts(
        names=(next(named, ""),),
        confidences=dict(sorted(confidences.items())),
        unscored=_unscored(export, run, retained),
        others=tuple(
            inputs.OtherJudge(name, number, scores_from(export, number))
            for name, number in sorted(_other_judges(stored), key=lambda one: one[1])
        ),
    )


def _unscored(export: Export, run: int, retained: set[str]) -> dict[str, int]:
    reasons = {place_of(one): one["unscored_reason"] for one in export.rows_of("scores", run)}
    counting = (one for one in export.table("answers") if one["counts"] and one["participant"] in retained)
    counts = Counter(reasons.get(place_of(one), NOT_JUDGED) for one in counting)
    return {reason: number for reason, number in counts.most_common() if reason}


def _other_judges(stored: list[Values]) -> set[tuple[str, int]]:
    """Name and number of each run that the block judge compares with."""
    rows = (one for one in stored if one["block"] == "judge" and (one["subset"] or "").startswith("judge:"))
    return {
        (one["subset"].partition(":")[2].partition("/")[0], one["details"]["run"])
        for one in rows
        if "run" in one["details"]
    }


def _board(export: Export, items: ItemBank) -> Leaderboard:
    models = sorted(export.table("models"), key=lambda one: str(one["model"]))
    scored = [one for one in models if one["published_theta"] is None]
    layers = {one["model"]: layer for layer, one in enumerate(scored)}
    rows = (
        (layers[one["model"]], one["prompt_id"], one["epoch"], one["score"])
        for one in export.table("model_scores")
    )
    return Leaderboard(
        tuple(map(_configuration, scored)),
        score_arrays(len(scored), items, rows),
        tuple(_configuration(one) for one in models if one["published_theta"] is not None),
    )


def _configuration(one: Values) -> Configuration:
    return Configuration(
        name=one["model"], family=one["family"], source=one["source"], judge=one["judge"],
        published_theta=one["published_theta"], published_se=one["published_se"], epochs=one["epochs"],
    )  # fmt: skip


def _columns(export: Export) -> tuple[TableColumn, ...]:
    keys = {task_key(one["task"]) for one in export.table("prompts") if one["task"]}
    columns = {one["model"]: TableColumn(one["model"], {}) for one in export.table("models")}
    for one in export.table("model_scores"):
        key = task_key(one["prompt_id"])
        if one["epoch"] == 1 and one["score"] is not None and key in keys:
            columns[one["model"]].accuracy[key] = 100 * one["score"]
    return tuple(column for column in columns.values() if column.accuracy)


def _guessing(stored: list[Values]) -> dict[str, float]:
    return {
        one["subset"].partition(":")[2]: one["details"]["guessing"]
        for one in stored
        if one["name"] == "task.accuracy.corrected" and one["details"].get("guessing") is not None
    }
