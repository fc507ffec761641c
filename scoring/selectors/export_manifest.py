"""What the manifest says about study, item bank, runs, audits, and what the files do not hold."""

from collections.abc import Iterator
from decimal import Decimal

from django.db.models import Count, Q, Sum
from django.utils.translation import override

from batches.selectors.answers import study_answers
from judging.models import JudgingRun
from judging.selectors.audits import sample_strata, study_samples
from presentation.scopes import after_results_sentence
from psychometrics.measures.catalogue import CATALOGUE
from psychometrics.measures.methods import METHODS
from scoring.export import manifest
from scoring.selectors.audit_results import RESAMPLES
from scoring.selectors.export_columns import judging_run_numbers, named
from scoring.selectors.headlines import results_lead
from scoring.selectors.measures import measurement_of
from scoring.selectors.runs import exported_notes, newest_results, runs_of
from scoring.selectors.scopes import bank_sizes, hidden_items, scope_to_leave, study_prompts
from studies.models import Participant, Study
from studies.selectors.private_questions import of_public
from studies.selectors.studies import made_after_results

# Results of the present design are brought up before an export, or it is refused.
SUPERSEDED = (
    "Scored under an earlier design of the study. The results are as they were computed then: they follow no "
    "later answer, withdrawal, score or verdict."
)


def study_entry(study: Study) -> manifest.StudyEntry:
    """The study and everything its protocol hash stands for."""
    version = study.bank_version
    late = {amendment.number for amendment in made_after_results(study)}
    entries = (
        manifest.AmendmentEntry.model_validate(amendment, from_attributes=True)
        for amendment in study.amendments.order_by("number")
    )
    return manifest.StudyEntry(
        **named(study, "slug", "name", "status", "opens_at", "closes_at", "frozen_at"),
        **named(study, "protocol_hash", "design_hash"),
        simulated=study.is_simulated,
        protocol=study.settings,
        bank=version.bank.slug,
        bank_version=version.number,
        bank_digest=version.digest,
        item_bank_digest=study.item_bank.digest if study.item_bank else None,
        judge_protocol_sha256=study.judge_protocol.sha256 if study.judge_protocol else None,
        amendments=tuple(
            entry.model_copy(update={"after_results": entry.number in late}) for entry in entries
        ),
    )


def item_bank_entry(study: Study) -> manifest.ItemBankEntry | None:
    """What coverage and analytic errors are computed with; None without an item bank."""
    if study.item_bank is None:
        return None
    sizes = bank_sizes(study)
    return manifest.ItemBankEntry(
        **named(study.item_bank, "squeeze_scale", "squeeze_offset", "sigma_hat", "response_model"),
        items=sizes.total(),
        items_by_category=dict(sorted(sizes.items())),
    )


def run_entries(study: Study, *, addresses: bool = True) -> Iterator[manifest.RunEntry]:
    """Every run, oldest first; without the addresses of its judges where these are not for everybody."""
    late = made_after_results(study)
    with override("en"):
        amended = [after_results_sentence(late)] if late else []
    for number, run in enumerate(runs_of(study).select_related("config"), start=1):
        results = newest_results(run)
        lead = results_lead(results) if results else None
        table = results.published if results else None
        measurement = measurement_of(results) if results else None
        published = measured = None
        if table:
            published = manifest.TableEntry(bank=table["bank"], digest=table["digest"])
        if measurement:
            measured = manifest.MeasurementEntry(
                **named(measurement, "seed", "resamples", "blocks", "public_blocks", "computed_at"),
                methods=METHODS,
                names=tuple(CATALOGUE),
            )
        superseded = [SUPERSEDED] if run.design_hash != run.study.design_hash else []
        yield manifest.RunEntry(
            **named(run, "replicate", "judge_kind", "judge", "judge_sha256", "protocol_hash", "design_hash"),
            **named(run, "started_at", "finished_at"),
            number=number,
            judge_name=run.config.slug if run.config else None,
            base_url=run.config.base_url if run.config and addresses else None,
            results_computed_at=results.computed_at if results else None,
            inputs_sha256=results.sha256_to_leave if results else None,
            flow=results.flow if results else None,
            headline_scope=lead.scope if lead else None,
            headline_reason=lead.why if lead else None,
            published_table=published,
            measurement=measured,
            notes=(*exported_notes(run), *superseded, *amended),
        )


def judging_run_entries(study: Study) -> Iterator[manifest.JudgingRunEntry]:
    """Every judging run, oldest first, with what its calls came to."""
    over = Q(calls__due_at=None)
    counted = JudgingRun.objects.filter(study=study).annotate(
        made=Count("calls", filter=over),
        priced=Count("calls__cost", filter=over),
        spent=Sum("calls__cost", filter=over),
    )
    for number, run in enumerate(counted.order_by("pk"), start=1):
        yield manifest.JudgingRunEntry(
            **named(run, "purpose", "state", "budget", "plan_sha256", "started_at", "resumed_at", "ended_at"),
            number=number,
            pause_reason=run.pause_reason or None,
            judges=tuple(
                manifest.PlannedJudge(
                    judge=planned["judge"],
                    replicate=planned["replicate"],
                    criteria_per_call=planned.get("criteria_per_call", 1),
                )
                for planned in run.estimate
            ),
            planned_rows=run.planned,
            calls=run.made,
            calls_of_unknown_cost=run.made - run.priced,
            cost=run.spent or Decimal(0),
        )


def audit_entries(study: Study) -> Iterator[manifest.AuditEntry]:
    """Every sample, oldest first: what it was drawn from, and what its intervals are drawn with."""
    judging_numbers, scope = judging_run_numbers(study), scope_to_leave(study)
    for number, sample in enumerate(study_samples(study).reverse(), start=1):
        yield manifest.AuditEntry(
            **named(sample, "seed", "drawn_at"),
            number=number,
            judging_run=judging_numbers[sample.judging_run_id],
            resamples=RESAMPLES,
            strata=tuple(
                manifest.StratumEntry.model_validate(stratum, from_attributes=True)
                for stratum in sample_strata(sample, scope)
            ),
        )


def omitted(study: Study) -> manifest.Omitted:
    """How many people, prompts, answers and items the files do not hold."""
    return manifest.Omitted(
        test_participants=Participant.objects.filter(study=study, is_test=True).count(),
        private_prompts=study_prompts(study).exclude(of_public()).count(),
        answers_to_private_prompts=study_answers(study).exclude(of_public("prompt")).count(),
        private_items=hidden_items(study).count(),
    )
