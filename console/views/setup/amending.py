"""Changing a locked study: the difference is shown before it is made, and it needs a reason."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.forms.protocol import AmendmentForm
from console.forms.step_form import StepForm
from console.forms.steps import STEP_FORMS
from console.selectors.steps import STEP_LABELS, TEXT_PAGES
from console.views.setup.protocol_rows import fixed_names, in_words, setting_label
from formats.canonical import canonical_sha256
from formats.cells import csv_cell
from presentation.listing import page_of, wants_csv
from presentation.moments import moment
from presentation.numbers import counted
from studies.models import Amendment, Study, StudyStatus
from studies.protocol.describing import holds_for
from studies.protocol.fingerprint import BESIDE_DESIGN, aware_time
from studies.protocol.settings import ProtocolRefused, read_settings
from studies.roles import Can
from studies.selectors.studies import made_after_results, results_first_at
from studies.services.amendments import TIMES, AmendedSince, study_amend
from studies.services.clock import server_now
from studies.services.drafts import ROW
from studies.services.refusals import Refused
from studies.views.access import signed_in, study_page
from studies.views.csv_files import csv_file

AMENDMENTS_PER_PAGE = 20
COLUMNS = ("amendment", "made_at", "made_by", "reason", "after_results", "setting", "before", "after")


@require_safe
@study_page(Can.SEE_PROTOCOL)
def staff_amend(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Every amendment with its differences, the same as CSV, and what may still be changed."""
    rows = study.amendments.select_related("made_by").order_by("-number")
    if wants_csv(request):
        return csv_file(request, "amendments", _csv_rows(rows, made_after_results(study)), study=study)
    amended = page_of(request, rows, AMENDMENTS_PER_PAGE)
    late = made_after_results(study, list(amended))
    amendments = [
        {"row": row, "changes": _changes_in_words(row.changes), "is_late": row in late} for row in amended
    ]
    pages = [
        {"page": page, "label": TEXT_PAGES.get(page) or STEP_LABELS[page]}
        for page, kind in STEP_FORMS.items()
        if _amendable(study, kind)
    ]
    context = {"study": study, "page": amended, "amendments": amendments, "pages": pages}
    return render(request, "console/setup/amendments.html", context)


def _csv_rows(amendments: Iterable[Amendment], late: Collection[Amendment]) -> Iterator[list[str]]:
    """One row for each setting that an amendment changed, with its values as they are stored."""
    yield list(COLUMNS)
    for amendment in amendments:
        made_by = amendment.made_by.email if amendment.made_by else None
        for setting, change in amendment.changes.items():
            cells = (
                amendment.number, amendment.made_at.isoformat(), made_by, amendment.reason,
                amendment in late, setting, change["from"], change["to"],
            )  # fmt: skip
            yield [csv_cell(cell) for cell in cells]


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Can.SET_UP)
def staff_amend_step(request: HttpRequest, study: Study, page: str) -> HttpResponse:
    """One page of the protocol to change: first the difference is shown, then it is made."""
    kind = STEP_FORMS.get(page)
    if kind is None or study.status != StudyStatus.FROZEN or not _amendable(study, kind):
        raise Http404
    more = request.POST.get("more", "")
    form = _open_fields(study, kind(study, request.POST or None, more=more))
    late = results_first_at(study) is not None
    if request.method == "POST" and "more" not in request.POST and "again" not in request.POST:
        reason = AmendmentForm(request.POST, after_results=late)
    else:  # it is not asked for before the difference was shown
        reason = AmendmentForm(initial={"reason": request.POST.get("reason", "")}, after_results=late)
    if request.method != "POST" or more or not form.is_valid():
        return _page(request, study, page, form, reason)
    return _amended(request, study, page, form, reason)


def _amended(
    request: HttpRequest, study: Study, page: str, form: StepForm, reason: AmendmentForm
) -> HttpResponse:
    """Make the amendment as it was shown, or show it. Where another one was made since the step was opened,
    that is told, and what was changed here stands over what is stored now.
    """
    seen = request.POST.get("seen", "")
    stored, opened = _stored(study), _opened(study, seen)
    times = {name: _iso(value) for name, value in form.row().items() if name in TIMES}
    written = {**form.settings(), **times}
    changes = {name: value for name, value in written.items() if value not in (opened[name], stored[name])}
    difference = _difference(stored, changes)
    fingerprint = canonical_sha256({name: in_words(value) for name, value in changes.items()})
    try:
        changed = _changed(study, form, changes)
        if seen != study.protocol_hash:
            anew = _open_fields(study, type(form)(changed))
            since = _difference(opened, stored)
            return _page(
                request, study, page, anew, reason, difference=difference, fingerprint=fingerprint,
                since=since, changes=changes,
            )  # fmt: skip
        if (
            "again" not in request.POST
            and request.POST.get("shown") == fingerprint
            and difference
            and reason.is_valid()
        ):
            amendment = study_amend(
                study=study, changes=changes, reason=reason.cleaned_data["reason"], now=server_now(),
                actor=signed_in(request), seen=seen,
            )  # fmt: skip
            messages.success(
                request, _("Amendment %(number)s is made.") % {"number": counted(amendment.number)}
            )
            return redirect("staff_amend", slug=study.slug)
    except ProtocolRefused as refusal:
        form.refuse(refusal)
    except AmendedSince:
        study.refresh_from_db()
        return _amended(request, study, page, form, reason)
    except Refused as refusal:
        form.add_error(None, str(refusal))
    if not difference:
        form.add_error(None, _("Nothing was changed, so there is nothing to amend."))
    return _page(
        request, study, page, form, reason, difference=difference, fingerprint=fingerprint, changes=changes
    )


def _page(
    request: HttpRequest,
    study: Study,
    page: str,
    form: StepForm,
    reason: AmendmentForm,
    *,
    difference: list[dict[str, Any]] | None = None,
    fingerprint: str = "",
    since: list[dict[str, Any]] | None = None,
    changes: Mapping[str, object] | None = None,
) -> HttpResponse:
    """The step; `since` is what others amended after it was opened, which is seen from here on. `changes` are
    told whom they hold for.
    """
    names = list(changes or {})
    holds = [
        {"sentence": _(kind.value), "labels": [setting_label(name) for name in own]}
        for kind, own in holds_for(names).items()
    ]
    design_changes = not set(names) <= {*TIMES, *BESIDE_DESIGN}
    now_seen = study.protocol_hash
    label = TEXT_PAGES.get(page) or STEP_LABELS[page]
    context = {
        "study": study, "form": form, "page": page, "label": label, "reason": reason,
        "difference": difference if not form.errors else None, "shown": fingerprint, "since": since,
        "seen": now_seen if since is not None else request.POST.get("seen", now_seen),
        "results_at": results_first_at(study), "holds": holds, "design_changes": design_changes,
    }  # fmt: skip
    status = 409 if since is not None else 422 if form.errors else 200
    return render(request, "console/setup/amend.html", context, status=status)


def _amendable(study: Study, kind: type[StepForm]) -> list[str]:
    """What an amendment may change of a page."""
    closed = {*fixed_names(study.protocol), *(name for name in ROW if name not in TIMES)}
    return [name for name in kind.names() if name not in closed]


def _open_fields(study: Study, form: StepForm) -> StepForm:
    """The form without what stays as it is."""
    stay = set(form.names()) - set(_amendable(study, type(form)))
    for name in stay:
        form.fields.pop(name, None)
        form.rows.pop(name, None)
    form.groups = tuple(  # type: ignore[misc]  # of this form alone
        (label, tuple(name for name in names if name not in stay)) for label, names in form.groups
    )
    return form


def _stored(study: Study) -> dict[str, Any]:
    return study.protocol.model_dump(mode="json") | {name: _iso(getattr(study, name)) for name in TIMES}


def _opened(study: Study, seen: str) -> dict[str, Any]:
    """What was stored under this hash of the protocol, which amendments since then have changed; what is
    stored now where it is the hash of no protocol of this study.
    """
    stored = _stored(study)
    undone: dict[str, Any] = {}
    for amendment in study.amendments.order_by("-number") if seen != study.protocol_hash else ():
        undone |= {name: change["from"] for name, change in amendment.changes.items()}
        if amendment.protocol_hash_before == seen:
            return stored | undone
    return stored


def _changed(study: Study, form: StepForm, changes: Mapping[str, object]) -> Study:
    """The study with these changes of the form, unsaved. Raises ProtocolRefused."""
    changed = copy(study)
    settings = {name: value for name, value in changes.items() if name not in TIMES}
    changed.settings = read_settings({**study.all_settings, **settings}).model_dump(mode="json")
    for name in changes.keys() & set(TIMES):
        setattr(changed, name, form.cleaned_data[name])
    return changed


def _iso(value: object) -> str | None:
    return value.isoformat() if isinstance(value, datetime) else None


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    changes = {
        name: {"from": before[name], "to": value} for name, value in after.items() if before[name] != value
    }
    return _changes_in_words(changes)


def _changes_in_words(changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "label": setting_label(name),
            "before": _value(name, change["from"]),
            "after": _value(name, change["to"]),
        }
        for name, change in changes.items()
    ]


def _value(name: str, value: object) -> str:
    if name in TIMES and isinstance(value, str) and (time := aware_time(value)):
        return moment(time)
    return in_words(value, name)
