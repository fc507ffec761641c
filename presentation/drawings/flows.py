"""The way from step to step, and who leaves it."""

from collections.abc import Sequence
from dataclasses import dataclass

from presentation.drawings.shapes import Box, Drawing, Line, Mark, Path, Text, fitting, text_width

BOX, GAP, LINE = 44.0, 34.0, 16.0


@dataclass(frozen=True)
class Step:
    """A step with how many are at it, and in a line each how many leave after it and why."""

    name: str
    number: str
    leaving: tuple[str, ...] = ()


def flow(steps: Sequence[Step], *, width: float) -> Drawing | None:
    """Boxes from the top down; beside the way, who leaves."""
    if not steps:
        return None
    wide = min(max(text_width(step.name) for step in steps) + 32, 0.48 * width)
    middle, beside = wide / 2, wide + 28
    marks: list[Mark] = []
    y = 2.0
    for place, step in enumerate(steps):
        marks += [
            Box(1, y, wide, BOX, "step", told=f"{step.name}: {step.number}", corner=6),
            Text(middle, y + 18, fitting(step.name, wide - 12), anchor="middle"),
            Text(middle, y + 35, step.number, "name", "middle"),
        ]
        if place + 1 == len(steps):
            y += BOX
            break
        room = max(GAP, LINE * len(step.leaving) + 18)
        turn = y + BOX + room / 2
        end = y + BOX + room
        head = ((middle - 4, end - 7), (middle, end - 1), (middle + 4, end - 7))
        marks += [Line(middle, y + BOX, middle, end - 1, "zero"), Path(head, "zero")]
        if step.leaving:
            marks.append(Line(middle, turn, beside - 8, turn, "zero"))
            first = turn + 4 - LINE * (len(step.leaving) - 1) / 2
            marks += [
                Text(beside, first + LINE * number, fitting(text, width - beside))
                for number, text in enumerate(step.leaving)
            ]
        y += BOX + room
    return Drawing(width, y + 4, tuple(marks))
