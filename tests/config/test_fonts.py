"""The pages' fonts: small, complete for texts and formulas, made once."""

from pathlib import Path

from fontTools.ttLib import TTFont
from pytest_django import Settings

from config.fonts import FONTS, font_made

MOST_BYTES = {"fonts/inter.woff2": 70_000, "fonts/math.woff2": 330_000}


def test_each_font_is_made_once_and_has_every_sign_of_pages_and_formulas(
    settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    made = {name: font_made(name) / name for name in FONTS}
    written_at = {name: path.stat().st_mtime_ns for name, path in made.items()}
    for name, path in made.items():
        assert path.stat().st_size <= MOST_BYTES[name], name
        assert font_made(name) / name == path
        assert path.stat().st_mtime_ns == written_at[name]
        assert [file.name for file in path.parent.iterdir()] == [path.name]
    with TTFont(made["fonts/inter.woff2"]) as font:
        assert set(map(ord, "Aa 09 äöüß Łőš – “…” → − θκσ ≤ ✓")) <= set(font.getBestCmap())
        assert [axis.axisTag for axis in font["fvar"].axes] == ["wght"]
    with TTFont(made["fonts/math.woff2"]) as font:
        signs = font.getBestCmap()
        assert set(map(ord, "aZ09(){}[]|‖⟨⟩⌊⌋√∫∬∮∑∏→⇒≤∈∂∇ℝℏ𝑥𝜋𝔸𝓛̂→")) <= set(signs)
        # What makes brackets and integrals stretch.
        stretched = font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs
        assert {signs[ord(sign)] for sign in "(){}[]|√∫"} <= set(stretched)
