"""The type of what JSON can hold; other rooms use pydantic's where pydantic checks the value."""

from typing import TypeAlias

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
