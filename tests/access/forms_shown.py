"""The forms of a page, as a browser would send them when nobody has changed anything."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve

BUTTONS = {"submit", "button", "reset", "image"}
# What people type: it is to be there again where a form is refused.
TYPED = {"text", "textarea", "search", "email", "number", "url", "date", "datetime-local", "tel"}


@dataclass
class Form:
    """`name`: the address that it is sent to; `values`: what is sent; `kinds`: the type of each field."""

    name: str
    path: str
    values: dict[str, list[str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path
        self.found: list[Form] = []
        self._form: Form | None = None
        self._open = ""  # the field whose text or options are being read
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = self._started(given)
        elif self._form is not None and given.get("name"):
            self._field(self._form, tag, given)
        elif tag == "option" and self._form is not None and "selected" in given:
            self._form.values[self._open].append(given.get("value", ""))

    def _started(self, given: dict[str, str]) -> Form | None:
        if given.get("method", "").lower() != "post":
            return None
        path = given.get("action") or self._path
        self.found.append(Form(address_of(path), path))
        return self.found[-1]

    def _field(self, form: Form, tag: str, given: dict[str, str]) -> None:
        name, kind = given["name"], given.get("type", "text").lower() if tag == "input" else tag
        form.kinds.setdefault(name, kind)
        values = form.values.setdefault(name, [])
        self._open, self._text = name, ""
        is_chosen = "checked" in given or kind not in {"checkbox", "radio"}
        # Of several buttons, which are fields of one name, the first is pressed.
        is_another = kind in {*BUTTONS, "button"} and bool(values)
        if tag in {"input", "button"} and kind != "file" and is_chosen and not is_another:
            values.append(given.get("value", ""))

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea" and self._form is not None:
            # Browsers leave out the line end that follows the tag.
            self._form.values[self._open] = [self._text.removeprefix("\r").removeprefix("\n")]


def forms_of(page: str, path: str) -> list[Form]:
    """Every form of the page at `path` that is sent by POST."""
    parser = _Forms(path)
    parser.feed(page)
    return parser.found


def address_of(path: str) -> str:
    """The name of the address; "" where there is none."""
    try:
        return str(resolve(urlsplit(path).path).view_name)
    except Resolver404:
        return ""
