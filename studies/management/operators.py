"""What the commands of study leads share: arguments, refusals, and lines of the terminal."""

import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError
from django.db.utils import OperationalError, ProgrammingError
from django.utils.text import slugify

from formats.files import MEBIBYTE, FileRefused, json_file, parsed_json
from formats.item_parameters import ItemParametersRefused
from presentation.numbers import counted
from studies.models import Study, User
from studies.protocol.fingerprint import aware_time
from studies.protocol.judge_texts import JudgeTextsRefused
from studies.protocol.settings import ProtocolRefused
from studies.selectors.categories import Disagreement
from studies.selectors.studies import study_by_slug
from studies.services.readiness import disagreement_line
from studies.services.refusals import Refused
from studies.services.studies import require_not_archived

OUTDATED_TABLES = re.compile(r"no such (table|column)|(relation|column) .+ does not exist")
# What commands that leave an event take, as `arguments` of theirs.
BY: Mapping[str, Mapping[str, Any]] = {"--by": {"help": "the staff member the trail names"}}


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn refusals into one clear message and exit code 1."""
    try:
        yield
    except (Refused, ProtocolRefused, ItemParametersRefused, JudgeTextsRefused) as refusal:
        raise CommandError(str(refusal)) from None
    except (OperationalError, ProgrammingError) as error:
        if OUTDATED_TABLES.search(str(error)):
            message = "The database's tables are missing or of an earlier version."
            raise CommandError(f"{message} Run: python manage.py migrate") from error
        raise  # manage.py says that the database cannot be used


class OperatorCommand(BaseCommand):
    """A command of study leads: a refusal ends it with one clear message and exit code 1.

    `arguments` are what `add_argument` takes, by name.
    """

    arguments: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, options in self.arguments.items():
            parser.add_argument(name, **options)

    def execute(self, *args: Any, **options: Any) -> str | None:
        with plain_errors():
            return super().execute(*args, **options)


def slug_of(path: Path) -> str:
    """The short name a file or folder suggests: `data/irt_params.json` -> "irt-params"."""
    slug = slugify(path.resolve().stem.replace("_", "-"))
    if not slug:
        raise CommandError(f"{path} suggests no short name; give one with --slug.")
    return slug


def named_study(slug: str) -> Study:
    """The study, or an error that lists what there is. None works on an archived one (StudyArchived)."""
    study = study_by_slug(slug)
    if study is None:
        slugs = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)[:20])
        others = f"There are: {slugs}." if slugs else "There are none yet."
        raise CommandError(f'There is no study "{slug}". {others}')
    require_not_archived(study)
    return study


def named_person(email: str | None) -> User | None:
    """Who the trail names for a change; None for "the command line"."""
    if not email:
        return None
    user = User.objects.filter(email=email.strip().lower(), is_staff=True).first()
    if user is None:
        raise CommandError(f"{email} is no staff member. Add one with: python manage.py add_staff {email}")
    if not user.is_active:
        raise CommandError(f"The account of {email} is not active; name another staff member.")
    return user


def json_object(text: str) -> dict[str, object]:
    """A JSON object, written out or as the path of a file that holds it."""
    source = "the text given" if text.lstrip().startswith("{") else text
    try:
        if source == text:
            value = json_file(Path(text), max_bytes=MEBIBYTE, file=source)
        else:
            value = parsed_json(text.encode("utf-8", "surrogateescape"), file=source)
    except FileRefused as error:
        raise CommandError(str(error)) from None
    if not isinstance(value, dict):
        raise CommandError(f'{source} must hold a JSON object, such as {{"batch_size": 20}}.')
    return value


def moment(option: str, text: str | None) -> datetime | None:
    """An ISO time with its offset, or None."""
    if not text:
        return None
    time = aware_time(text)
    if time is None:
        raise CommandError(f"{option}: write a time with its offset, such as 2030-05-01T18:00:00+02:00.")
    return time


def disagreement_lines(differing: Sequence[Disagreement]) -> Iterator[str]:
    """How many there are, and each of them."""
    yield (
        "Questions that the question bank and the item bank put into different categories: "
        f"{counted(len(differing))}"
    )
    yield from (f"  {disagreement_line(disagreement)}" for disagreement in differing)


def undecided_lines(study: Study, differing: Sequence[Disagreement]) -> Iterator[str]:
    """With how the study's protocol says whose hold."""
    yield from disagreement_lines(differing)
    yield "Say whose hold before the batches are built, item_bank or question_bank:"
    yield f"""  update_study {study.slug} --protocol '{{"category_source": "item_bank"}}'"""
