"""Files with results of models."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.readers.model_results.reading import read_model_results
from scoring.readers.model_results.records import ModelResultsRefused

MODEL = "openai/gpt-test"


def lines(tmp_path: Path, *values: object, name: str = "scores.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(v if isinstance(v, str) else json.dumps(v) for v in values), encoding="utf-8")
    return path


def head(**changes: object) -> dict[str, object]:
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "gim",
            "model": MODEL,
            "model_generate_config": {},
            "created": "2026-01-01T00:00:00",
        },
        "plan": {"name": "plan", "steps": []},
        "stats": {"started_at": "", "completed_at": ""},
        **changes,
    }


def problems_of(path: Path, **how: Any) -> list[str]:
    with pytest.raises(ModelResultsRefused) as refused:
        read_model_results(path, **how)
    return [str(problem) for problem in refused.value.problems]
