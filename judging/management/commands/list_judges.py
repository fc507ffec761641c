"""manage.py list_judges: every judge of the site, as a table."""

from typing import Any

from judging.selectors.judges import known_judges
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
        rows = [HEAD]
        for judge in judges:
            config = judge.config
            limits = [f"{counted(config.concurrency)} at a time"]
            if config.requests_per_minute is not None:
                limits.append(f"requests/min {counted(config.requests_per_minute)}")
            if config.tokens_per_minute is not None:
                limits.append(f"tokens/min {counted(config.tokens_per_minute)}")
            prices = "unknown"
            if config.input_price is not None and config.output_price is not None:
                prices = f"{judge.input_price} read, {judge.output_price} written"
            users = ", ".join(judge.studies) or "no study"
            rows.append((config.slug, config.model, config.provider, ", ".join(limits), prices, users))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            self.stdout.write("  ".join(map(str.ljust, row, widths)).rstrip())
