"""What people read in place of a code: the name that a bank or protocol gives it, else the code made tidy."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from presentation.tables import Named

LONGEST_SHORT = 5  # letters of a code in capitals, which stays as it is: "LR-IF"


def tidy(code: str) -> str:
    """`minimal_content` as "Minimal content"; a short one in capitals, and what has spaces, as it is."""
    if " " in code or (code.isupper() and len(code) <= LONGEST_SHORT):
        return code
    words = code.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


@dataclass(frozen=True)
class CodeNames:
    """The names that a study's bank and protocol give, by code: of its categories and sub-categories, and of
    profiles. What they do not name is made tidy.
    """

    categories: Mapping[str, str] = field(default_factory=dict)
    profiles: Mapping[str, str] = field(default_factory=dict)

    def category(self, code: str) -> Named:
        """One that the names leave out, of a category that they name, stands under that."""
        above, _dash, own = code.partition("-")
        if code not in self.categories and own and above in self.categories:
            return Named(f"{self.categories[above]} {own}", code)
        return Named(self.categories.get(code) or tidy(code), code)

    def profile(self, code: str) -> Named:
        return Named(self.profiles.get(code) or tidy(code), code)

    def part(self, kind: str, value: str) -> Named:
        """Of a part of the data; `kind` is what it was split by, such as "subcategory" or "profile"."""
        # Tasks are the categories of a benchmark that has some.
        if kind in ("category", "subcategory", "task"):
            return self.category(value)
        if kind == "profile":
            return self.profile(value)
        return Named(tidy(value), value)
