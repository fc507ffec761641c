"""manage.py list_judges: every judge of the site, as a table."""

from typing import Any

from judging.models import JudgeConfig
from judging.selectors.judges import KnownJudge, known_judges
from presentation.numbers import counted
from studies.management.operators import OperatorCommand

HEAD = ("name", "model", "provider", "limits", "prices per million tokens", "used by")


class Command(OperatorCommand):
    help = (
        "List the judges of this site: model, provider, limits, prices, and the studies that have used each."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        judges = known_judges()
        if not judges:
            self.stdout.write("There is no judge yet; add one with add_judge.")
            return
        rows = [HEAD, *(_row_of(judge) for judge in judges)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            self.stdout.write("  ".join(map(str.ljust, row, widths)).rstrip())


def _row_of(judge: KnownJudge) -> tuple[str, ...]:
    one = judge.config
    return (
        one.slug,
        one.model,
        one.provider,
        _limits_of(one),
        _prices_of(judge),
        ", ".join(judge.studies) or "no study",
    )


def _limits_of(judge: JudgeConfig) -> str:
    limits = [f"{counted(judge.concurrency)} at a time"]
    if judge.requests_per_minute is not None:
        limits.append(f"requests/min {counted(judge.requests_per_minute)}")
    if judge.tokens_per_minute is not None:
        limits.append(f"tokens/min {counted(judge.tokens_per_minute)}")
    return ", ".join(limits)


def _prices_of(judge: KnownJudge) -> str:
    if judge.input_price is None or judge.output_price is None:
        return "unknown"
    return f"{judge.input_price} read, {judge.output_price} written"
