"""Filling the named places of a prompt text, safe against braces in the text and in the values."""

import re


def fill(template: str, **values: str) -> str:
    """The template with every `{name}` of `values` replaced by its value, in one pass.

    All other braces stay as they are, and a value that itself contains `{name}` is not expanded again.
    """
    if not values:
        return template
    names = "|".join(re.escape(name) for name in values)
    return re.sub(rf"\{{({names})\}}", lambda place: values[place[1]], template)


def missing_places(template: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the names that have no `{name}` in the template."""
    return tuple(name for name in names if f"{{{name}}}" not in template)
