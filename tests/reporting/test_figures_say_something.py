"""Figures: none of a single point, numbers in the reader's language, cells that are there in every file."""

from django.utils import translation
from matplotlib.figure import Figure

from presentation.figures import figure_file, in_readers_numbers, shows_several_points
from reporting.views.agreement.pages import confusion_figure


def figure_of(points: int) -> Figure:
    figure = Figure()
    axes = figure.add_subplot()
    axes.errorbar(range(points), [0.25] * points, xerr=[0.1] * points, fmt="o", capsize=3)
    axes.axhline(0.5)
    return figure


def test_a_single_point_with_its_interval_is_no_figure() -> None:
    assert not shows_several_points(figure_of(1))
    assert shows_several_points(figure_of(2))


def test_empty_bars_and_bands_across_are_no_points() -> None:
    figure = Figure()
    axes = figure.add_subplot()
    axes.bar([0.9, 0.95, 1.0], [0, 0, 12])
    axes.axvspan(0.2, 0.4)
    assert not shows_several_points(figure)
    axes.bar([0.5], [3])
    assert shows_several_points(figure)


def test_axes_carry_the_decimal_mark_of_the_readers_language() -> None:
    for language, mark in (("en", "."), ("de", ",")):
        with translation.override(language):
            figure = in_readers_numbers(figure_of(3))
            figure.draw_without_rendering()
            labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
        assert any(f"0{mark}" in label for label in labels), labels


def test_axes_with_a_pattern_of_their_own_carry_that_mark_too() -> None:
    figure = figure_of(3)
    figure.axes[0].yaxis.set_major_formatter("{x:g}")
    figure.axes[0].yaxis.set_ticks([0.5])
    with translation.override("de"):
        in_readers_numbers(figure).draw_without_rendering()
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["0,5"]


def test_cells_are_shapes_and_no_picture_that_a_browser_leaves_out() -> None:
    values = {"confusion": {"both": 95, "only_x": 2, "only_y": 2, "neither": 1}}
    drawn = figure_file(confusion_figure(values, "one", "other"), "svg").decode()
    assert "<image" not in drawn
    assert "data:" not in drawn
    assert figure_file(figure_of(2), "svg").startswith(b"<?xml")
