"""Figures as files for a browser, and that of the results: ability over all prompts and by category."""

from typing import NamedTuple

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _

from presentation.figures import INK, STYLES, Figure, Point, figure_file, interval_plot, with_scope
from reporting.selectors.reports import Report

TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
# Opened by itself, a figure is a document whose drawing is styled inline; it runs and loads nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Pooled(NamedTuple):
    """theta.pool with its first interval."""

    value: float | None
    low: float | None
    high: float | None


def figure_response(figure: "Figure | None", extension: str = "svg", words: str = "") -> HttpResponse:
    """The figure as a file, with the prompts it rests on in `words`; 404 where there is nothing to draw."""
    if figure is None:
        raise Http404
    return HttpResponse(
        figure_file(with_scope(figure, words), extension),
        content_type=TYPES[extension],
        headers={"Content-Security-Policy": POLICY},
    )


def ability_chart(report: Report) -> "Figure | None":
    """theta.pool with the interval that stands first: all prompts together, then by category."""
    rows = [*report.overall, *sorted(report.categories, key=lambda row: row.category)]
    points = [
        Point(
            row.category or _("All prompts"),
            STYLES[row.group],
            Pooled(row.theta_pool, row.ci_low_pool, row.ci_high_pool),
        )
        for row in rows
    ]
    return interval_plot(
        points,
        _("theta.pool in logits, Average with its 95 % interval"),
        lambda axes: axes.axhline(0.5, color=INK, linewidth=0.6),  # below all prompts together
    )
