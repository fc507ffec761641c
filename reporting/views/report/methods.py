"""The methods paragraph of a report, written from the records of the study."""

from collections.abc import Iterator

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from judging.models import ScoringRun
from presentation.exclusions import people_text
from presentation.first_intervals import first_cell, pool_cell, published_cell, why_none
from presentation.measures import group_name, interval_cell, reason_cell, value_cell, why_absent
from presentation.numbers import Text, counted, decimals, numbered, span, span_or_one
from presentation.scopes import after_results_sentence
from presentation.tables import ABSENT
from presentation.top import luck_sentence
from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.headlines import GroupNumbers
from reporting.selectors.headline import AVERAGE, BEST, Headline
from reporting.selectors.report_records import StudyRecords
from studies.protocol.judge_kinds import JUDGE_KINDS
from studies.protocol.settings import ProtocolSettings

ASSEMBLIES = {
    "random": gettext_lazy("random"), "balanced": gettext_lazy("balanced"), "matrix": gettext_lazy("matrix"),
}  # fmt: skip
RESTS_ON = {
    Scope.ALL: gettext_lazy("The results rest on the answers to all questions, private ones included."),
    Scope.PUBLIC: gettext_lazy("The results rest on the answers to public questions alone."),
}


def methods_texts(records: StudyRecords, headline: Headline | None) -> list[str]:
    """What was done and what came out, for a paper to take over: design, people, scores, results."""
    parts = (*(part(records) for part in (design, sample, scoring)), outcomes(records, headline))
    texts = (" ".join(map(str, part)) for part in parts)
    return [text for text in texts if text]


def design(records: StudyRecords) -> Iterator[str]:
    protocol, questions, starts = records.protocol, records.asked, records.starts
    if questions.sizes:
        yield _(
            "Assembled into question sets of %(size)s: %(asked)s (%(assembly)s assembly, seed %(seed)d)."
        ) % {
            "asked": _prompts_text(questions.asked),
            "size": span_or_one(*questions.sizes, places=0),
            "assembly": ASSEMBLIES[protocol.assembly],
            "seed": protocol.assembly_seed,
        }
        yield (
            _("Questions are nested in question sets: each is in one question set only.")
            if questions.nested
            else _("Questions are not nested in question sets: some are in several.")
        )
    if starts is None:
        yield numbered(
            ngettext(
                "The protocol asks each person to answer one question set within %(minutes)d minute in all.",
                "The protocol asks each person to answer one question set within %(minutes)d minutes in all.",
                protocol.time_budget_minutes,
            ),
            {"minutes": protocol.time_budget_minutes},
        )
    else:
        yield ngettext(
            "Each person was given one question set and, at the start, %(minutes)s minute in all.",
            "Each person was given one question set and, at the start, %(minutes)s minutes in all.",
            round(starts.minutes[1] or 0),
        ) % {"minutes": span_or_one(*starts.minutes, places=0)}
        yield from extra_time(starts.more_time)
    yield from places(protocol)
    yield from frozen(records)


def places(protocol: ProtocolSettings) -> Iterator[str]:
    """How many people the design asks for, and which arms they are drawn for."""
    asked_for = (
        ngettext(
            "The design asks for %(replicates)d person of each profile per question; profiles: %(profiles)d.",
            "The design asks for %(replicates)d people of each profile per question; profiles: %(profiles)d.",
            protocol.replicates_per_profile,
        )
        if protocol.assembly == "matrix"
        else ngettext(
            "The design asks for %(replicates)d person of each profile per question set; profiles: "
            "%(profiles)d.",
            "The design asks for %(replicates)d people of each profile per question set; profiles: "
            "%(profiles)d.",
            protocol.replicates_per_profile,
        )
    )
    yield numbered(
        asked_for, {"replicates": protocol.replicates_per_profile, "profiles": len(protocol.profiles)}
    )
    if protocol.assembly == "matrix":
        yield _(
            "Matrix sampling: everybody has a question set of their own, from independent cuts of the bank."
        )
    if protocol.arms:
        yield _("Arms, drawn for places with the seed of the assembly: %(arms)s.") % {
            "arms": ", ".join(protocol.arm_slugs)
        }


def extra_time(people: int) -> Iterator[str]:
    """That some had more time than the protocol gives, where anybody had."""
    if people:
        yield numbered(
            ngettext(
                "%(number)d person was given extra time or worked on in a reopened session.",
                "%(number)d people were given extra time or worked on in a reopened session.",
                people,
            ),
            {"number": people},
        )


def frozen(records: StudyRecords) -> Iterator[str]:
    if records.study.frozen_at is None:
        return
    facts = {
        "day": date_format(records.study.frozen_at, _("j F Y")),
        "first": records.first_hash[:12],
        "hash": records.study.protocol_hash[:12],
        "amendments": len(records.amendments),
    }
    if not records.amendments:
        sentence = _("The protocol was locked on %(day)s (fingerprint %(hash)s) and not amended since.")
    elif records.first_hash:
        sentence = _(
            "The protocol was locked on %(day)s (fingerprint then %(first)s); recorded amendments since: "
            "%(amendments)d (fingerprint now %(hash)s)."
        )
    else:
        sentence = _(
            "The protocol was locked on %(day)s; recorded amendments since: %(amendments)d (fingerprint "
            "now %(hash)s)."
        )
    yield numbered(sentence, facts)
    if records.late_amendments:
        yield after_results_sentence(records.late_amendments)


def sample(records: StudyRecords) -> Iterator[str]:
    flow = records.flow
    sentence = ngettext(
        "Of %(recruited)d person recruited, %(started)d started; %(submitted)d handed in, %(expired)d ran "
        "out of time and %(withdrawn)d withdrew.",
        "Of %(recruited)d people recruited, %(started)d started; %(submitted)d handed in, %(expired)d ran "
        "out of time and %(withdrawn)d withdrew.",
        flow.recruited,
    )
    yield numbered(sentence, vars(flow))
    if flow.voided:
        sentence = ngettext(
            "The study team voided %(voided)d session: it counts nowhere.",
            "The study team voided %(voided)d sessions: they count nowhere.",
            flow.voided,
        )
        yield numbered(sentence, vars(flow))
    if flow.excluded:
        sentence = _("Not counted as off-task by a reviewer: %(excluded)d; counted: %(retained)d.")
    else:
        sentence = _("Nobody was left out; counted: %(retained)d.")
    yield numbered(sentence, vars(flow))
    undecided = records.screening.undecided
    if undecided:
        yield numbered(
            ngettext(
                "%(number)d counted person is flagged as off-task and not decided about yet.",
                "%(number)d counted people are flagged as off-task and not decided about yet.",
                undecided,
            ),
            {"number": undecided},
        )


def judge_words(run: ScoringRun) -> str:
    """Who scored, in words; the name of a language model's configuration says which it was."""
    facts = {
        **run.judge,
        "judge": run.config.slug if run.config else run.judge_kind,
        "rules": str(run.judge.get("rules", "")).upper(),
    }
    kind = JUDGE_KINDS.get(run.judge_kind)
    return (_(kind.methods) if kind else _("by the judge %(judge)s")) % facts


def scoring(records: StudyRecords) -> Iterator[str]:
    if records.results:
        yield _("Answers were scored %(judge)s; a blank answer is missing and never zero.") % {
            "judge": judge_words(records.results.run)
        }
    if records.holds_tasks:
        yield _("The item bank %(bank)s holds tasks: abilities are those of accuracies per task.") % {
            "bank": str(records.study.item_bank)
        }
    elif records.study.item_bank and records.study.item_bank.is_logistic:
        yield _(
            "Abilities are on the fixed item bank %(bank)s, fitted with the logistic 2PL: ability on the "
            "QL scale (theta_QL), the root of sum a (p - 1 / (1 + exp(-a (theta - b)))) = 0."
        ) % {"bank": str(records.study.item_bank)}
    elif records.study.item_bank:
        yield _(
            "Abilities are on the fixed item bank %(bank)s: ability = sum a (y + a b) / sum a^2, with y "
            "the logit of %(scale)s p + %(offset)s."
        ) % {
            "bank": str(records.study.item_bank),
            "scale": number_format(records.study.item_bank.squeeze_scale),
            "offset": number_format(records.study.item_bank.squeeze_offset),
        }
    if records.measurement:
        yield ngettext(
            "Resampled intervals rest on %(resamples)s draw with the seed %(seed)d.",
            "Resampled intervals rest on %(resamples)s draws with the seed %(seed)d.",
            records.measurement.resamples,
        ) % {"resamples": counted(records.measurement.resamples), "seed": records.measurement.seed}


def outcomes(records: StudyRecords, headline: Headline | None) -> Iterator[Text]:
    if records.lead.both_exist:
        yield RESTS_ON[records.leading]
    if headline and (records.holds_tasks or not records.study.item_bank):
        accuracy = list(accuracies(headline))  # they lead where there is no ability
        yield from accuracy
        if accuracy and records.holds_tasks:
            return
    if records.average:
        yield _ability_sentence(_("Average"), records.average)
    if records.top and records.top.participants:
        yield _ability_sentence(
            numbered(_("Top %(number)d (picked by these same scores)"), {"number": records.top.participants}),
            records.top,
        )
    if records.measurement:
        yield from measured(records)
    if records.compared:
        yield _(
            "Models were scored again on the same questions, one response at a time, as people answered "
            "(answers per question: people 1, models 1), and compared by ability (theta.pool) and ability "
            "on the QL scale (theta_QL); differences are paired on questions, their verdicts corrected by "
            "Holm."
        )


def accuracies(headline: Headline) -> Iterator[str]:
    """What came out of a benchmark with tasks, as on the first page."""
    for group in (AVERAGE, BEST):
        share = headline.share_of(group)
        if share is not None and share.tasks is not None:
            ends = ABSENT
            if share.low is not None and share.high is not None:
                ends = span(100 * share.low, 100 * share.high, 1)
            yield _("%(group)s: mean accuracy over tasks %(value)s %% (%(interval)s).") % {
                "group": group_name(group),
                "value": decimals(100 * share.value, 1),
                "interval": reason_cell(share.reason) if ends == ABSENT else ends,
            }


def measured(records: StudyRecords) -> Iterator[str]:
    """What stands beside the estimates: theta_QL, and Top without the luck."""
    cohort, top = records.blocks[Block.COHORT], records.blocks[Block.TOP]
    ql = cohort.get("theta.ql", "average")
    if ql is not None and ql.value is not None:
        yield _(
            "Average on the scale that does not depend on the answers per question: ability on the QL "
            "scale (theta_QL) = %(ql)s (%(interval)s)."
        ) % {
            "ql": value_cell(ql),
            "interval": interval_cell(ql),
        }
        if (ql_of_top := cohort.get("theta.ql", "top")) and ql_of_top.value is not None:
            yield _(
                "Top, who have the highest mean scores (picked by these same scores): ability on the "
                "QL scale (theta_QL) = %(ql)s."
            ) % {"ql": value_cell(ql_of_top)}
    crossfit, null = top.get("top.crossfit5", "top"), top.get("top.null", "top")
    if crossfit is not None and crossfit.value is not None and null is not None:
        yield _(
            "Measured on answers that did not choose it, Top reaches %(theta)s (%(interval)s; Top free of "
            "the choice (top.crossfit5)); equally able people would reach %(null)s by the published rule "
            "(top.null)."
        ) % {"theta": value_cell(crossfit), "interval": interval_cell(crossfit), "null": value_cell(null)}
    share = top.get("top.null_share", "top")
    if share is not None and share.value is not None:
        yield luck_sentence(share.value, share.details["draws"])


def _ability_sentence(name: str, row: GroupNumbers) -> str:
    counts = {
        "name": name,
        "people": people_text(row.participants),
        "pairs": ngettext("%(number)s scored answer", "%(number)s scored answers", row.pairs)
        % {"number": counted(row.pairs)},
        "prompts": _prompts_text(row.prompts),
    }
    if row.theta_pool is not None:
        interval = _("95 %% interval: %(interval)s") % {"interval": first_cell(row)}
        return _(
            "%(name)s: ability (theta.pool) = %(theta)s (%(interval)s; %(people)s, %(pairs)s on "
            "%(prompts)s); as published, ability by question means (theta.prompt) = %(published)s."
        ) % {
            **counts,
            "theta": decimals(row.theta_pool),
            "interval": why_none(row) if row.ci_low_pool is None else interval,
            "published": published_cell(row),
        }
    if row.withheld:
        return _("%(name)s: no number (%(why)s).") % (counts | {"why": why_absent(row.withheld)})
    if row.raw_mean is None:
        return _("%(name)s: nothing is scored yet.") % counts
    mean = {"mean": decimals(100 * row.raw_mean, 1)}
    if (bound := pool_cell(row)) != ABSENT:
        return _(
            "%(name)s: ability (theta.pool) lies %(bound)s, as all scores are alike; mean score %(mean)s "
            "%% (%(people)s, %(pairs)s on %(prompts)s)."
        ) % (counts | mean | {"bound": bound})
    return _("%(name)s: mean score %(mean)s %% (%(people)s, %(pairs)s on %(prompts)s).") % (counts | mean)


def _prompts_text(prompts: int) -> str:
    return ngettext("%(number)s question", "%(number)s questions", prompts) % {"number": counted(prompts)}
