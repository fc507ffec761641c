"""Reads of the comprehension check."""

from formats.canonical import canonical_sha256
from studies.models import ComprehensionAttempt, Participant
from studies.protocol.settings import ProtocolSettings


def check_passed(participant: Participant) -> bool:
    """Whether the check stands in nobody's way: the person passed it, or the study asks for none.

    Who passed once has passed: other questions after an amendment do not ask again, as the instructions can
    be read at any time and a running session must not be called back.
    """
    if not participant.study.protocol.comprehension_check:
        return True
    return participant.check_tries.filter(passed=True).exists()


def check_attempts_left(participant: Participant) -> int:
    """How often the person may still try; meaningful until the check is passed."""
    return max(0, participant.check_attempts - participant.check_tries.count())


def newest_attempt(participant: Participant) -> ComprehensionAttempt | None:
    """The try made last."""
    return participant.check_tries.order_by("-id").first()


def questions_sha256(protocol: ProtocolSettings) -> str:
    """What the questions with their options are recognised by (hex)."""
    return canonical_sha256([question.model_dump(mode="json") for question in protocol.check_questions])
