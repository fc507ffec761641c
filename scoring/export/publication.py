"""What makes an export a publication: its licence, its authors, how it is cited, as the study lead says."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from scoring.export.manifest import StudyEntry

LICENCE_NAME, CITATION_NAME = "LICENSE", "CITATION.cff"
# Licences for data, by their SPDX identifiers.
LICENCES: Mapping[str, tuple[str, str]] = {
    "CC-BY-4.0": (
        "Creative Commons Attribution 4.0 International",
        "https://creativecommons.org/licenses/by/4.0/legalcode",
    ),
    "CC-BY-SA-4.0": (
        "Creative Commons Attribution-ShareAlike 4.0 International",
        "https://creativecommons.org/licenses/by-sa/4.0/legalcode",
    ),
    "CC-BY-NC-4.0": (
        "Creative Commons Attribution-NonCommercial 4.0 International",
        "https://creativecommons.org/licenses/by-nc/4.0/legalcode",
    ),
    "CC0-1.0": (
        "Creative Commons Zero 1.0 Universal",
        "https://creativecommons.org/publicdomain/zero/1.0/legalcode",
    ),
    "ODC-By-1.0": (
        "Open Data Commons Attribution License 1.0",
        "https://opendatacommons.org/licenses/by/1-0/",
    ),
    "ODbL-1.0": (
        "Open Data Commons Open Database License 1.0",
        "https://opendatacommons.org/licenses/odbl/1-0/",
    ),
}
# As the schema of CITATION.cff 1.2.0 has them.
DOI = re.compile(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+")
UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # no letters, or ends of lines, to YAML
ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")


class AuthorRefused(ValueError):
    """A line that is no author; `str()` is the line."""


@dataclass(frozen=True)
class Author:
    """A person with both names, or a group whose name is `family`."""

    family: str
    given: str = ""
    orcid: str = ""

    def __str__(self) -> str:
        return f"{self.given} {self.family}".strip()


@dataclass(frozen=True)
class Publication:
    """What the lead said; everything may be empty."""

    title: str = ""
    authors: tuple[Author, ...] = ()
    licence: str = ""
    doi: str = ""


def authors_of(text: str) -> tuple[Author, ...]:
    """One author a line: "Family, Given", perhaps ", ORCID" after it, or the name of a group without a comma.

    Raises AuthorRefused.
    """
    authors = []
    for line in filter(None, map(str.strip, text.splitlines())):
        names = [part.strip() for part in line.split(",")]
        orcid = names[2].removeprefix("https://orcid.org/") if len(names) > 2 else ""
        if len(names) > 3 or not all(names) or (len(names) > 2 and not ORCID.fullmatch(orcid)):
            raise AuthorRefused(line)
        # The last one is the check digit of the others (ISO 7064, 11-2).
        total = 0
        for digit in orcid.replace("-", "")[:-1]:
            total = (total + int(digit)) * 2
        if orcid and orcid[-1] != "0123456789X"[(12 - total % 11) % 11]:
            raise AuthorRefused(line)
        authors.append(Author(names[0], names[1] if len(names) > 1 else "", orcid))
    return tuple(authors)


def licence_text(publication: Publication, study: StudyEntry, now: datetime) -> str:
    """Under what the files may be used; that nobody chose is said as plainly."""
    holders = ", ".join(map(str, publication.authors)) or "the people who ran this study"
    title = " ".join((publication.title or study.name).split())
    if not publication.licence:
        return (
            f"{title}\nCopyright {now:%Y} {holders}\n\n"
            "NO LICENCE WAS CHOSEN: ALL RIGHTS RESERVED.\n\n"
            "Without a licence nobody may copy, change or pass on these files beyond what the law allows.\n"
            "Ask whoever gave them to you.\n"
        )
    name, address = LICENCES[publication.licence]
    return (
        f"SPDX-License-Identifier: {publication.licence}\n\n{title}\nCopyright {now:%Y} {holders}\n\n"
        f"These files are licensed under {name}.\nThe text of the licence: {address}\n"
    )


def citation_cff(publication: Publication, study: StudyEntry, now: datetime) -> str | None:
    """CITATION.cff, format 1.2.0, its values quoted as JSON, which is YAML; None without authors."""
    if not publication.authors:
        return None
    lines = [
        'cff-version: "1.2.0"',
        'message: "If you use these data, please cite them as below."',
        'type: "dataset"',
        f"title: {_quoted(publication.title or study.name)}",
        "authors:",
    ]
    for author in publication.authors:
        if author.given:
            lines += [
                f"  - family-names: {_quoted(author.family)}",
                f"    given-names: {_quoted(author.given)}",
            ]
        else:
            lines.append(f"  - name: {_quoted(author.family)}")
        if author.orcid:
            lines.append(f"    orcid: {_quoted('https://orcid.org/' + author.orcid)}")
    lines.append(f"date-released: {_quoted(f'{now:%Y-%m-%d}')}")
    if study.protocol_hash:
        lines.append(f"version: {_quoted('protocol ' + study.protocol_hash[:12])}")
    if publication.doi:
        lines.append(f"doi: {_quoted(publication.doi)}")
    if publication.licence:
        lines.append(f"license: {_quoted(publication.licence)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
