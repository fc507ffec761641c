"""A template uses templates and tags of its own room or of rooms below it, in `.importlinter`'s order.

Import contracts do not see `{% extends %}`, `{% include %}` and `{% load %}`. What a page takes from a room
above comes by `presentation.provided`.
"""

import configparser
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

ROOT = Path(__file__).resolve().parents[2]
# Folders that another package names. `print` holds programs of typst, which use no other template.
ROOMS_OF_FOLDERS = {
    "account": "studies",
    "mfa": "studies",
    "usersessions": "studies",
    "print": "presentation",
}
TAG = re.compile(r"{%\s*(extends|include|load)\s+(.*?)\s*%}", re.DOTALL)
TEMPLATE = re.compile(r"""["']([\w/.-]+\.(?:html|txt|svg))["']""")


def heights() -> dict[str, int]:
    """How high each room lies; those in one line are beside each other, and see none of the other."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    lines = contracts["importlinter:contract:rooms"]["layers"].split("\n")
    layers = [line.replace("|", " ").split() for line in lines if line.strip()]
    return {room: -depth for depth, rooms in enumerate(layers) for room in rooms}


def room_of(template: str) -> str:
    """The room of a template by its name; pages that Django itself looks for have no folder."""
    folder, _slash, _name = template.rpartition("/")
    first = folder.partition("/")[0]
    return ROOMS_OF_FOLDERS.get(first, first) if first else "config"


def upward(root: Path) -> list[str]:
    """Every use of a template or a library of tags that runs the wrong way."""
    high = heights()
    uses = [*uses_in_templates(root), *uses_in_python(root, rooms=high)]
    return [
        f"{where} -> {used}"
        for where, room, used, owner in uses
        if owner != room and high[owner] >= high[room]
    ]


def uses_in_templates(root: Path) -> Iterator[tuple[str, str, str, str]]:
    """A file, its room, what it uses and whose that is."""
    libraries = {path.stem: path.relative_to(root).parts[0] for path in root.glob("*/templatetags/*.py")}
    for path in sorted(path for path in (root / "templates").rglob("*") if path.is_file()):
        name = path.relative_to(root / "templates").as_posix()
        for tag, text in TAG.findall(path.read_text(encoding="utf-8")):
            if tag == "load":
                loaded = text.rpartition(" from ")[2].split()
                owners = {library: libraries[library] for library in loaded if library in libraries}
            else:
                owners = {template: room_of(template) for template in TEMPLATE.findall(text)}
            for used, owner in owners.items():
                yield f"templates/{name}", room_of(name), used, owner


def uses_in_python(root: Path, rooms: Iterable[str]) -> Iterator[tuple[str, str, str, str]]:
    """The same of Python files that name a template."""
    for room in rooms:
        for path in sorted((root / room).rglob("*.py")):
            for used in TEMPLATE.findall(path.read_text(encoding="utf-8")):
                if "/" in used and (root / "templates" / used).is_file():
                    yield path.relative_to(root).as_posix(), room, used, room_of(used)


def test_templates_use_their_own_room_and_those_below() -> None:
    assert upward(ROOT) == []


PAGE = "templates/judging/page.html"


@pytest.mark.parametrize(
    ("name", "text", "used"),
    [
        (PAGE, '{% extends "console/page.html" %}', "console/page.html"),
        (PAGE, "{% include 'reporting/_part.html' with a=b %}", "reporting/_part.html"),
        (PAGE, '{% extends base|default:"console/page.html" %}', "console/page.html"),
        (PAGE, "{% load heat from console %}", "console"),
        ("templates/account/login.html", "{% load i18n console %}", "console"),
        ("templates/presentation/page.html", '{% include "studies/_part.html" %}', "studies/_part.html"),
        ("judging/views/pages.py", 'PAGE = "console/page.html"', "console/page.html"),
    ],
)
def test_a_use_that_runs_the_wrong_way_is_named(tmp_path: Path, name: str, text: str, used: str) -> None:
    right = {
        "console/templatetags/console.py": "",
        "presentation/templatetags/frame.py": "",
        "templates/console/page.html": '{% extends "presentation/staff.html" %}{% load console frame i18n %}',
        "templates/404.html": '{% extends "presentation/base.html" %}',
        "console/views/pages.py": 'render("judging/page.html")',
    }
    for file, content in right.items():
        written(tmp_path / file, content)
    assert upward(tmp_path) == []

    written(tmp_path / name, text)

    assert upward(tmp_path) == [f"{name} -> {used}"]


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("name", settings.PROVIDERS)
def test_what_pages_take_from_above_is_there(name: str) -> None:
    assert callable(import_string(settings.PROVIDERS[name]))
    uses = (f'{{% provided "{name}" ', f'provided("{name}", ')
    files = [*(ROOT / "templates").rglob("*.html"), *ROOT.glob("*/views/**/*.py")]
    texts = (path.read_text(encoding="utf-8") for path in files)
    assert any(use in text for text in texts for use in uses)
