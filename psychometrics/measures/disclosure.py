"""What may leave the site of a study that asks prompts of a private split.

Scores on public prompts are exported, and so are aggregates over all answers. The one less the other would be
the scores on one or two private prompts where a number rests on so few: such numbers stay, and so does what
is about one person, one private prompt or one task while answers to private prompts are part of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from psychometrics.inference.measure import Block, Measure, Scope
from psychometrics.measures.blocks.results import CATEGORY, TASK
from psychometrics.slices.parts import hidden_parts, too_few_private

COUNTS_OF_PRIVATE = ("private.prompts", "private.scored")
OF_SCORES = frozenset({"raw_mean", "theta.pool", "theta.pool.twoway", "theta.ql", "theta.prompt.analytic"})

OF_CATEGORIES = "models.category."


@dataclass(frozen=True)
class Disclosure:
    """The rule for one set of results.

    `split`: private prompts were asked, so that there are two scopes. `few`: a whole group rests on one or
    two of them, so that no number over all answers leaves. `hidden`: groups and categories, as subsets, whose
    numbers over all answers would give one or two away. `public`: ids of the public prompts.
    """

    split: bool
    public: frozenset[str]
    few: bool = False
    hidden: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    def may_leave(self, block: Block, scope: Scope, one: Measure) -> bool:
        """Whether this number may be in an export or a report. Who withdrew later is left out at reading."""
        if one.prompt_id and one.prompt_id not in self.public:
            return False
        if not self.split or scope == Scope.PUBLIC:
            return True
        by_task = block == Block.BENCHMARK or one.subset.startswith(TASK) or one.name.startswith("benchmark.")
        if self.few or by_task or one.participant or one.prompt_id:
            return False
        return not (_is_of_scores(block, one) and (one.group, _people_part(one)) in self.hidden)


def _is_of_scores(block: Block, one: Measure) -> bool:
    """Whether the number tells of scores in a category: of people's, or of a model's on the same prompts."""
    return (block == Block.RESULTS and one.name in OF_SCORES) or one.name.startswith(OF_CATEGORIES)


def _people_part(one: Measure) -> str:
    """The part of people's answers that the number is of. A model's name stands behind it in the subset; the
    category itself may have any sign in it.
    """
    return f"{CATEGORY}{one.details['category']}" if one.name.startswith(OF_CATEGORIES) else one.subset


def disclosure_of(headlines: Iterable[Measure], *, split: bool, public: Iterable[str]) -> Disclosure:
    """The rule, from the counts of private prompts among the headlines over all answers.

    Some numbers rest on every scored answer, others on prompts in the item bank alone: the one less the other
    is what those that the bank lacks came to, so these must not be one or two, either.
    """
    numbers = list(headlines)
    prompts, scored = (_counts(numbers, name) for name in COUNTS_OF_PRIVATE)
    # Without headlines nobody knows on how many private prompts the numbers rest.
    few = (split and not prompts) or any(
        too_few_private(number)
        for group, by_subset in prompts.items()
        for number in (by_subset[""], scored[group][""], scored[group][""] - by_subset[""])
    )
    return Disclosure(split, frozenset(public), few, frozenset(_hidden(prompts)))


def _counts(headlines: Iterable[Measure], name: str) -> dict[str, dict[str, int]]:
    """Numbers by group and subset."""
    found: dict[str, dict[str, int]] = {}
    for one in headlines:
        if one.name == name:
            found.setdefault(one.group, {})[one.subset] = int(one.estimate.value)
    return found


def _hidden(prompts: Mapping[str, Mapping[str, int]]) -> Iterable[tuple[str, str]]:
    """Categories of a group that rest on one or two private prompts, or that would give away such a one."""
    for group, by_subset in prompts.items():
        private = {subset: n for subset, n in by_subset.items() if subset.startswith(CATEGORY)}
        for subset in hidden_parts(private, by_subset[""] - sum(private.values())):
            yield group, subset
