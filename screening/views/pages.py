"""Screening: who was flagged and why, a verdict on each, and the ledger of what was decided."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from jobs.selectors import open_jobs
from jobs.services.starting import job_start
from presentation.exclusions import rule_name
from presentation.listing import Cell, Column, Listing, csv_lines, page_of, wants_csv
from presentation.numbers import decimals, numbered, percent
from presentation.provided import provided
from screening.forms import OTHER, VerdictForm
from screening.jobs import SCREENING
from screening.models import Verdict, VerdictDecision
from screening.offtask.readings import LeftOpen
from screening.selectors import ledger
from screening.selectors.cases import (
    CaseShown,
    case_shown,
    decided_queue,
    flagged_work,
    queue_entries,
    waiting_queue,
)
from screening.selectors.participants import flagged_participants
from screening.selectors.screening import (
    last_filter,
    people_counts,
    reviewer_agreement,
)
from screening.services.verdicts import DecidedMeanwhile, verdict_record
from studies.models import Participant, Study
from studies.roles import Can
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import private_shown, rights_here, signed_in, study_page
from studies.views.csv_files import csv_file

PEOPLE_PER_PAGE = 50
WAITING, DECIDED = "waiting", "decided"
SHOWS = (
    (ledger.NOT_COUNTED, gettext_lazy("Not counted")),
    (ledger.COUNTED, gettext_lazy("Counted")),
    (ledger.EVERYBODY, gettext_lazy("Everybody decided")),
)
LEDGER_COLUMNS: tuple[Column[Verdict], ...] = (
    Column("person", gettext_lazy("Person"), ("participant__code",)),
    Column("counted", gettext_lazy("Counted"), ("decision",)),
    Column("rules", gettext_lazy("What the rules found")),
    Column("reason", gettext_lazy("Reason")),
    Column("readings", gettext_lazy("Readings"), numeric=True),
    Column("decided", gettext_lazy("Decided"), ("decided_at",)),
)
LEDGER_FILE = {
    "person": "code", "counted": "counted", "rules": "found", "reason": "reason", "readings": "readings",
    "settled": "settled", "decided_at": "decided_at",
}  # fmt: skip
Queue = Sequence[tuple[str, str]]
QUEUE_FILE: dict[str, Cell[tuple[str, str]]] = {
    "person": lambda waiting: waiting[0], "waits_for": lambda waiting: waiting[1],
}  # fmt: skip
NEXT = {
    LeftOpen.SECOND.value: gettext_lazy("A second reviewer reads this person next."),
    LeftOpen.SETTLING.value: gettext_lazy(
        "The two verdicts differ; a third reviewer or the lead settles it."
    ),
}
"""What is said after a verdict that leaves something open."""


@dataclass(frozen=True)
class RuleRange:
    """The fewest and most people who count under the declared rule sets."""

    low: int
    high: int
    rules: int


@study_page(Can.REVIEW)
@require_safe
def staff_screening(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The queue and one person of it: the one that is asked for, else the first; the queue as CSV."""
    if wants_csv(request):
        lines = csv_lines(QUEUE_FILE, _queue(request, study))
        return csv_file(request, f"screening-{_show(request)}", lines, study=study)
    return _screening_page(request, study, request.GET.get("person", ""))


@study_page(Can.JUDGE)
@require_POST
def staff_screening_filter(request: HttpRequest, study: Study) -> HttpResponse:
    """Have the rules look at everybody who has finished."""
    job_start(kind=SCREENING, study=study, actor=signed_in(request), now=server_now())
    return redirect("staff_screening", slug=study.slug)


@study_page(Can.REVIEW)
@require_POST
def staff_verdict(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Record one decision and go on to the next person; what is refused stays written."""
    participant = flagged_participants(study).filter(code=code).first()
    if participant is None:
        raise Http404
    following = _neighbours(_queue(request, study), code)[1]
    form = VerdictForm(study.protocol.screening_reasons, request.POST)
    if not form.is_valid():
        return _screening_page(request, study, code, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        _decide(request, participant, form)
    except DecidedMeanwhile as refusal:
        kept = _("Nothing of yours is lost: your reason is still below. Press a button again to record it.")
        return _screening_page(
            request, study, code, form=form, refused=f"{refusal} {kept}", status=HTTPStatus.CONFLICT
        )
    except Refused as refusal:
        return _screening_page(
            request, study, code, form=form, refused=str(refusal), status=HTTPStatus.UNPROCESSABLE_ENTITY
        )
    query = {"show": _show(request), **({"person": following} if following else {})}
    return redirect(f"{reverse('staff_screening', args=[study.slug])}?{urlencode(query)}")


@study_page(Can.REVIEW)
@require_safe
def staff_screening_ledger(request: HttpRequest, study: Study) -> HttpResponse:
    """Everybody decided, with the reason that counts, and how many would count under other rules."""
    show = _ledger_show(request)
    listing = Listing(request, LEDGER_COLUMNS)
    people = ledger.ledger_people(study, show, listing.sort)
    page = listing.page(people)
    lines = ledger.ledger_lines(study, list(page.object_list))
    rules = [
        {"name": rule_name(rule.rule), "counted": rule.counted} for rule in provided("rule_counts", study)
    ]
    context = {
        "study": study, "page": page, "lines": lines, "show": show, "shows": SHOWS, "rules": rules,
        "listing": listing,
        "counts": people_counts(study, last_filter(study).ran_at),
    }  # fmt: skip
    return render(request, "screening/ledger.html", context)


@study_page(Can.REVIEW)
@require_safe
def staff_screening_ledger_csv(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The same rows, all of them."""
    people = ledger.ledger_people(study, _ledger_show(request), request.GET.get("sort", ""))
    lines = csv_lines(LEDGER_FILE, ledger.ledger_lines(study, people))
    return csv_file(request, "exclusions", lines, study=study)


def _decide(request: HttpRequest, participant: Participant, form: VerdictForm) -> None:
    verdict = verdict_record(
        participant=participant,
        decision=VerdictDecision(form.cleaned_data["decision"]),
        reason=form.cleaned_data["reason"],
        reason_code=form.cleaned_data["reason_code"],
        actor=signed_in(request),
        now=server_now(),
        seen_verdict_id=form.cleaned_data["seen"],
        settles=Can.JUDGE in rights_here(request),
    )
    outcome = f"{participant.code}: {VerdictDecision(verdict.decision).label}."
    messages.success(request, f"{outcome} {NEXT.get(verdict.leaves_open, '')}".strip())


def _show(request: HttpRequest) -> str:
    return DECIDED if request.GET.get("show") == DECIDED else WAITING


def _ledger_show(request: HttpRequest) -> str:
    wanted = request.GET.get("show", "")
    return wanted if wanted in {value for value, _label in SHOWS} else ledger.NOT_COUNTED


def _queue(request: HttpRequest, study: Study) -> Queue:
    if _show(request) == DECIDED:
        return decided_queue(study)
    return waiting_queue(study, signed_in(request), settles=Can.JUDGE in rights_here(request))


def _neighbours(queue: Queue, code: str) -> tuple[str, str]:
    """The codes before and after this one; "" where there is none."""
    codes = [person for person, _waits in queue]
    if code not in codes:
        return "", codes[0] if codes else ""
    place = codes.index(code)
    return codes[place - 1] if place else "", codes[place + 1] if place + 1 < len(codes) else ""


def _screening_page(
    request: HttpRequest,
    study: Study,
    code: str,
    *,
    form: VerdictForm | None = None,
    refused: str = "",
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    queue = _queue(request, study)
    codes = [person for person, _waits in queue]
    chosen = code or (codes[0] if codes else "")
    settles = Can.JUDGE in rights_here(request)
    place = codes.index(chosen) + 1 if chosen in codes else 0
    page = page_of(request, queue, PEOPLE_PER_PAGE, default=max(place - 1, 0) // PEOPLE_PER_PAGE + 1)
    entries = list(page.object_list)
    work = flagged_work(study, [*(person for person, _waits in entries), chosen]) if chosen else {}
    rights, reviewer = rights_here(request), signed_in(request)
    case = case_shown(study, work, chosen, reviewer, settles=settles, rights=rights) if chosen else None
    if code and case is None:
        raise Http404
    if case:
        seen = (place.label for place in case.places if place.is_private and not place.is_withheld)
        private_shown(request, study, "screening", seen)
    numbers = _numbers(study)
    # Nobody needs the filter again before somebody has finished whom it did not look at.
    may_be_running = not numbers["filter"] or numbers["counts"].finished_since
    previous, following = _neighbours(queue, chosen)
    context = {
        "study": study, "show": _show(request), "case": case, "chosen": chosen, "place": place,
        "queue_size": len(queue), "pages": page, "entries": queue_entries(work, entries),
        "previous": previous, "following": following, "refused": refused,
        "form": form or VerdictForm(study.protocol.screening_reasons), "other": OTHER,
        "spent": _duration(case) if case else "", "may_start": settles,
        "job": open_jobs(study).filter(kind=SCREENING).first() if settles and may_be_running else None,
        **numbers,
    }  # fmt: skip
    return render(request, "screening/screening.html", context, status=status)


def _numbers(study: Study) -> dict[str, Any]:
    """What the filter and the reviewers came to."""
    facts = last_filter(study)
    ran, share = facts.ran, facts.share
    counts, agreement = people_counts(study, facts.ran_at), reviewer_agreement(study)
    by_rule = [rule.counted for rule in provided("rule_counts", study)]
    return {
        "filter": ran,
        "counts": counts,
        "screened": counts.finished - counts.finished_since if ran else 0,
        "since_words": numbered(
            ngettext(
                "%(n)d person has finished since and was not looked at.",
                "%(n)d people have finished since and were not looked at.",
                counts.finished_since,
            ),
            {"n": counts.finished_since},
        ),
        "agreement": agreement,
        "agreement_shown": "" if math.isnan(agreement.kappa) else decimals(agreement.kappa, 2),
        "rule_range": RuleRange(min(by_rule), max(by_rule), len(by_rule)) if by_rule else None,
        "share": None if share is None else percent(share, 0),
    }


def _duration(case: CaseShown) -> str:
    hours, minutes = divmod(max(case.spent, timedelta(0)) // timedelta(minutes=1), 60)
    if hours:
        return numbered(_("%(hours)d h %(minutes)d min"), {"hours": hours, "minutes": minutes})
    return numbered(_("%(minutes)d min"), {"minutes": minutes})
