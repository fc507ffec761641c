"""What people are owed and what the payer says: the list, the rule, the files both ways."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from batches.models import PaymentRule
from batches.selectors.payment_sums import in_tab, pay_groups, pay_people, tab_numbers
from batches.selectors.payments import PayLine, pay_lines, payment_rule
from batches.services.payments import (
    ReportsRefused,
    RuleChanged,
    payment_reports_import,
    payment_rule_set,
    rule_key,
)
from console.forms.money import PaymentRuleForm, ReportsForm
from console.selectors.money import judge_spent, pay_numbers
from formats.problems import Problem, grouped
from presentation.listing import Column, Listing
from presentation.numbers import numbered
from presentation.tables import Named
from studies.models import Study
from studies.roles import Can
from studies.selectors.names import profile_names
from studies.services.clock import server_now
from studies.services.refusals import Refused
from studies.views.access import rights_here, signed_in, study_page

PROBLEMS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class MoneyRow:
    """A line as the page shows it."""

    line: PayLine
    profile: Named

    @property
    def worked(self) -> str:
        """Hours and minutes, blank as long as nobody can say."""
        if self.line.session is None or self.line.ended_at is None:
            return ""
        minutes = int((self.line.ended_at - self.line.session.started_at).total_seconds()) // 60
        return numbered(_("%(hours)d h %(minutes)02d"), {"hours": minutes // 60, "minutes": minutes % 60})


TABS: Mapping[str, Promise] = {
    "": gettext_lazy("All"),
    "silent": gettext_lazy("No state reported"),
    "ordered": gettext_lazy("Ordered"),
    "paid": gettext_lazy("Paid"),
    "failed": gettext_lazy("Failed"),
    "differs": gettext_lazy("Another amount paid"),
    "unknown": gettext_lazy("Not known yet"),
}


@study_page(Can.PAY)
@require_safe
def staff_money(request: HttpRequest, study: Study) -> HttpResponse:
    """Who is owed what."""
    return _page(request, study)


@study_page(Can.SET_UP)
@require_POST
def staff_money_rule(request: HttpRequest, study: Study) -> HttpResponse:
    """Set the terms; a refused form comes back with what was written."""
    form, seen = PaymentRuleForm(request.POST), request.POST.get("seen", "")
    if form.is_valid():
        try:
            payment_rule_set(
                study=study,
                currency=form.cleaned_data["currency"],
                terms=form.terms,
                actor=signed_in(request),
                now=server_now(),
                seen=seen,
            )
        except RuleChanged as refusal:
            form.add_error(None, str(refusal))
            return _page(request, study, rule_form=form, status=409)
        except Refused as refusal:
            messages.info(request, str(refusal))
        else:
            messages.success(request, _("The rule is set; the amounts below follow it."))
        return redirect("staff_money", study.slug)
    return _page(request, study, rule_form=form, seen=seen, status=422)


@study_page(Can.PAY)
@require_POST
def staff_money_upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Record the payer's states, all of the file or nothing."""
    form = ReportsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, reports_form=form, status=422)
    rows, unread = form.rows()
    try:
        result = payment_reports_import(
            study=study, rows=rows, unread=unread, actor=signed_in(request), now=server_now()
        )
    except ReportsRefused as refusal:
        return _page(request, study, problems=refusal.problems, status=422)
    sentence = _("Rows read: %(rows)d. Recorded: %(recorded)d. Known before: %(unchanged)d.")
    facts = {"rows": len(rows), "recorded": result.recorded, "unchanged": result.unchanged}
    messages.success(request, numbered(sentence, facts))
    return redirect("staff_money", study.slug)


def _page(
    request: HttpRequest,
    study: Study,
    *,
    rule_form: PaymentRuleForm | None = None,
    seen: str | None = None,
    reports_form: ReportsForm | None = None,
    problems: Sequence[Problem] = (),
    status: int = 200,
) -> HttpResponse:
    now, rule = server_now(), payment_rule(study)
    chosen = request.GET.get("state", "")
    chosen = chosen if chosen in TABS else ""
    words = request.GET.get("q", "").strip()[:100]
    sums, numbers = pay_numbers(study, rule, now)
    people = pay_people(study, rule, now, words)
    if words:
        numbers = tab_numbers(pay_groups(people, rule))
    rights = rights_here(request)
    names = profile_names(study)
    listing = Listing(request, _columns(rule))
    page = listing.page(range(numbers[chosen]))
    listed = listing.ordered(in_tab(people, chosen, rule)).values_list("pk", flat=True)
    start = (page.number - 1) * listing.per_page
    lines = pay_lines(study, rule, now, people=list(listed[start : start + listing.per_page]))
    context = {
        "study": study,
        "rule": rule,
        "sums": sums,
        "tabs": [
            {"state": state, "words": label, "number": numbers[state], "is_here": state == chosen}
            for state, label in TABS.items()
        ],
        "state": chosen,
        "words": words,
        "page": page,
        "listing": listing,
        "rows": [MoneyRow(line, names.profile(line.participant.profile)) for line in lines],
        "rule_form": rule_form or PaymentRuleForm.of(rule),
        "seen": rule_key(rule) if seen is None else seen,
        "rule_is_open": rule is None or rule_form is not None,
        "reports_form": reports_form or ReportsForm(),
        "problems": grouped(problems)[:PROBLEMS_SHOWN],
        "problems_number": len(problems),
        "may_set": Can.SET_UP in rights,
        "judge": judge_spent(study) if Can.JUDGE in rights else None,
    }
    return render(request, "console/money.html", context, status=status)


def _columns(rule: PaymentRule | None) -> tuple[Column[Any], ...]:
    """Amounts are reckoned for those of a page alone, so that people are not sorted by them."""
    parts = (("flat", _("Flat")), ("hours", _("Hours")), ("bonus", _("Bonus"))) if rule else ()
    return (
        Column("person", _("Person"), ("code",)),
        Column("profile", _("Profile"), ("profile", "code")),
        Column("work", _("Work"), ("seconds",)),
        *(Column(name, label, numeric=True) for name, label in parts),
        Column("owed", f"{_('Owed')}, {rule.currency}" if rule else _("Owed"), numeric=True),
        Column("payer", _("Payer"), ("state", "code")),
    )
