"""A cohort as columns: what every estimator of the measurement computes with.

One row is one place of one person's batch: a prompt that this person was asked, answered or not.

    y_k = logit(0.998 p_k + 0.001),   z_k = y_k + a_j b_j,   e_k = y_k - a_j (theta - b_j)

Scores are NaN where there is none. Such rows stay: `outcome` says why. A prompt without item parameters has
NaN for a and b. A *pair* is a row with a score on a prompt with parameters; theta rests on pairs only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from psychometrics.data.places import PUBLIC, AskedPrompt, Person
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import Array, Transform

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cohort:
    """P people, J prompts, n rows. Row columns have shape (n,), `a` and `b` shape (J,).

    `person` and `prompt` are positions in `people` and `prompts`; `batch` is the number of the batch.
    `position` is the place at which the person saw the prompt, from 1. `p` is the score (0 to 1), `p_certain`
    the same with every confidence of the judge taken as 1; both NaN where `outcome` is not SCORED. People and
    prompts without a row are allowed and change no estimate.
    """

    people: tuple[Person, ...]
    prompts: tuple[AskedPrompt, ...]
    a: Array
    b: Array
    person: Codes
    prompt: Codes
    batch: Codes
    position: Codes
    p: Array
    p_certain: Array
    outcome: NDArray[np.str_]
    transform: Transform
    sigma_hat: float

    def __len__(self) -> int:
        return len(self.p)

    def __repr__(self) -> str:
        return (
            f"Cohort({self.people_present} people, {len(self.prompts)} prompts, {len(self)} places, "
            f"{int(self.is_pair.sum())} scored on known items)"
        )

    @cached_property
    def known(self) -> Mask:
        """(J,): prompts with item parameters."""
        return ~np.isnan(self.a)

    @cached_property
    def is_pair(self) -> Mask:
        """(n,): rows with a score on a prompt with parameters."""
        return ~np.isnan(self.p) & self.known[self.prompt]

    @cached_property
    def pairs(self) -> "Pairs":
        """The rows that estimates of theta use."""
        kept = self.is_pair
        prompt = self.prompt[kept]
        return Pairs(
            person=self.person[kept], prompt=prompt, batch=self.batch[kept], p=self.p[kept],
            a=self.a[prompt], b=self.b[prompt], y=self.transform.to_logit(self.p[kept]),
        )  # fmt: skip

    @cached_property
    def retained(self) -> Self:
        """Without the people whose exclusion is confirmed."""
        return self.of_people(np.array([person.retained for person in self.people], dtype=bool))

    @cached_property
    def public(self) -> Self:
        """As if no prompt of a private split had been asked; everybody stays, with or without rows.

        Positions are those at which people saw the prompts among all of theirs.
        """
        kept = np.array([prompt.split == PUBLIC for prompt in self.prompts], dtype=bool)
        rows = self.of_prompts(kept)
        return replace(
            rows,
            prompts=tuple(prompt for prompt, public in zip(self.prompts, kept, strict=True) if public),
            a=self.a[kept], b=self.b[kept], prompt=(np.cumsum(kept) - 1)[rows.prompt],
        )  # fmt: skip

    def of_people(self, kept: Mask) -> Self:
        """The people of a mask (P,), with their rows; people keep their positions."""
        return self.of_rows(kept[self.person] if len(self) else np.zeros(0, dtype=bool))

    def of_prompts(self, kept: Mask) -> Self:
        """The rows on the prompts of a mask (J,); prompts keep their positions."""
        return self.of_rows(kept[self.prompt] if len(self) else np.zeros(0, dtype=bool))

    def of_rows(self, kept: Mask) -> Self:
        """The rows of a mask (n,). People and prompts stay as they are, with or without rows."""
        names = ("person", "prompt", "batch", "position", "p", "p_certain", "outcome")
        return replace(self, **{name: getattr(self, name)[kept] for name in names})

    def with_scores(self, p: Array) -> Self:
        """The same rows with other scores (n,), NaN for none."""
        return replace(self, p=p)

    @cached_property
    def people_present(self) -> int:
        """Number of people with at least one row."""
        return len(np.unique(self.person))


@dataclass(frozen=True, eq=False)
class Pairs:
    """The scored rows on known prompts, all columns (n,): y in logits, a and b of the row's prompt."""

    person: Codes
    prompt: Codes
    batch: Codes
    p: Array
    a: Array
    b: Array
    y: Array

    def __len__(self) -> int:
        return len(self.p)

    @property
    def z(self) -> Array:
        """Y + a b, so that the pooled theta is sum a z / sum a^2."""
        return self.y + self.a * self.b

    def of(self, kept: Mask | Codes) -> "Pairs":
        """The rows of a mask (n,), or those at these places, in their order."""
        return Pairs(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))


def cohort_of(
    *,
    people: Sequence[Person],
    prompts: Sequence[AskedPrompt],
    bank: ItemBank | None,
    rows: Sequence[tuple[int, int, int, int, float, float, str]],
    transform: Transform | None = None,
) -> Cohort:
    """A cohort from rows of (person, prompt, batch, position, p, p_certain, outcome).

    They are sorted by person and prompt: the order they are given in has no influence on anything.
    Without a bank no prompt has parameters.
    """
    ordered = sorted(rows, key=lambda row: (row[0], row[1]))
    columns = list(zip(*ordered, strict=True)) if ordered else [()] * 7
    index = bank.index if bank else {}
    places = [index.get(prompt.prompt_id, -1) for prompt in prompts]
    return Cohort(
        people=tuple(people),
        prompts=tuple(prompts),
        a=np.array([bank.a[j] if bank and j >= 0 else np.nan for j in places], dtype=np.float64),
        b=np.array([bank.b[j] if bank and j >= 0 else np.nan for j in places], dtype=np.float64),
        person=np.array(columns[0], dtype=np.int64),
        prompt=np.array(columns[1], dtype=np.int64),
        batch=np.array(columns[2], dtype=np.int64),
        position=np.array(columns[3], dtype=np.int64),
        p=np.array(columns[4], dtype=np.float64),
        p_certain=np.array(columns[5], dtype=np.float64),
        outcome=np.array(columns[6], dtype=np.str_),
        transform=bank.transform if bank else (transform or Transform(scale=0.998, offset=0.001)),
        sigma_hat=bank.sigma_hat if bank else np.nan,
    )
