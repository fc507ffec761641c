"""The models beside the cohort."""

from collections.abc import Sequence

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from presentation.first_intervals import COMPARE
from psychometrics.inference.standard_errors import FEW_CLUSTERS
from reporting.views.measurement.blocks.models_figure import models_figure
from reporting.views.measurement.blocks.models_tables import tables
from reporting.views.measurement.shown import BlockPage, FigureSpec
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures


def summary(found: BlockMeasures) -> Sequence[str]:
    """What the comparison is, and how it was made here."""
    average = found.get("models.theta.pool", "average")
    sentences = [
        _(
            "People answer a prompt once, models several times, and the logit is taken after averaging: "
            "single responses score further from the middle. So each model is scored again here on the "
            "prompts that the cohort answered, as often as the cohort answered them, and at the cohort's "
            "number of responses per prompt."
        ),
        str(COMPARE),
    ]
    if scored := list(found.named("theta.epochs")):
        sentences.append(judges_sentence(scored))
    if average is not None:
        sentences.append(design_sentence(average))
    if any(found.named("theta.published")):
        sentences.append(
            _(
                "Some models have a published theta and no scores. For those a band is drawn: what their "
                "theta would be for single responses, modelled. No verdict is given on them."
            )
        )
    return sentences


def judges_sentence(scored: Sequence[MeasureRow]) -> str:
    """How many models the study's own judge has scored, as far as their results say."""
    said = [row.details["same_judge"] for row in scored]
    return _(
        "Models scored by the judge of the people (%(judge)s): %(same)d; by another: %(other)d; without a "
        "judge's name: %(unknown)d. Where the judge or its texts differ, a difference can be one of judges."
    ) % {
        "judge": scored[0].details["study_judge"],
        "same": said.count(True),
        "other": said.count(False),
        "unknown": said.count(None),
    }


def design_sentence(average: MeasureRow) -> str:
    """What the errors of the differences take as independent, and whether that is enough of it."""
    meaning = {
        "batch": _(
            "Errors of differences are clustered by batch: other people and other prompts like these."
        ),
        "twoway": _(
            "Errors of differences are clustered by people and prompts: other people and other prompts like "
            "these."
        ),
        "participant": _(
            "There is one batch, so errors of differences are clustered by people: other people, but these "
            "prompts and these responses of the models."
        ),
    }.get(average.details.get("design", ""), "")
    if average.clusters is not None and average.clusters < FEW_CLUSTERS:
        few = ngettext(
            "There is only %(number)d such cluster: the intervals may be too narrow.",
            "There are only %(number)d such clusters: the intervals may be too narrow.",
            average.clusters,
        )
        meaning = f"{meaning} {few % {'number': average.clusters}}"
    return meaning


PAGE = BlockPage(
    title=gettext_lazy("Models"),
    summary=summary,
    tables=tables,
    figures={
        "models": FigureSpec(
            draw=models_figure,
            alt=gettext_lazy(
                "Models and the cohort on one theta axis with their 95 % intervals; models with a published "
                "theta only as hollow bands."
            ),
            caption=gettext_lazy(
                "theta for single responses (k human = 1, k model = 1) on the cohort's prompts. Hollow bands "
                "are modelled from a published theta, whose k is named. Top is in-sample and has no interval."
            ),
        )
    },
)
