"""What happened in a study, and its protocol as files."""

from collections.abc import Mapping
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from batches.models import SessionEventKind
from batches.views.wording import detail_words, event_words, value_words
from console.forms.history import SOURCES, HistoryForm
from console.selectors.history import Asked, Line, Source, history_lines
from console.selectors.protocol_files import protocol_json, protocol_markdown, protocol_record
from console.views.live.words import ACTION_WORDS
from console.views.setup.protocol_rows import setting_label
from formats.codes import number_asked
from presentation.listing import Cell, csv_lines
from presentation.moments import moment
from presentation.numbers import counted
from presentation.tables import Named
from screening.models import VerdictDecision
from studies.models import Audience, Study
from studies.models.roles import ROLES
from studies.roles import Can
from studies.selectors.roles import roles_in
from studies.services.events import StudyEventKind
from studies.views.access import rights_here, signed_in, study_page
from studies.views.csv_files import csv_file
from studies.views.role_words import RIGHT_WORDS
from studies.views.second_factor import proof_required

LINES_PER_PAGE = 50
LISTED = 5  # of a list among the details; the file has all
MOST_ROWS = 10**18 - 1
FILE: dict[str, Cell[Line]] = {
    "happened_at": "happened_at", "what": "kind", "person": "code", "by": "by",
    "details": lambda line: dict(line.details) or None,
}  # fmt: skip
WORDS: Mapping[str, Promise] = {
    StudyEventKind.CREATED: _("study made"),
    StudyEventKind.SETTINGS_CHANGED: _("settings of the draft changed"),
    StudyEventKind.FROZEN: _("study locked"),
    StudyEventKind.AMENDED: _("protocol amended"),
    StudyEventKind.CLOSED: _("study closed"),
    StudyEventKind.ROLE_GIVEN: _("role given"),
    StudyEventKind.ROLE_TAKEN: _("role taken back"),
    StudyEventKind.RIGHTS_CHANGED: _("rights of a coordinator changed"),
    StudyEventKind.LEADS_NUDGED: _("leads reminded of applications"),
    StudyEventKind.BATCHES_BUILT: _("question sets built"),
    StudyEventKind.ANNOUNCED: _("announcement made"),
    StudyEventKind.MODELS_IMPORTED: _("results of models imported for the item bank"),
    StudyEventKind.MODELS_TAKEN: _("newer results of models taken over"),
    StudyEventKind.MODELS_DELETED: _("results of models deleted"),
    StudyEventKind.BANK_NAMES_CHANGED: _("names of categories changed in the question bank"),
    StudyEventKind.ANNOUNCEMENT_WITHDRAWN: _("announcement taken back"),
    StudyEventKind.LINK_CHANGED: _("entry link set up"),
    StudyEventKind.LINK_OPENED: _("entry link opened"),
    StudyEventKind.LINK_CLOSED: _("entry link closed"),
    StudyEventKind.CLOCK_CONFIRMED: _("server's clock confirmed"),
    StudyEventKind.PAYMENTS_LISTED: _("list of payments taken"),
    StudyEventKind.JUDGING_STARTED: _("judging started"),
    StudyEventKind.JUDGING_PAUSED: _("judging paused"),
    StudyEventKind.JUDGING_RESUMED: _("judging resumed"),
    StudyEventKind.JUDGING_CANCELLED: _("judging cancelled"),
    StudyEventKind.JUDGING_FINISHED: _("judging finished"),
    StudyEventKind.JUDGE_CHANGED: _("settings of a judge changed"),
    StudyEventKind.AUDIT_DRAWN: _("audit sample drawn"),
    StudyEventKind.AUDIT_IMPORTED: _("audit ratings taken over"),
    StudyEventKind.PLANNED: _("plan kept with the study"),
    StudyEventKind.INVITATION_QUEUED: _("invitation waits to be sent"),
    StudyEventKind.RECRUITING_PAUSED: _("recruiting paused"),
    StudyEventKind.RECRUITING_RESUMED: _("recruiting resumed"),
    StudyEventKind.SESSIONS_CHANGED: _("sessions changed by the team"),
    StudyEventKind.ARCHIVED: _("study archived"),
    StudyEventKind.BROUGHT_BACK: _("study brought back from the archive"),
    StudyEventKind.MAILS_SWITCHED_OFF: _("mails switched off"),
    StudyEventKind.MAIL_TEXT_CHANGED: _("text of a mail changed"),
    StudyEventKind.MAIL_SENDER_CHANGED: _("sender of mails changed"),
    StudyEventKind.MAILS_SWITCHED_ON: _("mails switched on"),
    StudyEventKind.MAIL_RETRIED: _("mail sent again"),
    StudyEventKind.LIST_TAKEN: _("list downloaded"),
    StudyEventKind.PEOPLE_LISTED: _("list of people taken"),
    StudyEventKind.PAYMENT_RULE_SET: _("payment rule set"),
    StudyEventKind.PAYMENTS_REPORTED: _("payer's states taken over"),
    StudyEventKind.AUDIT_RATED: _("answer of the audit rated"),
    StudyEventKind.OFFTASK_FILTER_RUN: _("off-task filter run"),
    StudyEventKind.SECOND_READINGS_SET: _("share of second readings set"),
    StudyEventKind.RESULTS_RECOMPUTED: _("results recomputed"),
    StudyEventKind.JOB_STARTED: _("background work started"),
    StudyEventKind.JOB_FINISHED: _("background work finished"),
    StudyEventKind.JOB_FAILED: _("background work failed"),
    StudyEventKind.JOB_CANCELLED: _("background work cancelled"),
    StudyEventKind.PUBLICATION_SET: _("licence, authors or title changed"),
    StudyEventKind.EXPORT_MADE: _("export made"),
    StudyEventKind.EXPORT_TAKEN: _("export downloaded"),
    StudyEventKind.EXPORT_DELETED: _("export deleted"),
    StudyEventKind.PRIVATE_SEEN: _("private questions looked at"),
    "verdict_confirm": _("decided: not counted"),
    "verdict_overturn": _("decided: counted"),
    "verdict_unsure": _("not sure: another reviewer decides"),
}
KINDS: Mapping[Source, tuple[str, ...]] = {
    Source.STUDY: tuple(kind.value for kind in StudyEventKind),
    Source.SESSIONS: tuple(SessionEventKind.values),
    Source.VERDICTS: tuple(VerdictDecision.values),
}
# What codes among the facts of events say, by the name of the fact.
VALUES: Mapping[str, Mapping[str, object]] = {
    "action": {action.value: words.label for action, words in ACTION_WORDS.items()},
    "audience": dict(Audience.choices),
    "role": dict(ROLES),
    "given": {right.value: words for right, words in RIGHT_WORDS.items()},
    "taken": {right.value: words for right, words in RIGHT_WORDS.items()},
    # Where private questions were shown (`studies.services.private_questions`).
    "page": {
        "questions": _("Questions"), "verdicts": _("Verdicts of the judge"), "audit": _("Audit"),
        "screening": _("Screening"), "measurement": _("Results"), "messages": _("Messages"),
        "announcements": _("Announcements"), "bank": _("Question bank"),
        "items": _("Item parameters"), "records": _("records"),
    },
}  # fmt: skip
TYPES = {"json": "application/json", "md": "text/markdown; charset=utf-8"}


@study_page(Can.SEE_HISTORY)
@require_safe
def staff_history(request: HttpRequest, study: Study) -> HttpResponse:
    """Events by source, kind, person, member of the team and day; amendments and fingerprints beside them."""
    form = HistoryForm(request.GET)
    wanted, before = form.wanted(), number_asked(request.GET.get("before", ""), most=MOST_ROWS)
    lines = list(
        history_lines(
            study, wanted, signed_in(request), rights_here(request), before=before, limit=LINES_PER_PAGE + 1
        )
    )
    prefix = "verdict_" if wanted.source == Source.VERDICTS else ""
    kept = request.GET.copy()
    kept.pop("before", None)
    context = {
        "study": study,
        "form": form,
        "asked": wanted,
        "sources": SOURCES,
        "lines": [
            (
                line,
                _words(line.kind),
                [(detail_words(name), _value(name, value)) for name, value in line.details.items()],
            )
            for line in lines[:LINES_PER_PAGE]
        ],
        "older": lines[LINES_PER_PAGE - 1].number if len(lines) > LINES_PER_PAGE else None,
        "before": before,
        "query": kept.urlencode(),
        "is_filtered": wanted != Asked(wanted.source),
        "kinds": sorted((_words(f"{prefix}{kind}"), kind) for kind in KINDS[wanted.source]),
        "team": sorted({row.user.email for row in roles_in(study)}),
        "amendments": [
            (amendment, [setting_label(name) for name in amendment.changes])
            for amendment in study.amendments.select_related("made_by").order_by("-number")
        ],
    }
    return render(request, "console/history.html", context, status=422 if form.errors else 200)


@study_page(Can.SEE_HISTORY)
@require_safe
@proof_required
def staff_history_file(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The same rows, all of them, as a CSV file."""
    lines = history_lines(study, HistoryForm(request.GET).wanted(), signed_in(request), rights_here(request))
    return csv_file(request, "history", csv_lines(FILE, lines), study=study)


@study_page(Can.SEE_PROTOCOL)
@require_safe
def staff_history_protocol(request: HttpRequest, study: Study, extension: str) -> HttpResponse:
    """The protocol as it is now, for a register or a reader."""
    if extension not in TYPES:
        raise Http404
    record = protocol_record(study)
    text = protocol_json(record) if extension == "json" else protocol_markdown(record)
    response = HttpResponse(text, content_type=TYPES[extension])
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-protocol.{extension}"'
    return response


def _words(kind: str) -> str:
    return str(WORDS[kind]) if kind in WORDS else event_words(kind)


def _value(name: str, value: object) -> object:
    """Moments are kept as ISO text and shown like every other time."""
    if words := VALUES.get(name, {}).get(str(value)):
        return Named(str(words), str(value))
    if name == "seed":  # a name, no amount
        return str(value)
    if isinstance(value, list):
        words = [str(VALUES.get(name, {}).get(str(entry), entry)) for entry in value]
        more = (
            [_("… and %(number)s more") % {"number": counted(len(words) - LISTED)}] if words[LISTED:] else []
        )
        return ", ".join(map(str, words[:LISTED] + more))
    if not name.endswith("_at") or not isinstance(value, str):
        return value_words(name, value)
    return moment(datetime.fromisoformat(value))
