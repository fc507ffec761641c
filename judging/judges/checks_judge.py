"""Machine checks as the judge: for banks whose criteria a program can decide."""

from pydantic import JsonValue

from judging.judges.interface import CriterionVerdict, JudgeCannotScore, JudgeTask
from judging.judges.local import LocalJudge
from judging.matching import checks, exact


class ChecksJudge(LocalJudge):
    """Each criterion by its own check; an exact answer by normalised equality. Scores are 0 or 1."""

    kind = "checks"

    def describe(self) -> dict[str, JsonValue]:
        return {"kind": self.kind}

    def check(self, task: JudgeTask) -> None:
        without = [str(criterion.position) for criterion in task.criteria if criterion.check is None]
        if without:
            raise JudgeCannotScore(
                task.prompt_id,
                f"no machine check on criterion {', '.join(without)}; add it or use the llm judge.",
            )
        if not task.criteria and not (task.gold_answer or "").strip():
            raise JudgeCannotScore(task.prompt_id, "it has neither a gold answer nor a rubric; give it one.")

    def verdict(self, task: JudgeTask, position: int | None) -> CriterionVerdict:
        if position is None:
            return self._equality(task)
        check = task.criterion(position).check
        if check is None:
            raise JudgeCannotScore(task.prompt_id, f"no machine check on criterion {position}.")
        passed = checks.passes(check, task.text_to_judge)
        outcome = "passes" if passed else "fails"
        rule = check.model_dump_json()
        return CriterionVerdict(position, float(passed), 1.0, f"The answer {outcome} the check {rule}.")

    def _equality(self, task: JudgeTask) -> CriterionVerdict:
        gold = task.gold_answer or ""
        equal = exact.is_equal(task.text_to_judge, gold)
        relation = "equals" if equal else "is not"
        return CriterionVerdict(None, float(equal), 1.0, f"The answer {relation} the gold answer {gold!r}.")
