"""Where a bank names its categories, no page, file or line of the study team shows a code in their place."""

import re
from collections.abc import Iterator
from html import unescape
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from batches.models import BatchPlan
from judging.models import ScoringRun
from psychometrics.measures.computing import MEASURED
from reporting.management.result_lines import result_lines
from scoring.models import ResultSet
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from studies.models import BankVersion, Item, Prompt, Study
from tests.access.addresses import addresses
from tests.access.visitors import Visitors
from tests.access.world import World

pytestmark = pytest.mark.timeout(900)
NAMES = {"ZQ": "Quantitative reasoning", "ZQ-WP": "Word problems"}
CODE = re.compile(r"\bZQ\b")
# What names things by codes on purpose: tables for programs, a protocol's file, and the words of an address.
DATA = {"staff_setup_file", "staff_history_file", "staff_history"}
UNREAD = re.compile(r"<(script|style|title)\b.*?</\1>|<option\b[^>]*>|<[^>]*>", re.DOTALL)


@pytest.fixture
def named(world: World) -> Study:
    """The world's study with codes that occur nowhere else, and results under them."""
    study = world.here.study
    Prompt.objects.filter(version=study.bank_version).update(category="ZQ", subcategory="ZQ-WP")
    Item.objects.filter(item_bank=study.item_bank_id).update(subcategory="ZQ-WP")
    BankVersion.objects.filter(pk=study.bank_version_id).update(category_names=NAMES)
    plan = BatchPlan.objects.get(study=study)
    for batch in plan.report["batches"]:
        batch["categories"] = {"ZQ": batch["size"]}
    plan.save()
    for run in ScoringRun.objects.filter(study=study):
        measurement_compute(
            results=results_compute(run=run, now=timezone.now()), now=timezone.now(), resamples=20
        )
    world.here.ids["results_id"] = ResultSet.objects.filter(run__study=study).latest("pk").pk
    return Study.objects.get(pk=study.pk)


def walked(world: World, study: Study) -> Iterator[tuple[str, str]]:
    """Every address of the study team, the bank's own page, and every block with its tables."""
    for one in addresses():
        if one.route.startswith("staff/") and one.name not in {*DATA, "staff_bank"}:
            yield one.name, one.path(world.here.ids)
    bank = study.bank_version
    yield "staff_bank", reverse("staff_bank", args=[bank.bank.slug, bank.number])
    for block in MEASURED:
        yield f"measurement {block}", reverse("staff_measurement", args=[study.slug, block])
        for number in range(1, 6):
            table = [study.slug, world.here.ids["results_id"], block, number]
            yield f"table {block} {number}", reverse("staff_measurement_table", args=table)


def test_no_page_or_file_shows_a_code(world: World, named: Study, visitors: Visitors) -> None:
    shown, coded = set(), {}
    for name, path in walked(world, named):
        for query in ("", "?format=csv"):
            response, content = visitors.reply("superuser", "GET", path + query)
            text = unescape(UNREAD.sub(" ", content.decode(errors="replace")))
            if response.status_code == 200 and NAMES["ZQ"] in text:
                shown.add(name)
            if found := CODE.search(text):
                coded[name + query] = text[max(0, found.start() - 60) : found.end() + 40]
    assert coded == {}
    assert {"staff_questions", "staff_question", "staff_results", "measurement slices", "staff_bank"} <= shown
    assert {"staff_questions_sets", "staff_report_file"} <= shown


def test_no_line_of_a_terminal_shows_a_code(world: World, named: Study) -> None:
    results = ResultSet.objects.filter(run__study=named).latest("pk")
    lines = "\n".join(result_lines(results))
    assert NAMES["ZQ"] in lines
    assert not CODE.search(lines)
    draft = Study.objects.create(
        slug="draft", name="Draft", bank_version=named.bank_version, item_bank=named.item_bank,
        settings=named.settings, created_at=timezone.now(),
    )  # fmt: skip
    out = StringIO()
    call_command("build_batches", draft.slug, per_batch=True, stdout=out)
    assert NAMES["ZQ"] in out.getvalue()
    assert not CODE.search(out.getvalue())
