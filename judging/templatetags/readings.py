"""How a participant's answers are read, for templates: `{% load readings %}`."""

from django import template

from batches.models import Answer, Session
from judging.selectors import readings
from judging.views.readings import FORMS, SHOWN_CHARACTERS

register = template.Library()
register.simple_tag(readings.unread_answers)


@register.inclusion_tag("judging/_reading_place.html")
def reading_place(session: Session, answer: Answer, text: str | None) -> dict[str, object]:
    """`{% reading_place session answer text %}`: what form is read and what was; nothing for other judges."""
    reader = readings.answer_reader(session.participant.study)
    form = reader.form(answer.prompt) if reader else ""
    if reader is None or not form:
        return {}
    return {
        "session": session,
        "answer": answer,
        "form_read": FORMS[form],
        "reading": reader.read(text or "", answer.prompt),
        "shown": SHOWN_CHARACTERS,
    }
