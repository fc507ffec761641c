"""The interface's font: small, complete for our texts, made once."""

from pathlib import Path

from fontTools.ttLib import TTFont
from pytest_django import Settings

from config.fonts import NAME, inter_made

MOST_BYTES = 70_000


def test_the_font_is_made_once_and_has_every_sign_of_the_interface(
    settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    made = inter_made() / NAME
    written_at = made.stat().st_mtime_ns
    assert made.stat().st_size <= MOST_BYTES
    with TTFont(made) as font:
        assert set(map(ord, "Aa 09 äöüß Łőš – “…” → − θκσ ≤ ✓")) <= set(font.getBestCmap())
        assert [axis.axisTag for axis in font["fvar"].axes] == ["wght"]
    assert (inter_made() / NAME).stat().st_mtime_ns == written_at
    assert [path.name for path in made.parent.iterdir()] == ["inter.woff2"]
