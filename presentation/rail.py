"""The rail of the study team's pages: what is where, for whom, and what waits there.

Each app adds its pages to the groups in its `urls`, beside their addresses.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class PageFacts:
    """What stands on every page: the reader's rights, counts by name, whether the clock is held as it jumped;
    of a study's page a few other studies, newest first, its state, and which day of answering it is.
    """

    rights: Collection[Hashable]
    counts: Mapping[str, int]
    clock_is_held: bool
    other_studies: Sequence[Mapping[str, str]] = ()
    state: Any = None
    day: int | None = None


@dataclass(frozen=True)
class Entry:
    """One page of the rail.

    `place` is where it stands in its group, `page` the name of its address, `within` how names of addresses
    begin that belong to it, `can` the right it takes, `waits` the name of a count of what waits for whoever
    has the right `acts` (of its own, where that is None), `counts` of one that calls for nothing.
    """

    place: int
    label: str | Promise
    page: str
    icon: str
    can: Hashable
    within: tuple[str, ...] = ()
    waits: str = ""
    acts: Hashable = None
    counts: str = ""

    def link(self, arguments: Sequence[str], here: str, facts: PageFacts) -> dict[str, Any] | None:
        """What the rail shows of it on the page of the name `here`; None where it has no address."""
        try:
            address = reverse(self.page, args=arguments)
        except NoReverseMatch:
            return None
        acts = self.acts is None or self.acts in facts.rights
        return {
            "label": self.label,
            "address": address,
            "path": ICONS[self.icon],
            "is_here": here == self.page or any(here.startswith(start) for start in self.within),
            "waits": bool(self.waits),
            "count": facts.counts.get(self.waits or self.counts) if acts else None,
        }


@dataclass(frozen=True)
class Group:
    """Entries under one heading; without one, on their own."""

    label: str | Promise = ""
    entries: dict[int, Entry] = field(default_factory=dict)

    def add(self, *entries: Entry) -> None:
        """Raises ValueError where the place of one is taken."""
        for entry in entries:
            if self.entries.setdefault(entry.place, entry) != entry:
                raise ValueError(f"{entry.page} and {self.entries[entry.place].page} stand in one place")

    def links(self, arguments: Sequence[str], here: str, facts: PageFacts) -> list[dict[str, Any]]:
        """What those see of it who have these rights."""
        open_to_reader = [
            entry for _place, entry in sorted(self.entries.items()) if entry.can in facts.rights
        ]
        return [link for entry in open_to_reader if (link := entry.link(arguments, here, facts))]


OVERVIEW = Group()
SET_UP = Group(_("Set up"))
PEOPLE = Group(_("People"))
REVIEW = Group(_("Review"))
RESULTS = Group(_("Results"))
SITE = Group()
STUDY_RAIL = (OVERVIEW, SET_UP, PEOPLE, REVIEW, RESULTS)
SITE_RAIL = (SITE,)

# 16 x 16, drawn with lines.
ICONS = {
    "home": "M3 7.5 8 3l5 4.5V13H3z",
    "live": "M2 8h3l1.5-4 3 8L11 8h3",
    "lines": "M3 4h10M3 8h10M3 12h6",
    "page": "M4 2.5h8v11H4zM6 6h4M6 9h4",
    "person": "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3.5 13c.5-2.5 2.3-3.7 4.5-3.7s4 1.2 4.5 3.7",
    "people": (
        "M6 8a2.3 2.3 0 1 0 0-4.6A2.3 2.3 0 0 0 6 8ZM2 13c.4-2.3 2-3.5 4-3.5s3.6 1.2 4 3.500"
        "M10.5 3.800a2.2 2.2 0 0 1 0 4M12 9.800c1.2.6 1.8 1.7 2 3.2"
    ),
    "mail": "M2.5 4h11v8h-11zm0 .5L8 9l5.5-4.5",
    "money": "M2.5 4.5h11v7h-11zM8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
    "eye": (
        "M2.5 8S4.5 4 8 4s5.5 4 5.5 4-2 4-5.5 4-5.5-4-5.5-4Zm5.5 1.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z"
    ),
    "scale": "M8 3v10M4 13h8M3.5 5.5h9M3.5 5.5 2 9h3zM12.5 5.5 11 9h3z",
    "check": "M3 8.5 6.5 12 13 4.5",
    "bars": "M3 13V8M8 13V3M13 13V6",
    "down": "M8 2.5v7m-3-3 3 3 3-3M3 12.5h10",
    "clock": "M8 5v3l2 1.5M8 13.5A5.5 5.5 0 1 0 2.5 8",
    "sun": "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 2v2M8 12v2M2 8h2M12 8h2",
    "lock": "M4 7.5h8V13H4zM5.5 7.500V5a2.5 2.5 0 0 1 5 0v2.5",
    "plus": "M8 3v10M3 8h10",
    "chevron": "m5 6.5 3 3 3-3",
    "close": "m4 4 8 8M12 4l-8 8",
    "pause": "M5.5 3.5v9M10.5 3.5v9",
    "out": "M9 3H4v10h5M7 8h6.500m-2-2 2 2-2 2",
}
