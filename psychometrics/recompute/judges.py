"""The tables agreement and audit_results again: judges beside each other, and beside people."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from psychometrics.agreement.audit import Ratings, audit_agreement, rated
from psychometrics.agreement.audit_sample import Stratum
from psychometrics.agreement.levels import pair_levels, panel_levels
from psychometrics.agreement.measures import pair_rows, panel_rows
from psychometrics.agreement.scores import PanelScores, filled
from psychometrics.inference.estimates import WITHHELD, none_if_nan
from psychometrics.measures.methods import METHODS, OF_ERRORS
from psychometrics.recompute.cohorts import items_from
from psychometrics.recompute.export import OTHERWISE, PRIVATE, Export, NotComputed, NotHere, Values, place_of

Rows = dict[tuple[str, ...], Values]
BY_CLUSTERS = ("offset", "theta")


class Judges:
    """All that is computed of judges, once for each of those that the rows of the tables name."""

    def __init__(self, export: Export) -> None:
        self.export = export
        self._found: dict[tuple[object, ...], Rows] = {}

    def agreement(self, row: Values) -> Values:
        """What one row of `agreement` should be. Raises NotHere, NotComputed."""
        if self.export.lacks(row):
            raise NotHere(PRIVATE)
        x, y, runs = row["x_run"], row["y_run"], tuple(row["runs"])
        if x is None:
            of, rows = "", self._once(("panel", runs), lambda: self._panel(runs))
        else:
            of = "" if len(runs) == 2 else "xy"[(x, y).index(runs[0])]
            rows = self._once(("pair", x, y), lambda: self._pair(x, y))
        found = rows.get((of, row["level"], row["statistic"]))
        if found is None:
            raise NotComputed
        if self._of_before and found["reason"] in WITHHELD and row["value"] is not None:
            raise NotHere(OTHERWISE)
        if self._of_before and row["statistic"].startswith(BY_CLUSTERS):
            return {name: value for name, value in found.items() if name not in OF_ERRORS}
        return found

    @cached_property
    def _of_before(self) -> bool:
        """Whether the export was made by a version with other errors of clusters."""
        measured = (run["measurement"] or {} for run in self.export.manifest["runs"])
        return any(measurement.get("methods", "") != METHODS for measurement in measured)

    def audit(self, row: Values) -> Values:
        """What one row of `audit_results` should be. Raises NotHere."""
        if self.export.lacks(row):
            raise NotHere(PRIVATE)
        sample, run = row["sample"], row["run"]
        rows = self._once(("audit", sample, run), lambda: self._audited(sample, run))
        return rows[row["of"], row["statistic"]]

    def _once(self, key: tuple[object, ...], compute: Callable[[], Rows]) -> Rows:
        if key not in self._found:
            self._found[key] = compute()
        return self._found[key]

    def _pair(self, x: int, y: int) -> Rows:
        stored = [row for row in self.export.table("agreement") if (row["x_run"], row["y_run"]) == (x, y)]
        levels = pair_levels(
            self._scores((x, y)), (0, 1), items_from(self.export),
            top_size=self.export.protocol["top_size"], **_draws(stored),
        )  # fmt: skip
        return {
            (pair_row["of"], pair_row["level"], pair_row["statistic"]): pair_row
            for level, values in levels
            for pair_row in pair_rows(level, values)
        }

    def _panel(self, runs: tuple[int, ...]) -> Rows:
        of_all = [row for row in self.export.table("agreement") if row["x_run"] is None]
        stored = [row for row in of_all if tuple(row["runs"]) == runs]
        levels = panel_levels(self._scores(runs), range(len(runs)), **_draws(stored))
        return {
            ("", panel_row["level"], panel_row["statistic"]): panel_row
            for panel_row in panel_rows(dict(levels))
        }

    def _scores(self, runs: tuple[int, ...]) -> PanelScores:
        """Scores of answers that count of retained people, as the tables hold them; all are public."""
        answers = sorted(
            place_of(answer)
            for answer in self.export.table("answers")
            if answer["counts"] and answer["participant"] in self.export.retained
        )
        places = {key: place for place, key in enumerate(answers)}
        number = {prompt["prompt_id"]: prompt["criteria"] for prompt in self.export.table("prompts")}
        cells = [(key, place) for key in answers for place in range(1, number[key[1]] + 1)]
        columns = {run: column for column, run in enumerate(runs)}
        of_answers = [(row["run"], place_of(row), row["score"]) for row in self._scored("scores", runs)]
        of_criteria = [
            (row["run"], (place_of(row), row["criterion"]), row["score"])
            for row in self._scored("criteria", runs)
        ]
        return PanelScores(
            scope=self.export.scope,
            participants=[code for code, _ in answers],
            prompt_ids=[prompt_id for _, prompt_id in answers],
            is_public=np.ones(len(answers), dtype=bool),
            answer_scores=filled(places, columns, of_answers),
            criterion_answers=np.array([places[key] for key, _ in cells], dtype=np.int64),
            criterion_scores=filled({cell: row for row, cell in enumerate(cells)}, columns, of_criteria),
        )

    def _scored(self, table: str, runs: tuple[int, ...]) -> Iterator[Values]:
        rows = self.export.table(table)
        return (row for row in rows if row["run"] in runs and row["score"] is not None)

    def _audited(self, sample: int, run: int) -> Rows:
        """The drawn verdicts of retained people, in the order of their numbers, beside one judge."""
        entry = next(audit for audit in self.export.manifest["audits"] if audit["number"] == sample)
        frame = [
            Stratum(stratum["name"], stratum["verdicts"], stratum["drawn"]) for stratum in entry["strata"]
        ]
        drawn = (row for row in self.export.rows_of("audit", run) if row["sample"] == sample)
        retained = (row for row in drawn if row["participant"] in self.export.retained)
        items = sorted(retained, key=lambda item: item["item"])
        ratings = Ratings(
            strata=[item["stratum"] for item in items],
            answers=[f"{item['participant']}\n{item['prompt_id']}" for item in items],
            human=_column(items, "human_score"),
            judged=_column(items, "judge_score").reshape(-1, 1),
        )
        agreement = audit_agreement(ratings, 0, frame, seed=entry["seed"], resamples=entry["resamples"])
        counts = {
            "drawn": sum(stratum.drawn for stratum in frame),
            "rated": rated(ratings),
            "raters": len({item["rater"] for item in items if item["human_score"] is not None}),
        }
        of_counts: Rows = {("sample", name): {"value": value} for name, value in counts.items()}
        return of_counts | {
            (of, name): {
                **{end: none_if_nan(getattr(estimate, end)) for end in ("value", "se", "low", "high")},
                "n": n, "clusters": clusters, "reason": str(estimate.reason) if estimate.reason else None,
            }
            for of, name, n, clusters, estimate in agreement.statistics()
        }  # fmt: skip


def _draws(stored: list[Values]) -> dict[str, int]:
    """Seed and number of the draws that stored rows name."""
    drawn = next((row for row in stored if row["seed"] is not None), {"seed": 0, "resamples": 1})
    return {"seed": drawn["seed"], "resamples": drawn["resamples"]}


def _column(rows: list[Values], name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=np.float64)
