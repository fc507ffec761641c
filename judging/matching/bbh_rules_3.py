"""BIG-Bench Hard by the third version of the rules, for the runs that were begun with it: see `bbh`.

An answer is looked for in the span after the last "the answer is" (any case, optional colon), which ends at
the next full stop or with the response. In the span the first match of the task's pattern is the answer;
without a match, or for a task of free text, the span itself is. A span that names two different choices
answers nothing. So a free-text answer with a full stop inside is cut there when it is announced; of the
references only "Monsters, Inc" ends like an abbreviation, and its full stop is not part of the reference.

Where nothing is announced, the response counts only if it *is* the answer, in any usual dress ("A)",
"Option A", "**A**"): a text that mentions an option on its way to none has not chosen it. With these rules
the accuracies that the benchmark's authors published for their chain-of-thought outputs come out for all 27
tasks (benchmarks/judging/bbh_outputs.py).
"""

import re

from judging.matching.bbh_tasks import CHOICE, INTEGER, TRUTH, VALIDITY, YES_NO, pattern_of

VERSION = 3

# The greedy start finds the last announcement that something follows.
LAST_SPAN = re.compile(r".*the answer is\b[\s:]*([^.\s:][^.]*)", re.IGNORECASE | re.DOTALL)

# Of these a span may name one only.
CHOICES = (CHOICE, TRUTH, YES_NO, VALIDITY)
# A letter as people write an option that is all they say.
OPTION = re.compile(r"(?:(?:option|choice|answer)\b[\s:]*)?[(\[]?([A-Z])[)\]]?[.:]?", re.IGNORECASE)
LABEL = re.compile(r"answer[*_]*:[\s*_]*", re.IGNORECASE)
EMPHASIS = "*_`\"' \t\n"


def extract(response: str, task: str) -> str:
    """The answer inside a response, as written; an integer without commas. Blank where two are named.

    Raises UnknownTask.
    """
    pattern, announced = pattern_of(task), LAST_SPAN.match(response)
    span = (announced[1] if announced else response.strip().removesuffix(".")).strip()
    found = [match[0] for match in pattern.finditer(span)] if announced else []
    if pattern in CHOICES and len({match.casefold() for match in found}) > 1:
        return ""
    if found:
        answer = found[0]
    else:
        # A text that is an answer and nothing else: without emphasis, "Answer:" and what options are put in.
        labelled = span.strip(EMPHASIS)
        label = LABEL.match(labelled)
        answer = labelled[label.end() if label else 0 :].strip(EMPHASIS).removesuffix(".").strip(EMPHASIS)
        option = OPTION.fullmatch(answer) if pattern is CHOICE and not CHOICE.fullmatch(answer) else None
        answer = option[1] if option else answer
    return answer.replace(",", "").replace("\u2212", "-") if pattern is INTEGER else answer


def is_correct(response: str, reference: str, task: str) -> bool:
    """Whether the extracted answer equals the reference, whatever the case, with (A) = A."""
    return _unbracketed(extract(response, task)) == _unbracketed(reference.strip())


def _unbracketed(answer: str) -> str:
    folded = answer.casefold()
    return folded[1] if re.fullmatch(r"\([a-z]\)", folded) else folded
