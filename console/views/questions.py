"""The questions of a study and the sets they are cut into."""

import csv

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_POST, require_safe

from batches.models import BatchPlan
from batches.selectors.answers import answers_to_score
from batches.selectors.plans import plan_matches
from batches.services.plans import batches_build
from console.selectors.question_results import question_results
from console.selectors.questions import (
    FLAGS,
    SORTS,
    Question,
    answers_counted,
    chosen,
    set_rows,
    study_questions,
)
from formats.cells import csv_cell
from judging.selectors.runs import newest_scores_run
from screening.views.blinding import results_are_hidden
from studies.models import Item, Prompt, Study
from studies.roles import Can
from studies.selectors.names import code_names
from studies.services.refusals import Refused
from studies.views.access import signed_in, study_page

PER_PAGE = 50
COLUMNS = (
    "label", "prompt_id", "category", "modality", "sets", "answers", "scored", "people_mean", "models_mean",
    "difficulty", "taken_s", "messages", "flags",
)  # fmt: skip


@require_safe
@study_page(Can.SEE_ANSWERS)
def staff_questions(request: HttpRequest, study: Study) -> HttpResponse:
    """Every question with its set, answers so far and flags; the same rows as CSV."""
    everything = study_questions(study)
    words, category = request.GET.get("q", ""), request.GET.get("category", "")
    flag, sort = request.GET.get("flag", ""), request.GET.get("sort", "")
    rows = chosen(everything, words=words, category=category, flag=flag, sort=sort)
    with_scores = not results_are_hidden(request, study)
    if request.GET.get("format") == "csv":
        return _csv(study, rows, with_scores=with_scores)
    plan = BatchPlan.objects.filter(study=study).first()
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    results = question_results(study, shown, with_scores=with_scores)
    names = code_names(study)
    kept = {"q": words, "category": category, "flag": flag, "sort": sort}
    context = {
        "study": study,
        "page": page,
        "rows": [(one, results[one.pk]) for one in shown],
        "with_scores": with_scores,
        "number": len(rows),
        "total": len(everything),
        "plan": plan,
        "is_current": plan is not None and plan_matches(plan, study),
        "kept": kept,
        "names": names,
        "categories": sorted(names.category(one) for one in {row.category for row in everything} if one),
        "flags": [
            (name, label, sum(name in one.flags for one in everything)) for name, label in FLAGS.items()
        ],
        "columns": _columns(sort),
    }
    return render(request, "console/questions/list.html", context)


def _columns(sort: str) -> list[dict[str, str]]:
    """Heads of the table; the one that is sorted by turns round."""
    labels = {
        "label": _("Question"), "category": _("Category"), "set": _("Set"), "answers": _("Answers"),
        "difficulty": _("Difficulty"),
    }  # fmt: skip
    state = {name: "ascending", f"-{name}": "descending"} if (name := sort.lstrip("-")) in SORTS else {}
    return [
        {
            "label": label,
            "sort": f"-{name}" if sort == name else name,
            "state": state.get(sort, "") if sort.lstrip("-") == name else "",
            "class": "numeric" if name in ("answers", "difficulty") else "",
        }
        for name, label in labels.items()
    ]


def _csv(study: Study, rows: list[Question], *, with_scores: bool) -> HttpResponse:
    results = question_results(study, rows, with_scores=with_scores)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-questions.csv"'
    writer = csv.writer(response, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in rows:
        sets, flags = " ".join(map(str, one.sets)), " ".join(one.flags)
        result = results[one.pk]
        cells = (
            one.label, one.prompt_id, one.category, one.modality, sets, one.answers, result.scored,
            result.people, result.models, one.difficulty, one.taken,
            result.messages, flags,
        )  # fmt: skip
        writer.writerow([csv_cell(cell) for cell in cells])
    return response


@require_safe
@study_page(Can.SEE_PROTOCOL)
def staff_questions_sets(request: HttpRequest, study: Study) -> HttpResponse:
    """The question sets and how far they are alike; without them, how to build them."""
    plan = BatchPlan.objects.filter(study=study).first()
    rows = set_rows(plan, code_names(study)) if plan else []
    context = {
        "study": study,
        "plan": plan,
        "is_current": plan is not None and plan_matches(plan, study),
        "sets": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "points": [row for row in rows if row.x is not None],
        "spread": plan.report["spread"] if plan else {},
        "linkage": plan.report.get("linkage", {}) if plan else {},
        "ability": plan.report["abilities"][len(plan.report["abilities"]) // 2] if plan else None,
    }
    return render(request, "console/questions/sets.html", context)


@require_POST
@study_page(Can.SET_UP)
def staff_questions_build(request: HttpRequest, study: Study) -> HttpResponse:
    """Cut the bank into sets as the settings say; sets that nobody has worked on are replaced."""
    try:
        plan = batches_build(study=study, now=timezone.now(), actor=signed_in(request))
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        number = len(plan.report["sizes"])
        sentence = ngettext(
            "%(number)s question set is built.", "%(number)s question sets are built.", number
        )
        messages.success(request, sentence % {"number": number})
    back = request.POST.get("back", "")
    if back == "setup":
        return redirect("staff_setup_step", slug=study.slug, page="questions")
    return redirect(reverse("staff_questions_sets", args=[study.slug]))


@require_safe
@study_page(Can.SEE_ANSWERS)
def staff_question(request: HttpRequest, study: Study, label: str) -> HttpResponse:
    """One question in full: what people read, and what answers are scored by."""
    items = Item.objects.filter(item_bank=study.item_bank_id, prompt_id=OuterRef("prompt_id"))
    prompts = Prompt.objects.filter(version=study.bank_version_id).prefetch_related("criteria", "attachments")
    prompts = prompts.annotate(a=Subquery(items.values("a")[:1]), b=Subquery(items.values("b")[:1]))
    prompt = get_object_or_404(prompts, label=label)
    sets = list(
        prompt.places.filter(batch__plan__study=study).order_by("batch__number").values_list(
            "batch__number", "position"
        )
    )  # fmt: skip
    with_scores = not results_are_hidden(request, study)
    answers, taken = answers_counted(answers_to_score(study).filter(prompt=prompt.pk))
    context = {
        "study": study,
        "prompt": prompt,
        "names": code_names(study),
        "sets": sets,
        "answers": answers[prompt.pk],
        "taken": taken.get(prompt.pk),
        "with_scores": with_scores,
        "result": question_results(study, [prompt], with_scores=with_scores)[prompt.pk],
        "judged_by": newest_scores_run(study) if with_scores else None,
    }
    return render(request, "console/questions/question.html", context)
