"""What the records say to the checklist's items on how people worked, the analysis and its documentation."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _, ngettext

from presentation.agreement import judges_sentence
from presentation.exclusions import FLAG_NAMES
from presentation.measures import value_cells
from presentation.numbers import decimals, numbered, span_or_one
from presentation.top import luck_sentence
from psychometrics.inference.measure import Block, Scope
from reporting.selectors.report_records import StartFacts, StudyRecords
from reporting.views.report.checklist_design import Sentences, amended, listed
from reporting.views.report.methods import extra_time


def results_sentences(records: StudyRecords) -> Sentences:
    """Sections 3 to 5 of the checklist."""
    if records.starts:
        yield from _session(records, records.starts)
    if records.screening.on_record:
        yield from _screening(records)
    allowed = _("What people were allowed: %(tools)s") % {"tools": records.protocol.allowed_tools.strip()}
    yield "3.5", allowed
    used = _("Resources that counted people declared: %(listed)s.") % {"listed": listed(records.resources)}
    yield "5.1.4", used if records.resources else allowed
    yield from _analysis(records)
    if records.computed(Block.EXCLUSIONS):
        block = records.blocks[Block.EXCLUSIONS]
        low, high = (block.get(f"multiverse.{end}", "average", "not_score_based") for end in ("low", "high"))
        paper = next(
            (row for row in block.named("multiverse", group="average") if row.details["paper"]), None
        )
        if low and low.value is not None and paper and paper.value is not None:
            text = _(
                "Over the combinations of rules that look at no score (%(number)d), Average ranges from "
                "ability = %(low)s to %(high)s; by the rules of this report it is %(paper)s."
            )
            facts = {"number": low.n or 0, **value_cells(low=low, high=high, paper=paper)}
            yield "4.6", numbered(text, facts)
    yield from _people(records)
    text = _("Every export ships a script, recompute.py, that computes the numbers again from the tables.")
    yield "5.4", text


def _session(records: StudyRecords, starts: StartFacts) -> Sentences:
    text = _("Questions in one session: %(number)s; minutes it lasts at most: %(minutes)s.") % {
        "number": span_or_one(*starts.prompts, places=0),
        "minutes": span_or_one(*starts.minutes, places=0),
    }
    yield "3.1", " ".join([text, *extra_time(starts.more_time)])
    order, shuffled = [], records.protocol.prompt_order == "random"
    if amended(records, "prompt_order", "order_seed"):
        text = _(
            "An amendment changed the order of questions; see the amendments. The protocol now asks: "
            "%(order)s."
        )
        order.append(
            text % {"order": _("shuffled for everybody") if shuffled else _("the same for everybody")}
        )
    else:
        order.append(
            _("Yes: every person's question set was shuffled by a stored seed.")
            if shuffled
            else _("No: everybody with a question set saw it in the same order.")
        )
        if records.amendments:
            unchanged = _("Recorded amendments: %(number)d; none changed the order of questions.")
            order.append(numbered(unchanged, {"number": len(records.amendments)}))
    yield "3.1.1", " ".join(order)
    if not amended(records, "instructions"):
        yield "5.1.2", _("Yes: word for word, near the end of this report.")


def _screening(records: StudyRecords) -> Sentences:
    screening, flow = records.screening, records.flow
    if screening.decided:
        text = ngettext(
            "Yes: by named off-task rules and a reviewer, who decided about %(number)d person; people, "
            "not single answers, are left out.",
            "Yes: by named off-task rules and a reviewer, who decided about %(number)d people; people, "
            "not single answers, are left out.",
            screening.decided,
        )
        yield "3.2", numbered(text, {"number": screening.decided})
    else:
        text = _("Yes: named off-task rules flagged answers or people; no reviewer has decided about them.")
        yield "3.2", text
    yield "3.2.1", " ".join(_flags(records))
    facts = {"ended": flow.submitted + flow.expired, "undecided": screening.undecided}
    text = ngettext(
        "Not counted: %(excluded)d of %(ended)d person whose session ended; flagged: %(flagged)d, of whom "
        "not decided about: %(undecided)d.",
        "Not counted: %(excluded)d of %(ended)d people whose session ended; flagged: %(flagged)d, of whom "
        "not decided about: %(undecided)d.",
        facts["ended"],
    )
    yield "3.2.2", numbered(text, {**vars(flow), **facts})


def _flags(records: StudyRecords) -> Iterator[str]:
    def by_rule(counts: Mapping[str, int]) -> dict[str, str]:
        named = {str(FLAG_NAMES.get(reason, reason)): number for reason, number in counts.items()}
        return {"listed": listed(named)}

    screening = records.screening
    if screening.flagged_people:
        yield _("Flags on people by rule: %(listed)s.") % by_rule(screening.flagged_people)
    if screening.flagged_answers:
        text = (
            _("Flags on answers to public questions by rule: %(listed)s.")
            if records.scope == Scope.PUBLIC
            else _("Flags on answers by rule: %(listed)s.")
        )
        yield text % by_rule(screening.flagged_answers)


def _analysis(records: StudyRecords) -> Sentences:
    if records.average and records.average.ci_low_pool is not None:
        yield "4.2.1", _("Points with 95 % intervals.")
    compared = records.compared
    if not compared:
        return
    text = ngettext(
        "Yes, on the same questions, for %(number)d model with scores; where it cannot be told from the "
        "people that is said.",
        "Yes, on the same questions, for %(number)d models with scores; those that cannot be told from "
        "the people are named.",
        compared,
    )
    yield "4.1", numbered(text, {"number": compared})
    text = _(
        "Two-sided, on differences paired on the same questions, with errors clustered by the design and "
        "quantiles of t, at the 5 % level after Holm's correction."
    )
    yield "4.1.1", text
    if records.computed(Block.UNCERTAINTY):
        text = _(
            "Yes: for people the analytic standard error and those clustered by the design, each with its "
            "target; for models with scores that of their difference from the people."
        )
        yield "4.2", text
    share = records.blocks[Block.TOP].get("top.null_share", "top") if records.computed(Block.TOP) else None
    if share is not None and share.value is not None:
        yield "4.2", luck_sentence(share.value, share.details["draws"])
    if records.study.item_bank:
        yield "4.3", _same_metric(records)
    if records.measurement:
        models = records.blocks[Block.MODELS]
        if scored := [row.details for row in models.named("theta.epochs")]:
            yield "4.5", judges_sentence(scored)


def _same_metric(records: StudyRecords) -> str:
    if records.holds_tasks:
        return _(
            "Yes: accuracy per task and ability on a bank of tasks, at the same number of answers per task."
        )
    return _(
        "Yes: ability (theta.pool) and ability on the QL scale (theta_QL) on the item bank's scale, "
        "models by their single responses. By question means people come out 0.1 to 0.3 too low even at "
        "the same number of responses per question, which stands beside every comparison."
    )


def _people(records: StudyRecords) -> Sentences:
    """Who they are, how long they took, and how many did not complete the work."""
    if records.profiles:
        names = {profile.slug: profile.name for profile in records.protocol.profiles}
        counts = {names.get(slug, slug): number for slug, number in records.profiles.items()}
        yield "5.1.1", _("Counted people by profile: %(listed)s.") % {"listed": listed(counts)}
    if records.minutes:
        text = _(
            "Minutes from start to end of a session: median %(middle)s, from %(shortest)s to %(longest)s."
        )
        yield "5.1.3", text % {name: decimals(time, 0) for name, time in vars(records.minutes).items()}
    flow = records.flow
    if flow.started:
        text = _(
            "Of %(recruited)d recruited, %(never)d never started, %(withdrawn)d withdrew and %(expired)d ran "
            "out of time; %(submitted)d handed in."
        )
        yield "5.1.5", numbered(text, {**vars(flow), "never": flow.recruited - flow.started})
    if flow.voided:
        text = ngettext(
            "The study team voided %(voided)d session.",
            "The study team voided %(voided)d sessions.",
            flow.voided,
        )
        yield "5.1.5", numbered(text, vars(flow))
