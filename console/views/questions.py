"""The questions of a study and the sets they are cut into."""

from django.contrib import messages
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from batches.jobs import BUILDING, REPORTING
from batches.models import BatchPlan
from batches.selectors.answers import answers_to_score
from batches.selectors.plans import plan_matches, plan_report
from console.selectors.question_results import QuestionLine, QuestionResult, question_results
from console.selectors.questions import FLAGS, SetRow, answers_counted, chosen, set_rows, study_questions
from jobs.selectors import unless_done
from jobs.services.starting import job_needed, job_start
from judging.selectors.runs import newest_scores_run
from presentation.codes import CodeNames
from presentation.listing import Cell, Column, Listing
from screening.views.blinding import results_are_hidden
from studies.models import Item, Prompt, Study
from studies.roles import Can
from studies.selectors.categories import question_categories
from studies.selectors.names import code_names
from studies.selectors.private_questions import is_private, private_prompts, seen_by
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import private_shown, rights_here, signed_in, study_page
from studies.views.csv_files import csv_file

LIST_COLUMNS: tuple[Column[QuestionLine], ...] = (
    Column("label", gettext_lazy("Question"), ("question__label",)),
    Column("category", gettext_lazy("Category"), ("question__category",)),
    Column("set", gettext_lazy("Set"), ("question__sets",)),
    Column("answers", gettext_lazy("Answers"), ("question__answers",), numeric=True),
    Column("difficulty", gettext_lazy("Difficulty"), ("question__difficulty",), numeric=True),
    Column(
        "people", gettext_lazy("People"), ("result__people",), numeric=True,
        title=gettext_lazy("Mean score of the people who count, in the newest results"),
    ),
    Column(
        "models", gettext_lazy("Models"), ("result__models",), numeric=True,
        title=gettext_lazy("Mean score of the models whose results are here"),
    ),
    Column(
        "time", gettext_lazy("Time"), ("question__taken",), numeric=True,
        title=gettext_lazy(
            "From opening the question to the last save, on average; others may have been read in between"
        ),
    ),
    Column(
        "messages", gettext_lazy("Messages"), ("result__messages",), numeric=True,
        title=gettext_lazy(
            "Messages that people wrote from this question: the first sign of an unclear one"
        ),
    ),
    Column("flags", gettext_lazy("Flags")),
)  # fmt: skip
BY_RESULTS = ("people", "models", "messages")
SET_COLUMNS: tuple[Column[SetRow], ...] = (
    Column("set", gettext_lazy("Set"), ("number",), numeric=True),
    Column("questions", gettext_lazy("Questions"), ("size",), numeric=True),
    Column("mean_difficulty", gettext_lazy("Mean difficulty"), ("difficulty",), numeric=True),
    Column("expected_score", gettext_lazy("Expected score"), ("expected",), numeric=True),
    Column(
        "information", gettext_lazy("Information"), ("information",), numeric=True,
        title=gettext_lazy("Sum of squared discriminations: how much a set tells of a person"),
    ),
    Column(
        "categories", gettext_lazy("Categories"), (),
        lambda row: ", ".join(f"{name} {number}" for name, number in row.categories),
    ),
)  # fmt: skip


@require_safe
@study_page(Can.SEE_ANSWERS)
def staff_questions(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Every question with its set, answers so far and flags; the same rows as CSV."""
    rights, names = rights_here(request), code_names(study)
    everything = study_questions(study, rights)
    words, category = request.GET.get("q", ""), request.GET.get("category", "")
    flag, listing = request.GET.get("flag", ""), Listing(request, LIST_COLUMNS, _file(names))
    with_scores = not results_are_hidden(request, study)
    needs_results = listing.wants_csv or listing.sort.removeprefix("-") in BY_RESULTS
    known = question_results(study, everything, with_scores=with_scores) if needs_results else {}
    rows = listing.sorted(
        QuestionLine(question, known.get(question.pk, QuestionResult()))
        for question in chosen(everything, names, words=words, category=category, flag=flag)
    )
    page = listing.page(rows)
    listed = [row.question for row in (rows if listing.wants_csv else page)]
    private_shown(request, study, "questions", (row.label for row in listed if row.is_private))
    if listing.wants_csv:
        return csv_file(request, "questions", listing.lines(rows), study=study)
    plan = BatchPlan.objects.filter(study=study).first()
    results = known or question_results(study, listed, with_scores=with_scores)
    context = {
        "study": study,
        "page": page,
        "rows": [QuestionLine(question, results[question.pk]) for question in listed],
        "with_scores": with_scores,
        "total": len(everything),
        "withheld": 0 if Can.SEE_PRIVATE in rights else private_prompts(study).count(),
        "plan": plan,
        "kept": {"q": words, "category": category, "flag": flag},
        "names": names,
        "categories": sorted(names.category(code) for code in {row.category for row in everything} if code),
        "flags": [
            (name, label, sum(name in question.flags for question in everything))
            for name, label in FLAGS.items()
            if name != "private" or Can.SEE_PRIVATE in rights
        ],
        "listing": listing,
    }
    return render(request, "console/questions/list.html", context)


def _file(names: CodeNames) -> dict[str, Cell[QuestionLine]]:
    """The columns of the file."""
    return {
        "label": "question__label", "prompt_id": "question__prompt_id",
        "category": lambda line: names.category(line.question.category) if line.question.category else "",
        "modality": "question__modality", "sets": lambda line: " ".join(map(str, line.question.sets)),
        "answers": "question__answers", "scored": "result__scored", "people_mean": "result__people",
        "models_mean": "result__models", "difficulty": "question__difficulty", "taken_s": "question__taken",
        "messages": "result__messages", "flags": lambda line: " ".join(line.question.flags),
    }  # fmt: skip


@require_safe
@study_page(Can.SEE_PROTOCOL)
def staff_questions_sets(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The question sets and how far they are alike, the same rows as CSV; without them, how to build them."""
    plan = BatchPlan.objects.filter(study=study).first()
    listing = Listing(request, SET_COLUMNS)
    report, job = (plan_report(plan, rights_here(request)) if plan else {}), unless_done(study, BUILDING)
    lacks_report = report is None
    if report is None:
        report, job = {}, None
        try:  # a version before this one kept no report
            job = job_needed(kind=REPORTING, study=study, actor=signed_in(request), now=server_now())
        except Refused as refusal:
            messages.info(request, str(refusal))
    rows = listing.sorted(set_rows(report, code_names(study)) if report else ())
    if listing.wants_csv and not lacks_report:
        return csv_file(request, "question-sets", listing.lines(rows), study=study)
    context = {
        "study": study,
        "plan": plan,
        "job": job,
        "report": report,
        "is_current": plan is not None and plan_matches(plan, study),
        "sets": listing.page(rows),
        "listing": listing,
        "points": [row for row in rows if row.x is not None],
        "spread": report.get("spread", {}),
        "linkage": report.get("linkage", {}),
        "ability": report["abilities"][len(report["abilities"]) // 2] if report else None,
        "public_only": report.get("public_only", False),
    }
    return render(request, "console/questions/sets.html", context)


@require_POST
@study_page(Can.SET_UP)
def staff_questions_build(request: HttpRequest, study: Study) -> HttpResponse:
    """Ask for sets as the settings say; sets that nobody has worked on are replaced."""
    arguments = {"language": get_language() or "en"}
    try:
        job_start(kind=BUILDING, study=study, actor=signed_in(request), now=server_now(), arguments=arguments)
    except Refused as refusal:
        messages.error(request, str(refusal))
    back = request.POST.get("back", "")
    if back == "setup":
        return redirect("staff_setup_step", slug=study.slug, page="questions")
    return redirect(reverse("staff_questions_sets", args=[study.slug]))


@require_safe
@study_page(Can.SEE_ANSWERS)
def staff_question(request: HttpRequest, study: Study, label: str) -> HttpResponse:
    """One question in full: what people read, and what answers are scored by."""
    items = Item.objects.filter(item_bank=study.item_bank_id, prompt_id=OuterRef("prompt_id"))
    prompts = seen_by(rights_here(request), Prompt.objects.filter(version=study.bank_version_id))
    prompts = prompts.prefetch_related("criteria", "attachments")
    prompts = prompts.annotate(a=Subquery(items.values("a")[:1]), b=Subquery(items.values("b")[:1]))
    prompt = get_object_or_404(prompts, label=label)
    private_shown(request, study, "question", [prompt.label] if is_private(prompt) else [])
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
        "is_private": is_private(prompt),
        "names": code_names(study),
        "categories": question_categories(study, prompts.filter(pk=prompt.pk))[prompt.prompt_id],
        "sets": sets,
        "answers": answers[prompt.pk],
        "taken": taken.get(prompt.pk),
        "with_scores": with_scores,
        "result": question_results(study, [prompt], with_scores=with_scores)[prompt.pk],
        "judged_by": newest_scores_run(study) if with_scores else None,
    }
    return render(request, "console/questions/question.html", context)
