"""One format of numbers on every page, in both languages: real minus signs, thousands set apart, one unit."""

import re

import pytest
from django.apps import apps
from django.db import connection, models
from django.utils import translation

from presentation.numbers import as_written, counted, decimals, numbered
from presentation.tables import Table
from scoring.models import Measurement
from tests.access.addresses import addresses
from tests.access.number_format import faults, hexadecimal_names, texts
from tests.access.visitors import Visitors
from tests.access.world import World

FIRST_KEY = 4000  # keys of rows have four digits, so that one that is written as a number is seen
# Of attributes that scripts, browsers and addresses read.
ATTRIBUTE = re.compile(
    r"\s(href|id|for|value|min|max|data-[\w-]+|aria-(?:labelledby|describedby|controls))="
    r'"([^"]*\b[1-9]\d{0,2}[,.]\d{3}\b[^"]*)"'
)


@pytest.fixture(scope="module")
def kept(kept: None) -> None:
    """Rows of the module have large keys."""
    keys = [
        one for one in (model._meta for model in apps.get_models()) if isinstance(one.pk, models.AutoField)
    ]
    with connection.cursor() as cursor:
        for one in keys:
            table, key = one.db_table, one.pk.column
            if connection.vendor == "sqlite":
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence VALUES (%s, %s)", [table, FIRST_KEY])
            else:
                cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', %s), {FIRST_KEY})", [key])


@pytest.mark.parametrize("language", ["en", "de"])
def test_numbers_of_every_page_have_one_format(world: World, visitors: Visitors, language: str) -> None:
    Measurement.objects.update(resamples=20_000)
    visitors.language = language
    found, pages, named = set(), 0, hexadecimal_names()
    for one in addresses():
        for role in ("superuser", "participant") if not one.name.startswith("admin:") else ():
            response, content = visitors.reply(role, "GET", one.path(world.here.ids))
            if response.status_code != 200 or not response["Content-Type"].startswith("text/html"):
                continue
            pages += 1
            page = content.decode()
            found |= {f"{one.name}: {name}={value}" for name, value in ATTRIBUTE.findall(page)}
            for text in texts(page):
                found |= {f"{one.name}: {what}: {text}" for what in faults(text, named)}
    assert pages > 60
    assert not found, "\n".join(sorted(found))


def test_a_number_is_written_as_the_language_writes_it_and_plainly_in_a_file() -> None:
    for language, written, in_file in (
        ("en", ("−1,234.50", "12,345", "−0.25", "2,000 of 7, seed 1234"), "-1234.50"),
        ("de", ("−1.234,50", "12.345", "−0,25", "2.000 of 7, seed 1234"), "-1234,50"),
    ):
        with translation.override(language):
            facts = {"n": 2000, "m": 7, "seed": 1234}
            said = numbered("%(n)d of %(m)d, seed %(seed)d", facts)
            assert (decimals(-1234.5), counted(12345), as_written(-0.25), said) == written
            table = Table("", ["-1+1", ""], [[decimals(-1234.5), counted(12345)]])
            assert list(table.lines()) == [["'-1+1", ""], [in_file, "12345"]]
