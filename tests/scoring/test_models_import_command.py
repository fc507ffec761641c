"""manage.py import_models: all of a file or nothing of it, and the same again changes nothing."""

import io
import json
import math
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from formats.item_parameters import ItemParameter, ItemParameters
from scoring.models import ModelConfiguration, ModelScore
from scoring.selectors.measured_facts import leaderboard_of
from studies.models import ItemBank
from studies.selectors.item_arrays import item_arrays
from studies.services.banks import item_bank_import

pytestmark = pytest.mark.django_db
Line = dict[str, object]


@pytest.fixture
def item_bank(now: datetime) -> ItemBank:
    items = tuple(ItemParameter(f"p{n}", a=1.0 + n, b=0.0) for n in (3, 1, 2))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    return item_bank_import(slug="items", parameters=parameters, now=now)[0]


@pytest.fixture
def file_of(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: Line) -> Path:
        path = tmp_path / "models.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        return path

    return write


def scores(model: str, *values: float | None) -> list[Line]:
    """Epochs 1 and 2 of p1, then of p2, …"""
    return [
        {"model": model, "prompt_id": f"p{1 + n // 2}", "epoch": 1 + n % 2, "score": value, "family": "F"}
        for n, value in enumerate(values)
    ]


def run(*arguments: object, **options: Any) -> str:
    out = io.StringIO()
    call_command("import_models", *map(str, arguments), **{"source": "A paper"} | options, stdout=out)
    return out.getvalue()


def test_scores_are_stored_and_what_is_missing_or_unknown_is_named(
    item_bank: ItemBank, file_of: Callable[..., Path]
) -> None:
    strange: Line = {"model": "A", "prompt_id": "other", "epoch": 1, "score": 1, "family": "F"}
    said = run("items", file_of(*scores("A", 0.5, None, 1), *scores("B", 0, 0.25), strange))
    assert said.splitlines() == [
        "items: 2 configurations imported, 0 replaced, 0 unchanged; 5 scores.",
        "Missing, because no score: 1",
        "Not in the item bank: 1 prompt with 1 response",
        "  other",
    ]
    one = ModelConfiguration.objects.get(name="A")
    assert (one.family, one.source, one.epochs, one.published_theta) == ("F", "A paper", 2, None)
    stored = one.scores.order_by("prompt_id", "epoch").values_list("prompt_id", "epoch", "score")
    assert list(stored) == [("p1", 1, 0.5), ("p1", 2, None), ("p2", 1, 1.0)]


def test_nothing_of_a_file_steers_the_terminal(item_bank: ItemBank, file_of: Callable[..., Path]) -> None:
    clear = "\x1b[2J\np9"
    strange: Line = {"model": "A", "prompt_id": clear, "epoch": 1, "score": 1, "family": "F"}

    assert run("items", file_of(*scores("A", 0.5), strange)).splitlines()[-1] == "  \\u001b[2J\\u000ap9"
    with pytest.raises(CommandError, match=r"none of the prompts \(\\u001b\[2J\\u000ap9"):
        run("items", file_of(strange))
    with pytest.raises(CommandError) as refusal:
        run("items", file_of(strange, strange))
    assert str(refusal.value).replace("\n", "").isprintable()
    for field in ("model", "family"):
        with pytest.raises(CommandError, match=r"contains the control character U\+001B; remove it"):
            run("items", file_of({**scores("A", 0.5)[0], field: clear}))


def test_the_same_file_again_changes_nothing(item_bank: ItemBank, file_of: Callable[..., Path]) -> None:
    lines = scores("A", 0.5, 1)
    run("items", file_of(*lines))
    before = ModelConfiguration.objects.get()
    assert "0 configurations imported, 0 replaced, 1 unchanged" in run("items", file_of(*lines[::-1]))
    assert ModelConfiguration.objects.get().pk == before.pk
    assert ModelScore.objects.count() == 2


def test_other_results_of_the_same_name_need_to_be_replaced(
    item_bank: ItemBank, file_of: Callable[..., Path]
) -> None:
    run("items", file_of(*scores("A", 0.5, 1)))
    changed = file_of(*scores("A", 0.25), *scores("B", 1))
    with pytest.raises(CommandError, match=r"holds other results of A\. Add --replace"):
        run("items", changed)
    assert not ModelConfiguration.objects.filter(name="B").exists()  # all or nothing
    assert "1 configuration imported, 1 replaced, 0 unchanged; 2 scores." in run(
        "items", changed, replace=True
    )
    stored = ModelScore.objects.order_by("configuration__name").values_list("score", flat=True)
    assert list(stored) == [0.25, 1]


def test_published_thetas_carry_their_own_source_or_that_of_the_import(
    item_bank: ItemBank, file_of: Callable[..., Path]
) -> None:
    run("items", file_of({"model": "A", "theta": 2.04, "se": 0.06, "epochs": 5, "source": "Figure 1"},
                         {"model": "B", "theta": -1}))  # fmt: skip
    rows = ModelConfiguration.objects.values_list(
        "name", "published_theta", "published_se", "epochs", "source"
    )
    assert list(rows) == [("A", 2.04, 0.06, 5, "Figure 1"), ("B", -1.0, None, None, "A paper")]


def test_a_file_with_a_problem_leaves_nothing(item_bank: ItemBank, file_of: Callable[..., Path]) -> None:
    with pytest.raises(CommandError) as refused:
        run("items", file_of(*scores("A", 0.5), *scores("B", 2)))
    assert str(refused.value) == (
        "Nothing was imported; problems found: 1\nline 2, p1, score: is above 1; write 1 or less"
    )
    assert not ModelConfiguration.objects.exists()


def test_a_file_for_another_bank_is_refused(item_bank: ItemBank, file_of: Callable[..., Path]) -> None:
    strange: Line = {"model": "A", "prompt_id": "other", "epoch": 1, "score": 1}
    with pytest.raises(CommandError, match=r"none of the prompts \(other, …\)"):
        run("items", file_of(strange))


def test_a_bank_is_named_by_its_short_name_or_the_beginning_of_its_digest(
    item_bank: ItemBank, file_of: Callable[..., Path]
) -> None:
    path = file_of(*scores("A", 0.5))
    assert "items: 1 configuration imported" in run(item_bank.digest[:8], path)
    for name in ("other", item_bank.digest[:7]):
        with pytest.raises(CommandError, match=f'no item bank "{name}". There are: items.'):
            run(name, path)


@pytest.mark.parametrize("source", ["", " ", "x" * 301])
def test_results_without_a_source_are_refused(
    source: str, item_bank: ItemBank, file_of: Callable[..., Path]
) -> None:
    with pytest.raises(CommandError, match="Say where the results come from"):
        run("items", file_of(*scores("A", 0.5)), source=source)


def test_arrays_have_a_layer_a_configuration_and_rows_in_the_order_of_the_bank(
    item_bank: ItemBank,
    file_of: Callable[..., Path],
    django_assert_num_queries: Callable[[int], Any],
) -> None:
    later: list[Line] = [{"model": "B", "prompt_id": "p3", "epoch": e, "score": e / 10} for e in (7, 3, 9)]
    published: Line = {"model": "C", "theta": 1.0}
    run("items", file_of(*scores("A", 0.5, None, 1), *later))
    run("items", file_of(published))
    items = item_arrays(item_bank)
    with django_assert_num_queries(2):
        board = leaderboard_of(item_bank, items)
    assert [one.name for one in board.scored] == ["A", "B"]
    assert [one.name for one in board.published] == ["C"]
    nan = math.nan
    assert items.prompt_ids == ("p3", "p1", "p2")
    expected = [
        [[nan, nan, nan], [0.5, nan, nan], [1.0, nan, nan]],
        [[0.3, 0.7, 0.9], [nan, nan, nan], [nan, nan, nan]],
    ]
    assert np.array_equal(board.p, np.array(expected), equal_nan=True)


def test_a_bank_without_models_has_empty_arrays(item_bank: ItemBank) -> None:
    assert leaderboard_of(item_bank, item_arrays(item_bank)).p.shape == (0, 3, 0)
