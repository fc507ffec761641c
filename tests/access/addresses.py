"""Every address there is, filled in with what one place of the world has."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver

# Where an argument's name alone does not say which of a place's ids it is: by the address.
NUMBERS = {
    "invitation": "invitation", "announcement": "announcement", "judging": "run", "audit": "run",
    "delete": "judge_texts", "team": "member",
}  # fmt: skip
TOKENS = {
    "attachment": "attachment",
    "staff_credential": "credential",
    "invitation": "link",
    "first_run": "link",
    "entry": "entry",
}
PLAIN = {
    "position": "1", "block": "cohort", "action": "extend", "name": "plan.png", "pk": "1", "url": "nothing",
    "app_label": "studies", "content_type_id": "1", "figure": "thetas", "extension": "html",
    "page": "time", "kind": "decision", "model": "1",
}  # fmt: skip
SPECIAL = {
    "staff_agreement_figure": {"figure": "differences"},
    "staff_measurement_figure": {"extension": "svg"},
    "staff_history_protocol": {"extension": "md"},
    "staff_setup_preview": {"page": "consent"},
    "staff_delete": {"kind": "judge-texts"},
}
NAMES_A_THING = set("slug code session_id token number sample agreement_id results_id job_id".split())
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")
RECORDS = re.compile(r"admin:(?:admin/)?(studies|batches|screening|judging|scoring)[_/]([a-z]+)(.*)")


@dataclass(frozen=True)
class Address:
    """`name` as the table has it, `route` as Django has it."""

    name: str
    route: str

    def path(self, ids: Mapping[str, Any]) -> str:
        def value(found: re.Match[str]) -> str:
            return str(self._value(found[1] or found[2], ids))

        return "/" + re.sub(r"[\^$]", "", ARGUMENT.sub(value, self.route))

    def _value(self, argument: str, ids: Mapping[str, Any]) -> object:
        if argument == "slug" and self.name.startswith("staff_judge") and "studies" not in self.route:
            return "alpha"
        if argument == "number":
            kind = next((one for one in NUMBERS if f"/{one}" in self.route), "")
            return ids[NUMBERS[kind]] if kind else 1
        if argument == "token":
            return ids[TOKENS[self.name]]
        if argument == "object_id":
            return first_record(self.name)
        return {**PLAIN, **SPECIAL.get(self.name, {}), **ids}[argument]

    @property
    def names(self) -> set[str]:
        """What of a study or a person the address names."""
        found = {one[1] or one[2] for one in ARGUMENT.finditer(self.route)}
        return found & NAMES_A_THING


def first_record(name: str) -> object:
    found = RECORDS.match(name)
    row = apps.get_model(found[1], found[2]).objects.order_by("pk").first() if found else None
    return row.pk if row else 1


def addresses() -> list[Address]:
    """Every address there is; one without a name of its own goes by its route."""

    def walk(patterns: list[Any], before: str, space: str) -> Iterator[Address]:
        for one in patterns:
            route = before + str(one.pattern)
            if isinstance(one, URLResolver):
                yield from walk(one.url_patterns, route, f"{one.namespace}:" if one.namespace else space)
            elif isinstance(one, URLPattern):
                yield Address(f"{space}{one.name or route}", route)

    return list(walk(get_resolver().url_patterns, "", ""))
