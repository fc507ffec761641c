"""Lists of people: CSV with the columns `email`, `profile`, and `status`, `is_test`, `language`, `name` if
wanted.
"""

from pathlib import Path

from django.utils.translation import gettext as _

from formats.codes import code_named
from formats.csv_tables import read_csv_table
from formats.files import FileRefused, read_bytes
from formats.problems import Problem
from presentation.problems import in_words, problem_in_words, told
from studies.services.people.people_import import PeopleReading, PersonRow

REQUIRED = ("email", "profile")
OPTIONAL = ("status", "is_test", "language", "name")
WITHOUT_HEADER = ("email", "profile", "language", "name")
WORDS = {"": False, "no": False, "false": False, "0": False, "yes": True, "true": True, "1": True}
MAX_BYTES = 10 * 1024 * 1024


def read_people(path: Path) -> PeopleReading:
    """The lines of the file and every problem of its form; addresses and profiles are checked on import."""
    try:
        content = read_bytes(path, max_bytes=MAX_BYTES)
    except FileRefused as refusal:
        return PeopleReading((), (told(None, "", problem_in_words(str(refusal))),))
    return read_people_lines(content)


def read_people_lines(content: bytes, *, header_optional: bool = False) -> PeopleReading:
    """The same of what a browser sent; with `header_optional`, lines may begin at once: address, profile,
    language, name.
    """
    columns = (*REQUIRED, *OPTIONAL)
    table = read_csv_table(
        content, required=REQUIRED, codes=columns, known=columns,
        without_header=WITHOUT_HEADER if header_optional else (),
    )  # fmt: skip
    rows: list[PersonRow] = []
    problems: list[Problem] = [*in_words(table.problems)]
    for number, values in table.rows:
        problems += [told(number, name, _("is blank; fill it in")) for name in REQUIRED if not values[name]]
        status, language, is_test, name = (
            values.get(name, "") for name in ("status", "language", "is_test", "name")
        )
        is_test = code_named(is_test, {"yes": _("yes"), "no": _("no")}) or is_test.lower()
        if is_test not in WORDS:
            message = _('is "{value}"; write yes or no').format(value=values["is_test"])
            problems.append(told(number, "is_test", message))
        person = values["email"], values["profile"], status, WORDS.get(is_test, False), language, name
        rows.append(PersonRow(number, *person))
    problems.sort(key=lambda problem: problem.line or 0)
    if not rows and not problems:
        problems.append(told(None, "", _("the file names nobody; write one line per person")))
    return PeopleReading(tuple(rows), tuple(problems))
