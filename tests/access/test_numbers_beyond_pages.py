"""One format of numbers in reports, figures, terminal lines and mails: above 1,000, below 0, and 1."""

import io
import re
from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import translation

from batches.services.receipt_mails import ReceiptFacts, receipt_mail
from console.selectors.waiting import StudyWaits
from console.services.digests import digest_mail
from console.services.mail_examples import mail_example
from judging.models import JudgeConfig
from reporting.management.agreement_lines import panel_lines
from reporting.management.commands.score_study import _estimate_lines
from reporting.management.result_lines import result_lines
from reporting.report.html import document_html
from reporting.views.agreement.tables import panels_shown
from reporting.views.report.parts import study_document
from scoring.models import Measurement, MeasureRow, ResultSet
from scoring.selectors.judges import study_agreements
from studies.models import MailKind, Participant, User
from tests.access.addresses import addresses
from tests.access.number_format import faults, hexadecimal_names, texts
from tests.access.visitors import Visitors
from tests.access.world import World
from tests.support.set_lines import set_lines

NOW = datetime(2030, 5, 1, 9, tzinfo=UTC)
SITE = "https://study.example.org"
COUNTS = ("n", "people", "prompts", "clusters")
WORDS_OF_A_DRAWING = re.compile(r"<(?:text|title)\b[^>]*>(.*?)</(?:text|title)>", re.DOTALL)
MANY, ONE = 1234, 1


def of_all(value: Any, number: int) -> Any:
    """The same facts with this number in the place of every count above nought."""
    if isinstance(value, dict):
        return {name: of_all(one, number) for name, one in value.items() if name not in ("version", "k")} | {
            name: value[name] for name in ("version", "k") if name in value
        }
    return number if isinstance(value, int) and not isinstance(value, bool) and value > 0 else value


def count(number: int) -> None:
    """Every stored count of people, prompts and answers is this number."""
    for row in MeasureRow.objects.all():
        for name in COUNTS:
            setattr(row, name, getattr(row, name) and number)
        row.save()
    for results in ResultSet.objects.all():
        results.flow = of_all(results.flow, number)
        results.save()
    Measurement.objects.update(resamples=20_000)


def wrong(pieces: Iterable[object]) -> set[str]:
    named = hexadecimal_names()
    return {f"{what}: {text}" for text in pieces for what in faults(" ".join(str(text).split()), named)}


@pytest.mark.parametrize("number", [MANY, ONE])
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_report_has_one_format_of_numbers_in_each_of_its_files(
    world: World, db: None, language: str, number: int
) -> None:
    count(number)
    with translation.override(language):
        document = study_document(world.here.study)
        html = document_html(document)
    said = wrong(texts(html))
    assert not said, "\n".join(said)
    printed = set_lines(document)
    assert len(printed) > 100
    said = wrong(printed)
    assert not said, "\n".join(said)
    grouped = {"en": "1,234", "de": "1.234"}[language]
    assert (grouped in html) == (number == MANY)


@pytest.mark.parametrize("number", [MANY, ONE])
@pytest.mark.parametrize("language", ["en", "de"])
def test_results_pages_and_their_figures_have_it(
    world: World, visitors: Visitors, language: str, number: int
) -> None:
    count(number)
    visitors.language = language
    found, figures = set(), 0
    for one in addresses():
        if not one.name.startswith(
            ("staff_results", "staff_measurement", "staff_agreement", "staff_judging")
        ):
            continue
        response, content = visitors.reply("superuser", "GET", one.path(world.here.ids))
        if response.status_code != 200 or not response["Content-Type"].startswith(("text/html", "image/svg")):
            continue
        page = content.decode()
        drawn = [re.sub(r"<[^>]*>", "", text) for text in WORDS_OF_A_DRAWING.findall(page)]
        figures += bool(drawn)
        found |= {f"{one.name}: {fault}" for fault in wrong([*texts(page), *drawn])}
    assert figures
    assert not found, "\n".join(sorted(found))


@pytest.mark.parametrize("number", [MANY, ONE])
def test_the_terminal_has_it(world: World, db: None, number: int) -> None:
    count(number)
    results = ResultSet.objects.filter(run__study=world.here.study).latest("pk")
    lines = result_lines(results)
    assert f"recruited {number:,}, " in lines[1]
    estimate = {
        "judge": "alpha", "replicate": 1, "cost": None, "rows": number, "calls": number,
        **dict.fromkeys(("cached", "shared", "prompt_tokens", "completion_tokens"), number),
    }  # fmt: skip
    lines += _estimate_lines([estimate])
    for panel in panels_shown(study_agreements(world.here.study)):
        lines += panel_lines(panel)
    JudgeConfig.objects.update(requests_per_minute=number, tokens_per_minute=number)
    for command in (["list_judges"], ["plan_study", "--table", "--people", "2000"], ["screen_study", "here"]):
        out = io.StringIO()
        call_command(*command, stdout=out)
        lines += out.getvalue().splitlines()
    said = wrong(lines)
    assert not said, "\n".join(said)


@pytest.mark.parametrize("number", [MANY, ONE])
@pytest.mark.parametrize("language", ["en", "de"])
def test_mails_have_it(world: World, db: None, language: str, number: int) -> None:
    study = world.here.study
    user = User(email="somebody@example.org", language=language)
    person = Participant(study=study, user=user, code="P-1", profile="stem-phd")
    kinds = [one.name for one in fields(StudyWaits) if one.name != "study"]
    mails = [
        digest_mail(user, [StudyWaits(study=study, **dict.fromkeys(kinds, number))], SITE),
        receipt_mail(person, ReceiptFacts(True, NOW, number, number, "REFERENCE"), SITE),
        *(
            mail_example(study=study, kind=kind, language=language, site_url=SITE, now=NOW)
            for kind in MailKind
        ),
    ]
    said = [
        piece
        for mail in mails
        for piece in (mail.subject, *mail.body.splitlines(), *texts(str(mail.alternatives[0][0])))
    ]
    assert not wrong(said)
    grouped = {("en", MANY): "1,234", ("de", MANY): "1.234"}.get((language, number), "1")
    assert sum(f"- {grouped} " in line for line in mails[0].body.splitlines()) == len(kinds)
