"""Stored numbers that must not be told lose their value and get the reason, as new ones are stored.

By the counts that are stored beside them: of one person or prompt, of one or two private prompts, the next
smallest category where the whole less the others would tell of such a one; and abilities where all scores are
1, or all 0. Where the union of people of two categories is not on record it is taken for the smallest that it
can be, so that rather more is withheld until the results are computed again. Results of which not even the
whole may be told lose their measurement, which the site then computes again.
"""

from django.db import migrations

COUNTS = ("participants", "people", "prompts", "private.prompts", "private.scored")
SCORES = ("raw_mean", "theta.pool", "theta.pool.twoway", "theta.ql", "theta.prompt.analytic")
SUMMARIES = ("benchmark.macro", "benchmark.micro", "benchmark.harmonic.published")
PEOPLE, PROMPTS, COMPLEMENT = "too_few_people", "too_few_prompts", "complement"
CATEGORY = "category:"
NOTHING = {"value": None, "se": None, "low": None, "high": None}


def withhold(apps, schema_editor):
    rows = apps.get_model("scoring", "MeasureRow").objects
    results = rows.filter(block="results").exclude(results=None).order_by()
    for pk, scope in results.values_list("results", "scope").distinct():
        own = rows.filter(results=pk, scope=scope)
        for group, parts in counted(own).items():
            found = withheld(parts)
            for subset, why in found.items():
                names = (*SCORES, *SUMMARIES) if not subset else SCORES
                emptied(own.filter(block="results", group=group, subset=subset, name__in=names), why)
                if group == "average" and subset:
                    models = own.filter(name__startswith="models.category.", group=group)
                    emptied(models.filter(subset__startswith=f"{subset};model:"), why)
            if "" in found and group == "top":
                of_top = own.filter(group=group, name__regex=r"theta|^top[.]|^difference[.]|^benchmark[.]|^task[.]")
                emptied(of_top.exclude(block="results"), found[""])
            elif "" in found:
                apps.get_model("scoring", "Measurement").objects.filter(result_set=pk).delete()
                rows.filter(results=pk).exclude(block="results").delete()
        of_tasks(own)
    perfect(rows)


def emptied(rows, why):
    rows.filter(value__isnull=False).update(**NOTHING, reason=why)


def counted(own):
    """By group and subset the people, prompts and private prompts of all and of each category."""
    found = {}
    for group, subset, name, value in own.filter(block="results", name__in=COUNTS).values_list(
        "group", "subset", "name", "value"
    ):
        found.setdefault(group, {}).setdefault(subset, {})[name] = int(value or 0)
    return {
        group: {
            subset: (
                of.get("people", of.get("participants", 0)), of.get("prompts", 0),
                of.get("private.prompts", 0), of.get("private.scored", 0) - of.get("private.prompts", 0),
            )
            for subset, of in parts.items() if not subset or subset.startswith(CATEGORY)
        }
        for group, parts in found.items()
    }  # fmt: skip


def withheld(parts):
    found = {}
    for subset, (people, prompts, private, others) in parts.items():
        few = 0 < private < 3 or (not subset and 0 < others < 3)
        if subset and people == 1:
            found[subset] = PEOPLE
        elif few or (subset and prompts == 1):
            found[subset] = PROMPTS
    if "" in parts and "" not in found:
        neighbours(parts, found)
    return found


def neighbours(parts, found):
    """The next smallest categories, until what is untold is nothing or enough."""
    told = {name: of for name, of in parts.items() if name and name not in found and of[1]}
    while told:
        hidden = [parts[name] for name in found]
        prompts, private = (parts[""][at] - sum(of[at] for of in told.values()) for at in (1, 2))
        one_person = bool(hidden) and max(of[0] for of in hidden) < 2
        if 0 < private < 3:
            sizes = {name: of[2] for name, of in told.items() if of[2]}
        elif prompts == 1 or one_person:
            sizes = {name: of[0 if one_person else 1] for name, of in told.items()}
        else:
            return
        if not sizes:
            return
        smallest = min(sizes, key=lambda name: (sizes[name], name))
        found[smallest] = COMPLEMENT
        del told[smallest]


def of_tasks(own):
    tasks = own.filter(block="results", name="task.accuracy")
    for group in ("average", "top"):
        of_group = tasks.filter(group=group, n__gt=0)
        parts = {row.subset: (row.people or 0, row.prompts or 0, 0, 0) for row in of_group}
        parts[""] = (2, sum(of[1] for of in parts.values()), 0, 0)
        for subset, why in withheld(parts).items():
            emptied(of_group.filter(subset=subset), why)


def perfect(rows):
    """By theta_QL, which always said so, what other estimators of the same answers gave."""
    without = rows.filter(name__endswith="theta.ql", reason="no_finite_solution").exclude(results=None)
    for row in without.order_by().values("results", "scope", "block", "group", "subset", "name"):
        stem = row.pop("name").removesuffix("ql")
        names = [f"{stem}{of}" for of in ("pool", "pool.twoway", "prompt", "prompt.analytic")]
        emptied(rows.filter(**row, name__in=names), "no_finite_solution")


class Migration(migrations.Migration):

    dependencies = [("scoring", "0011_files_to_take_away")]

    operations = [migrations.RunPython(withhold, migrations.RunPython.noop)]
