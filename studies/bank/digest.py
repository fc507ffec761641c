"""The content digest of a bank: equal for equal content, whatever the file around it looked like."""

from formats.canonical import canonical_sha256
from studies.bank.records import BankRecord


def bank_digest(bank: BankRecord) -> str:
    """Sha256 (hex) of the bank's canonical JSON.

    Prompts count in the order of their ids and canaries sorted, so the order of lines, files and shards does
    not matter. An attachment counts by name, type and bytes, not by where it lay. The order of criteria,
    labels and attachments within a prompt is content. The bank's name is not.
    """
    prompts = sorted(bank.prompts, key=lambda prompt: prompt.prompt_id)
    without = {"attachments": {"__all__": {"path", "size_bytes"}}}
    return canonical_sha256(
        {
            "format": bank.format,
            "canaries": sorted(set(bank.canaries)),
            "prompts": [prompt.model_dump(mode="json", exclude=without) for prompt in prompts],
        }
    )
