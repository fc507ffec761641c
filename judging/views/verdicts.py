"""Single verdicts of judges: those that failed, those that were given, and one at random."""

import random
from collections.abc import Iterator

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formats.cells import csv_cell
from judging.models import CriterionScore, JudgingRun
from judging.selectors.judges import judge_name
from judging.selectors.runs import newest_scores_run
from judging.selectors.viewing import (
    PROMPT,
    is_met,
    run_verdicts,
    verdict_at_random,
    verdict_shown,
    without_texts,
)
from judging.views.reason_texts import reason_text
from judging.views.runs import run_page
from presentation.listing import page_of, wants_csv
from presentation.numbers import decimals
from screening.views.blinding import results_hidden
from studies.models import Study
from studies.roles import Can
from studies.selectors.private_questions import is_private, of_public
from studies.views.access import private_shown, rights_here, study_page
from studies.views.csv_files import csv_file
from studies.views.second_factor import proof_required

VERDICTS_PER_PAGE = 50
ROWS_AT_ONCE = 2000
COLUMNS = ("question", "is_private", "criterion", "judge", "met", "score", "confidence", "unscored_reason")


@run_page(Can.SEE_ANSWERS)
@require_safe
def staff_judging_verdicts(request: HttpRequest, run: JudgingRun) -> HttpResponseBase:
    """What was asked, answered and said: of the verdicts that failed for a reason, or of those given; the
    same rows as CSV, without texts.
    """
    reason, question = request.GET.get("reason", ""), request.GET.get("question", "")
    # What failed has no score, so that there is nothing to hide from who still decides on people.
    hidden = None if reason else results_hidden(request, run.study)
    if hidden is not None:
        return hidden
    rows = run_verdicts(run, reason, question, rights=rights_here(request))
    if wants_csv(request):
        private = rows.exclude(of_public(PROMPT)).order_by().values_list("answer__prompt__label", flat=True)
        private_shown(request, run.study, "verdicts", private.distinct())
        return _file(request, run, rows)
    page = page_of(request, rows, VERDICTS_PER_PAGE)
    on_page = list(page.object_list)
    wanted = request.GET.get("verdict", "")
    row = next((row for row in on_page if str(row.pk) == wanted), on_page[0] if on_page else None)
    place = on_page.index(row) if row else 0
    prompts = (row.answer.prompt for row in on_page)
    private_shown(request, run.study, "verdicts", (prompt.label for prompt in prompts if is_private(prompt)))
    context = {
        "study": run.study, "run": run, "reason": reason, "question": question, "page": page, "rows": on_page,
        "reason_text": reason_text(reason) if reason else "",
        "verdict": verdict_shown(row) if row else None,
        "confidence": decimals(row.confidence, 2) if row else "",
        "score": decimals(row.score, 2) if row else "",
        "previous": on_page[place - 1].pk if place else "",
        "following": on_page[place + 1].pk if place + 1 < len(on_page) else "",
        "place": place + page.start_index() if on_page else 0,
    }  # fmt: skip
    return render(request, "judging/verdicts.html", context)


@proof_required
def _file(request: HttpRequest, run: JudgingRun, rows: QuerySet[CriterionScore]) -> HttpResponseBase:
    return csv_file(request, f"verdicts-{run.pk}", _lines(rows), study=run.study)


def _lines(rows: QuerySet[CriterionScore]) -> Iterator[list[str]]:
    yield list(COLUMNS)
    for row in without_texts(rows).iterator(ROWS_AT_ONCE):
        # A file is passed on: it names and scores no private question, whoever takes it.
        private = is_private(row.answer.prompt)
        score = None if private else row.score
        cells = (
            None if private else row.answer.prompt.label, private,
            row.criterion.position if row.criterion else None, judge_name(row.run), is_met(score), score,
            row.confidence, row.unscored_reason or None,
        )  # fmt: skip
        yield [csv_cell(cell) for cell in cells]


@study_page(Can.JUDGE)
@require_safe
def staff_judging_random(request: HttpRequest, study: Study) -> HttpResponse:
    """A verdict at random: a page, or with `?part` a part of the judging page."""
    is_part, hidden = "part" in request.GET, results_hidden(request, study)
    if hidden is not None:
        return render(request, "judging/_verdict_hidden.html", {}) if is_part else hidden
    run = newest_scores_run(study)
    row = verdict_at_random(run, random.SystemRandom()) if run else None
    shown = verdict_shown(row) if row else None
    context = {
        "study": study,
        "verdict": shown,
        "confidence": decimals(row.confidence, 2) if row else "",
    }
    template = "_verdict_random" if is_part else "verdict_random"
    return render(request, f"judging/{template}.html", context)
