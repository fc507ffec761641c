"""Every protocol setting in words: what it means, its default, and what the published pilot used.

`manage.py describe_protocol` prints this page; docs/protocol-settings.md is its output.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from formats.wording import gettext_noop
from studies.protocol.judge_kinds import JUDGE_KINDS
from studies.protocol.settings import ProtocolSettings

TEXT_CHARACTERS = 60
HEAD = """\
# Protocol settings

What `create_study --protocol` and `update_study` take, as one JSON object: every setting may be left out.
All of it is fixed when the study is frozen; afterwards an amendment changes it, from then on and for those
that the table says. The last column is the pilot of the GIM paper (appendix G). Printed by
`manage.py describe_protocol`.
"""


NOT_STATED = "not stated"


class Holds(StrEnum):
    """Whom an amendment of a setting holds for, in a sentence that pages translate."""

    NOBODY = gettext_noop("It is not amended: what rests on it is made already.")
    PLACES = gettext_noop("It holds for the places that are given from now on; who is in the study stays.")
    NOT_STARTED = gettext_noop(
        "It holds for everybody who has not started. Who has started keeps what they started with."
    )
    CONSENT = gettext_noop(
        "Everybody who has not started is asked to agree anew. Who has started goes on under the text that "
        "they agreed to."
    )
    CHECK = gettext_noop("It holds for everybody who has neither started nor passed the check.")
    INVITED = gettext_noop("It holds for invitations that are sent from now on.")
    PROFILES = gettext_noop("It holds for profiles that are handed in from now on; those handed in stay.")
    WITHDRAWN = gettext_noop("It holds for withdrawals from now on; days of deletion that are set stay.")
    EVERYBODY = gettext_noop("It holds for everybody at once, people at work included.")
    JUDGED = gettext_noop("It holds for answers that are judged from now on; nobody who answers notices.")
    RESULTS = gettext_noop("It holds for results that are computed from now on; nobody who answers notices.")
    SHOWN = gettext_noop("It holds at once for how results are shown, those stored already included.")
    VERDICTS = gettext_noop("It holds for verdicts on people from now on; those given stay.")
    REVIEW = gettext_noop("It holds for reviewers at once, and for audits that are drawn from now on.")


@dataclass(frozen=True)
class Described:
    """A setting's meaning, whom an amendment holds for, and the pilot's value in words."""

    meaning: str
    holds: Holds
    pilot: str = NOT_STATED


SETTINGS: Mapping[str, Described] = {
    "batch_size": Described("Prompts of a batch, which one person answers.", Holds.NOBODY, "20"),
    "time_budget_minutes": Described(
        "Minutes of the one clock that runs for the whole batch.", Holds.NOT_STARTED, "300"
    ),
    "late_tolerance_seconds": Described(
        "How late a text that was sent in time may arrive and still count.", Holds.NOT_STARTED
    ),
    "profiles": Described(
        "Kinds of participants that are recruited: slug, name, description, and questions of their own.",
        Holds.PLACES,
        gettext_noop("STEM undergraduate, STEM PhD, non-STEM undergraduate"),
    ),
    "replicates_per_profile": Described("People of each profile that answer each batch.", Holds.PLACES, "2"),
    "arms": Described(
        "Ways of working that are compared: slug and instructions of each. None: everybody works alike.",
        Holds.NOBODY,
        gettext_noop("none"),
    ),
    "assembly": Described(
        "How batches are cut: at random, balanced by difficulty and content, or anew for each place of a "
        "prompt (matrix).",
        Holds.NOBODY,
        gettext_noop("41 batches of 20 of 820 prompts; how they were cut is not stated"),
    ),
    "category_source": Described(
        "Whose categories hold where question bank and item bank disagree: item_bank or question_bank. Asked "
        "where they do; null: they agree, or the study is of before that was asked: the item bank's hold.",
        Holds.NOBODY,
    ),
    "overdue_rule": Described(
        "What counts when time ends: what is saved (saved_counts), or what was handed in (submitted_only).",
        Holds.NOT_STARTED,
    ),
    "missing_rule": Described(
        "Answers that are missing are left out of estimates; never zero.", Holds.RESULTS, "as missing"
    ),
    "allowed_tools": Described(
        "What participants may use, as they read it. State here what your study provides.",
        Holds.EVERYBODY,
        gettext_noop("access to one named model, Gemini 3.1 Pro, was guaranteed; any other tool was allowed"),
    ),
    "resource_categories": Described(
        "Broad kinds of resources that are declared once, before handing in.",
        Holds.EVERYBODY,
        gettext_noop(
            "asked once per participant: Google Search, books, ArXiv, scientific papers, other LLMs"
        ),
    ),
    "top_size": Described("How many people Top is.", Holds.RESULTS, gettext_noop("15 of 195 retained")),
    "headline_scope": Described(
        "Whose numbers stand first wherever results are told: those of all questions, unless their "
        "difference from the public ones would tell of a few private questions (all), or of the public ones "
        "(public).",
        Holds.SHOWN,
        gettext_noop("all questions: 615 public and 205 private ones"),
    ),
    "judge_kind": Described(
        f"What scores answers: {', '.join(f'{kind.words} ({kind.name})' for kind in JUDGE_KINDS.values())}.",
        Holds.JUDGED,
        gettext_noop("a language model"),
    ),
    "judge_excluded": Described(
        "Whether answers of excluded people are judged, too, so that results without any exclusion are "
        "known.",
        Holds.JUDGED,
    ),
    "match_rules": Described(
        "Whose comparison the judge match uses: bbeh or bbh.", Holds.JUDGED, gettext_noop("none")
    ),
    "judge_command": Described(
        "Which program the judge command asks, by the short name that the operator of the site gave it.",
        Holds.JUDGED,
        gettext_noop("none"),
    ),
    "assembly_seed": Described("Seed of cutting batches.", Holds.NOBODY),
    "assignment_seed": Described("Seed of giving people their batches.", Holds.NOT_STARTED),
    "answer_max_characters": Described("The longest answer.", Holds.NOT_STARTED),
    "instructions": Described(
        "What everybody reads before the start, in Markdown.",
        Holds.EVERYBODY,
        gettext_noop(
            "answer accurately, verify and edit what a model says; pasting a model's answer is a fallback"
        ),
    ),
    "consent_text": Described(
        "What people agree to, in Markdown.",
        Holds.CONSENT,
        gettext_noop("informed consent from each; text not stated"),
    ),
    "text_language": Described("The language that the texts of this page are written in.", Holds.EVERYBODY),
    "translations": Described(
        "The texts in other languages of the site: language, consent_text, instructions, allowed_tools, "
        "next_steps, payment_note, contact, pay, reached_at, and as lists profiles (names), arms "
        "(instructions), practice_prompts, check_questions (a line for the question and each option), "
        "resource_categories, as long as those of the study. Whoever reads another language is told that "
        "a text is not in it.",
        Holds.CONSENT,
    ),
    "organisation": Described("Which organisation runs the study, as people are told.", Holds.CONSENT),
    "responsible": Described("Who is responsible for the study, as people are told.", Holds.CONSENT),
    "reached_at": Described("How participants reach them.", Holds.CONSENT),
    "pay": Described(
        "What people are paid, in words; the rule of payment is told beside it, where there is one.",
        Holds.CONSENT,
    ),
    "invitation_days": Described("Days an invitation can be used.", Holds.INVITED),
    "profile_questions": Described(
        "What invited people are asked about themselves; a profile may have questions of its own.",
        Holds.PROFILES,
        gettext_noop("each profile was submitted to the study team and approved before any work"),
    ),
    "credential_file": Described(
        "Whether a file that supports the profile is off, optional or required.", Holds.PROFILES
    ),
    "practice_prompts": Described(
        "Made-up prompts to practise on in the workspace; they are never scored. None: no practice.",
        Holds.NOT_STARTED,
    ),
    "comprehension_check": Described(
        "Whether questions about the instructions come before the start.", Holds.CHECK
    ),
    "check_questions": Described("Those questions: question, options, number of the right one.", Holds.CHECK),
    "prompt_order": Described(
        "The order of a batch: fixed, or shuffled for every person (random).", Holds.NOT_STARTED
    ),
    "order_seed": Described("Seed of that shuffling.", Holds.NOT_STARTED),
    "note_per_prompt": Described(
        "Whether a note is asked for beside every answer.",
        Holds.NOT_STARTED,
        gettext_noop("no: resources once for the whole batch"),
    ),
    "confidence_per_prompt": Described(
        "Whether confidence is asked for beside every answer.", Holds.NOT_STARTED
    ),
    "next_steps": Described("What the receipt says comes next, in Markdown.", Holds.EVERYBODY),
    "payment_note": Described(
        "What the receipt says about payment, in Markdown.",
        Holds.EVERYBODY,
        gettext_noop("everybody recruited was paid, the excluded too"),
    ),
    "contact": Described("How to reach the study team, in Markdown.", Holds.EVERYBODY),
    "deletion_days": Described(
        "Days after a withdrawal until the person's data are deleted.", Holds.WITHDRAWN
    ),
    "reviewers_see_private": Described(
        "Whether reviewers see private questions, with the answers to them; otherwise audits are drawn from "
        "public ones. A study that was locked before there was this setting says no.",
        Holds.REVIEW,
    ),
    "planned_judge": Described(
        "The site's judge that is to score, by its short name; each run records the one that did.",
        Holds.JUDGED,
    ),
    "judge_budget": Described(
        "What judging may cost, in the currency of the judge's prices: a run is offered it as its limit.",
        Holds.JUDGED,
    ),
    "private_offline": Described(
        "Whether the open page of a running session holds its private questions in memory, so that people "
        "reach them without a network; public ones it always holds. Nothing is put on the device either way.",
        Holds.EVERYBODY,
    ),
    "second_share": Described(
        "Which share of the flagged people a second reviewer reads, blind to the first; null: nobody decided "
        "on one, as in studies that were locked before there was this setting. One in five is the least from "
        "which agreement says something.",
        Holds.VERDICTS,
        gettext_noop("not stated: how many people read the flagged sessions is not told"),
    ),
    "screening_reasons": Described(
        "Reasons of a verdict on a person that reviewers choose from, each by a key, beside one in their own "
        "words: short name and text. A study that was locked before there was this setting has none.",
        Holds.VERDICTS,
    ),
}


def holds_for(names: Iterable[str]) -> dict[Holds, list[str]]:
    """Whom an amendment of these settings, or of the opening times, holds for, with the settings of each."""
    names_by_holds: dict[Holds, list[str]] = {}
    for name in names:
        holds = SETTINGS[name].holds if name in SETTINGS else Holds.NOT_STARTED
        names_by_holds.setdefault(holds, []).append(name)
    return names_by_holds


def settings_page() -> str:
    """The page in Markdown: a table of all settings, then the default texts in full."""
    defaults = ProtocolSettings().model_dump(mode="json")
    head = "| setting | default | meaning | an amendment | the pilot |"
    lines = [HEAD, head, "|---|---|---|---|---|"]
    in_full = []
    for name, described in SETTINGS.items():
        default = defaults[name]
        cell = f"`{json.dumps(default, ensure_ascii=False)}`"
        if len(cell) > TEXT_CHARACTERS + 2:
            cell = "below"
            if isinstance(default, str):
                kind, body = "markdown", default.rstrip()
            else:
                kind, body = "json", json.dumps(default, ensure_ascii=False, indent=2)
            in_full.append(f"\n## Default of `{name}`\n\n```{kind}\n{body}\n```")
        lines.append(f"| `{name}` | {cell} | {described.meaning} | {described.holds} | {described.pilot} |")
    return "\n".join([*lines, *in_full]) + "\n"
