"""Leaving a study: what it means, doing it, and what became of the data."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from batches.forms.resources import WithdrawForm
from batches.selectors.deletion import withdrawal_of
from batches.services.clock import server_now
from batches.services.ending import AlreadyWithdrawn, session_withdraw
from studies.models import Participant
from studies.views.access import for_participant


@require_http_methods(["GET", "HEAD", "POST"])
@for_participant
def withdraw(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Self-service withdrawal with one confirmation; afterwards the page says what is deleted and when."""
    now = server_now()
    form = WithdrawForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            session_withdraw(participant=participant, reason=form.cleaned_data["reason"], now=now)
        except AlreadyWithdrawn as refusal:
            messages.info(request, str(refusal))
        return redirect("study_withdraw", participant.study.slug)
    days = participant.study.protocol.deletion_days
    context = {
        "study": participant.study,
        "participant": participant,
        "form": form,
        "withdrawal": withdrawal_of(participant),
        "days": days,
        "would_delete_at": now + timedelta(days=days),
    }
    return render(request, "batches/withdraw.html", context, status=422 if form.is_bound else 200)
