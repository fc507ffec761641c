"""The content digest of a bank, and short labels of its prompts, which are drawn from it.

The digest is equal for equal content, whatever the file around it looked like. By labels such as Q-7F3
people name prompts to each other.
"""

import hashlib
from collections.abc import Mapping, Sequence

from formats.canonical import canonical_json, canonical_sha256
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


# No vowels, so no words; nothing that is taken for another sign when it is read or said.
ALPHABET = "23456789CDFGHJKMNPQRTVWX"
MIN_LETTERS, MAX_LETTERS = 3, 12


def prompt_labels(prompt_ids: Sequence[str], *, digest: str, kept: Mapping[str, str]) -> dict[str, str]:
    """The label of each prompt id, of letters from the hash of the bank's digest and the id.

    Who does not have the bank can tell nothing from a label. `kept` are the labels that earlier versions of
    the bank gave out: their prompts keep them, and no other prompt gets one. A label that is taken gets more
    letters; who goes first is the order of the hashes, so that the order of prompts changes nothing.
    """
    taken = set(kept.values())
    labels = {prompt_id: kept.get(prompt_id, "") for prompt_id in prompt_ids}
    fresh = []
    for prompt_id in prompt_ids:
        if prompt_id in kept:
            continue
        number = int.from_bytes(hashlib.sha256(canonical_json([digest, prompt_id])).digest())
        letters = ""
        for _ in range(MAX_LETTERS):
            number, place = divmod(number, len(ALPHABET))
            letters += ALPHABET[place]
        fresh.append((letters, prompt_id))
    for letters, prompt_id in sorted(fresh):
        candidates = (f"Q-{letters[:length]}" for length in range(MIN_LETTERS, MAX_LETTERS + 1))
        labels[prompt_id] = next(label for label in candidates if label not in taken)
        taken.add(labels[prompt_id])
    return labels
