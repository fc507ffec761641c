"""The protocol of a study as files to keep or to register before the first person starts."""

import json
from datetime import datetime
from typing import Any

from studies.models import Study
from studies.protocol.describing import SETTINGS
from studies.selectors.studies import made_after_results

SHORT = 60


def protocol_record(study: Study) -> dict[str, Any]:
    """Everything that is declared, with the fingerprints it is recognised by, and what was changed since."""
    amendments = list(study.amendments.order_by("number"))
    late = made_after_results(study, amendments)
    return {
        "study": study.slug,
        "name": study.name,
        "status": study.status,
        "is_simulated": study.is_simulated,
        "locked_at": _moment(study.frozen_at),
        "opens_at": _moment(study.opens_at),
        "closes_at": _moment(study.closes_at),
        "protocol_hash": study.protocol_hash or None,
        "design_hash": study.design_hash or None,
        "bank": {"name": str(study.bank_version), "digest": study.bank_version.digest},
        "item_bank": _named(study.item_bank, "digest"),
        "judge_protocol": _named(study.judge_protocol, "sha256"),
        "settings": study.settings,
        "amendments": [
            {
                "number": amendment.number,
                "made_at": _moment(amendment.made_at),
                "reason": amendment.reason,
                "after_results": amendment in late,
                "changes": amendment.changes,
                "protocol_hash_before": amendment.protocol_hash_before,
                "protocol_hash": amendment.protocol_hash,
            }
            for amendment in amendments
        ],
    }


def protocol_json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def protocol_markdown(record: dict[str, Any]) -> str:
    """The same to read: a table of facts, each setting with its meaning, long texts in full, amendments."""
    settings = record["settings"]
    lines = [f"# Protocol of {record['name']}", "", "| what | value |", "|---|---|"]
    facts = {key: value for key, value in record.items() if key not in {"settings", "amendments", "name"}}
    lines += [f"| {key} | {_cell(value)} |" for key, value in facts.items()]
    lines += ["", "## Settings", "", "| setting | value | meaning |", "|---|---|---|"]
    for name, value in settings.items():
        meaning = SETTINGS[name].meaning if name in SETTINGS else ""
        lines.append(f"| `{name}` | {'below' if _is_long(value) else _cell(value)} | {meaning} |")
    for name, value in settings.items():
        if _is_long(value):
            lines += ["", f"## `{name}`", "", *_fenced(value)]
    for change in record["amendments"]:
        lines += ["", f"## Amendment {change['number']}, {change['made_at']}", "", str(change["reason"])]
        if change["after_results"]:
            lines += ["", "Results had been computed before, so that they may have been seen."]
        lines += [
            "",
            *_fenced(change["changes"]),
            "",
            f"Protocol hash since then: `{change['protocol_hash']}`",
        ]
    return "\n".join(lines) + "\n"


def _moment(time: datetime | None) -> str | None:
    return time.isoformat() if time else None


def _named(row: Any, digest: str) -> dict[str, str] | None:
    return {"name": str(row), "digest": getattr(row, digest)} if row else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_long(value: object) -> bool:
    return len(_text(value)) > SHORT or "\n" in _text(value)


def _cell(value: object) -> str:
    return _text(value).replace("|", "\\|").replace("\n", " ") if value is not None else "none"


def _fenced(value: object) -> list[str]:
    """Text that holds a fence itself gets a longer one."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    fence = "```"
    while fence in text:
        fence += "`"
    return [fence, text.rstrip(), fence]
