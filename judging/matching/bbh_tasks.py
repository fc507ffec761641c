"""The 27 tasks of BIG-Bench Hard, and how an answer to each of them is written."""

import re

CHOICE = re.compile(r"\([A-Z]\)")
TRUTH = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
YES_NO = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)
VALIDITY = re.compile(r"\b(?:valid|invalid)\b", re.IGNORECASE)
INTEGER = re.compile(r"[-\u2212]?\d+(?:,\d{3})*", re.ASCII)
CLOSING_BRACKETS = re.compile(r"[\])}>](?:[\])}> ]*[\])}>])?")
FREE_TEXT = re.compile(r".+", re.DOTALL)

_TASKS = {
    CHOICE: """
        date_understanding disambiguation_qa geometric_shapes hyperbaton logical_deduction_five_objects
        logical_deduction_seven_objects logical_deduction_three_objects movie_recommendation
        penguins_in_a_table reasoning_about_colored_objects ruin_names salient_translation_error_detection
        snarks temporal_sequences tracking_shuffled_objects_five_objects
        tracking_shuffled_objects_seven_objects tracking_shuffled_objects_three_objects
    """,
    TRUTH: "boolean_expressions",
    YES_NO: "causal_judgement navigate sports_understanding web_of_lies",
    VALIDITY: "formal_fallacies",
    INTEGER: "multistep_arithmetic_two object_counting",
    CLOSING_BRACKETS: "dyck_languages",
    FREE_TEXT: "word_sorting",
}
PATTERNS = dict(sorted((task, pattern) for pattern, tasks in _TASKS.items() for task in tasks.split()))


# What a person is told about them.
FORMS = {
    CHOICE: "choice",
    TRUTH: "truth",
    YES_NO: "yes_no",
    VALIDITY: "validity",
    INTEGER: "number",
    CLOSING_BRACKETS: "brackets",
    FREE_TEXT: "words",
}


class UnknownTask(ValueError):
    """The task is none of the 27 of BIG-Bench Hard."""

    def __init__(self, task: str) -> None:
        self.task = task
        super().__init__(f"{task!r} is no BIG-Bench Hard task; use a file name such as 'date_understanding'")


def form_of(task: str) -> str:
    """The kind of answer that this task asks for. Raises UnknownTask."""
    return FORMS[pattern_of(task)]


def pattern_of(task: str) -> re.Pattern[str]:
    """How an answer to this task is written. Raises UnknownTask."""
    if task not in PATTERNS:
        raise UnknownTask(task)
    return PATTERNS[task]
