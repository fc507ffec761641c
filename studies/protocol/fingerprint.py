"""The hashes that a frozen protocol is recognised by, and times as files and commands write them."""

from collections.abc import Mapping
from datetime import UTC, datetime

from formats.canonical import canonical_sha256
from studies.protocol.settings import ProtocolSettings

# Settings that came later, with the value that studies of before were made with: that adds nothing to a hash.
CAME_LATER: Mapping[str, object] = {
    "category_source": None,
    "reviewers_see_private": False,
    "private_offline": False,
    "second_share": None,
    "screening_reasons": [],
    "text_language": "en",
    "translations": [],
    "judge_command": None,
}
# What people are told before they agree (`studies.selectors.told`).
TOLD = ("organisation", "responsible", "reached_at", "pay")
# Of the protocol, and of no design: what is only told and how people are reviewed change no score, and each
# run records its own judge.
BESIDE_DESIGN = (
    "headline_scope", "planned_judge", "judge_budget", "second_share", "screening_reasons", *TOLD,
)  # fmt: skip


def design_hash(
    settings: ProtocolSettings,
    *,
    bank_digest: str,
    item_bank_digest: str | None,
    judge_protocol_hash: str | None,
) -> str:
    """Sha256 (hex) over every setting that answers and scores rest on, with the digests of prompts, item
    parameters and judge texts.

    Two studies with the same hash asked the same prompts under the same rules and graded them alike.
    """
    return canonical_sha256(
        {
            "settings": {
                name: value
                for name, value in settings.model_dump(mode="json", exclude={*BESIDE_DESIGN}).items()
                if name not in CAME_LATER or value != CAME_LATER[name]
            },
            "bank": bank_digest,
            "item_bank": item_bank_digest,
            "judge_protocol": judge_protocol_hash,
        }
    )


def protocol_hash(
    design: str,
    *,
    opens_at: datetime | None,
    closes_at: datetime | None,
    settings: ProtocolSettings | None = None,
) -> str:
    """Sha256 (hex) over all of a protocol: its design, the moments between which people may start, and what
    of its `settings` is beside the design, where that is not as it was before there was such a setting.
    """
    before = {**ProtocolSettings().model_dump(mode="json"), **CAME_LATER}
    stored = settings.model_dump(mode="json", include={*BESIDE_DESIGN}) if settings else {}
    beside = {name: value for name, value in stored.items() if value != before[name]}
    return canonical_sha256(
        {"design": design, "opens_at": _moment(opens_at), "closes_at": _moment(closes_at), **beside}
    )


def _moment(time: datetime | None) -> str | None:
    return time.astimezone(UTC).isoformat() if time else None


def aware_time(text: str) -> datetime | None:
    """The moment an ISO text with an offset names, in UTC; None where it names none."""
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else None
    except (ValueError, OverflowError):  # OverflowError: the year 9999 goes on where UTC has left it
        return None
