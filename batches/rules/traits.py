"""What assembly knows of a prompt, and the abilities at which it compares batches."""

from dataclasses import dataclass

REFERENCE_ABILITIES = (0.1, 1.0)
"""Abilities (logits) at which batches should be equally hard: about the middle of a cohort and its top."""


@dataclass(frozen=True, slots=True)
class PromptTraits:
    """One prompt, with item parameters a (discrimination) and b (difficulty, logits) where they are known."""

    prompt_id: str
    a: float | None
    b: float | None
    category: str
    modality: str

    @property
    def has_parameters(self) -> bool:
        """Whether both parameters are known."""
        return self.a is not None and self.b is not None
