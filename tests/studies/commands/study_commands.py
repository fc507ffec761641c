"""The study leads' commands: what they say, and how they refuse."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

GOOD = {"id": "one", "text": "Which?", "gold_answer": "this"}


def run(*words: object) -> str:
    """What the command wrote to both streams."""
    out = StringIO()
    call_command(*[str(word) for word in words], stdout=out, stderr=out)
    return out.getvalue()


def refusal_of(*words: object) -> str:
    with pytest.raises(CommandError) as error:
        run(*words)
    assert error.value.returncode == 1
    return str(error.value)
