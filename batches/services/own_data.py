"""A person's own data as a ZIP, written as it is read: its size is no matter of memory."""

import io
import json
import shutil
from collections.abc import Mapping
from datetime import datetime
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.translation import gettext as _

from batches.selectors.own_data import ANSWER_FACTS, own_answers, own_facts, own_revisions
from presentation.moments import moment_text
from presentation.numbers import numbered
from studies.models import Participant
from studies.services.events import StudyEventKind, participant_event
from studies.services.storage import stored_file


def own_data_write(*, participant: Participant, file: IO[bytes], now: datetime) -> None:
    """Write data.json, answers.txt and the files the person handed in; an event says that it was done."""
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        with _text_in(archive, "data.json") as out:
            _write_data(out, participant, now)
        with _text_in(archive, "answers.txt") as out:
            _write_answers(out, participant, now)
        for number, credential in enumerate(participant.credentials.order_by("pk"), start=1):
            # A deletion that runs beside this download may be faster.
            if (source := stored_file(credential)) is None:
                continue
            with source, archive.open(f"files/{number}-{credential.name}", "w") as copy:
                shutil.copyfileobj(source, copy)
    participant_event(participant, StudyEventKind.DATA_DOWNLOADED, now, actor=participant.user)


def _text_in(archive: ZipFile, name: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(archive.open(name, "w", force_zip64=True), encoding="utf-8", newline="\n")


def _write_data(out: IO[str], participant: Participant, now: datetime) -> None:
    out.write(f'{{\n"written_at": {_json(now)}')
    for name, value in own_facts(participant).items():
        out.write(f",\n{_json(name)}: {_json(value)}")
    out.write(',\n"answers": [')
    for number, answer in enumerate(own_answers(participant)):
        facts: Mapping[str, object] = {
            "prompt": answer.prompt.label,
            "state": answer.state,
            **{name: getattr(answer, name) for name in ANSWER_FACTS},
        }
        # Without its closing brace: the revisions are written into it one by one.
        out.write((",\n" if number else "\n") + _json(facts)[:-1] + ', "revisions": [')
        for place, revision in enumerate(own_revisions(answer)):
            out.write((",\n" if place else "\n") + _json(revision))
        out.write("]}")
    out.write("\n]\n}\n")


def _write_answers(out: IO[str], participant: Participant, now: datetime) -> None:
    """The newest texts, for reading."""
    out.write(f"{participant.study.name}\n{participant.code}, {moment_text(now)}\n")
    for answer in own_answers(participant):
        prompt = numbered(_("Question %(number)d"), {"number": answer.position})
        out.write("\n" + "=" * 70 + f"\n{prompt} {answer.prompt.label}\n\n")
        out.write((answer.text or _("(no text)")) + "\n")
        if answer.note:
            out.write("\n" + _("What you used: %(note)s") % {"note": answer.note} + "\n")
        if answer.confidence is not None:
            out.write("\n" + numbered(_("How sure: %(percent)d %%"), {"percent": answer.confidence}) + "\n")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, cls=DjangoJSONEncoder)
