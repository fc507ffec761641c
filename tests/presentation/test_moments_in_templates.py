"""Every time on a page is in the viewer's zone: one tag writes them, and keeps UTC in the tooltip."""

import re
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
# What a script reads.
ELSEWHERE = re.compile(r'(?s)(?:datetime|data-[\w-]+)=(?:"\{.*?"|.*?\n)')


def test_no_template_writes_a_time_of_its_own() -> None:
    bare = [
        f"{page.relative_to(TEMPLATES)}: {line.strip()}"
        for page in [*TEMPLATES.rglob("*.html"), *TEMPLATES.rglob("*.txt")]
        for line in ELSEWHERE.sub("\n", page.read_text()).splitlines()
        if "|date:" in line or re.search(r"\}\} UTC", line)
    ]
    assert bare == []
