"""An export that can be published as it is: README, licence, citation, types; and what is asked for them."""

import csv
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from scoring.export.publication import DOI, Author, AuthorRefused, Publication, authors_of, citation_cff
from scoring.export.rows import ROW_TYPES
from scoring.models import PublicationSettings
from scoring.selectors.export_manifest import study_entry
from scoring.services.exports import study_export
from studies.models import BankVersion, Study, StudyEvent, User
from studies.roles import Role
from studies.services.events import StudyEventKind
from studies.services.staff.roles import role_give
from studies.services.staff.staff import staff_add
from tests.scoring.exports.small_study.exported_tables import FORMULA

pytestmark = pytest.mark.django_db
SAID = {
    "licence": "CC-BY-4.0",
    "title": 'People & "models" | *beside*',
    "authors": "Doe, Ada, 0000-0002-1825-0097\r\nThe team: of one",
    "doi": "https://doi.org/10.5281/zenodo.123",
}


@pytest.fixture
def staff(scored: Study, client: Client) -> Client:
    client.force_login(User.objects.get(email="lead@example.org"))
    return client


def page(study: Study) -> str:
    return reverse("staff_exports", args=[study.slug])


def test_without_a_licence_the_bundle_says_that_all_rights_are_reserved_and_the_page_warns(
    staff: Client, scored: Study, folder: Path
) -> None:
    assert "NO LICENCE WAS CHOSEN: ALL RIGHTS RESERVED." in (folder / "LICENSE").read_text()
    readme = (folder / "README.md").read_text()
    assert "**No licence was chosen: all rights reserved.**" in readme
    assert "Private questions: 1, and the 5 answers to them" in readme
    assert (
        "| mean score of Average over all answers, from 0 to 1 (raw_mean) | public questions alone |"
        in readme
    )
    assert "the study has no item bank, so there is no ability" in readme
    assert "ability of Average" not in readme
    assert not (folder / "CITATION.cff").exists()
    assert "No licence is chosen" in staff.get(page(scored)).content.decode()


def test_the_flow_of_people_leads_from_one_step_to_the_next_and_says_why_others_leave(
    folder: Path,
) -> None:
    readme = (folder / "README.md").read_text()
    assert table_of(readme, "step") == [
        ["Recruited", "6", "–"],
        ["Approved", "6", "1 did not start"],
        ["Started", "5", "1 withdrew; 1 session is running"],
        ["Session ended", "3 (2 handed in, 1 ran out of time)", "1 excluded as off-task"],
        ["Retained", "2", "–"],
        ["With a score: Average", "2", "–"],
    ]
    assert "sessions that were withdrawn, voided by the study team or still running." in readme
    assert "Test participants of the team: 1." in readme


def test_without_results_there_is_no_flow_of_people_and_nothing_is_counted_as_zero(
    make_study: Callable[..., Study], tmp_path: Path, now: datetime
) -> None:
    study = make_study()
    study_export(study=study, target=tmp_path / "out", replace=False, software="chiron test", now=now)
    readme = (tmp_path / "out" / "README.md").read_text()
    assert table_of(readme, "step") == []
    assert "sessions that were withdrawn, voided by the study team or still running." in readme


def table_of(readme: str, head: str) -> list[list[str]]:
    """The rows of the table whose first column is called that."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in readme.splitlines()]
    start = next((number for number, line in enumerate(lines) if line[0] == head), None)
    return [] if start is None else list(takewhile(lambda line: len(line) > 1, lines[start + 2 :]))


def test_what_is_said_after_the_lock_is_in_readme_licence_and_citation(
    staff: Client, scored: Study, tmp_path: Path, now: datetime
) -> None:
    for _twice in range(2):
        assert staff.post(page(scored), SAID).status_code == 302
    assert StudyEvent.objects.filter(kind=StudyEventKind.PUBLICATION_SET).count() == 1
    assert "No licence is chosen" not in staff.get(page(scored)).content.decode()
    target = tmp_path / "bundle"
    study_export(study=scored, target=target, replace=False, software="chiron test", now=now)
    assert (target / "LICENSE").read_text().startswith("SPDX-License-Identifier: CC-BY-4.0\n")
    assert (target / "CITATION.cff").read_text().splitlines() == [
        'cff-version: "1.2.0"',
        'message: "If you use these data, please cite them as below."',
        'type: "dataset"',
        'title: "People & \\"models\\" | *beside*"',
        "authors:",
        '  - family-names: "Doe"',
        '    given-names: "Ada"',
        '    orcid: "https://orcid.org/0000-0002-1825-0097"',
        '  - name: "The team: of one"',
        f'date-released: "{now:%Y-%m-%d}"',
        f'version: "protocol {scored.protocol_hash[:12]}"',
        'doi: "10.5281/zenodo.123"',
        'license: "CC-BY-4.0"',
    ]
    readme = (target / "README.md").read_text()
    assert readme.startswith('# People & "models" \\| \\*beside\\*\n')
    assert "By Ada Doe; The team: of one." in readme
    manifest = json.loads((target / "manifest.json").read_text())
    assert f"| Retained | {manifest['runs'][0]['flow']['retained']} | – |" in readme
    named = {one["name"] for one in manifest["files"]}
    assert {"README.md", "LICENSE", "CITATION.cff", "datapackage.json"} <= named


def test_a_citation_is_yaml_whatever_letters_somebody_wrote(scored: Study) -> None:
    entry, now = study_entry(scored), datetime(2026, 1, 1, tzinfo=UTC)
    title = "".join(map(chr, [*range(0x100), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF, 0x1F600, 0x10FFFF]))
    for said in (title, *title):
        text = citation_cff(Publication(title=f"a{said}b", authors=(Author("Group"),)), entry, now)
        assert text is not None
        assert yaml.safe_load(text)["title"] == f"a{said}b", ascii(said)


def test_what_people_wrote_makes_no_line_and_no_markup_of_its_own(
    staff: Client, scored: Study, tmp_path: Path, now: datetime
) -> None:
    hostile = {
        "licence": "", "title": "Data\r\nSPDX-License-Identifier: CC0-1.0", "authors": "[a](//evil)\r\n# b",
        "doi": "10.1234/[a](//evil)",
    }  # fmt: skip
    assert staff.post(page(scored), hostile).status_code == 302
    BankVersion.objects.update(canaries=["DO_NOT train `on`"])
    scored.bank_version.refresh_from_db()
    target = tmp_path / "bundle"
    study_export(study=scored, target=target, replace=False, software="chiron test", now=now)
    assert "\nSPDX" not in (target / "LICENSE").read_text()
    readme = (target / "README.md").read_text()
    assert "[a](" not in readme
    assert "training corpora: `` DO_NOT train `on` ``." in readme


def test_an_analyst_takes_the_data_and_does_not_say_under_which_licence(
    scored: Study, client: Client, now: datetime
) -> None:
    analyst, _ = staff_add(email="analyst@example.org")
    role_give(study=scored, user=analyst, role=Role.ANALYST, now=now)
    client.force_login(analyst)
    assert 'name="licence"' not in client.get(page(scored)).text
    assert client.post(page(scored), SAID).status_code == 403
    assert not PublicationSettings.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("licence", "WTFPL", "Choose one of the licences."),
        ("authors", "Doe, Ada, 0000-0002-1825-0098", "is no author"),
        ("authors", "Doe,, x", "is no author"),
        ("doi", "zenodo.123", "This is no DOI"),
        ("title", "x" * 301, "shorten it"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_lost(
    staff: Client, scored: Study, field: str, value: str, sentence: str
) -> None:
    reply = staff.post(page(scored), SAID | {field: value})
    content = reply.content.decode()
    assert reply.status_code == 422
    assert sentence in content
    assert "Ada, 0000" in content or field == "authors"
    assert not PublicationSettings.objects.exists()


def test_identifiers_are_those_of_their_formats() -> None:
    assert DOI.fullmatch("10.1000/182")
    assert not DOI.fullmatch("10.1000/with space")
    assert [one.orcid for one in authors_of("A, B, 0000-0002-1694-233X\n\nGroup")] == [
        "0000-0002-1694-233X",
        "",
    ]
    with pytest.raises(AuthorRefused):
        authors_of("A, B, C, D")


def test_every_column_of_every_table_has_its_type_for_programs(folder: Path) -> None:
    resources = {
        one["name"]: one for one in json.loads((folder / "datapackage.json").read_text())["resources"]
    }
    assert set(resources) == {row.table for row in ROW_TYPES}
    for name, resource in resources.items():
        with (folder / f"{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        for field in resource["schema"]["fields"]:
            filled = [row[field["name"]] for row in rows if row[field["name"]] != ""]
            if "constraints" in field:
                assert len(filled) == len(rows), field
            if field["type"] in ("integer", "number"):
                assert all(math.isfinite(float(value)) for value in filled), field
            if field["type"] == "boolean":
                assert set(filled) <= {"true", "false"}, field


@pytest.mark.parametrize(
    ("script", "lacking"), [("recompute.py", "numpy and scipy"), ("independent.py", "numpy")]
)
def test_a_script_says_in_one_sentence_what_it_lacks(folder: Path, script: str, lacking: str) -> None:
    # Without packages, as Python comes.
    command = [sys.executable, "-S", "-E", str(folder / script), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        f"{script} needs {lacking}: python -m pip install {lacking.replace(' and', '')}\n",
    )


R_TYPES = {"integer": "numeric", "number": "numeric", "boolean": "logical", "datetime": "POSIXct"}


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed here")
def test_r_reads_every_table_as_the_readme_says_without_a_package(folder: Path) -> None:
    (block,) = (folder / "README.md").read_text().split("```r\n")[1:]
    script = block.split("```")[0] + (
        "for (name in names(columns)) { rows <- read_table(name); for (column in names(rows)) "
        'cat(name, column, class(rows[[column]])[1], sum(is.na(rows[[column]])), "\\n") }\n'
        'cat("texts", read_table("answers")$text, sep = "\\n")\n'
    )
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", script], cwd=folder, capture_output=True, text=True, check=True
    )
    said, texts = done.stdout.split("texts\n")
    found = {tuple(line.split()[:2]): line.split()[2:] for line in said.splitlines()}
    for resource in json.loads((folder / "datapackage.json").read_text())["resources"]:
        with (folder / resource["path"]).open(newline="") as file:
            rows = list(csv.DictReader(file))
        for field in resource["schema"]["fields"]:
            absent = sum(row[field["name"]] == "" for row in rows)
            expected = [R_TYPES.get(field["type"], "character"), str(absent)]
            assert found.pop((resource["name"], field["name"])) == expected, field
    assert not found
    assert FORMULA in texts.splitlines()
