"""Texts of banks and protocols as safe HTML."""

import threading
import time
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from studies.formulas import LEVEL, MAX_LEVELS, formula
from studies.rendering import MAX_FORMULA_STARTS, MAX_MARKDOWN_CHARACTERS, markdown, plain, rendered


class Elements(HTMLParser):
    """The start tags of a page as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_plain_text_keeps_its_lines_and_shows_markup_as_it_stands() -> None:
    assert plain("a <b>\n  & $x$") == '<pre class="plain">a &lt;b&gt;\n  &amp; $x$</pre>'
    assert rendered("*a*", "plain") == '<pre class="plain">*a*</pre>'


@pytest.mark.parametrize(
    "text", ["\n| a | b |\n|---|---|\nafter", "one\na\tb\nc\td\n\nend", "a | b | c\nalone"]
)
def test_tables_in_plain_text_scroll_in_signs_of_one_width_and_stay_to_the_letter(text: str) -> None:
    html = plain(text)
    read = Elements()
    read.feed(html)
    # A browser leaves out the line end that a <pre> begins with.
    assert read.text.removeprefix("\n" if text.startswith("\n") else "") == text
    spans = [dict(attributes) for tag, attributes in read.seen if tag == "span"]
    assert spans == [{"class": "aligned scroll", "tabindex": "0"}] * ("alone" not in text)


def test_an_answer_keeps_the_line_ends_that_were_typed() -> None:
    assert markdown("one\ntwo \\\\\nthree", keeps_lines=True) == "<p>one<br>\ntwo<br>\nthree</p>\n"
    assert markdown("one\ntwo") == "<p>one\ntwo</p>\n"


def test_markdown_knows_tables_and_strikethrough() -> None:
    html = rendered("| a | b |\n|---|--:|\n| ~~1~~ | 2 |", "markdown")
    assert "<table>" in html
    assert '<td class="align-right">2</td>' in html
    assert "<s>1</s>" in html


def test_the_page_keeps_its_only_first_heading() -> None:
    assert markdown("# One\n\n###### Six") == "<h2>One</h2>\n<h6>Six</h6>\n"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        '<a href="https://example.org" onclick="alert(1)">x</a>',
        "$\\text{</mtext><script>alert(1)</script>}$",
        '```"><script>alert(1)</script>\nx\n```',
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "[x](https://example.org 'a\" onmouseover=\"alert(1)')",
        '<https://example.org/" onmouseover="alert(1)>',
        "\\(\\href{javascript:alert(1)}{x}\\)",
        "| <iframe src=//example.org> |\n|---|\n| x |",
    ],
)
def test_nothing_in_a_text_becomes_active(text: str) -> None:
    found = Elements()
    found.feed(markdown(text))
    assert not {"script", "img", "iframe", "svg", "style", "object", "form"} & {tag for tag, _ in found.seen}
    attributes = [pair for _, attrs in found.seen for pair in attrs]
    assert not [name for name, _ in attributes if name.startswith("on") or name in {"style", "src"}]
    assert all((value or "").startswith("https://") for name, value in attributes if name == "href")


def test_links_open_apart_and_take_no_reference_along() -> None:
    assert markdown("[x](https://example.org/a)") == (
        '<p><a href="https://example.org/a" target="_blank" rel="noopener noreferrer">x</a></p>\n'
    )


def test_links_into_this_site_lead_nowhere() -> None:
    assert "href" not in markdown("[x](/admin/)")


def test_images_of_other_hosts_are_replaced_by_their_description() -> None:
    assert markdown("![a cat](https://example.org/cat.png)") == "<p><em>[a cat]</em></p>\n"
    assert markdown("![](https://example.org/cat.png)") == "<p><em>[image]</em></p>\n"


def test_amounts_of_money_are_no_formula() -> None:
    assert markdown("It costs $5 and $10.") == "<p>It costs $5 and $10.</p>\n"


@pytest.mark.parametrize("text", ["Let $x^2$ be", r"Let \(x^2\) be"])
def test_formulas_in_a_line_become_mathml(text: str) -> None:
    assert markdown(text) == "<p>Let <math><msup><mi>x</mi><mn>2</mn></msup></math> be</p>\n"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "$$\nx\n$$",
            "\\[\nx\n\\]",
            "Text\n\\[ x \\]",
            "Text $$ x $$",
            "> $$\n> x\n> $$",
            "- a\n\n  \\[\n  x\n  \\]",
        ),
        *("\\begin{align}x\\end{align}", "Text \\begin{cases}x\\end{cases} text"),
    ],
)
def test_displayed_formulas_may_scroll_on_their_own(text: str) -> None:
    html = markdown(text)
    assert '<span class="formula scroll" tabindex="0"><math display="block">' in html
    assert "<mi>x</mi>" in html


@pytest.mark.parametrize("opening", ["$$ a $$", r"\[ a \]", r"\begin{align}a\end{align}"])
def test_what_stands_beside_a_formula_set_apart_stays(opening: str) -> None:
    html = markdown(f"{opening} and\n{opening} end\n\nThe sum $$\nb\n$$\nand\n$$\nc\n$$")
    assert html.count('<math display="block">') == 4
    assert "</span> and\n<span" in html
    assert "</span> end</p>" in html
    assert "and" in html.rpartition("<mi>b</mi>")[2]


@pytest.mark.parametrize("display", [True, False])
def test_line_ends_and_columns_of_a_bare_formula_are_seen(display: bool) -> None:
    assert formula(r"a &= b \\ c &= d", display=display).count("<mtr>") == 2
    assert formula(r"a \\ b", display=display).count("<mtr>") == 2
    assert formula(r"\left(\begin{matrix}1\\2\end{matrix}\right)\{\&\}", display=True).count("<mtable") == 1


@pytest.mark.parametrize("latex", [r"\frac{", r"\unheard{x}", "x^", r"\begin{align}"])
def test_a_formula_with_a_mistake_is_shown_as_its_source(latex: str) -> None:
    html = markdown(f"Let \\({latex}\\) be")
    assert f'<code class="formula-source">{latex}</code>' in html


def test_formulas_carry_no_style_attributes_which_the_policy_would_ignore() -> None:
    html = markdown("\\begin{align}a&=b\\\\c&=d\\end{align}\n\nand $\\color{red}x$")
    assert " style=" not in html
    assert 'class="math-right"' in html
    assert 'mathcolor="#FF0000"' in html


@pytest.mark.parametrize(
    "latex",
    [
        "{" * 5_000 + "x" + "}" * 5_000,
        r"\sqrt " * 3_000 + "x",
        r"\displaystyle " * 1_400 + "x",
        r"\left(" * 1_500 + "x" + r"\right)" * 1_500,
        r"\begin{matrix}" * 700 + "x" + r"\end{matrix}" * 700,
        r"\def\a{\sqrt{\sqrt{\sqrt{x}}}}\a",
    ],
)
def test_a_formula_that_could_exhaust_the_stack_is_shown_as_its_source(latex: str) -> None:
    assert formula(latex, display=False).startswith('<code class="formula-source">')


@pytest.mark.parametrize(
    ("opener", "closer"),
    [
        (r"\sqrt{", "}"),
        ("x_{", "}"),
        (r"\underset{a}{", "}"),
        (r"\left(\sqrt{", r"}\right)"),
        (r"\begin{cases}", r"\end{cases}"),
        (r"\color{red}", ""),
    ],
)
def test_the_deepest_formula_that_is_converted_fits_a_small_stack(opener: str, closer: str) -> None:
    levels = MAX_LEVELS // len(LEVEL.findall(opener + closer))
    latex = opener * levels + "x" + closer * levels
    assert in_a_thread_with_stack(2 * 1024 * 1024, lambda: formula(latex, display=False)).startswith("<math")


def in_a_thread_with_stack(size: int, call: Callable[[], str]) -> str:
    found: list[str] = []
    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=lambda: found.append(call()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return found[0]


@pytest.mark.parametrize("text", [">" * 50_000, "- " * 25_000, "*a " * 15_000, "|a" * 25_000])
def test_deep_nesting_ends_in_some_page(text: str) -> None:
    assert len(markdown(text)) > 0


@pytest.mark.parametrize(
    "text",
    [r"\( " * (MAX_FORMULA_STARTS - 1) + "x" * 50_000, "[" * 50_000, "![" * 25_000, "$a " * 1_400],
)
def test_the_slowest_texts_found_take_seconds_at_most(text: str) -> None:
    assert len(text) <= MAX_MARKDOWN_CHARACTERS
    started = time.process_time()
    markdown(text)
    assert time.process_time() - started < 30  # about one second; a quadratic slip takes minutes


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("before", ["", "> ", "  "])
def test_a_short_text_makes_no_table_of_thousands_of_cells(before: str, end: str) -> None:
    lines = ["|a" * 100 + "|", "|-" * 100 + "|", *["\xa0"] * 200]
    text = end.join(before + line for line in lines)
    assert markdown(text) == plain(text)


def test_a_large_table_of_real_rows_stays_a_table() -> None:
    text = (
        "\n".join(["|a" * 10 + "|", "|:-:" * 10 + "|", *["|1" * 10 + "|"] * 300]) + "\n\n" + "Text.\n" * 5_000
    )
    assert markdown(text).count("<tr>") == 301


@pytest.mark.parametrize("text", ["x" * 1_000_000, r"\(x\) " * 200_000, "*a* " * 250_000])
def test_a_megabyte_is_shown_as_it_stands(text: str) -> None:
    assert markdown(text) == plain(text)


def test_code_can_be_scrolled_with_the_keyboard_and_a_pre_in_the_text_is_text() -> None:
    html = markdown("```\nlong line\n```\n\n<pre>text</pre>")
    assert '<pre tabindex="0"><code>long line\n</code></pre>' in html
    assert "&lt;pre&gt;text&lt;/pre&gt;" in html
