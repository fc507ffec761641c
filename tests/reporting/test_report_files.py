"""A report's files: whole in themselves, readable by everybody, and equal for equal contents."""

import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO

import pytest
from pypdf import PdfReader

from presentation.drawings.shapes import Drawing, Line, Text
from presentation.tables import Sourced, Table
from reporting.report.html import document_html
from reporting.report.parts import (
    Beside,
    BigNumber,
    Bullets,
    Checklist,
    ChecklistEntry,
    Document,
    Facts,
    Figure,
    Heading,
    ItemState,
    Numbers,
    Paragraph,
    Tone,
    Words,
)
from reporting.report.pdf import LETTERS, columns_of, document_pdf

DRAWING = Drawing(300, 60, (Text(0, 20, "Average 0.11"), Line(0, 30, 300, 30, "zero")))
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'
HOSTILE = '<script>alert("1")</script> & <img src=http://example.org/x> #panic("x") *a* $x$ @ref <l> \\'


def entry(number: str, state: ItemState, answer: str = "") -> ChecklistEntry:
    return ChecklistEntry(number, f"What of {number}?", "From the records.", answer, state, str(state))


@pytest.fixture
def document() -> Document:
    return Document(
        name="Ergebnisse μ θ — ünïcode",
        title=f"People stand in the middle {HOSTILE}",
        kicker="Study pilot, 1 May 2030",
        foot="Study pilot",
        written_at=datetime(2030, 5, 1, 9, tzinfo=UTC),
        software="chiron test",
        words=Words(language="en", contents="Contents", undrawn="In brackets: no font."),
        parts=[
            Paragraph("12 people.", Tone.LEAD, "A rule."),
            Numbers([BigNumber("Average", "0.11", "average", "−0.08 to 0.30", "12 people")]),
            Beside(
                ([Heading("Who", 3), Facts("Who", [("Counted", "12")])], [Bullets(["Take care.", HOSTILE])])
            ),
            Heading("Estimates"),
            Paragraph("Nothing here is real.", Tone.WARNING),
            Heading("By category", 2),
            Table(
                "Theta",
                ["Group", "θ", "n"],
                [[Sourced(f"row {n}", "Our runs"), "0.11", "195"] for n in range(120)],
                ["a note"],
            ),
            Heading("Other", 2),
            Figure(DRAWING, SVG, "Two intervals that overlap.", "Average and Top."),
            Heading("Records", new_page=True),
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
    assert names.count("caption") == names.count("table") == 4
    assert all(attributes.get("alt") for tag, attributes in parsed.tags if tag == "img")
    anchors = {attributes["id"] for tag, attributes in parsed.tags if tag == "div" and "id" in attributes}
    links = {str(attributes["href"])[1:] for tag, attributes in parsed.tags if tag == "a"}
    assert links == anchors | {"main"}


def test_a_warning_stands_before_title_and_contents(document: Document) -> None:
    html = document_html(replace(document, warning="Nobody <b>took part</b>."))
    assert html.index("Nobody &lt;b&gt;took") < html.index("<h1>") < html.index("<nav")
    assert "Nobody took part." in pages_of(document_pdf(replace(document, warning="Nobody took part.")))[0]


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


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page, letters that the font joins taken apart."""
    return [unicodedata.normalize("NFKC", page.extract_text()) for page in PdfReader(BytesIO(pdf)).pages]


def test_equal_documents_give_equal_files(document: Document) -> None:
    assert document_html(document) == document_html(replace(document))
    assert document_pdf(document) == document_pdf(replace(document))


def test_the_pdf_begins_with_what_was_found_and_repeats_heads_of_tables(document: Document) -> None:
    content = document_pdf(document)
    assert content.startswith(b"%PDF-")
    assert set(re.findall(rb"D:(\d{8})", content)) == {b"20300501"}
    pages = pages_of(content)
    first = " ".join(pages[0].split())
    assert "People stand in the middle <script>" in first
    for text in (
        "12 people.",
        "0.11",
        "−0.08 to 0.30",
        "Take care.",
        "A rule.",
        f"Study pilot 1 / {len(pages)}",
    ):
        assert text in first, text
    rows = [page for page in pages if "row " in page]
    assert len(rows) > 1
    assert all(re.search(r"Group\s+θ\s+n", page) for page in rows)
    assert "Our runs" in rows[0]


def test_every_page_has_its_number_and_a_footnote_stands_once(document: Document) -> None:
    many = [
        part
        for n in range(60)
        for part in (
            Heading(f"Part {n}", 2 if n else 1, new_page=n == 20),
            Paragraph("Words. " * 80, footnote=f"Note {n % 7}"),
        )
    ]
    pages = pages_of(document_pdf(replace(document, parts=many)))
    assert len(pages) > 8
    for number, page in enumerate(pages, 1):
        assert f"{number} / {len(pages)}" in page
    whole = " ".join(pages)
    assert [whole.count(f"Note {n}") for n in range(7)] == [1] * 7


def test_texts_of_others_are_no_markup(document: Document) -> None:
    pages = " ".join(" ".join(pages_of(document_pdf(document))).split())
    assert pages.count('#panic("x") *a* $x$ @ref <l> \\') == 3


def test_names_in_other_scripts_have_letters(document: Document) -> None:
    names = ["通义千问", "ひらがな", "한국어", "שלום", "Модель"]
    parts = [Heading(f"{name}") for name in names]
    text = "".join(pages_of(document_pdf(replace(document, parts=parts))))
    assert all(name in text or name[::-1] in text for name in names)


def test_letters_without_a_font_are_named_and_the_file_says_so(document: Document) -> None:
    def text(*parts: Heading) -> str:
        return " ".join(" ".join(pages_of(document_pdf(replace(document, parts=parts)))).split())

    told = text(Heading("Study สวัสดี 1"), Heading("Well \U0001f600\ufe0f done"))
    assert "Study [Thai] 1" in told
    assert "Well [grinning face] done" in told
    assert "In brackets: no font." in told
    assert "In brackets: no font." not in text(Heading("Übermäßig, θ, 通义千问"))


def test_what_many_cells_repeat_is_said_once_below_the_table(document: Document) -> None:
    why = "withheld: it would tell of one person"
    table = Table("Theta", ["Group", "θ"], [*([f"row {n}", why] for n in range(3)), ["row 3", "0.11"]])
    page = " ".join(pages_of(document_pdf(replace(document, parts=[table])))[0].split())
    assert "(a)" not in page  # where there is room, a cell says it itself
    wide = replace(table, rows=[[f"{name}, {'long ' * 12}", cell] for name, cell in table.rows])
    page = " ".join(pages_of(document_pdf(replace(document, parts=[wide])))[0].split())
    assert page.count(f"(a) {why}") == page.count(why) == 1
    assert page.count("(a)") == 4


def test_columns_are_as_wide_as_words_and_numbers_need() -> None:
    step, widths = columns_of(["Group", "n"], [["a b", "1"], ["c", "12,345"]])
    assert (step, widths[1]) == (0, 8.0)
    assert sum(widths) == LETTERS[0]
    step, widths = columns_of([f"column{n}" for n in range(12)], [["−0.12\u00a0to\u00a00.34"] * 12])
    assert step == len(LETTERS) - 1


def test_a_report_of_nothing_is_a_file_all_the_same(document: Document) -> None:
    empty = replace(document, parts=[])
    assert "<nav" not in document_html(empty)
    assert document_pdf(empty).startswith(b"%PDF-")
