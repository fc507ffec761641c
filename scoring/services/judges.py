"""The judge a study's protocol asks for."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from llm.client import ChatClient
from llm.endpoints import EndpointInvalid
from scoring.judge.checks_judge import ChecksJudge
from scoring.judge.interface import Judge
from scoring.judge.llm_judge import LLMJudge
from scoring.judge.match_judge import MatchJudge
from studies.models import Study
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS, JudgeTexts
from studies.services.refusals import Refused

THREADS_PER_CLIENT = 8


class JudgeNotConfigured(Refused):
    """What was given does not fit the judge the study's protocol names."""


@dataclass(frozen=True)
class JudgeEndpoint:
    """Where the judge model answers; the key never shows."""

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)


@contextmanager
def study_judges(
    *, study: Study, endpoint: JudgeEndpoint | None, concurrency: int
) -> Iterator[Sequence[Judge]]:
    """Equivalent judges for `concurrency` threads; a language model's connections close at the end.

    Raises JudgeNotConfigured.
    """
    protocol = study.protocol
    if (protocol.judge_kind == "llm") != (endpoint is not None):
        raise JudgeNotConfigured(
            "The study's judge is a language model; name its endpoint with --judge-url and --judge-model."
            if endpoint is None
            else f'The study\'s judge is "{protocol.judge_kind}", which asks no language model; '
            "leave out the endpoint."
        )
    with ExitStack() as stack:
        if endpoint is not None:
            yield [stack.enter_context(llm_judge(study, endpoint)) for _ in range(clients_for(concurrency))]
        elif protocol.match_rules is not None:
            yield [MatchJudge(rules=protocol.match_rules)]
        else:
            yield [ChecksJudge()]


@contextmanager
def llm_judge(study: Study, endpoint: JudgeEndpoint) -> Iterator[LLMJudge]:
    try:
        client = ChatClient(base_url=endpoint.base_url, model=endpoint.model, api_key=endpoint.api_key)
    except EndpointInvalid as error:
        raise JudgeNotConfigured(str(error)) from None
    with client:
        yield LLMJudge(client=client, texts=judge_texts(study))


def clients_for(concurrency: int) -> int:
    """A client's connection pool slows down with many threads, so they share several."""
    return -(-concurrency // THREADS_PER_CLIENT)


def judge_texts(study: Study) -> JudgeTexts:
    stored = study.judge_protocol
    if stored is None:
        return DEFAULT_JUDGE_TEXTS
    return JudgeTexts(exact=stored.exact_text, rubric=stored.rubric_text, source=stored.source)
