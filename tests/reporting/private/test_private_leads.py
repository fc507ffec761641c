"""Numbers about judges lead as the results do: where those of all questions are withheld, none has them."""

import re
from collections.abc import Callable
from datetime import datetime
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from judging.models import AuditSample, JudgingRun, ScoringRun
from presentation.numbers import decimals
from presentation.scopes import LEADS
from psychometrics.inference.measure import Scope
from psychometrics.measures.headlines import LeadReason
from scoring.models import JudgeComparison
from scoring.services.agreements import agreements_compute
from scoring.services.audits import audits_compute
from scoring.services.results import results_compute
from studies.models import Study
from tests.support.judged_study import NAMES, stored
from tests.support.read_pages import read

pytestmark = pytest.mark.django_db
WITHHELD, ALL_PRIVATE, NEITHER = (
    str(LEADS[why]) for why in (LeadReason.ALL_WITHHELD, LeadReason.ALL_PRIVATE, LeadReason.NEITHER)
)


def results_and_agreement(study: Study, now: datetime) -> None:
    agreements_compute(study=study, now=now)
    audits_compute(study=study, now=now)
    for run in ScoringRun.objects.filter(study=study):
        results_compute(run=run, now=now)


@pytest.fixture
def computes() -> Callable[[Study, datetime], None]:
    return results_and_agreement


def offset(scope: Scope) -> str:
    [values] = [values for (*_, level), values in stored(scope).items() if level == "answer"]
    return decimals(values["statistics"]["offset"]["value"], 3)


def offsets_shown(content: str) -> list[str]:
    """Of every level: by criterion, by answer and by people's means."""
    return re.findall(r"<th scope=\"row\">Offset, y − x</th>\s*<td class=\"numeric\">([^<]+)</td>", content)


def test_where_all_would_tell_of_two_private_questions_the_public_ones_lead_without_a_choice(
    staff: Client, make_judged: Callable[..., Study]
) -> None:
    study = make_judged(NAMES[:2], results_and_agreement)
    assert offset(Scope.ALL) != offset(Scope.PUBLIC)
    address = reverse("staff_agreement", args=[study.slug])
    for query in ("", "?prompts=all", "?prompts=public"):
        content = staff.get(address + query).content.decode()
        assert offset(Scope.PUBLIC) in offsets_shown(content)
        assert offset(Scope.ALL) not in offsets_shown(content)
        assert WITHHELD in read(content)
        assert 'class="scope-switch"' not in content
    said = StringIO()
    call_command("judge_agreement", study.slug, stdout=said)
    assert WITHHELD in said.getvalue()
    assert "over all questions" not in said.getvalue()
    for scope, status in ((Scope.ALL, 404), (Scope.PUBLIC, 200)):
        pair = JudgeComparison.objects.get(first__study=study, level="answer", scope=scope)
        place = {"slug": study.slug, "agreement_id": pair.pk, "figure": "differences", "extension": "svg"}
        assert staff.get(reverse("staff_agreement_figure", kwargs=place)).status_code == status
    run, sample = JudgingRun.objects.get(study=study), AuditSample.objects.get(judging_run__study=study)
    of_run = staff.get(reverse("staff_judging_run", args=[study.slug, run.pk])).content.decode()
    assert offset(Scope.PUBLIC) in of_run
    assert offset(Scope.ALL) not in of_run
    place = {"slug": study.slug, "number": run.pk, "sample": sample.pk}
    audits = [
        staff.get(reverse("staff_audit_sample", kwargs=place) + query).content.decode()
        for query in ("", "?prompts=all", "?prompts=public")
    ]
    assert all(WITHHELD in read(content) for content in audits)
    assert (
        len({re.sub(r"(?s)<head>.*?</head>|<form.*?</form>|<nav.*?</nav>", "", one) for one in audits}) == 1
    )


@pytest.mark.parametrize(("asked", "sentence"), [(8, ALL_PRIVATE), (2, NEITHER)])
def test_where_only_private_questions_were_asked_the_page_says_so(
    staff: Client, make_judged: Callable[..., Study], asked: int, sentence: str, now: datetime
) -> None:
    study = make_judged(NAMES, lambda *_: None)
    for run in ScoringRun.objects.filter(study=study):
        run.scores.exclude(answer__prompt__prompt_id__in=NAMES[:asked]).update(score=None)
    results_and_agreement(study, now)
    content = staff.get(reverse("staff_agreement", args=[study.slug])).content.decode()
    assert sentence in read(content)
    assert bool(offsets_shown(content)) == (asked == len(NAMES))
    assert asked < len(NAMES) or offset(Scope.ALL) in offsets_shown(content)
    assert "have not been compared yet" not in content


def test_after_an_amendment_the_page_of_agreement_leads_to_judging_alone(
    staff: Client, make_judged: Callable[..., Study]
) -> None:
    study = make_judged(NAMES[:3], results_and_agreement)
    address = reverse("staff_agreement", args=[study.slug])
    ScoringRun.objects.filter(study=study).update(design_hash="f" * 64)
    for _ in range(2):
        content = staff.get(address).content.decode()
        assert "Judge again" in content
        assert "Recompute" not in content
        JudgeComparison.objects.all().delete()
