"""BIG-Bench Hard: is a response correct?

An answer is looked for in the span after the last "the answer is" (any case, optional colon), which ends at
the next full stop or with the response. Where nothing is announced the whole response is the span, because a
participant mostly writes just the answer. In the span the first match of the task's pattern is the answer;
without a match, or for a task of free text, the span itself is. So a free-text answer with a full stop inside
is cut there when it is announced; of the references only "Monsters, Inc" ends like an abbreviation, and its
full stop is not part of the reference.
"""

import re

# The greedy start finds the last announcement that something follows.
LAST_SPAN = re.compile(r".*the answer is\b[\s:]*([^.\s:][^.]*)", re.IGNORECASE | re.DOTALL)

CHOICE = re.compile(r"\([A-Z]\)")
TRUTH = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
YES_NO = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)
VALIDITY = re.compile(r"\b(?:valid|invalid)\b", re.IGNORECASE)
INTEGER = re.compile(r"[-\u2212]?\d+(?:,\d{3})*", re.ASCII)
CLOSING_BRACKETS = re.compile(r"[\])}>](?:[\])}> ]*[\])}>])?")
FREE_TEXT = re.compile(r".+", re.DOTALL)

PATTERNS = {
    "boolean_expressions": TRUTH,
    "causal_judgement": YES_NO,
    "date_understanding": CHOICE,
    "disambiguation_qa": CHOICE,
    "dyck_languages": CLOSING_BRACKETS,
    "formal_fallacies": VALIDITY,
    "geometric_shapes": CHOICE,
    "hyperbaton": CHOICE,
    "logical_deduction_five_objects": CHOICE,
    "logical_deduction_seven_objects": CHOICE,
    "logical_deduction_three_objects": CHOICE,
    "movie_recommendation": CHOICE,
    "multistep_arithmetic_two": INTEGER,
    "navigate": YES_NO,
    "object_counting": INTEGER,
    "penguins_in_a_table": CHOICE,
    "reasoning_about_colored_objects": CHOICE,
    "ruin_names": CHOICE,
    "salient_translation_error_detection": CHOICE,
    "snarks": CHOICE,
    "sports_understanding": YES_NO,
    "temporal_sequences": CHOICE,
    "tracking_shuffled_objects_five_objects": CHOICE,
    "tracking_shuffled_objects_seven_objects": CHOICE,
    "tracking_shuffled_objects_three_objects": CHOICE,
    "web_of_lies": YES_NO,
    "word_sorting": FREE_TEXT,
}


class UnknownTask(ValueError):
    """The task is none of the 27 of BIG-Bench Hard."""

    def __init__(self, task: str) -> None:
        self.task = task
        super().__init__(f"{task!r} is no BIG-Bench Hard task; use a file name such as 'date_understanding'")


def extract(response: str, task: str) -> str:
    """The answer inside a response, as written; an integer without commas. Raises UnknownTask."""
    if task not in PATTERNS:
        raise UnknownTask(task)
    announced = LAST_SPAN.match(response)
    span = (announced[1] if announced else response.strip().removesuffix(".")).strip()
    found = PATTERNS[task].search(span)
    answer = found[0] if found else span
    return answer.replace(",", "").replace("\u2212", "-") if PATTERNS[task] is INTEGER else answer


def is_correct(response: str, reference: str, task: str) -> bool:
    """Whether the extracted answer equals the reference, whatever the case, with (A) = A."""
    return _unbracketed(extract(response, task)) == _unbracketed(reference.strip())


def _unbracketed(answer: str) -> str:
    folded = answer.casefold()
    return folded[1] if re.fullmatch(r"\([a-z]\)", folded) else folded
