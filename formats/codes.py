"""Codes where people write names: "STEM PhD" is the profile stem-phd."""

from collections.abc import Mapping


def code_named(text: str, names: Mapping[str, str]) -> str | None:
    """The code that a text is, or of the one thing with this name; capitals do not count. None: of none."""
    if text in names:
        return text
    wanted = " ".join(text.split()).casefold()
    called = [code for code, name in names.items() if wanted in (code.casefold(), name.casefold())]
    return called[0] if len(called) == 1 else None
