"""The human-baseline checklist: what a report of a human baseline should say, item by item.

The items and their numbers are those of Wei et al. 2025 (arXiv 2506.13776, appendix B), as its authors
publish the checklist beside the paper. The questions are in our own words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from reporting.models import ChecklistAnswer
from studies.models import Study


@dataclass(frozen=True)
class Item:
    """One item. `needs_lead`: the records alone never answer it, whatever they say to it."""

    number: str
    question: Promise
    needs_lead: bool


@dataclass(frozen=True)
class Section:
    """Items that belong together."""

    title: Promise
    items: tuple[Item, ...]


lead = partial(Item, needs_lead=True)  # only the study lead can answer it
recorded = partial(Item, needs_lead=False)  # the records answer it

SECTIONS: tuple[Section, ...] = (
    Section(
        _("0. The publication and the evaluation"),
        (
            lead("0.1", _("Under which title is the study published?")),
            lead("0.2", _("Where can the publication be read?")),
            lead("0.3", _("In which year is it published?")),
            lead("0.4", _("In which journal, conference or series?")),
            lead("0.5", _("What does the evaluation test: knowledge, capabilities, propensities, agents?")),
            recorded("0.6", _("What are the items made of: text, pictures, sound, something else?")),
            lead("0.7", _("In which languages are the items?")),
            recorded("0.8", _("How many items does the whole data set have?")),
            recorded("0.9", _("On how many of them were models tested?")),
            recorded("0.10", _("How many responses to each item were taken from a model?")),
        ),
    ),
    Section(
        _("1. Design and implementation of the baseline"),
        (
            recorded("1.1", _("How many people took part?")),
            recorded("1.2", _("How many items did they answer between them?")),
            recorded("1.2.1", _("If not all of them: by which rule were the items chosen?")),
            recorded("1.3", _("How many responses of people are there to each item?")),
            recorded("1.4", _("How many items did each person get?")),
            lead("1.5", _("Do instructions and items take into account that people and models answer them?")),
            lead("1.6", _("Was the design improved step by step, such as with a pilot or with experts?")),
            lead("1.7", _("Is the effort of people and models kept comparable, in time or cost?")),
            lead("1.8", _("Was the size of the baseline planned by an analysis of its power?")),
            lead("1.8.1", _("If so: which difference can it detect, with which power?")),
            lead("1.9", _("Did an ethics committee approve the study or exempt it?")),
            lead("1.10", _("Was the design registered in public before the data were collected?")),
        ),
    ),
    Section(
        _("2. Recruitment of the people"),
        (
            lead("2.1", _("For which population shall the result hold?")),
            lead("2.1.1", _("By which traits is that population defined, such as expertise or language?")),
            lead("2.2", _("How were the people found and drawn?")),
            recorded("2.3", _("Was anybody qualified or turned away before taking part?")),
            lead("2.3.1", _("If so: by which criteria?")),
            recorded("2.3.2", _("If so: how many were turned away?")),
            lead("2.4", _("Did members of the research team take part?")),
            lead("2.5", _("Was anybody kept out who had met the items before?")),
            lead("2.6", _("Were the people trained before the baseline began?")),
            lead("2.6.1", _("If so: how?")),
            lead("2.6.2", _("If so: was the training paid?")),
            lead("2.6.2.1", _("If so: how much?")),
            lead("2.7", _("Were the people paid for the baseline?")),
            lead("2.7.1", _("If so: how much, best by the hour?")),
            lead("2.7.2", _("If so: could they earn a bonus by their performance?")),
            lead("2.7.2.1", _("If so: how much, and by which rule?")),
            lead("2.7.3", _("If so: was everybody paid by the same rule?")),
            lead("2.7.3.1", _("If not: what decided the amount?")),
        ),
    ),
    Section(
        _("3. Execution of the baseline"),
        (
            recorded("3.1", _("How many items did a person answer in one sitting?")),
            recorded("3.1.1", _("If more than one: were they in random order?")),
            recorded(
                "3.2", _("Was the quality of answers checked, and were data left out, while they came in?")
            ),
            recorded("3.2.1", _("If so: by which criteria?")),
            recorded("3.2.2", _("If so: how much was not counted?")),
            lead("3.3", _("Did people and models work with the same interface?")),
            lead("3.3.1", _("Did people have pages to look at and models only a programming interface?")),
            lead("3.3.2", _("If the interfaces differ: is that adjusted for?")),
            lead("3.4", _("Did people and models get the same instructions and questions?")),
            lead("3.4.1", _("If not: is that adjusted for?")),
            lead("3.5", _("Could people and models use the same tools?")),
            lead("3.5.1", _("If tools were limited: what made sure that people kept to it?")),
            lead("3.6", _("Were people asked to explain their answers?")),
        ),
    ),
    Section(
        _("4. Analysis of the baseline"),
        (
            recorded("4.1", _("Was the difference between models and people tested?")),
            recorded("4.1.1", _("If so: with which test?")),
            recorded("4.2", _("Is the uncertainty of both results stated?")),
            recorded("4.2.1", _("What is the baseline stated as: a point, an interval, a distribution?")),
            recorded("4.3", _("Are people and models measured with the same metric?")),
            lead("4.4", _("Are both scored by the same criteria?")),
            lead("4.5", _("Are both scored by the same method, such as the same judge?")),
            recorded("4.6", _("Do the results hold under other rules of exclusion?")),
        ),
    ),
    Section(
        _("5. Documentation of the baseline"),
        (
            lead("5.1.1", _("Are the people described, such as by age, gender and education?")),
            recorded("5.1.2", _("Are the instructions that people got reported?")),
            recorded("5.1.3", _("Is the time they took reported?")),
            lead("5.1.4", _("Are the AI tools that people used reported with their versions?")),
            recorded("5.1.5", _("How many were recruited and did not complete the work?")),
            lead("5.2", _("Are the data of the baseline public, without names?")),
            lead("5.2.1", _("If so: do they say which person gave which answer?")),
            lead("5.2.2", _("If not: why not?")),
            lead("5.3", _("Are the materials of the experiment public?")),
            lead("5.4", _("Is the code of the analysis public?")),
        ),
    ),
)
ITEMS: Mapping[str, Item] = {item.number: item for section in SECTIONS for item in section.items}


def answers_of(study: Study) -> dict[str, ChecklistAnswer]:
    """The lead's newest answers by item."""
    answers = ChecklistAnswer.objects.filter(study=study).select_related("answered_by")
    return {answer.item: answer for answer in answers}
