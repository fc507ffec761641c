"""Commands as somebody at a terminal meets them."""

from io import StringIO
from typing import Any

from django.core.management import call_command

from studies.bank.records import PromptRecord

PROMPTS = [
    PromptRecord(prompt_id=f"p{n}", text=f"Question {n}?", gold_answer=str(40 + n)) for n in range(1, 5)
]


def run(*command: str, **options: Any) -> tuple[str, str]:
    """What a command prints to standard output and standard error."""
    out, err = StringIO(), StringIO()
    call_command(*command, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()
