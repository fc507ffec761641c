"""Short labels of prompts, such as Q-7F3, by which people name them to each other."""

import hashlib
from collections.abc import Mapping, Sequence

from formats.canonical import canonical_json

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
    fresh = sorted(
        (_letters(digest, prompt_id), prompt_id) for prompt_id in prompt_ids if prompt_id not in kept
    )
    for letters, prompt_id in fresh:
        candidates = (f"Q-{letters[:length]}" for length in range(MIN_LETTERS, MAX_LETTERS + 1))
        labels[prompt_id] = next(label for label in candidates if label not in taken)
        taken.add(labels[prompt_id])
    return labels


def _letters(digest: str, prompt_id: str) -> str:
    number = int.from_bytes(hashlib.sha256(canonical_json([digest, prompt_id])).digest())
    letters = []
    for _ in range(MAX_LETTERS):
        number, place = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[place])
    return "".join(letters)
