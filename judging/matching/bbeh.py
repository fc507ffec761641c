"""BIG-Bench Extra Hard: is a response correct? (BBEH paper, appendix on evaluation.)

The rules are the benchmark's own, in its own order, quirks included, so that a person's answers are judged
exactly as the published models' were. Announcements are case-sensitive, and only the first line after one
counts. A reference that itself ends in a full stop (11 of the 200 Linguini questions) is matched by no
ordinary response, itself included: the response's full stop is dropped, the reference's is not.
"""

ANNOUNCEMENTS = ("The answer is:", "The final answer is ", "The final answer is: ", "The answer is ")
LATEX_WRAPPERS = ("boxed{", "text{", "texttt{")


def extract(response: str) -> str:
    """The answer inside a response, lower-cased; a response without an announcement is all answer."""
    answer = response.replace("\r\n", "\n").strip()  # browsers send CRLF; the benchmark knows only LF
    for announcement in ANNOUNCEMENTS:
        if announcement in answer:
            answer = answer.rpartition(announcement)[2].strip()
    answer = answer.removesuffix(".")
    if answer.startswith("$") and answer.endswith("$"):
        answer = answer[1:-1]
    for wrapper in LATEX_WRAPPERS:
        if wrapper in answer and answer.endswith("}"):
            answer = answer[:-1].split(wrapper)[1]
    answer = answer.lower().replace(", ", ",").replace("**", "")
    return answer.partition("\n")[0].removesuffix(".")


def is_correct(response: str, reference: str) -> bool:
    """Whether the extracted answer equals the reference under the benchmark's tolerant comparison."""
    answer, reference = extract(response), reference.strip().lower().replace(", ", ",")
    if answer == reference:
        return True
    if _is_bracketed(answer):
        return answer[1] == reference
    if _is_bracketed(reference):
        return reference[1] == answer
    try:
        are_equal_numbers = float(answer) == float(reference)
    except ValueError:
        are_equal_numbers = False
    return (
        are_equal_numbers
        or answer.replace("'", "") == reference.replace("'", "")
        or answer == f"[{reference}]"
        or reference == f"[{answer}]"
        or answer == f"{reference}?"
    )


def _is_bracketed(text: str) -> bool:
    return len(text) == 3 and text[0] == "(" and text[-1] == ")"
