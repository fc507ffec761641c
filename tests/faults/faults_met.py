"""Which faults each planned row meets: `python -m tests.faults.faults_met '{"rate": 0.3, …}'`.

By the judge server's own rule, for the very request that the run's judge sends in plain mode. Prints JSON:
for each row's key the sha256 of its messages, and the faults in a row.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import django
import httpx

django.setup()
sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "benchmarks"))

from benchmarks.hashed_judge.asks import Ask, read_ask  # noqa: E402
from benchmarks.hashed_judge.faults import Faults  # noqa: E402
from judging.judges.interface import Asking, JudgeTask  # noqa: E402
from judging.judges.llm_judge import LLMJudge  # noqa: E402
from judging.models import CriterionScore, JudgeConfig  # noqa: E402
from judging.selectors.judging import prompts_to_judge  # noqa: E402
from judging.services.running.judge_specs import judge_texts  # noqa: E402
from llm.client import ChatClient  # noqa: E402
from studies.models import Study  # noqa: E402
from tests.support.chat_client import ScriptedTransport  # noqa: E402

MAX_IN_A_ROW = 2


class Recorder:
    """A judge whose requests come here instead of going to its endpoint."""

    def __init__(self) -> None:
        config = JudgeConfig.objects.get()
        client = ChatClient(
            base_url=config.base_url,
            model=config.model,
            max_output_tokens=config.max_output_tokens,
            transport=ScriptedTransport(self._take),
        )
        self._judge = LLMJudge(client=client, texts=judge_texts(Study.objects.get()))
        self._body = b""

    def _take(self, request: httpx.Request) -> httpx.Response:
        self._body = request.content
        verdict = {"explanation": "", "score": 1.0, "confidence": 1.0}
        message = {"role": "assistant", "content": json.dumps(verdict)}
        return httpx.Response(200, json={"choices": [{"message": message, "finish_reason": "stop"}]})

    def ask_of(self, task: JudgeTask, position: int | None) -> Ask:
        self._judge.ask(task, (position,), Asking(plain=True))
        return read_ask(self._body)


def planned() -> Iterator[tuple[int, JudgeTask, int | None]]:
    """Each row's key, its task with the answer, and the position that it is about."""
    rows = CriterionScore.objects.select_related("answer", "criterion").order_by("pk")
    prompts = prompts_to_judge({row.answer.prompt_id for row in rows})
    for row in rows:
        task = replace(prompts[row.answer.prompt_id].task, answer=row.answer.text)
        yield row.pk, task, None if row.criterion is None else row.criterion.position


def in_a_row(faults: Faults, ask: Ask) -> list[str]:
    return list(islice(iter(lambda: faults.fault(ask), ""), MAX_IN_A_ROW))


def main() -> None:
    faults, recorder = Faults(**{"kinds": (), **json.loads(sys.argv[1])}), Recorder()
    asks = {pk: recorder.ask_of(task, position) for pk, task, position in planned()}
    told = {pk: (ask.digest.hex(), in_a_row(faults, ask)) for pk, ask in asks.items()}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
