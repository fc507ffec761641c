"""What blocks of the measurement look at beside the cohort, read from the database."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property

from psychometrics.benchmark.accuracy_table import TableColumn
from psychometrics.benchmark.chance import guessing_rate
from psychometrics.data.cohort import Cohort
from psychometrics.inference.measure import Scope
from psychometrics.irt.bank import ItemBank as ItemArrays
from psychometrics.measures.inputs import BenchmarkFacts, JudgeFacts, ModelFacts, OtherJudge, ScreeningFacts
from psychometrics.models.leaderboard import Configuration, Leaderboard, score_arrays
from scoring.models import ModelScore, ResultSet
from scoring.selectors import judges
from scoring.selectors.leaderboards import models_on
from scoring.selectors.scopes import bank_sizes, hidden_items, study_prompts
from scoring.selectors.task_tables import holds_tasks, table_columns
from screening.selectors.exclusion_facts import exclusion_facts
from screening.selectors.screening import decisions_by_rater, excluded_by_reason
from studies.models import ItemBank
from studies.selectors.item_arrays import item_arrays
from studies.selectors.private_questions import of_public

CHUNK = 5000
COLUMNS = [field.name for field in fields(Configuration)]


class Readings:
    """What is the same in every scope of a measurement: each is read once, when a block first looks at it.

    `items` are the study's item bank, read at once; `only_tasks`: they are tasks, no prompts.
    """

    def __init__(self, results: ResultSet) -> None:
        bank = results.run.study.item_bank
        self.results = results
        self.items = item_arrays(bank) if bank else None
        self.only_tasks = holds_tasks(results.run.study)
        self._boards: dict[int, Leaderboard] = {}

    @cached_property
    def others(self) -> tuple[OtherJudge, ...]:
        """The other judges of the same answers."""
        runs = judges.other_runs(self.results.run)
        names = judges.judge_names(runs)
        return tuple(
            OtherJudge(name, run.pk, judges.current_scores(run))
            for name, run in zip(names, runs, strict=True)
        )

    @cached_property
    def columns(self) -> tuple[TableColumn, ...]:
        """The study's table of models by tasks."""
        return tuple(table_columns(self.results.run.study))

    @cached_property
    def items_by_category(self) -> Mapping[str, int]:
        """How many items the study's bank has, those of private prompts too."""
        return bank_sizes(self.results.run.study)

    def board(self, bank: ItemBank, items: ItemArrays) -> Leaderboard:
        """The study's models on these items of its bank."""
        if id(items) not in self._boards:
            version = self.results.run.study.models_version
            self._boards[id(items)] = leaderboard_of(bank, items, version)
        return self._boards[id(items)]


class StudyFacts:
    """The facts of one scope, read from the database (`psychometrics.measures.inputs.KnownFacts`).

    A part that cannot be read fails the blocks that look at it, and no other.
    """

    def __init__(self, readings: Readings, everyone: Cohort, scope: Scope = Scope.ALL) -> None:
        self._readings, self._everyone = readings, everyone
        self._items = None if readings.only_tasks else readings.items
        self._results, self._study = readings.results, readings.results.run.study
        self._public_only = scope == Scope.PUBLIC

    @property
    def top_size(self) -> int:
        return self._study.protocol.top_size

    @property
    def flow(self) -> Mapping[str, int]:
        return dict(self._results.flow)

    @property
    def items_by_category(self) -> Mapping[str, int]:
        return {} if self._items is None else self._readings.items_by_category

    @cached_property
    def screening(self) -> ScreeningFacts:
        codes = [person.code for person in self._everyone.people]
        people = exclusion_facts(self._study, codes, public_only=self._public_only)
        return ScreeningFacts(people, excluded_by_reason(self._study), decisions_by_rater(self._study))

    @cached_property
    def judge(self) -> JudgeFacts:
        run = self._results.run
        return JudgeFacts(
            names=judges.study_judge_names(run),
            confidences=judges.confidence_counts(run, public_only=self._public_only),
            unscored=judges.unscored_reasons(run, public_only=self._public_only),
            others=self._readings.others,
        )

    @cached_property
    def models(self) -> ModelFacts | None:
        bank, items = self._study.item_bank, self._items
        if bank is None or items is None:
            return None
        if self._public_only:
            hidden = set(hidden_items(self._study).values_list("prompt_id", flat=True))
            # The same arrays where nothing is hidden: so their board is there already.
            items = items.subset(name for name in items.prompt_ids if name not in hidden) if hidden else items
        return ModelFacts(bank.slug, items, self._readings.board(bank, items))

    @cached_property
    def benchmark(self) -> BenchmarkFacts | None:
        rules = self._study.protocol.match_rules
        if rules is None:
            return None
        rows = study_prompts(self._study).order_by("position")
        if self._public_only:
            rows = rows.filter(of_public())
        questions: dict[str, list[tuple[str, str]]] = {}
        for task, text, gold in rows.values_list("task", "text", "gold_answer"):
            questions.setdefault(task, []).append((text, gold or ""))
        rates = {task: guessing_rate(own) for task, own in questions.items()}
        return BenchmarkFacts(rules, self._readings.columns, rates)


def leaderboard_of(item_bank: ItemBank, items: ItemArrays, version: int | None = None) -> Leaderboard:
    """All configurations of a version, in two queries. `items` are the arrays of the same bank."""
    rows = models_on(item_bank.pk, version).order_by("name")
    configurations = {pk: Configuration(*values) for pk, *values in rows.values_list("pk", *COLUMNS)}
    scored = [pk for pk, model in configurations.items() if model.published_theta is None]
    layers = {pk: layer for layer, pk in enumerate(scored)}
    scores = ModelScore.objects.filter(configuration__in=scored).order_by()
    columns = scores.values_list("configuration_id", "prompt_id", "epoch", "score")
    rows_of_layers = (
        (layers[pk], prompt_id, epoch, score) for pk, prompt_id, epoch, score in columns.iterator(CHUNK)
    )
    p = score_arrays(len(scored), items, rows_of_layers)
    published = tuple(model for model in configurations.values() if model.published_theta is not None)
    return Leaderboard(tuple(configurations[pk] for pk in scored), p, published)
