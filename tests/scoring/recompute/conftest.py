"""A study with scores of every kind, to export and compute again."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from batches.models import Session
from formats.item_parameters import ItemParameter, ItemParameters
from judging.models import AnswerScore, CriterionScore
from scoring.coordinator import Scoring
from scoring.models import ModelConfiguration, ModelScore
from scoring.services.measurement import measurement_compute
from scoring.services.results import results_compute
from screening.models import Verdict, VerdictDecision
from screening.services.verdicts import verdict_record
from studies.bank.records import PromptRecord
from studies.models import ItemBank, Participant, Study, User
from studies.services.banks import item_bank_import
from tests.scoring.recompute.recomputing import NAMES

PROFILES = ("stem-phd", "stem-undergraduate", "non-stem-undergraduate")
# The keys of answers follow the order of prompts, which is drawn by codes of people that no test fixes.
NOT_BY_KEY = ("answer__session__participant", "answer__prompt__prompt_id")


@pytest.fixture
def make_measured(
    make_study: Callable[..., Study],
    make_person: Callable[..., Participant],
    work: Callable[..., Session],
    score: Callable[..., Scoring],
    now: datetime,
) -> Callable[..., Study]:
    """A study of 14 people and scores of every kind, scored, screened and measured."""

    def make(
        prompts: list[PromptRecord],
        *,
        with_bank: bool = True,
        table: ItemBank | None = None,
        **settings: object,
    ) -> Study:
        chance = random.Random(5)
        items = tuple(
            ItemParameter(name, a=chance.uniform(0.5, 2.5), b=chance.gauss(0, 1), subcategory="")
            for name in NAMES[:-1]
        )
        parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
        bank, _ = item_bank_import(slug="items", parameters=parameters, now=now)
        study = make_study(
            prompts=prompts, top_size=4, replicates_per_profile=50, slug="measured",
            item_bank=bank if with_bank else table, **settings,
        )  # fmt: skip
        if with_bank:
            add_models(bank, random.Random(6), now)
        people = [make_person(study, profile=PROFILES[n % 3]) for n in range(14)]
        for number, person in enumerate(people):
            texts = {name: "an answer of several words" for name in NAMES if chance.random() < 0.85}
            texts |= {name: "" for name in NAMES if chance.random() < 0.1}
            if number == 3:
                texts = dict.fromkeys(NAMES, "idk")
            work(person, texts, end="expired" if number % 4 == 0 else "submitted")
        results = score(study, clock=lambda: now + timedelta(days=1), measures=False).judges[0].results
        for one in AnswerScore.objects.filter(run=results.run).order_by(*NOT_BY_KEY):
            sure = chance.random()
            AnswerScore.objects.filter(pk=one.pk).update(score=chance.choice((0.0, 0.25, 0.5, 0.9, 1.0, 1.0)))
            criteria = CriterionScore.objects.filter(run=one.run, answer=one.answer)
            criteria.update(confidence=round(sure, 2), score=round(1 - sure, 2))
        lead = User.objects.create_superuser("lead@example.org")
        verdict_record(
            participant=people[3], decision=VerdictDecision.CONFIRM, reason="Comments only.", actor=lead,
            now=now + timedelta(days=1),
        )  # fmt: skip
        decide_twice(people[3:9], now)
        later = now + timedelta(days=2)
        results = results_compute(run=results.run, now=later)
        measurement_compute(results=results, now=later, resamples=60)
        return study

    return make


def decide_twice(people: list[Participant], now: datetime) -> None:
    """Two reviewers about the same six people, of one mind on five; the second one's word counts."""
    rules = Verdict.objects.get().rules_version
    for reviewer, decisions in (("one", "ccocoo"), ("two", "coocoo")):
        actor = User.objects.create_user(f"{reviewer}@example.org")
        for person, letter in zip(people, decisions, strict=True):
            decision = VerdictDecision.CONFIRM if letter == "c" else VerdictDecision.OVERTURN
            Verdict.objects.create(
                participant=person, rules_version=rules, decision=decision, reason="Read.", decided_by=actor,
                decided_at=now + timedelta(days=1),
            )  # fmt: skip


def add_models(bank: ItemBank, chance: random.Random, now: datetime) -> None:
    """Two configurations with nine epochs, one of which lacks prompts; two of which thetas are published."""
    for name, theta, se, epochs in (("paper-a", 0.4, 0.12, 5), ("paper-b", 0.1, None, None)):
        ModelConfiguration.objects.create(
            item_bank=bank, name=name, source="a paper", published_theta=theta, published_se=se,
            epochs=epochs, sha256=name, imported_at=now,
        )  # fmt: skip
    for name in ("model-a", "model-b"):
        facts = {"source": "a test", "sha256": name, "imported_at": now}
        model = ModelConfiguration.objects.create(item_bank=bank, name=name, **facts)
        ModelScore.objects.bulk_create(
            ModelScore(
                configuration=model, prompt_id=prompt_id, epoch=epoch, score=chance.choice((0.0, 0.4, 1.0))
            )
            for prompt_id in NAMES[: -1 if name == "model-a" else -3]
            for epoch in range(1, 10)
        )
