"""What an audit says about the judges: what is counted as it is now, and how far they agree as it is stored.

In the scope `public` it speaks of the verdicts on public prompts: of each stratum how many there were and how
many of them were drawn was kept at the draw.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from formats.canonical import canonical_sha256
from judging.models import AuditSample, ScoringRun
from judging.selectors import audits
from psychometrics.agreement.audit_records import AuditAgreement
from psychometrics.agreement.audit_sample import Stratum
from psychometrics.agreement.two_raters import MET
from psychometrics.inference.estimates import none_if_nan
from psychometrics.inference.measure import Scope
from scoring.models import AuditComparison
from scoring.selectors.scopes import study_scopes
from studies.models import Study
from studies.selectors.private_questions import of_public

AUDITS = "audits"  # the kind of job that computes how far judges and people agree
RESAMPLES = 1000
# Part of every hash of inputs: what an earlier way of computing left is computed anew.
METHOD = 1
CODE, PROMPT_ID = "row__answer__session__participant__code", "row__answer__prompt__prompt_id"
ITEM_FACTS = ("stratum", "row__answer", "row__criterion", "human_score", "rater", CODE, PROMPT_ID)


@dataclass(frozen=True)
class AuditFacts:
    """All that an audit rests on: the drawn items that count, in their order, and the strata drawn from.

    `human` is NaN where nobody rated, `judged` (an item a row, a judge a column) where a judge gave nothing.
    """

    sample: AuditSample
    scope: Scope
    judges: Sequence[ScoringRun]
    frame: Sequence[Stratum]
    strata: Sequence[str]
    answers: Sequence[str]
    human: Sequence[float]
    judged: Sequence[Sequence[float]]
    raters: int

    @cached_property
    def sha256(self) -> str:
        """Of all that its numbers depend on: equal inputs give equal numbers."""
        return canonical_sha256(
            {
                "method": METHOD,
                "resamples": RESAMPLES,
                "seed": self.sample.seed,
                "judges": [judge.pk for judge in self.judges],
                "frame": [[stratum.name, stratum.verdicts, stratum.drawn] for stratum in self.frame],
                "strata": list(self.strata),
                "answers": list(self.answers),
                "human": [none_if_nan(score) for score in self.human],
                "judged": [[none_if_nan(score) for score in scores] for scores in self.judged],
            }
        )

    def stored(self) -> AuditComparison | None:
        return AuditComparison.objects.filter(sample=self.sample, scope=self.scope).first()

    @property
    def is_stored(self) -> bool:
        found = self.stored()
        return found is not None and found.inputs_sha256 == self.sha256


@dataclass(frozen=True)
class AuditedJudge:
    """One judge beside people: on the items as they were drawn, and on all verdicts. Judge less people."""

    run: ScoringRun
    found: AuditAgreement


@dataclass(frozen=True)
class AuditedStratum:
    """One stratum, with what people say to its first judge. `offset` is NaN where nothing is rated."""

    stratum: Stratum
    gone: int
    rated: int
    same_side: int
    offset: float

    @property
    def percent(self) -> float:
        """How probable it was for one of its verdicts to be drawn."""
        return 100 * self.stratum.probability


@dataclass(frozen=True)
class AuditResult:
    """`gone` items were drawn and count no more: withdrawn, excluded or changed since.

    `drawn` are those drawn of the scope's verdicts, `strata` the scope's part of each that has one. `judges`
    are those that are stored, none before anything is; `is_current`: they rest on what is there now.
    """

    drawn: int
    gone: int
    rated: int
    raters: int
    judges: tuple[AuditedJudge, ...]
    strata: tuple[AuditedStratum, ...]
    is_current: bool

    @property
    def asked(self) -> int:
        return self.drawn - self.gone

    @property
    def verdicts(self) -> int:
        return sum(audited.stratum.verdicts for audited in self.strata)


def audit_facts(sample: AuditSample, scope: Scope) -> AuditFacts:
    """In a few queries."""
    judges = audits.sample_judges(sample)
    items = audits.counting_items(sample)
    if scope == Scope.PUBLIC:
        items = items.filter(of_public(audits.PROMPT))
    facts = list(items.values_list(*ITEM_FACTS, named=True))
    runs = [judge.pk for judge in judges]
    scores = audits.scores_by_judge(sample.judging_run.study, runs, items.order_by())
    return AuditFacts(
        sample=sample,
        scope=scope,
        judges=judges,
        frame=audits.sample_strata(sample, scope),
        strata=[item.stratum for item in facts],
        answers=[f"{getattr(item, CODE)}\n{getattr(item, PROMPT_ID)}" for item in facts],
        human=[math.nan if item.human_score is None else item.human_score for item in facts],
        judged=[
            [scores.get((run, (item.row__answer, item.row__criterion)), math.nan) for run in runs]
            for item in facts
        ],
        raters=len({item.rater for item in facts if item.human_score is not None}),
    )


def audit_result(
    sample: AuditSample,
    scope: Scope = Scope.ALL,
    compute: Callable[[AuditFacts], Mapping[str, Any]] | None = None,
) -> AuditResult:
    """Everything there is to say, in a few queries. What is not stored of the ratings as they are is computed
    by `compute`, if given; else what is stored stands.
    """
    facts = audit_facts(sample, scope)
    stored, drawn = facts.stored(), sum(stratum.drawn for stratum in facts.frame)
    is_current = stored is not None and stored.inputs_sha256 == facts.sha256
    found = compute(facts) if compute and not is_current else stored.judges if stored else {}
    return AuditResult(
        drawn=drawn,
        gone=drawn - len(facts.human),
        rated=sum(not math.isnan(score) for score in facts.human),
        raters=facts.raters,
        judges=tuple(
            AuditedJudge(judge, AuditAgreement.from_json(found[str(judge.pk)]))
            for judge in facts.judges
            if str(judge.pk) in found
        ),
        strata=tuple(_audited_stratum(stratum, facts) for stratum in facts.frame),
        is_current=is_current or compute is not None,
    )


def _audited_stratum(stratum: Stratum, facts: AuditFacts) -> AuditedStratum:
    items = zip(facts.strata, facts.human, facts.judged, strict=True)
    here = [(human, judged[0]) for name, human, judged in items if name == stratum.name]
    known = [(human, judged) for human, judged in here if not math.isnan(human)]
    return AuditedStratum(
        stratum=stratum,
        gone=stratum.drawn - len(here),
        rated=len(known),
        same_side=sum((human >= MET) == (judged >= MET) for human, judged in known),
        offset=sum(judged - human for human, judged in known) / len(known) if known else math.nan,
    )


def study_audit_facts(study: Study) -> list[AuditFacts]:
    """Of every sample in every scope of the study."""
    scopes = study_scopes(study)
    return [audit_facts(sample, scope) for sample in audits.study_samples(study) for scope in scopes]


def audits_are_current(study: Study) -> bool:
    """Whether what people say beside the judges is stored from ratings and scores as they are now."""
    return all(facts.is_stored for facts in study_audit_facts(study))
