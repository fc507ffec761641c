"""One number in every place: page, report, terminal and export say what the stored row says."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import translation

from presentation.codes import CodeNames
from presentation.measures import group_name, reasons_apart, says_little, why_absent
from presentation.numbers import decimals, span
from presentation.tables import Table
from psychometrics.inference.measure import Block, Scope
from psychometrics.measures.catalogue import CATALOGUE
from psychometrics.measures.headlines import VALUES, GroupNumbers
from psychometrics.recompute.export import table_row
from reporting.management.result_lines import estimate_lines
from reporting.report.html import document_html
from reporting.report.parts import Paragraph
from reporting.selectors.reports import report_of
from reporting.views.measurement.blocks_shown import PAGES
from reporting.views.report.parts import MAX_ROWS, filled, study_document
from scoring.models import MeasureRow, ResultSet
from scoring.selectors.measures import BlockMeasures, block_measures, measurement_of, scope_to_show
from scoring.selectors.runs import newest_results, newest_study_results, runs_of
from studies.models import Study, User
from studies.selectors.names import code_names
from tests.support.read_pages import every_part

KEY = ("scope", "block", "name", "group", "subset", "participant", "prompt_id")
NUMBERS = ("value", "se", "low", "high", "reason", "n", "people", "prompts", "clusters")
ENDS = (("theta_pool", "_pool"), ("theta_ql", "_ql"), ("theta", ""))
Cells = dict[str, list[str]]
Row = dict[str, Any]


class Compared:
    """How often each place was compared with the store, and where it says something else."""

    def __init__(self) -> None:
        self.times: dict[str, int] = {}
        self.differences: list[str] = []

    def add(self, place: str, what: str, *, same: bool) -> None:
        self.times[place] = self.times.get(place, 0) + 1
        if not same:
            self.differences.append(f"{place}: {what}")


def places_compared(study: Study, export: Path) -> Compared:
    """Everything that the study's places show of its stored numbers, under the settings of tests."""
    compared = Compared()
    with translation.override("en"):
        compare_export(study, export, compared)
        results = newest_study_results(study)
        if results is not None:
            report = document_html(study_document(study))
            compare_headlines(study, results, report, compared)
            compare_blocks(study, results, report, compared)
    return compared


def compare_export(study: Study, folder: Path, compared: Compared) -> None:
    """Every row of measures and every theta of the estimates is a stored row of the same name."""
    by_run = {number: newest_results(run) for number, run in enumerate(runs_of(study), start=1)}
    stored: dict[tuple[Any, ...], MeasureRow] = {
        (number, *(getattr(row, name) for name in KEY)): row
        for number, results in by_run.items()
        if results is not None
        for row in results.measures.filter(may_leave=True)
    }
    for row in lines_of(folder / "measures.jsonl"):
        own = stored.get((row["run"], *(row[name] or "" for name in KEY)))
        same = own is not None and all(
            (getattr(own, name) or None) == (row[name] or None) for name in NUMBERS
        )
        compared.add("export, measures", str([row[name] for name in KEY]), same=same)
    for row in lines_of(folder / "estimates.jsonl"):
        subset = f"category:{row['category']}" if row["category"] else ""
        for column, name in VALUES.items():
            own = stored.get((row["run"], row["scope"], "results", name, row["group"], subset, "", ""))
            same = row[column] == (own.value if own is not None else None)
            compared.add("export, estimates", f"{column} {subset}", same=same)


def compare_headlines(study: Study, results: ResultSet, report: str, compared: Compared) -> None:
    """The rows of both groups on the page of results, in the report and on the terminal."""
    scope = scope_to_show(results)
    numbers = report_of(results, scope)
    address = reverse("staff_results", args=[study.slug])
    places = {
        "page, results": rows_of(page(study, f"{address}?prompts={scope}")),
        "report, results": rows_of(report),
        "terminal, results": {
            line.partition("  ")[0]: re.split(r"\s{2,}|(?<=\d) (?=to)|(?<=to) ", line)[1:]
            for line in estimate_lines(numbers)
        },
    }
    for one in (*numbers.overall, *numbers.categories):
        for place, rows in places.items():
            label = label_in(place, one, code_names(study))
            said = " | ".join(rows.get(label, ["no row"]))
            for text in texts_of(one, place):
                compared.add(place, f"{label}: {text} is not in {said}", same=text in said)


def label_in(place: str, one: GroupNumbers, names: CodeNames) -> str:
    group = group_name(one.group)
    if place.startswith("report"):
        whole = "all public questions" if one.scope == Scope.PUBLIC else "all questions"
        return f"{group}, {one.category or whole}"
    if place.startswith("page"):
        return f"{names.category(one.category)}: {group}" if one.category else group
    exact = getattr(group, "code", group)  # terminals have exact terms
    return f"{one.category}: {exact}" if one.category else exact


def texts_of(one: GroupNumbers, place: str) -> Iterator[str]:
    """What a place shows of a group, as it writes numbers; counts of the report are in another table."""
    if one.withheld:
        why = str(why_absent(one.withheld))
        yield why
        return
    if one.theta_pool is not None:
        yield decimals(one.theta_pool, 2)
        if one.ci_low_pool is not None and not place.startswith("terminal"):
            yield span(one.ci_low_pool, one.ci_high_pool)
    if not place.startswith("report"):
        yield str(one.pairs)
        yield decimals(one.raw_mean, 3)


def compare_blocks(study: Study, results: ResultSet, report: str, compared: Compared) -> None:
    """The tables of each block's page are those of the report; each number that it is to show is there."""
    measurement, scope = measurement_of(results), scope_to_show(results)
    if measurement is None:
        return
    for block, shown in PAGES.items():
        address = reverse("staff_measurement", args=[study.slug, block])
        content = page(study, f"{address}?prompts={scope}")
        found = block_measures(measurement, block, scope)
        on_page = tables_of(content)
        for table in shown.tables(found) if found.rows else ():
            compare_table(table, found, on_page, report, compared)
        names = {row.name for row in found.rows if row.value is not None and row.block == block}
        for name in sorted(name for name in names if CATALOGUE[name].page):
            rows = [row for row in found.rows if row.name == name and row.value is not None]
            compared.add("page, measures", f"{block} {name}", same=any(map(content_has(content), rows)))


def compare_table(
    table: Table, found: BlockMeasures, on_page: list[list[str]], report: str, compared: Compared
) -> None:
    left, there, name = filled(table), table_lines(reasons_apart(table)[0]), f"{found.block} {table.caption}"
    if there:
        compared.add("page, tables", name, same=there in on_page)
    if table.about_people or found.block in (Block.JUDGE, Block.DIF):  # private prompts are left out
        return
    if isinstance(left, Paragraph) and not (found.sentence and says_little(table)):
        compared.add("report, sentences", name, same=left.text in text_of(report))
    elif isinstance(left, Table) and left.rows and not says_little(table) and len(left.rows) <= MAX_ROWS:
        compared.add("report, tables", name, same=table_lines(left) in tables_of(report))


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", "", page)).split())


def table_lines(table: Table) -> list[str]:
    return [" | ".join(row) for row in table.rows]


def content_has(content: str) -> Any:
    """Whether a page says the value of a row in one of the ways in which values are written."""
    text = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", content)))

    def has(row: MeasureRow) -> bool:
        value = row.value or 0.0
        written = {decimals(value, places) for places in range(5)}
        written |= {decimals(100 * value, places) for places in range(3)}
        return any(re.search(rf"(?<![\d.]){re.escape(one)}(?![\d])", text) for one in written)

    return has


def page(study: Study, address: str) -> str:
    client = Client(HTTP_HOST="127.0.0.1")
    lead, _ = User.objects.get_or_create(email="looks@example.org", is_staff=True, is_superuser=True)
    client.force_login(lead)
    return every_part(client, address)


def cells_of(row: str) -> list[str]:
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, flags=re.S)
    return [" ".join(unescape(re.sub(r"<[^>]+>", "", cell)).split()) for cell in cells]


def tables_of(content: str) -> list[list[str]]:
    """The rows of every table, cells put together."""
    bodies = re.findall(r"<tbody>(.*?)</tbody>", content, flags=re.S)
    return [
        [" | ".join(cells_of(row)) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body, flags=re.S)]
        for body in bodies
    ]


def rows_of(content: str) -> Mapping[str, list[str]]:
    """The cells of every row by its first one, of the first table that has it."""
    found: Cells = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", content, flags=re.S):
        first, *others = cells_of(row) or [""]
        found.setdefault(first, others)
    return found


def lines_of(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as lines:
        yield from map(table_row, lines)
