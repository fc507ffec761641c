"""Studies of the pages of judges' agreement, and what a page of theirs says."""

import re
from collections.abc import Callable
from datetime import datetime
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse

from formats.item_parameters import ItemParameter, ItemParameters
from studies.bank.records import CriterionRecord, PromptRecord
from studies.models import Study
from studies.services.banks import item_bank_import

PROMPTS = [
    PromptRecord(
        prompt_id=f"p{n:03d}",
        text=f"Question {n}?",
        gold_answer=str(n),
        criteria=tuple(CriterionRecord(text=f"Says part {c} of {n}.") for c in range(3 if n < 4 else 0)),
    )
    for n in range(1, 5)
]


def study_of(make_study: Callable[..., Study], slug: str, now: datetime) -> Study:
    items = tuple(ItemParameter(f"p{n:03d}", a=1.0, b=0.0) for n in range(1, 5))
    parameters = ItemParameters(items, squeeze_scale=0.998, squeeze_offset=0.001, sigma_hat=2.5)
    item_bank, _ = item_bank_import(slug=f"items-{slug}", parameters=parameters, now=now)
    return make_study(prompts=PROMPTS, slug=slug, replicates_per_profile=50, item_bank=item_bank, top_size=2)


def page(client: Client, slug: str = "panel", **query: Any) -> str:
    response = client.get(reverse("staff_agreement", kwargs={"slug": slug}), query)
    assert response.status_code == 200
    return unescape(response.content.decode())


def row(content: str, heading: str) -> str:
    """The first table row whose heading this is, as text."""
    found = re.search(
        rf"<tr>\s*<th scope=\"row\">(?:<abbr[^>]*>)?{re.escape(heading)}(?:</abbr>)?</th>.*?</tr>",
        content,
        re.DOTALL,
    )
    assert found, heading
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())
