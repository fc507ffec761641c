"""Why a block has no numbers is stored as a sentence to translate: those of before in the words of now."""

from django.db import migrations

WORDS = {
    "No prompt of this study belongs to a task; the benchmark has none to average over.":
        "No question of this study belongs to a task; the benchmark has none to average over.",
    "No answer of a retained person has a score.":
        "No answer of a counted person has a score.",
    (
        "DIF needs scored answers to prompts with item parameters."
    ): (
        "What is harder or easier for people than for models (DIF) needs scored answers to questions with "
        "item parameters."
    ),
    "Person fit needs scored answers to prompts with item parameters.":
        "Unusual answer patterns (person fit) need scored answers to questions with item parameters.",
    "Nobody who is retained was asked anything.":
        "Nobody who is counted was asked anything.",
    "No answer of a retained person has a score on a prompt with item parameters.":
        "No answer of a counted person has a score on a question with item parameters.",
    "No answer to a prompt with item parameters has a score.":
        "No answer to a question with item parameters has a score.",
    "Top is measured in theta; no prompt of this study has item parameters.":
        "Top is measured in ability; no question of this study has item parameters.",
    (
        "The items of the study's item bank are tasks, not prompts: no single answer has a theta. Theta on "
        "the tasks is in the block Benchmark."
    ): (
        "The items of the study's item bank are tasks, not questions: no single answer has an ability. "
        "Ability on the tasks is in the block Benchmark."
    ),
    "No number is told: it would be one prompt's own.":
        "No number is told: it would be one question's own.",
    (
        "Everything here would tell of one or two private prompts; the public ones by themselves have "
        "numbers of their own."
    ): (
        "Everything here would tell of one or two private questions; the public ones by themselves have "
        "numbers of their own."
    ),
    (
        "Person fit and DIF need the number of criteria by which answers to each prompt are judged, 1 where "
        "they are right or wrong, and the judge's confidences: give the columns criteria and confidence."
    ): (
        "Unusual answer patterns (person fit) and what is harder or easier for people than for models (DIF) "
        "need the number of criteria by which answers to each question are judged, 1 where they are right "
        "or wrong, and the judge's confidences: give the columns criteria and confidence."
    ),
    (
        "The item bank was fitted with the logistic 2PL, so ability on its own scale is theta_QL; the page "
        "Average and people has it for both groups. Theta by logits of scores, and what rests on it, is not "
        "on that scale and is left empty."
    ): (
        "The item bank was fitted with the logistic 2PL, so ability on its own scale is that on the QL "
        "scale (theta_QL); the page Average and people has it for both groups. Ability by logits of scores, "
        "and what rests on it, is not on that scale and is left empty."
    ),
}


def reword(apps, schema_editor):
    for measurement in apps.get_model("scoring", "Measurement").objects.iterator():
        ended = [*measurement.blocks.values(), *measurement.public_blocks.values()]
        changed = [block for block in ended if block.get("template") in WORDS]
        for block in changed:
            block["template"] = block["sentence"] = WORDS[block["template"]]
        if changed:
            measurement.save(update_fields=["blocks", "public_blocks"])


class Migration(migrations.Migration):
    dependencies = [("scoring", "0019_audits_beside_people")]

    operations = [migrations.RunPython(reword, migrations.RunPython.noop)]
