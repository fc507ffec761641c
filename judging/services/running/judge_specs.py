"""The judges of a run: which one, in which words, how many criteria a call, for the how-manieth time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from pydantic import JsonValue

from formats.canonical import canonical_sha256
from judging.judges import neutralise
from judging.judges.interface import Judge
from judging.judges.llm_judge import LLMJudge
from judging.judges.local_judges import LocalJudge, Programs
from judging.models import JudgeConfig, ScoringRun
from judging.selectors.comparisons import MIN_ANSWERS, MIN_CRITERIA, ComparisonEvidence, compared_so_far
from judging.services.judge_keys import JudgeNotConfigured
from judging.services.judge_rules import client_of
from llm.client import ChatClient
from llm.egress import EndpointInvalid
from presentation.numbers import numbered
from studies.models import Study, StudyStatus
from studies.protocol.judge_kinds import JUDGE_KINDS
from studies.protocol.judge_texts import DEFAULT_JUDGE_TEXTS, JudgeTexts
from studies.services.refusals import Refused

MAX_REPLICATES = 5
NO_MODEL_NAMED = "The study's judge is a language model; name one with --judge (add it with add_judge)."


class StudyNotFrozen(Refused):
    """A draft's protocol may still change, so nothing is judged under it."""


class NotCompared(Refused):
    """Scores by several criteria a call were asked for before that was compared with one a call."""


@dataclass(frozen=True)
class JudgeSpec:
    """One judge of a run. Without `config` it is the study's own deterministic judge.

    With more than one criterion a call it is another judge, whose scores are kept apart. `rules_version` is
    that of the rules by which the judge reads answers, or by which they are neutralised for it; None is open.
    """

    config: JudgeConfig | None = None
    replicate: int = 1
    criteria_per_call: int = 1
    rules_version: int | None = field(default=None, compare=False)


def study_judge_specs(
    *, study: Study, configs: Sequence[JudgeConfig], replicates: int = 1, criteria_per_call: int = 1
) -> tuple[JudgeSpec, ...]:
    """Every judge as often as asked for. Raises JudgeNotConfigured where they do not fit the protocol.

    Whether several criteria a call may be used for scores is asked where a run starts (`require_compared`).
    """
    kind = study.protocol.judge_kind
    if kind != "llm" and (configs or replicates > 1 or criteria_per_call > 1):
        raise JudgeNotConfigured(
            f'The study\'s judge is "{kind}", which asks no language model; name no judge, no '
            "replicates and no criteria per call."
        )
    if kind == "llm" and not configs:
        raise JudgeNotConfigured(NO_MODEL_NAMED)
    if kind != "llm":
        return (JudgeSpec(),)
    if replicates > MAX_REPLICATES:
        said = _("A judge is asked at most %(most)d times about the same.")
        raise JudgeNotConfigured(numbered(said, {"most": MAX_REPLICATES}))
    return tuple(
        JudgeSpec(config, number, criteria_per_call)
        for config in configs
        for number in range(1, replicates + 1)
    )


def scoring_run_open(*, study: Study, spec: JudgeSpec, now: datetime) -> ScoringRun:
    """The run of this spec under the study's present design, new or continued.

    One that was begun by earlier rules goes on by them: its scores stay comparable, and nothing is paid
    twice. Raises StudyNotFrozen.
    """
    if study.status == StudyStatus.DRAFT:
        said = _('The study "%(study)s" is a draft; lock it before it is scored.')
        raise StudyNotFrozen(said % {"study": study.slug})
    versions = (spec.rules_version,) if spec.rules_version else rules_versions(study)
    described: list[dict[str, JsonValue]] = []
    for version in versions:
        with judge_of(study, replace(spec, rules_version=version)) as judge:
            named: dict[str, JsonValue] = {} if spec.config is None else {"judge": spec.config.slug}
            described.append(named | judge.describe())
    begun = ScoringRun.objects.filter(
        study=study,
        design_hash=study.design_hash,
        judge_sha256__in=[identity_sha256(description) for description in described],
        replicate=spec.replicate,
    )
    if run := begun.order_by("-pk").first():
        return run
    description = described[0]
    run, _created = ScoringRun.objects.get_or_create(
        study=study,
        design_hash=study.design_hash,
        judge_sha256=identity_sha256(description),
        replicate=spec.replicate,
        defaults={
            "config": spec.config,
            "judge_kind": description["kind"],
            "judge": description,
            "protocol_hash": study.protocol_hash,
            "started_at": now,
        },
    )
    return run


def rules_versions(study: Study) -> tuple[int | None, ...]:
    """The versions of the rules that a run of this study may have been begun by, the newest first."""
    protocol = study.protocol
    versions: tuple[int | None, ...] = _judge_class(protocol.judge_kind).rules_versions(protocol)
    return versions


def goes_on_by_earlier_rules(study: Study) -> bool:
    """Whether a run of the study's present design was begun by rules that are no longer the newest."""
    newest = rules_versions(study)[0]
    begun = ScoringRun.objects.filter(study=study, design_hash=study.design_hash).order_by("-pk").first()
    named = begun and (begun.judge.get("neutralising") or begun.judge.get("version"))
    return bool(newest and begun and begun.judge_kind == study.protocol.judge_kind and named != newest)


def identity_sha256(description: Mapping[str, JsonValue]) -> str:
    """A hash of what decides the scores. The address does not: a judge may move, and stays the same judge."""
    return canonical_sha256({name: value for name, value in description.items() if name != "base_url"})


def spec_of(run: ScoringRun) -> JudgeSpec:
    version = run.judge.get("neutralising") or run.judge.get("version")
    return JudgeSpec(run.config, run.replicate, criteria_per_call_of(run), version)


def criteria_per_call_of(run: ScoringRun) -> int:
    """Judges that compute have no calls; they decide one criterion at a time."""
    return int(run.judge.get("criteria_per_call", 1))


def require_compared(runs: Iterable[ScoringRun]) -> None:
    """Raise NotCompared unless each of these judges may ask as many criteria a call as it does: only after a
    comparison with one, on a sample.
    """
    for run in runs:
        number = criteria_per_call_of(run)
        if number <= 1 or (evidence := compared_for(run)).is_enough:
            continue
        name = run.config.slug if run.config else run.judge_kind
        unfinished = "" if evidence.finished else ", and no comparison is finished"
        raise NotCompared(
            f'The judge "{name}" may not score with {number} criteria a call before that was compared with '
            f"one a call on at least {MIN_ANSWERS} answers and {MIN_CRITERIA} criteria, under these judge "
            f"texts and on this prompt bank; so far: answers {evidence.answers:,}, criteria "
            f"{evidence.criteria:,}{unfinished}. Run compare_batched {run.study.slug} --judge {name} "
            f"--criteria-per-call {number} (with more --answers or another --seed, if you did), or ask one "
            "criterion a call."
        )


def compared_for(run: ScoringRun) -> ComparisonEvidence:
    """What the comparisons of the run's judge with itself, asked one criterion a call, rest on."""
    kept = {name: value for name, value in run.judge.items() if name != "batched_text_sha256"}
    single = identity_sha256({**kept, "criteria_per_call": 1})
    return compared_so_far(run.study, single_sha256=single, batched_sha256=run.judge_sha256)


@contextmanager
def judge_of(study: Study, spec: JudgeSpec) -> Iterator[Judge]:
    """The spec's judge for looking and planning, which send nothing; a model's has no key.

    Raises JudgeNotConfigured where it cannot be used.
    """
    if spec.config is None:
        yield local_judge(study, spec)
        return
    with configured_client(spec.config, key=None) as client:
        yield model_judge(study, spec, client)


def _judge_class(kind: str) -> Any:
    return import_string(JUDGE_KINDS[kind].judge)


def local_judge(study: Study, spec: JudgeSpec) -> LocalJudge:
    """The study's own judge, which asks no model. Raises JudgeNotConfigured."""
    protocol = study.protocol
    limits = (settings.JUDGE_COMMAND_SECONDS, settings.JUDGE_COMMAND_MEGABYTES)
    programs = Programs(settings.JUDGE_COMMANDS, *limits)
    if protocol.judge_kind == "llm":
        raise JudgeNotConfigured(NO_MODEL_NAMED)
    judge: type[LocalJudge] = _judge_class(protocol.judge_kind)
    try:
        return judge.of_study(protocol, rules_version=spec.rules_version, programs=programs)
    except ValueError as error:
        raise _unusable(protocol.judge_kind, error) from None


def planned_judge(run: ScoringRun) -> LocalJudge:
    """The judge that computes the verdicts of a run. Raises JudgeNotConfigured where it is not, or no longer,
    the one that the run was planned with.
    """
    if run.study.protocol.judge_kind == run.judge_kind:
        judge = local_judge(run.study, spec_of(run))
        if identity_sha256(judge.describe()) == run.judge_sha256:
            return judge
    raise JudgeNotConfigured(
        _(
            "The judge is another one than this run was planned with: the protocol was amended, or its "
            "program was changed. Cancel the run and start another; its scores are kept apart."
        )
    )


def model_judge(study: Study, spec: JudgeSpec, client: ChatClient) -> Judge:
    """Who asks `client` in the words of the study. Raises JudgeNotConfigured."""
    try:
        return LLMJudge(
            client=client,
            texts=judge_texts(study),
            criteria_per_call=spec.criteria_per_call,
            neutralising=spec.rules_version or neutralise.VERSION,
        )
    except ValueError as error:
        raise _unusable(spec.config, error) from None


def configured_client(config: JudgeConfig, *, key: str | None) -> ChatClient:
    """The client of a judge, to be closed by the caller. Raises JudgeNotConfigured."""
    try:
        return client_of(config, key=key, timeout=config.timeout_seconds)
    except (EndpointInvalid, ValueError) as error:
        raise _unusable(config, error) from None


def _unusable(judge: JudgeConfig | str | None, error: Exception) -> JudgeNotConfigured:
    said = _('The judge "%(judge)s" cannot be used: %(problem)s')
    return JudgeNotConfigured(said % {"judge": judge, "problem": error})


def judge_texts(study: Study) -> JudgeTexts:
    stored = study.judge_protocol
    if stored is None:
        return DEFAULT_JUDGE_TEXTS
    return JudgeTexts(exact=stored.exact_text, rubric=stored.rubric_text, source=stored.source)
