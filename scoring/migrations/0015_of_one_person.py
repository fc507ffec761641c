"""Stored numbers of an Average or Top as a whole that tell of one person lose their value and get the reason.

By the counts beside them, as new ones are stored: of one person, and of a Top of all but one. Of results of one
person all else that was measured goes, and the site computes it again. What tells of one or two private prompts
says so by a reason of its own.
"""

from django.db import migrations

COUNTS = (
    "participants", "people", "prompts", "pairs", "batches", "answers.expected", "answers.missing",
    "answers.unscored", "answers.unknown_items", "private.prompts", "private.scored", "k_bar", "coverage",
)  # fmt: skip
OF_TOP = r"theta|raw_mean|^top[.]|^difference[.]|^benchmark[.]|^task[.]|^models[.]|^multiverse|^influence"
PEOPLE, PROMPTS, PRIVATE, COMPLEMENT = "too_few_people", "too_few_prompts", "too_few_private", "complement"
NOTHING = {"value": None, "se": None, "low": None, "high": None}


def withhold(apps, schema_editor):
    rows = apps.get_model("scoring", "MeasureRow").objects.order_by()
    measurements = apps.get_model("scoring", "Measurement").objects
    results = rows.filter(block="results").exclude(results=None)
    for pk, scope in results.values_list("results", "scope").distinct():
        own = results.filter(results=pk, scope=scope)
        say_private(own)
        found = of_one_person(people_in(own))
        for group, why in found.items():
            own.filter(group=group).exclude(name__in=COUNTS).update(**NOTHING, reason=why)
        elsewhere = rows.filter(results=pk, scope=scope).exclude(block="results")
        if "average" in found:
            measurements.filter(result_set=pk).delete()
            rows.filter(results=pk).exclude(block="results").delete()
        elif "top" in found:
            elsewhere.filter(group="top", name__regex=OF_TOP).update(**NOTHING, reason=found["top"])
    judges = rows.exclude(comparison=None)
    for pk in judges.values_list("comparison", flat=True).distinct():
        own = judges.filter(comparison=pk, group__in=("average", "top"))
        counts = own.filter(name="agreement.people").values_list("group", "value")
        for group, why in of_one_person({group: value or 0 for group, value in counts}).items():
            numbers = own.filter(group=group).exclude(name__in=("agreement.people", "agreement.shared"))
            numbers.update(**NOTHING, reason=why)


def people_in(own):
    """By group; of results that were carried over only who is in it is on record."""
    counts = own.filter(subset="", name__in=("participants", "people")).order_by("name")
    return {group: value or 0 for group, value in counts.values_list("group", "value")}


def of_one_person(people):
    average, top = people.get("average", 0), people.get("top", 0)
    if average == 1:
        return {"average": PEOPLE, "top": PEOPLE}
    if top == 1:
        return {"top": PEOPLE}
    return {"top": COMPLEMENT} if top and average - top == 1 else {}


def say_private(own):
    few = own.filter(name="private.prompts", value__gt=0, value__lt=3)
    for group, subset in few.values_list("group", "subset"):
        own.filter(group=group, subset=subset, reason=PROMPTS).update(reason=PRIVATE)


class Migration(migrations.Migration):

    dependencies = [("scoring", "0014_studies_are_pinned")]

    operations = [migrations.RunPython(withhold, migrations.RunPython.noop)]
