"""The hash that a frozen protocol is recognised by."""

from studies.bank.canonical import canonical_sha256
from studies.protocol.settings import ProtocolSettings


def protocol_hash(
    settings: ProtocolSettings,
    *,
    bank_digest: str,
    item_bank_digest: str | None,
    judge_protocol_hash: str | None,
) -> str:
    """Sha256 (hex) over every setting and the digests of prompts, item parameters and judge texts.

    Two studies with the same hash asked the same prompts under the same rules and graded them alike.
    """
    return canonical_sha256(
        {
            "settings": settings.model_dump(mode="json"),
            "bank": bank_digest,
            "item_bank": item_bank_digest,
            "judge_protocol": judge_protocol_hash,
        }
    )
