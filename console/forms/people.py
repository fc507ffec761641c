"""What the list of people is asked for in its address, and the addresses of the same list elsewhere in it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from django.http import QueryDict
from django.utils.http import urlencode

from console.selectors.people import SORTS, PeopleFilter, PersonState
from formats.codes import number_asked
from studies.models import Study

WORDS_CHARACTERS = 100
MOST_PAGES = 999_999


@dataclass(frozen=True, slots=True)
class PeopleQuery:
    """A filter, a page of the list, and the person whose panel is open."""

    wanted: PeopleFilter
    page: int = 1
    person: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str], study: Study) -> Self:
        """What is asked for; whatever is not known is left out."""
        state, sort = query.get("state", ""), query.get("sort", "")
        profile, page = query.get("profile", ""), query.get("page", "")
        known = {known.slug for known in study.protocol.profiles}
        wanted = PeopleFilter(
            state=state if state in set(PersonState) else "",
            profile=profile if profile in known else "",
            words=query.get("q", "").replace("\0", "").strip()[:WORDS_CHARACTERS],
            sort=sort if sort.removeprefix("-") in SORTS else "state",
        )
        number = number_asked(page, most=MOST_PAGES) or 1
        return cls(wanted, number, query.get("person", "").replace("\0", "")[:20])

    @classmethod
    def of_text(cls, text: str, study: Study) -> Self:
        """The same from what `text` of another one said."""
        return cls.of(QueryDict(text).dict(), study)

    @property
    def text(self) -> str:
        """The query of its address, empty for the list as it is first shown."""
        wanted = self.wanted
        parts = {
            "state": wanted.state,
            "profile": wanted.profile,
            "q": wanted.words,
            "sort": "" if wanted.sort == "state" else wanted.sort,
            "page": str(self.page) if self.page > 1 else "",
            "person": self.person,
        }
        return urlencode({name: part for name, part in parts.items() if part})

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What a search in the list keeps of where it is."""
        sort = "" if self.wanted.sort == "state" else self.wanted.sort
        return [(name, value) for name, value in (("state", self.wanted.state), ("sort", sort)) if value]

    @property
    def is_narrowed(self) -> bool:
        return bool(self.wanted.state or self.wanted.profile or self.wanted.words)

    def in_state(self, state: str) -> Self:
        return replace(self, wanted=replace(self.wanted, state=state), page=1, person="")

    def sorted_by(self, name: str) -> Self:
        """By this column; the other way round where it is already."""
        sort = f"-{name}" if self.wanted.sort == name else name
        return replace(self, wanted=replace(self.wanted, sort=sort), page=1, person="")

    def on_page(self, number: int) -> Self:
        return replace(self, page=number, person="")

    def at(self, person: str, page: int | None = None) -> Self:
        return replace(self, person=person, page=page or self.page)
