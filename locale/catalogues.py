"""The catalogues of the interface's texts. Run as a script, it brings them up to date and compiles them.

A catalogue is `locale/<language>/LC_MESSAGES/<domain>.po`: "django" holds the texts of templates and Python,
"djangojs" those of the scripts in static/. Django reads the compiled .mo beside each.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO, StringIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

LOCALE = Path(__file__).resolve().parent
ROOT = LOCALE.parent
LANGUAGES = ("de",)
DOMAINS = ("django", "djangojs")
KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
}
ROOMS = (
    "config console operations reporting scoring judging screening batches jobs studies presentation "
    "psychometrics formats"
).split()
SOURCES = {
    "django": ("templates/**/*", *(f"{room}/**/*.py" for room in ROOMS)),
    "djangojs": ("static/**/*.js",),
}


class PlainCatalog(Catalog):
    """A catalogue whose header says only what gettext needs, so that it changes with its texts alone."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", str(self.locale_identifier)),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms),
        ]


def texts_of(path: str, source: str) -> Iterator[tuple[str | tuple[str, ...], str | None]]:
    """Every text of one file that is marked for translation, with its context; a plural makes it a pair."""
    method = "javascript" if path.endswith(".js") else "python"
    if not path.endswith((".js", ".py")):
        # What is left of a template between its texts is indented as it pleases, which Python must not see.
        source = "\n".join(line.strip() for line in templatize(source).splitlines())
    options = {"parse_template_string": True} if method == "javascript" else {}
    found = extract(method, BytesIO(source.encode()), keywords=KEYWORDS, options=options)
    yield from ((text, context) for _, text, _, context in found)


def extracted(domain: str) -> Catalog:
    """Every text of the domain as the sources have it now."""
    catalogue = Catalog()
    found: Iterable[Path] = (path for pattern in SOURCES[domain] for path in ROOT.glob(pattern))
    for path in sorted(path for path in found if path.suffix in {".html", ".txt", ".py", ".js"}):
        for text, context in texts_of(path.name, path.read_text()):
            catalogue.add(text, locations=[(path.relative_to(ROOT).as_posix(), 0)], context=context)
    return catalogue


def po_file(language: str, domain: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def stored(language: str, domain: str) -> PlainCatalog:
    """The catalogue as it is in the repository; empty where there is none yet."""
    catalogue = PlainCatalog(locale=language, fuzzy=False, header_comment="")
    path = po_file(language, domain)
    if path.exists():
        for message in texts_in(read_po(StringIO(path.read_text()), locale=language)):
            catalogue[message.id] = message
    return catalogue


def texts_in(catalogue: Catalog) -> list[Message]:
    """The texts without the header."""
    return [message for message in catalogue if message.id]


def compiled(catalogue: Catalog) -> bytes:
    """The content of the .mo file."""
    written = BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()


def bring_up_to_date(language: str, domain: str) -> int:
    """Take over new texts, drop those that are gone, compile; the number of texts without a translation."""
    catalogue = stored(language, domain)
    catalogue.update(extracted(domain), no_fuzzy_matching=True)
    path = po_file(language, domain)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = BytesIO()
    write_po(written, catalogue, sort_output=True, include_lineno=False, ignore_obsolete=True, width=100)
    path.write_bytes(written.getvalue().lstrip(b"#\n"))
    path.with_suffix(".mo").write_bytes(compiled(catalogue))
    return sum(not all(strings_of(message)) for message in texts_in(catalogue))


def strings_of(message: Message) -> tuple[str, ...]:
    """The translations of one text: one, or one per plural form."""
    return tuple(message.string) if isinstance(message.string, list | tuple) else (message.string or "",)


if __name__ == "__main__":
    missing = sum(bring_up_to_date(language, domain) for language in LANGUAGES for domain in DOMAINS)
    sys.stdout.write(f"Texts without a translation: {missing}.{os.linesep}")
