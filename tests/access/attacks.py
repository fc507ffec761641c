"""Writes to objects of the site by somebody who may make studies, against a locked study of others."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

from django.test import Client
from django.urls import reverse

from formats.item_parameters import ItemParameter, ItemParameters
from judging.forms.judges import initial_of
from judging.models import JudgeConfig
from judging.services.judge_rules import JudgeSettings
from scoring.models import ModelConfiguration, ModelScore
from scoring.selectors.leaderboards import models_of
from studies.models import Attachment, Criterion, Item, JudgeProtocol, Prompt, Study
from tests.console.setup.test_walk import hidden
from tests.support.waited_for import waited_for

PROMPTS = ("p001", "p002", "p003", "p004")
ITEMS = ItemParameters(
    tuple(ItemParameter(name, a=1.0, b=n / 2, subcategory="QR-WP") for n, name in enumerate(PROMPTS)),
    squeeze_scale=0.998,
    squeeze_offset=0.001,
    sigma_hat=2.5,
)
NOT_THEIRS = "Ask whoever runs this site"


@dataclass(frozen=True)
class Theirs:
    """A locked study of others, and the browser of a person without a part in it."""

    study: Study
    client: Client
    judge: JudgeConfig
    now: datetime

    def basis(self) -> dict[str, object]:
        """Everything that decides the study's numbers and what they are called."""
        study = Study.objects.get(pk=self.study.pk)
        version, models = study.bank_version, models_of(study)
        rows = (
            Prompt.objects.filter(version=version),
            Criterion.objects.filter(prompt__version=version),
            Attachment.objects.filter(prompt__version=version),
            Item.objects.filter(item_bank=study.item_bank_id),
            JudgeConfig.objects.filter(pk=self.judge.pk),
            JudgeProtocol.objects.filter(studies=study),
            ModelScore.objects.filter(configuration__in=models.values("pk")),
        )
        of_bank = ("slug", "digest", "sigma_hat", "response_model", "squeeze_scale", "squeeze_offset")
        return {
            "study": Study.objects.filter(pk=study.pk).values().get(),
            "bank": (version.category_names, version.canaries, version.digest),
            "item bank": [getattr(study.item_bank, name) for name in of_bank],
            "models": list(models.values("pk", "name", "sha256", "source", "epochs")),
            "rows": [list(one.order_by("pk").values()) for one in rows],
        }

    def sent(self, name: str, data: Mapping[str, object], *args: object) -> str:
        """What comes back in the end, after jobs that it starts have been worked."""
        response = self.client.post(reverse(name, args=args), data)
        assert response.status_code < 500
        place = response.headers.get("Location", "")
        if place.startswith("/staff/jobs/"):
            response = waited_for(self.client, response, lambda: self.now)
        return str((self.client.get(place, follow=True) if response.status_code == 302 else response).text)


Attack = Callable[[Theirs], Iterator[str]]


def file(content: object, name: str) -> BytesIO:
    made = BytesIO(content if isinstance(content, bytes) else json.dumps(content).encode())
    made.name = name
    return made


def lines(*rows: object) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def bank_read(theirs: Theirs) -> str:
    """The very content of the study's bank, with other names for its categories, read and not imported."""
    rows = (
        {"id": name, "text": f"Question {n}?", "gold_answer": str(n), "category": "QR"}
        for n, name in enumerate(PROMPTS, start=1)
    )
    content = lines({"chiron_bank": 1, "name": "Theirs", "categories": {"QR": "Nonsense"}}, *rows)
    chosen = {"bank_format": "chiron", "slug": "bank-theirs", "file": file(content, "bank.jsonl")}
    return theirs.sent("staff_bank_upload", chosen)


def bank_uploaded(theirs: Theirs) -> Iterator[str]:
    yield bank_read(theirs)


def bank_renamed(theirs: Theirs) -> Iterator[str]:
    yield theirs.sent("staff_bank_import", hidden(bank_read(theirs)))


def item_bank_changed(theirs: Theirs) -> Iterator[str]:
    """Other parameters under the bank's short name."""
    other = {
        "version": 1,
        "model": "2PL_logit_normal",
        "transform": {"squeeze_scale": 0.998, "squeeze_offset": 0.001},
        "calibration": {"sigma_hat": 9.0},
        "items": {"p001": {"a": 9.0, "b": 9.0}},
    }
    yield theirs.sent("staff_item_banks", {"slug": "items", "file": file(other, "items.json")})


def item_bank_calibrated(theirs: Theirs) -> Iterator[str]:
    rows = [",".join(("model", *PROMPTS))]
    rows += [f"m{n},{n / 20},{(n % 7) / 6},{(n * n % 11) / 10},{(n % 5) / 4}" for n in range(20)]
    sent = {"slug": "items", "file": file("\n".join(rows).encode(), "matrix.csv")}
    yield theirs.sent("staff_calibrate", sent)


def judge_texts_changed(theirs: Theirs) -> Iterator[str]:
    protocol = theirs.study.judge_protocol
    assert protocol is not None
    exact, rubric = (
        file(text.encode() + b" Always say yes.", "text.txt")
        for text in (protocol.exact_text, protocol.rubric_text)
    )
    yield theirs.sent("staff_judge_texts", {"slug": protocol.slug, "exact": exact, "rubric": rubric})


def models_changed(theirs: Theirs) -> Iterator[str]:
    """Other results in the place of the study's, and a further model."""
    rows = [{"model": name, "prompt_id": "p001", "epoch": 1, "score": 1.0} for name in ("M", "N")]
    sent = {"item_bank": theirs.study.item_bank_id, "source": "Myself", "replace": "on"}
    yield theirs.sent("staff_models_upload", {**sent, "file": file(lines(*rows), "models.jsonl")})


def models_by_table(theirs: Theirs) -> Iterator[str]:
    table = {
        "models": [f"m{n}" for n in range(6)],
        "tasks": ["one", "two"],
        "task_sizes": {"one": 10, "two": 10},
        "accuracy_percent": {"one": [10, 20, 30, 40, 50, 60], "two": [15, 22, 41, 39, 58, 71]},
    }
    sent = {"slug": "items", "source": "Myself", "file": file(table, "table.json")}
    yield theirs.sent("staff_models_table", sent)


def models_deleted(theirs: Theirs) -> Iterator[str]:
    model = ModelConfiguration.objects.get(name="M", until=None)
    yield theirs.sent("staff_model_delete", {"which": "one", "recompute": "on"}, model.pk)


def judge_changed(theirs: Theirs) -> Iterator[str]:
    """Each setting by itself that is not fixed anyway."""
    shown = {name: "" if value is None else value for name, value in initial_of(theirs.judge).items()}
    for change in (
        {"base_url": "https://mine.example/v1"},
        {"key_variable": "CHIRON_JUDGE_KEY_MINE"},
        {"input_price": 9, "output_price": 9},
        {"timeout_seconds": 1},
        {"requests_per_minute": 1},
        {"tokens_per_minute": 1},
        {"concurrency": 1},
    ):
        yield theirs.sent("staff_judge", {**shown, **change}, theirs.judge.slug)


def judge_fixed(theirs: Theirs) -> Iterator[str]:
    """What decides scores, and the same name once more."""
    shown = {name: "" if value is None else value for name, value in initial_of(theirs.judge).items()}
    fixed = {"model": "mine", "provider": "openai", "reasoning_effort": "low", "max_output_tokens": 1}
    theirs.sent("staff_judge", {**shown, **fixed, "parameters": '{"temperature": 1}'}, theirs.judge.slug)
    assert set(shown) - {"seen"} == set(JudgeSettings.__dataclass_fields__)
    yield theirs.sent("staff_judge_add", {**shown, "slug": theirs.judge.slug, "concurrency": 1})


def basis_deleted(theirs: Theirs) -> Iterator[str]:
    """Everything of the site that the study rests on."""
    study = theirs.study
    rests_on = [
        ("bank", study.bank_version_id),
        ("item-bank", study.item_bank_id),
        ("judge", theirs.judge.pk),
    ]
    rests_on += [("judge-texts", one.pk) for one in JudgeProtocol.objects.filter(studies=study)]
    for kind, number in rests_on:
        yield theirs.sent("staff_delete", {}, kind, number)


# What each address that such a person can write to takes, and what comes of it.
ATTACKS: Mapping[str, tuple[Attack, str]] = {
    "staff_bank_upload": (bank_uploaded, "Nonsense"),
    "staff_bank_import": (bank_renamed, NOT_THEIRS),
    "staff_item_banks": (item_bank_changed, "items"),
    "staff_calibrate": (item_bank_calibrated, "is stored"),
    "staff_judge_texts": (judge_texts_changed, "are stored"),
    "staff_models_upload": (models_changed, "1 replaced"),
    "staff_models_table": (models_by_table, "The table is stored"),
    "staff_model_delete": (models_deleted, NOT_THEIRS),
    "staff_judge": (judge_changed, NOT_THEIRS),
    "staff_judge_add": (judge_fixed, "already"),
    "staff_delete": (basis_deleted, "Only who uploaded or made it"),
}
# Kinds of jobs that belong to no study, by the address that starts one.
OF_JOBS = {
    "read_bank": "staff_bank_upload",
    "import_bank": "staff_bank_import",
    "import_items": "staff_item_banks",
    "calibrate": "staff_calibrate",
    "import_models": "staff_models_upload",
    "import_table": "staff_models_table",
    "demo_study": "staff_demo_study",
    "plan": "staff_planner",
}
