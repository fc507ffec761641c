"""Geometry of drawings, exact on small cases; files of the same marks."""

import re
import sys
from io import BytesIO
from xml.etree import ElementTree

import pytest
from django.utils import translation
from pypdf import PdfReader

from presentation.drawings.charts import Axis, Place, Series, chart
from presentation.drawings.grids import Cell, heat_grid
from presentation.drawings.intervals import Behind, Estimate, interval_plot
from presentation.drawings.ladder import People, Rung, Words, ladder, stacked
from presentation.drawings.multiples import Part, multiple, shared_scale
from presentation.drawings.scales import Scale, places_of, scale_of, ticks
from presentation.drawings.shapes import (
    Anchor,
    Box,
    Dot,
    Drawing,
    Line,
    Mark,
    Path,
    Shape,
    Text,
    with_foot,
)
from presentation.drawn import drawing_file
from presentation.looks import look_of
from presentation.numbers import decimals

WORDS = Words("ability", "weaker", "stronger")


def say(value: float, places: int) -> str:
    return f"{value:.{places}f}"


def dots(drawing: Drawing | None) -> list[Dot]:
    assert drawing is not None
    return [mark for mark in drawing.marks if isinstance(mark, Dot)]


def test_a_scale_puts_values_in_proportion_and_names_round_ones() -> None:
    scale = Scale(-2.0, 3.0, 0.0, 500.0)
    assert [scale.at(value) for value in (-2, 0, 3)] == [0, 200, 500]
    assert scale.within(9) == 500
    assert ticks(scale, 5) == [-2, -1, 0, 1, 2, 3]
    assert places_of([0.0, 0.25]) == 1
    assert places_of([-2.0, -1.0]) == 0


def test_a_scale_of_logarithms_names_one_two_and_five_of_a_decade() -> None:
    assert ticks(Scale(0.4, 6.0, 0, 1, log=True)) == pytest.approx([0.5, 1, 2, 5])


def test_a_long_name_stands_on_two_lines_and_many_lines_stand_closer() -> None:
    long = "Which people and which questions, by question set"
    drawn = interval_plot(
        [Estimate(long, 1.0, "average", "a"), Estimate("b", 2.0, "average", "b")], "x", say, width=616
    )
    assert drawn is not None
    names = [mark.text for mark in drawn.marks if isinstance(mark, Text) and mark.look == "name"]
    assert names == ["Which people and which", "questions, by question set", "b"]
    few, many = (
        interval_plot([Estimate(f"{n}", 1.0, "average", "a") for n in range(number)], "x", say, width=616)
        for number in (12, 24)
    )
    assert few is not None
    assert many is not None
    assert many.height < 1.5 * few.height


def test_a_single_value_has_a_unit_to_either_side() -> None:
    scale = scale_of([2.0], 0, 100)
    assert (scale.low, scale.high, scale.at(2.0)) == (1, 3, 50)
    rounding = scale_of([-6.9, -6.9 + 1e-15], 0, 100)
    assert len(ticks(rounding)) > 1


def test_dots_that_would_cover_each_other_are_stacked() -> None:
    assert stacked([100, 0, 104, 109, 112]) == [0, 0, 1, 2, 0]
    assert stacked([]) == []


def test_models_lie_on_the_ladder_by_ability_and_people_above_them() -> None:
    people = [
        People("picked 3", 3.0, "picked", "topmark", picked=True, band=(1.0, 2.0), band_told="by luck"),
        People("Top 2", 2.0, "top", "topmark", 1.0, 3.0),
        People("Average 1", 1.0, "average", "average", 0.0, 2.0),
    ]
    rungs = [Rung("model-01", -1.0, "model-01: −1"), Rung("model-02", 1.0, "model-02: 1", near=True)]

    drawing = ladder(rungs, people, WORDS, say, width=800)

    assert drawing is not None
    scale = scale_of([-1.0, 3.0], 14, 786)
    assert [(dot.x, dot.look) for dot in dots(drawing)] == [
        (scale.at(3), "topmark hollow"),
        (scale.at(2), "topmark"),
        (scale.at(1), "average"),
        (scale.at(-1), "model"),
        (scale.at(1), "model near"),
    ]
    rows = [dot.y for dot in dots(drawing)]
    assert rows[0] < rows[1] < rows[2] < rows[3] == rows[4]
    assert drawing.told == ("by luck", "picked", "top", "average", "model-01: −1", "model-02: 1")
    intervals = [mark for mark in drawing.marks if isinstance(mark, Line) and "ci" in mark.look]
    assert [(one.x1, one.x2) for one in intervals] == [
        (scale.at(1), scale.at(3)),
        (scale.at(0), scale.at(2)),
    ]


def test_the_band_of_luck_stands_at_the_hollow_top_alone() -> None:
    picked = People("picked", 3.0, "picked", "topmark", picked=True, band=(1.0, 2.0), band_told="luck")
    drawing = ladder([], [picked, People("Top", 2.0, "top", "topmark", 1.0, 3.0)], WORDS, say, width=800)
    assert drawing is not None
    (band,) = [mark for mark in drawing.marks if isinstance(mark, Box)]
    hollow, free = dots(drawing)
    assert band.y < hollow.y < band.y + band.height < free.y


def test_names_of_models_do_not_leave_the_sheet() -> None:
    rungs = [Rung(f"a model with a long name {n}", float(n), "told") for n in range(12)]
    drawing = ladder(rungs, [], WORDS, say, width=340)
    assert drawing is not None
    for mark in drawing.marks:
        if isinstance(mark, Text) and mark.look == "name":
            assert mark.x - 3.3 * len(mark.text) >= 0
            assert mark.x + 3.3 * len(mark.text) <= 340


def test_nothing_is_drawn_of_nothing() -> None:
    assert ladder([], [], WORDS, say, width=800) is None
    assert interval_plot([], "x", say, width=800) is None
    assert chart([Series("dots", [], "average")], Axis("x"), Axis("y"), say, width=800) is None
    assert heat_grid([[Cell(None, ("–",), "none")]], ["a"], ["b"], width=800) is None


def test_a_single_point_with_its_interval_is_no_figure() -> None:
    one = Estimate("a", 1.0, "average", "a: 1", 0.0, 2.0)
    two = Estimate("b", 2.0, "average", "b: 2")
    alone, both = (interval_plot(list(them), "x", say, width=800) for them in ((one,), (one, two)))
    assert alone is not None
    assert both is not None
    assert (alone.says_something, both.says_something) == (False, True)


def test_intervals_are_drawn_where_they_are_even_to_one_side() -> None:
    drawing = interval_plot(
        [Estimate("a", 3.0, "average", "a", -1.0, 3.0)], "x", say, width=800, behind=Behind(limits=(-2, 4))
    )
    assert drawing is not None
    (interval,) = [mark for mark in drawing.marks if isinstance(mark, Line) and mark.look == "ci average"]
    (dot,) = dots(drawing)
    assert (interval.x2, interval.y1) == (dot.x, dot.y)
    assert interval.x1 < dot.x


def test_every_line_of_an_interval_plot_is_drawn_on_paper_those_of_modelled_values_too() -> None:
    estimates = [
        Estimate("a", 0.1, "model", "a: 0.1", -0.2, 0.4, modelled=True),
        Estimate("b", 0.3, "average", "b: 0.3", 0.1, 0.5),
    ]
    drawn = interval_plot(estimates, "ability", say, width=600)
    assert drawn
    assert all(look_of(mark.look).stroke != "none" for mark in drawn.marks if isinstance(mark, Line))
    assert drawing_file(drawn, "pdf").startswith(b"%PDF-")


def test_small_multiples_share_an_axis() -> None:
    parts = [Part(0.0, -1.0, 1.0, "a"), Part(3.0, None, None, "b", top=4.0, top_told="top of b")]
    scale = shared_scale(parts, 1.0)
    first, second = (multiple(part, scale, say, 1.0) for part in parts)
    assert [dot.x for dot in dots(first)] == [scale.at(0)]
    assert [(dot.x, dot.look) for dot in dots(second)] == [
        (scale.at(4), "topmark hollow"),
        (scale.at(3), "average"),
    ]


def test_bars_stand_on_each_other_and_empty_ones_are_not_told() -> None:
    drawing = chart(
        [
            Series("bars", [Place(1, 30.0, "low", 0.0)], "bar-1"),
            Series("bars", [Place(1, 50.0, "high", 30.0)], "bar-2"),
        ],
        Axis("x", 0, 2), Axis("y", 0, 100), say, width=800,
    )  # fmt: skip
    assert drawing is not None
    low, high = [mark for mark in drawing.marks if isinstance(mark, Box) and mark.told]
    assert (low.height, high.height) == (90, 60)
    assert high.y + high.height == pytest.approx(low.y)


def test_cells_are_fuller_the_higher_their_value() -> None:
    cells = [Cell(0.0, ("0",), "a"), Cell(1.0, ("1",), "b"), Cell(None, ("–",), "c")]
    drawing = heat_grid([cells], ["row"], list("xyz"), width=800)
    assert drawing is not None
    told = [mark for mark in drawing.marks if isinstance(mark, Box) and mark.told]
    assert [mark.strength for mark in told] == [0.06, 0.55, 0.0]


@pytest.fixture
def drawing() -> Drawing:
    rungs = [Rung("<one & two>", -0.5, "<one & two>: −0.5"), Rung("b", 1.5, "b: 1.5")]
    made = ladder(rungs, [People("A", 0.25, "A: 0.25", "average", 0, 1)], WORDS, decimals, width=800)
    assert made is not None
    return made


def test_an_svg_is_a_document_that_loads_nothing_and_names_its_scope(drawing: Drawing) -> None:
    content = drawing_file(drawing, "svg", "Public questions only").decode()
    root = ElementTree.fromstring(content)  # noqa: S314
    assert root.tag.endswith("svg")
    assert "&lt;one &amp; two&gt;" in content
    assert ">Public questions only</text>" in content
    assert not re.search(r"href=|url\(|<script|<image", content)
    assert "var(--" not in content
    assert drawing_file(drawing, "svg") == drawing_file(drawing, "svg")


def test_printed_files_are_equal_for_equal_numbers_and_no_server_loads_what_sets_them(
    drawing: Drawing,
) -> None:
    assert drawing_file(drawing, "png").startswith(b"\x89PNG")
    first = drawing_file(drawing, "pdf", "Public questions only")
    assert first == drawing_file(drawing, "pdf", "Public questions only")
    text = PdfReader(BytesIO(first)).pages[0].extract_text()
    assert "<one & two>" in text
    assert "Public questions only" in text
    assert "typst" not in sys.modules


def test_every_mark_and_shape_is_set_whatever_its_texts_say() -> None:
    shapes: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle")
    anchors: tuple[Anchor, ...] = ("start", "middle", "end")
    marks: tuple[Mark, ...] = (
        Line(0, 0, 9, 9, "dashed"),
        Box(0, 0, 9, 9, "cell", strength=0.3, corner=2),
        Path(((0, 0), (9, 9), (9, 0)), "curve average"),
        Path(((0, 0), (9, 9), (9, 0)), "area average", closed=True),
        *(Dot(20, 20, 4, "topmark hollow", shape) for shape in shapes),
        *(Text(50, 20, '#panic("x") *a* $x$ @b <c> \\', anchor=one) for one in anchors),
    )
    text = PdfReader(BytesIO(drawing_file(Drawing(400, 40, marks), "pdf"))).pages[0].extract_text()
    assert text.count('#panic("x") *a* $x$ @b <c> \\') == 3


def test_axes_carry_the_decimal_mark_of_the_readers_language(drawing: Drawing) -> None:
    with translation.override("de"):
        rungs = [Rung("a", 0.1, "a"), Rung("b", 0.9, "b")]
        german = ladder(rungs, [], WORDS, decimals, width=800)
        assert german is not None
        content = drawing_file(german, "svg").decode()
    assert re.search(r">0,\d</text>", content)
    assert not re.search(r'x1="\d+,\d', content)


def test_every_look_of_a_drawing_is_known_on_paper(drawing: Drawing) -> None:
    for mark in drawing.marks:
        look = look_of(mark.look)
        assert look.fill != "none" or look.stroke != "none", mark.look


def test_a_foot_makes_the_sheet_higher(drawing: Drawing) -> None:
    assert with_foot(drawing, "") is drawing
    assert with_foot(drawing, "All questions").height == drawing.height + 20


def test_shapes_have_corners_but_a_circle() -> None:
    assert Dot(10, 10, 4, "average").corners == ()
    assert Dot(10, 10, 4, "average", "square").corners == ((6, 6), (14, 6), (14, 14), (6, 14))
    assert isinstance(Path(((0, 0), (1, 1)), "zero").places, tuple)
