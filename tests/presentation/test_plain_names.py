"""Words of the pages never change what others called something."""

from presentation.drawings.shapes import Drawing, Text
from presentation.plain import names_at_risk, plain_drawing, plain_html, plain_text


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
