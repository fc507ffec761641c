"""A bank of synthetic prompts that carries real item parameters: the pilot's size without its prompts.

The published bank has parameters for 615 of the 820 prompts; the 205 private ones are drawn from those.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

PROMPTS = 820
RUBRIC_SHARE = 528 / 820  # GIM paper, section 3
WORDS = (
    "harbour meadow lantern copper orchard signal basalt willow ferry granite cedar compass quarry saffron "
    "lattice beacon thistle marble canyon juniper anchor velvet prairie cobalt"
).split()


def write_synthetic_bank(folder: Path, published: Path, *, seed: int = 1) -> tuple[Path, Path]:
    """Write `bank.jsonl` and `items.json` into the folder; return their paths."""
    rng = np.random.default_rng(seed)
    bank = json.loads(published.read_text())
    items: dict[str, dict[str, Any]] = dict(bank["items"])
    drawn = rng.choice(list(items), PROMPTS - len(items), replace=False)
    items |= {
        f"synthetic-{n:03d}": {**items[name], "prompt_set": "synthetic"} for n, name in enumerate(drawn)
    }
    bank |= {
        "items": items,
        "description": "Published parameters and a draw from them, on synthetic prompts.",
    }
    items_path, bank_path = folder / "items.json", folder / "bank.jsonl"
    items_path.write_text(json.dumps(bank))
    lines = [json.dumps(prompt(name, item["subcategory"], rng)) for name, item in items.items()]
    bank_path.write_text("\n".join(lines) + "\n")
    return bank_path, items_path


def prompt(name: str, subcategory: str, rng: np.random.Generator) -> dict[str, Any]:
    """One prompt with an exact answer, or with 2 to 10 criteria that a machine can check."""
    common = {
        "id": name,
        "text": f"Synthetic prompt {name}. "
        + " ".join(rng.choice(WORDS, 120))
        + ".\n\nWhich words are meant?",
        "format": "markdown",
        "category": subcategory.split("-")[0],
        "subcategory": subcategory,
    }
    if rng.random() >= RUBRIC_SHARE:
        return common | {"gold_answer": f"{rng.choice(WORDS)} {int(rng.integers(100, 1000))}"}
    marks = [f"{rng.choice(WORDS)}-{int(rng.integers(1000, 10000))}" for _ in range(int(rng.integers(2, 11)))]
    criteria = [{"text": f"Names {mark}.", "check": {"kind": "contains", "any_of": [mark]}} for mark in marks]
    return common | {"criteria": criteria}
