"""Words of the pages never change what others called something."""

import re
from pathlib import Path

from django.conf import settings

from presentation.drawings.shapes import Drawing, Text
from presentation.plain import names_at_risk, plain_drawing, plain_html, plain_text

OURS = ("top", "row.pilot")  # texts of this program that a template has under a name


def test_names_that_hold_a_term_stay_and_the_words_around_them_do_not() -> None:
    own = names_at_risk(["Prompt-Tuned LM", "Batch processing", "Quiet"])
    assert own == {"Prompt-Tuned LM", "Batch processing"}
    assert plain_text("Prompt-Tuned LM: 3 prompts", own) == "Prompt-Tuned LM: 3 questions"
    assert plain_html("Batch processing, retained", own) == (
        'Batch processing, <abbr title="retained">counted</abbr>'
    )


def test_a_name_is_escaped_like_any_text() -> None:
    own = names_at_risk(["<b>prompt</b>"])
    assert plain_html("<b>prompt</b>", own) == "&lt;b&gt;prompt&lt;/b&gt;"


def test_a_drawing_keeps_names_it_has_no_room_for() -> None:
    own = names_at_risk(["Prompt-Tuned LM"])
    drawing = Drawing(100, 10, (Text(0, 0, "Prompt-Tu…"), Text(0, 0, "prompts")))
    shown = plain_drawing(drawing, own)
    assert [mark.text for mark in shown.marks if isinstance(mark, Text)] == ["Prompt-Tu…", "questions"]


def test_a_name_stands_by_itself_not_within_another_word() -> None:
    assert plain_text("k: ranks of batches kept", ["k"]) == "k: ranks of question sets kept"


def test_templates_say_which_names_stay_wherever_a_text_may_hold_any() -> None:
    """A literal of ours holds none; everything else is told what to leave alone."""
    said = re.compile(r'([\w.|]+|_\("[^"]*"\))\|plain(?:_text)?(?![\w:])')
    open_ended = [
        (path.name, found.group(0))
        for path in (Path(settings.BASE_DIR) / "templates").rglob("*.html")
        for found in said.finditer(path.read_text())
        if not found.group(1).startswith("_(") and found.group(1) not in OURS
    ]
    assert open_ended == []
