"""What scores answers where no language model does, by its plain name; files have the code."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from presentation.numbers import Text
from presentation.tables import Named

KINDS: Mapping[str, Text] = {
    "llm": _("a language model"),
    "match": _("comparison with the expected answer"),
    "checks": _("machine checks"),
}


def judge_kind(code: str) -> Named:
    return Named(str(KINDS.get(code, code)), code)
