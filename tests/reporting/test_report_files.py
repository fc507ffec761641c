"""A report's files: whole in themselves, readable by everybody, and equal for equal contents."""

import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from PIL import Image

from presentation.tables import Table
from reporting.report.html import document_html
from reporting.report.parts import (
    Checklist,
    ChecklistEntry,
    Document,
    Facts,
    Figure,
    Heading,
    ItemState,
    Paragraph,
    Tone,
    Words,
)
from reporting.report.pdf import ReportPages, document_pdf

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'
HOSTILE = '<script>alert("1")</script> & <img src=http://example.org/x>'


def png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (40, 30), "white").save(file, format="png")
    return file.getvalue()


PICTURES = {"svg": SVG, "png": png()}


def entry(number: str, state: ItemState, answer: str = "") -> ChecklistEntry:
    return ChecklistEntry(number, f"What of {number}?", "From the records.", answer, state, str(state))


@pytest.fixture
def document() -> Document:
    return Document(
        title="Ergebnisse μ θ̂ — ünïcode",
        subtitle="Study pilot, 1 May 2030",
        written_at=datetime(2030, 5, 1, 9, tzinfo=UTC),
        software="chiron test",
        words=Words(
            language="en", contents="Contents", page="{number} of {of}", undrawable="{mark} is left out"
        ),
        parts=[
            Heading("Estimates"),
            Paragraph("Nothing here is real.", Tone.WARNING),
            Heading("By category", 2),
            Table(
                "Theta", ["Group", "θ", "n"], [[f"row {n}", "0.11", "195"] for n in range(120)], ["a note"]
            ),
            Heading("Other", 2),
            Figure(PICTURES.__getitem__, "Two intervals that overlap.", "Average and Top."),
            Heading("Records"),
            Facts("Hashes", [("Protocol", "a" * 64), ("Instructions", "long text\n" * 300)]),
            Paragraph(HOSTILE, Tone.NOTE),
            Checklist(
                "Design",
                ("Item", "Question", "Answer", "State"),
                [entry("1.1", ItemState.AUTOMATIC), entry("1.2", ItemState.MISSING, "word " * 2000)],
            ),
        ],
    )


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.misplaced: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.misplaced.append(tag)


def seen(html: str) -> Seen:
    parser = Seen()
    parser.feed(html)
    return parser


def test_the_html_file_needs_and_asks_for_nothing_else(document: Document) -> None:
    html = document_html(document)
    parsed = seen(html)
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in parsed.tags}
    addresses = [
        value
        for _, attributes in parsed.tags
        for name, value in attributes.items()
        if name in {"src", "href"}
    ]
    assert addresses
    assert all(str(one).startswith(("data:image/svg+xml;base64,", "#")) for one in addresses)
    assert "default-src &#x27;none&#x27;" in html
    assert "alert(&quot;1&quot;)" in html


def test_the_html_file_is_well_formed_with_landmarks_captions_and_alt_texts(document: Document) -> None:
    parsed = seen(document_html(document))
    assert (parsed.open, parsed.misplaced) == ([], [])
    names = [tag for tag, _ in parsed.tags]
    assert [names.count(tag) for tag in ("header", "nav", "main", "footer", "h1")] == [1] * 5
    assert names.count("caption") == names.count("table") == 3
    assert all(attributes.get("alt") for tag, attributes in parsed.tags if tag == "img")
    anchors = {
        attributes["id"] for tag, attributes in parsed.tags if tag in {"h2", "h3"} and "id" in attributes
    }
    links = {str(attributes["href"])[1:] for tag, attributes in parsed.tags if tag == "a"}
    assert links == anchors | {"main"}


def test_a_warning_stands_before_title_and_contents(document: Document) -> None:
    html = document_html(replace(document, warning="Nobody <b>took part</b>."))
    assert html.index("Nobody &lt;b&gt;took") < html.index("<h1>") < html.index("<nav")
    assert document_pdf(replace(document, warning="Nobody took part.")) != document_pdf(document)


def test_columns_of_texts_are_set_to_the_left_and_those_of_numbers_to_the_right() -> None:
    rows = [["a", "−0.12 to 0.4", "yes", "–", "12 %"], ["b", "–", "no", "–", "not measured: 1 person"]]
    table = Table("Mixed", ["Group", "θ", "Excluded", "SE", "Share"], [*rows, ["c", "1,234", "", "", "5 %"]])
    assert table.number_columns == [False, True, False, True, True]
    assert replace(table, numeric=False).number_columns == [False] * 5


def test_levels_of_the_contents_may_start_and_end_anywhere(document: Document) -> None:
    for levels in ([2, 1], [1, 1, 2], [2], [1, 2, 2, 1, 2], []):
        parts = [Heading(f"h{place}", level) for place, level in enumerate(levels)]  # type: ignore[arg-type]
        parsed = seen(document_html(replace(document, parts=parts)))
        assert (parsed.open, parsed.misplaced) == ([], [])


def test_equal_documents_give_equal_files(document: Document) -> None:
    assert document_html(document) == document_html(replace(document))
    assert document_pdf(document) == document_pdf(replace(document))


def test_the_pdf_has_contents_page_numbers_bookmarks_and_one_date(document: Document) -> None:
    content = document_pdf(document)
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", content)) >= 6
    assert b"/Outlines" in content
    dates = set(re.findall(rb"D:(\d{14})", content))
    assert dates == {b"20300501090000"}


def test_a_report_of_nothing_is_a_file_all_the_same(document: Document) -> None:
    empty = replace(document, parts=[])
    assert "<nav" not in document_html(empty)
    assert document_pdf(empty).startswith(b"%PDF-")


def test_letters_that_the_pdf_cannot_show_are_marked_and_said(document: Document) -> None:
    pages = ReportPages(document)
    assert pages.drawable("Größe θ − Δ₁ “x”\n") == "Größe θ − Δ₁ “x”\n"
    assert not pages.undrawable
    assert pages.drawable("中 a ع ב") == "□ a □ □"
    assert pages.undrawable


def test_a_figure_is_drawn_in_the_one_format_that_is_asked_for(document: Document) -> None:
    asked: list[str] = []

    def file(extension: str) -> bytes:
        asked.append(extension)
        return PICTURES[extension]

    parts = [replace(part, file=file) if isinstance(part, Figure) else part for part in document.parts]
    document_pdf(replace(document, parts=parts))
    assert asked == ["png"]
