"""Every protocol setting in words: what it means, its default, and what the published pilot used.

`manage.py describe_protocol` prints this page; docs/protocol-settings.md is its output.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from formats.wording import gettext_noop
from studies.protocol.settings import ProtocolSettings

TEXT_CHARACTERS = 60
HEAD = """\
# Protocol settings

What `create_study --protocol` and `update_study` take, as one JSON object: every setting may be left out.
All of it is fixed when the study is frozen; afterwards an amendment changes it, for those who have not
started. The last column is the pilot of the GIM paper (appendix G). Printed by `manage.py describe_protocol`.
"""


NOT_STATED = "not stated"


@dataclass(frozen=True)
class Described:
    """A setting's meaning, and the pilot's value in words, which pages translate."""

    meaning: str
    pilot: str = NOT_STATED


SETTINGS: Mapping[str, Described] = {
    "batch_size": Described("Prompts of a batch, which one person answers.", "20"),
    "time_budget_minutes": Described("Minutes of the one clock that runs for the whole batch.", "300"),
    "late_tolerance_seconds": Described("How late a text that was sent in time may arrive and still count."),
    "profiles": Described(
        "Kinds of participants that are recruited: slug, name, description, and questions of their own.",
        gettext_noop("STEM undergraduate, STEM PhD, non-STEM undergraduate"),
    ),
    "replicates_per_profile": Described("People of each profile that answer each batch.", "2"),
    "arms": Described(
        "Ways of working that are compared: slug and instructions of each. None: everybody works alike.",
        gettext_noop("none"),
    ),
    "assembly": Described(
        "How batches are cut: at random, balanced by difficulty and content, or anew for each place of a "
        "prompt (matrix).",
        gettext_noop("41 batches of 20 of 820 prompts; how they were cut is not stated"),
    ),
    "overdue_rule": Described(
        "What counts when time ends: what is saved (saved_counts), or what was handed in (submitted_only)."
    ),
    "missing_rule": Described(
        "Answers that are missing are left out of estimates; never zero.", "as missing"
    ),
    "allowed_tools": Described(
        "What participants may use, as they read it. State here what your study provides.",
        gettext_noop("access to one named model, Gemini 3.1 Pro, was guaranteed; any other tool was allowed"),
    ),
    "resource_categories": Described(
        "Broad kinds of resources that are declared once, before handing in.",
        gettext_noop(
            "asked once per participant: Google Search, books, ArXiv, scientific papers, other LLMs"
        ),
    ),
    "top_size": Described("How many people Top is.", gettext_noop("15 of 195 retained")),
    "headline_scope": Described(
        "Whose numbers stand first wherever results are told: those of all questions, where their difference "
        "from the public ones tells of no few private questions (all), or of the public ones (public).",
        gettext_noop("all questions: 615 public and 205 private ones"),
    ),
    "judge_kind": Described(
        "What scores answers: a language model (llm), a benchmark's own comparison (match), or the checks of "
        "the bank (checks).",
        gettext_noop("a language model"),
    ),
    "judge_excluded": Described(
        "Whether answers of excluded people are judged, too, so that results without any exclusion are known."
    ),
    "match_rules": Described("Whose comparison the judge match uses: bbeh or bbh.", gettext_noop("none")),
    "assembly_seed": Described("Seed of cutting batches."),
    "assignment_seed": Described("Seed of giving people their batches."),
    "answer_max_characters": Described("The longest answer."),
    "instructions": Described(
        "What everybody reads before the start, in Markdown.",
        gettext_noop(
            "answer accurately, verify and edit what a model says; pasting a model's answer is a fallback"
        ),
    ),
    "consent_text": Described(
        "What people agree to, in Markdown.", gettext_noop("informed consent from each; text not stated")
    ),
    "invitation_days": Described("Days an invitation can be used."),
    "profile_questions": Described(
        "What invited people are asked about themselves; a profile may have questions of its own.",
        gettext_noop("each profile was submitted to the study team and approved before any work"),
    ),
    "credential_file": Described("Whether a file that supports the profile is off, optional or required."),
    "practice_prompts": Described(
        "Made-up prompts to practise on in the workspace; they are never scored. None: no practice."
    ),
    "comprehension_check": Described("Whether questions about the instructions come before the start."),
    "check_questions": Described("Those questions: question, options, number of the right one."),
    "prompt_order": Described("The order of a batch: fixed, or shuffled for every person (random)."),
    "order_seed": Described("Seed of that shuffling."),
    "note_per_prompt": Described(
        "Whether a note is asked for beside every answer.",
        gettext_noop("no: resources once for the whole batch"),
    ),
    "confidence_per_prompt": Described("Whether confidence is asked for beside every answer."),
    "next_steps": Described("What the receipt says comes next, in Markdown."),
    "payment_note": Described(
        "What the receipt says about payment, in Markdown.",
        gettext_noop("everybody recruited was paid, the excluded too"),
    ),
    "contact": Described("How to reach the study team, in Markdown."),
    "deletion_days": Described("Days after a withdrawal until the person's data are deleted."),
}


def settings_page() -> str:
    """The page in Markdown: a table of all settings, then the default texts in full."""
    defaults = ProtocolSettings().model_dump(mode="json")
    lines = [HEAD, "| setting | default | meaning | the pilot |", "|---|---|---|---|"]
    in_full = []
    for name, described in SETTINGS.items():
        default = defaults[name]
        shown = f"`{json.dumps(default, ensure_ascii=False)}`"
        if len(shown) > TEXT_CHARACTERS + 2:
            shown = "below"
            in_full.append(_in_full(name, default))
        lines.append(f"| `{name}` | {shown} | {described.meaning} | {described.pilot} |")
    return "\n".join([*lines, *in_full]) + "\n"


def _in_full(name: str, default: object) -> str:
    if isinstance(default, str):
        kind, body = "markdown", default.rstrip()
    else:
        kind, body = "json", json.dumps(default, ensure_ascii=False, indent=2)
    return f"\n## Default of `{name}`\n\n```{kind}\n{body}\n```"
