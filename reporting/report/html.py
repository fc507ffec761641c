"""A report as one HTML file that needs nothing else: no script, no request, pictures inside.

The file says so itself: its own content security policy lets a browser load nothing. It says the words of
the pages, with exact terms in tooltips; what is a record word for word, or the lead wrote, stays.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import singledispatch
from html import escape
from itertools import count

from presentation.tables import PlainWord, Sourced, Table
from reporting.report import parts
from reporting.report.style import STYLE

NUMERIC = ' class="numeric"'
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def document_html(document: parts.Document) -> str:
    """The whole file."""
    title, language = escape(document.name), escape(document.words.language)
    # The warning, if there is one, stands before all else; then what was found, of what.
    warning = f'<p class="warning">{escape(document.warning)}</p>' if document.warning else ""
    kicker = f'<p class="kicker">{escape(document.kicker)}</p>'
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="{language}">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            f'<a class="skip" href="#main">{title}</a>',
            f"<header>{warning}{kicker}<h1>{escape(document.title)}</h1></header>",
            '<main id="main">',
            *(part_html(part) for part in document.first_page),
            *_parts_html(document),
            "</main>",
            f'<footer><p class="software">{escape(document.foot)}</p>',
            f'<p class="software">{escape(document.software)}</p></footer>',
            "</body>",
            "</html>",
            "",
        ]
    )


def _parts_html(document: parts.Document) -> Iterator[str]:
    """Links to the sections and to their parts set in; then every part after the first page."""
    listed = [part for part in document.parts if isinstance(part, parts.Heading) and part.level < 3]
    if listed:
        title = escape(document.words.contents)
        yield f'<nav aria-label="{title}"><h2>{title}</h2><ul>'
        for number, heading in enumerate(listed, start=1):
            css = ' class="part"' if heading.level == 2 else ""
            yield f'<li{css}><a href="#s{number}">{escape(heading.text)}</a></li>'
        yield "</ul></nav>"
    # Headings are numbered as the contents link to them.
    numbers = count(1)
    for part in document.parts[len(document.first_page) :]:
        if isinstance(part, parts.Heading) and part.level < 3:
            yield f'<div id="s{next(numbers)}">{part_html(part)}</div>'
        else:
            yield part_html(part)


def text_html(text: str) -> str:
    """An exact term that has a plain word is its tooltip."""
    word = escape(text)
    return f'<abbr title="{escape(text.code)}">{word}</abbr>' if isinstance(text, PlainWord) else word


@singledispatch
def part_html(part: parts.Part) -> str:
    raise TypeError(f"no HTML for {type(part).__name__}")


@part_html.register
def _heading(part: parts.Heading) -> str:
    kicker = f'<p class="kicker">{escape(part.kicker)}</p>' if part.kicker else ""
    return f"{kicker}<h{part.level + 1}>{text_html(part.text)}</h{part.level + 1}>"


@part_html.register
def _paragraph(part: parts.Paragraph) -> str:
    css = "" if part.tone is parts.Tone.PLAIN else f' class="{part.tone}"'
    return f"<p{css}>{text_html(part.text)}</p>" + _notes([part.footnote])


@part_html.register
def _bullets(part: parts.Bullets) -> str:
    return "<ul>" + "".join(f"<li>{text_html(item)}</li>" for item in part.items) + "</ul>"


@part_html.register
def _numbers(part: parts.Numbers) -> str:
    numbers = "".join(
        f"<div><dt>{text_html(number.label)}</dt>"
        f'<dd class="big {escape(number.look)}">{escape(number.value)}</dd>'
        f'<dd>{escape(number.ends)}</dd><dd class="note">{text_html(number.note)}</dd></div>'
        for number in part.numbers
    )
    return f'<dl class="beside">{numbers}</dl>'


@part_html.register
def _beside(part: parts.Beside) -> str:
    columns = ("".join(part_html(nested) for nested in column) for column in part.columns)
    return '<div class="beside">' + "".join(f"<div>{column}</div>" for column in columns) + "</div>"


@part_html.register
def _facts(part: parts.Facts) -> str:
    rows = "".join(
        f'<tr><th scope="row">{text_html(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in part.rows
    )
    return scrolled(part.caption, f"<tbody>{rows}</tbody>", css="facts")


@part_html.register
def _table(part: Table) -> str:
    head = "".join(
        f'<th scope="col"{NUMERIC if number else ""}>{text_html(name)}</th>'
        for name, number in part.head_cells
    )
    sources = list(
        dict.fromkeys(text.source for row in part.rows for text in row if isinstance(text, Sourced))
    )

    def cell(text: str) -> str:
        mark = f"<sup>{sources.index(text.source) + 1}</sup>" if isinstance(text, Sourced) else ""
        return text_html(text) + mark

    rows = "".join(
        f'<tr><th scope="row">{cell(name)}</th>'
        + "".join(f'<td class="{css}">{cell(text)}</td>' for text, css in cells)
        + "</tr>"
        for (name, _css), *cells in part.row_cells
    )
    notes = "".join(
        f'<p class="note"><sup>{number}</sup> {text_html(source)}</p>'
        for number, source in enumerate(sources, start=1)
    ) + _notes(part.notes)
    return scrolled(part.caption, f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>") + notes


@part_html.register
def _figure(part: parts.Figure) -> str:
    source = f"data:image/svg+xml;base64,{b64encode(part.svg).decode('ascii')}"
    caption, alt = escape(part.caption), escape(part.alt)
    return (
        f'<figure><div class="scroll" role="region" tabindex="0" aria-label="{caption}">'
        f'<img src="{source}" alt="{alt}"></div>'
        f"<figcaption>{text_html(part.caption)}</figcaption></figure>"
    ) + _notes([part.footnote])


def _notes(texts: Iterable[str]) -> str:
    return "".join(f'<p class="note">{text_html(text)}</p>' for text in texts if text)


@part_html.register
def _checklist(part: parts.Checklist) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in part.head)
    rows = ""
    for entry in part.entries:
        texts = (text_html(entry.record), escape(entry.answer))
        answer = "".join(f"<p>{text}</p>" for text in texts if text)
        rows += (
            f'<tr><th scope="row">{escape(entry.number)}</th><td>{text_html(entry.question)}</td>'
            f'<td>{answer}</td><td class="state state-{entry.state}">{escape(entry.state_name)}</td></tr>'
        )
    return scrolled(part.caption, f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>", css="checklist")


def scrolled(caption: str, inside: str, css: str = "") -> str:
    """A table that scrolls by itself where it is too wide, for keyboards too."""
    label, of = escape(caption), f' class="{css}"' if css else ""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}"><table{of}>'
        f"<caption><span>{text_html(caption)}</span></caption>{inside}</table></div>"
    )
