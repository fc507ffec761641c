"""Every time on a page is in the viewer's zone: one tag writes them, and keeps UTC in the tooltip."""

import re
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
# What a script reads, what stands in a tooltip, and what a script of the session keeps beside UTC.
ELSEWHERE = re.compile(
    r"(?s)<time [^>]*data-local.*?</time>"
    r'|title="\{\{[^\n]*?UTC[^"\n]*"'
    r'|(?:datetime|data-[\w-]+)=(?:"\{.*?"|.*?\n)'
)


def test_no_template_writes_a_time_of_its_own() -> None:
    bare = [
        f"{page.relative_to(TEMPLATES)}: {line.strip()}"
        for page in TEMPLATES.rglob("*.html")
        for line in ELSEWHERE.sub("\n", page.read_text()).splitlines()
        if "|date:" in line or re.search(r"\}\} UTC", line)
    ]
    assert bare == []
