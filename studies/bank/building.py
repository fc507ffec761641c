"""From what a file says to checked prompts, keeping every problem on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from formats.files import Limits
from formats.problems import Problem
from formats.sentences import error_sentence, field_path, json_name, text_fault
from studies.bank.attachments import AttachmentRefused, read_attachment
from studies.bank.records import AttachmentRecord, BankFormat, BankRecord, PromptRecord


@dataclass(frozen=True)
class BankReading:
    """What a file held: the valid prompts, and everything that kept others out.

    `notices` are what somebody should look at, such as one question with two answers; they keep nothing out.
    `root` is the folder the attachments' paths are relative to.
    """

    bank: BankRecord
    problems: tuple[Problem, ...]
    root: Path
    notices: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Draft:
    """One prompt as a file states it, unchecked. Keys of `values` are fields of PromptRecord.

    `attachments` is the file's own list of paths, looked up in `bases`. `prompt_id` names the prompt in
    problems even where the file carries no usable id.
    """

    values: Mapping[str, object]
    line: int | None = None
    file: str = ""
    prompt_id: str | None = None
    attachments: object = ()
    bases: Sequence[Path] = ()
    problems: tuple[Problem, ...] = ()

    def problem(self, field_name: str, message: str) -> Problem:
        """A problem of this prompt."""
        return Problem(self.line, self.prompt_id, field_name, message, self.file)


@dataclass
class BankBuilder:
    """Takes drafts one by one and gives the reading at the end.

    `field_names` translates fields of PromptRecord into what the file calls them.
    """

    format: BankFormat
    root: Path
    limits: Limits
    field_names: Mapping[str, str] = field(default_factory=dict)
    _prompts: list[PromptRecord] = field(default_factory=list, init=False)
    _problems: list[Problem] = field(default_factory=list, init=False)
    _canaries: list[str] = field(default_factory=list, init=False)
    _places: dict[str, str] = field(default_factory=dict, init=False)

    def add_problem(self, problem: Problem) -> None:
        """Something is wrong that belongs to no single prompt."""
        self._problems.append(problem)

    def add_canary(self, canary: object, *, line: int | None = None, file: str = "") -> None:
        """Take in what stands there as the canary; "" is none, and what is no text is a problem."""
        if fault := text_fault(canary):
            self.add_problem(Problem(line, None, "canary", fault, file))
        elif canary:
            self._canaries.append(str(canary))

    def add(self, draft: Draft) -> None:
        """Check one prompt; it joins the bank only if nothing at all is wrong with it."""
        attachments, attachment_problems = self._attachments(draft)
        problems = list(draft.problems)
        if draft.values.get("gold_answer") is None and not draft.values.get("criteria"):
            fields = f"{self._name('gold_answer')}, {self._name('criteria')}"
            message = "both are absent; a prompt needs an answer or a rubric to be graded"
            problems.append(draft.problem(fields, message))
        problems += [*self._id_problems(draft), *attachment_problems]
        try:
            prompt = PromptRecord.model_validate({**draft.values, "attachments": attachments})
        except ValidationError as error:
            for details in error.errors():
                first, *rest = details["loc"]
                path = field_path((self._name(str(first)), *rest))
                self._problems.append(draft.problem(path, error_sentence(details)))
            self._problems += problems
            return
        self._problems += problems
        if not problems:
            self._prompts.append(prompt)

    def reading(self, *, name: str = "", category_names: Mapping[str, str] | None = None) -> BankReading:
        """Everything taken in so far; a bank without a prompt and without a problem is itself a problem."""
        if not self._prompts and not self._problems:
            message = "the bank holds no prompts; give a file with at least one"
            self.add_problem(Problem(None, None, "", message))
        bank = BankRecord(
            format=self.format,
            prompts=tuple(self._prompts),
            canaries=tuple(dict.fromkeys(self._canaries)),
            name=name,
            category_names=category_names or {},
        )
        notices = []
        first: dict[tuple[str, ...], PromptRecord] = {}
        for prompt in bank.prompts:
            if prompt.gold_answer is None:
                continue
            files = sorted(attachment.sha256 for attachment in prompt.attachments)
            other = first.setdefault((" ".join(prompt.text.split()), *files), prompt)
            # Answers that differ in white space alone are the same one.
            if other.gold_answer is not None and other.gold_answer.split() != prompt.gold_answer.split():
                message = f'has the text of "{other.prompt_id}" and another answer; see that both are meant'
                notices.append(Problem(None, prompt.prompt_id, "", message))
        return BankReading(bank, tuple(self._problems), root=self.root, notices=tuple(notices))

    def _name(self, field_name: str) -> str:
        return self.field_names.get(field_name, field_name)

    def _id_problems(self, draft: Draft) -> list[Problem]:
        prompt_id = draft.values.get("prompt_id")
        if not isinstance(prompt_id, str) or not prompt_id.strip():
            return []
        place = f"line {draft.line}" if draft.line else ""
        here = ", ".join(part for part in (draft.file, place) if part)
        first = self._places.setdefault(prompt_id, here)
        if first == here:
            return []
        return [
            draft.problem(self._name("prompt_id"), f"is already used in {first}; give each prompt its own id")
        ]

    def _attachments(self, draft: Draft) -> tuple[list[AttachmentRecord], list[Problem]]:
        field_name = self._name("attachments")
        if not isinstance(draft.attachments, list | tuple):
            message = f"is {json_name(draft.attachments)}, but a list of paths is expected"
            return [], [draft.problem(field_name, message)]
        records: list[AttachmentRecord] = []
        problems: list[Problem] = []
        max_bytes = self.limits.attachment_bytes
        for position, name in enumerate(draft.attachments, start=1):
            place = f"{field_name}[{position}]"
            if not isinstance(name, str):
                message = f"is {json_name(name)}, but a path in quotes is expected"
                problems.append(draft.problem(place, message))
                continue
            try:
                record = read_attachment(name, root=self.root, bases=draft.bases, max_bytes=max_bytes)
            except AttachmentRefused as error:
                problems.append(draft.problem(place, f'"{name}" {error}'))
            else:
                records.append(record)
        return records, problems
