"""Tables of the models beside the cohort."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from presentation.absence import why_absent
from presentation.columns import ABSENT
from presentation.measures import group_name, interval_cell, se_cell, value_cell
from presentation.numbers import counted, decimals
from presentation.tables import Table
from psychometrics.inference.estimates import Reason
from reporting.views.measurement.blocks.models_cells import (
    by_theta,
    k_note,
    model_name,
    places_cell,
    row_name,
    shared_k_note,
    theta_range,
    verdict_cell,
)
from scoring.models import MeasureRow
from scoring.selectors.measures import BlockMeasures


def tables(found: BlockMeasures) -> Sequence[Table]:
    """The comparison, its companions, the published thetas, Top, and who is told apart."""
    made = (
        single_table(found, "average"),
        companion_table(found),
        groups_table(found),
        published_table(found),
        single_table(found, "top"),
        everywhere_table(found),
    )
    return [table for table in made if table.rows]


def single_table(found: BlockMeasures, group: str) -> Table:
    """theta.pool of the group and of each model on the same prompts (k = 1); no row on a logistic bank."""
    on_scale = (
        row for row in found.named("models.theta.pool", group=group) if row.reason != Reason.LOGISTIC_BANK
    )
    models = by_theta(row for row in on_scale if row.subset)
    rows = [single_row(found, group, row) for row in models]
    own = found.get("models.theta.pool", group)
    if own is not None and rows:
        first = [group_name(group), value_cell(own), interval_cell(own), ABSENT, ABSENT, ABSENT]
        rows.insert(0, [*first, places_cell(own)])
    return Table(
        caption=_("%(group)s and models on the same prompts, single responses (k human = 1, k model = 1)")
        % {"group": group_name(group)},
        head=[
            _("Configuration"), _("theta"), _("95 % interval"), _("Cohort − model"), _("95 % interval"),
            _("Cohort is"), _("Places"),
        ],
        rows=rows,
        notes=single_notes(group),
    )  # fmt: skip


def single_row(found: BlockMeasures, group: str, row: MeasureRow) -> list[str]:
    difference = found.get("difference.pool", group, row.subset)
    cells = [value_cell(difference), interval_cell(difference), verdict_cell(difference), places_cell(row)]
    return [model_name(row), value_cell(row), interval_cell(row), *cells]


def single_notes(group: str) -> list[str]:
    if group == "top":
        return [
            _(
                "Top was selected on these scores (in-sample): its theta is too high, and no interval around "
                "it or around a difference to it holds. There is no verdict; see the block Top."
            )
        ]
    return [
        _("theta is theta.pool: the mean of single responses' logits, for a model the mean of its epochs."),
        _(
            "Differences are paired on the prompts. Above and below hold at 5 % over all models together "
            "(Holm); intervals are for one model each. A model's own interval is clustered by prompt."
        ),
    ]


def companion_table(found: BlockMeasures) -> Table:
    """The same comparison by means per prompt and by quasi-likelihood."""
    rows = []
    models = by_theta(row for row in found.named("models.theta.prompt", group="average") if row.subset)
    differences = {row.subset: found.get("difference.prompt", "average", row.subset) for row in models}
    together = shared_k_note(differences.values())
    for row in models:
        by_prompt = differences[row.subset]
        quasi = found.get("difference.ql", "average", row.subset)
        rows.append(
            [
                model_name(row), value_cell(row),
                value_cell(by_prompt) + ("" if together else k_note(by_prompt)), interval_cell(by_prompt),
                value_cell(found.get("models.theta.ql", "average", row.subset)), value_cell(quasi),
                interval_cell(quasi), verdict_cell(quasi),
            ]
        )  # fmt: skip
    if rows and (own := found.get("models.theta.prompt", "average")) is not None:
        quasi = found.get("models.theta.ql", "average")
        rows.insert(
            0,
            [
                group_name("average"), value_cell(own), ABSENT, interval_cell(own),
                value_cell(quasi), ABSENT, interval_cell(quasi), ABSENT,
            ],
        )  # fmt: skip
    return Table(
        caption=_("The same by means per prompt%(k)s and by quasi-likelihood") % {"k": together},
        head=[
            _("Configuration"), _("theta.prompt"), _("Cohort − model"), _("95 % interval"),
            _("theta_QL"), _("Cohort − model"), _("95 % interval"), _("Cohort is"),
        ],
        rows=rows,
        notes=[
            _(
                "theta.prompt takes the mean score of each prompt first. A model's mean is over as many "
                "epochs as people answered the prompt, averaged over all choices of epochs. A mean over "
                "different people still lies nearer to the middle than one over epochs of one model: for "
                "equal abilities of 0.5 to 2 the difference came out 0.1 to 0.3 too low in simulation. So it "
                "has no verdict."
            ),
            _(
                "theta_QL does not depend on the number of responses. It is another scale: compare theta_QL "
                "with theta_QL only. In the first row the intervals are those of the cohort itself."
            ),
        ],
    )  # fmt: skip


def groups_table(found: BlockMeasures) -> Table:
    """Runs of neighbours of which no two are told apart."""
    members: dict[int, list[MeasureRow]] = {}
    for row in by_theta(found.named("models.theta.pool", group="average")):
        for group in row.details.get("groups", ()):
            members.setdefault(group, []).append(row)
    rows = [
        [str(group), counted(len(of)), ", ".join(map(row_name, of)), theta_range(of)]
        for group, of in sorted(members.items())
    ]
    return Table(
        caption=_("Groups that cannot be told apart (k human = 1, k model = 1)"),
        head=[_("Group"), _("Rows"), _("Who"), _("theta")],
        rows=rows,
        notes=[
            _(
                "Every two rows are compared by their difference on the prompts they share; two are told "
                "apart where p is below 5 % after Holm's correction for all pairs of rows. A group is a "
                "longest run of neighbours in the order of theta of which no two are told apart; groups may "
                "overlap. Places count from the rows told apart above to those told apart below, and hold "
                "together at 95 %. More comparisons are corrected for here than for the verdicts: a cohort "
                "can be above or below a model and still share a group with it."
            )
        ],
    )


def published_table(found: BlockMeasures) -> Table:
    """Thetas without scores, as published and as modelled for single responses."""
    rows = []
    for row in by_theta(found.named("theta.published")):
        band = found.get("theta.modelled_k1", "", row.subset)
        difference = found.get("difference.modelled", "average", row.subset)
        epochs = row.details.get("k")
        rows.append(
            [
                model_name(row), value_cell(row), se_cell(row), ABSENT if epochs is None else str(epochs),
                modelled_cell(band), interval_cell(band), value_cell(difference) + k_note(difference),
                interval_cell(difference), str(row.details.get("source", "")),
            ]
        )  # fmt: skip
    return Table(
        caption=_("Published only: theta as published, and modelled for single responses"),
        head=[
            _("Configuration"), _("theta, published"), _("SE"), _("k"), _("theta at k = 1, modelled"),
            _("Band"), _("Cohort − modelled"), _("Range"), _("Source"),
        ],
        rows=rows,
        notes=[
            _(
                "The band runs over 14 variants of a simulation model on the whole item bank: it is the "
                "spread of assumptions, not a sampling error. The range adds the cohort's interval and the "
                "published one to it. The prompts are not the same, so nothing is paired and no verdict is "
                "given. Nothing is modelled without a published k, or beyond what the simulation reaches."
            )
        ],
    )  # fmt: skip


def modelled_cell(band: MeasureRow | None) -> str:
    """The value, or why nothing was modelled."""
    if band is not None and band.value is None:
        return str(why_absent(band.reason))
    return value_cell(band)


def everywhere_table(found: BlockMeasures) -> Table:
    """Each model on all prompts of the bank, over all of its epochs."""
    rows = []
    for row in by_theta(found.named("theta.epochs")):
        se = row.details.get("se_analytic")
        rows.append(
            [
                model_name(row), decimals(row.details.get("k"), 1), counted(row.prompts),
                value_cell(row), decimals(se, 3), se_cell(row, 3),
                value_cell(found.get("models.theta.ql", "", row.subset)), str(row.details["judge"]) or ABSENT,
                str(row.details.get("source", "")),
            ]
        )  # fmt: skip
    return Table(
        caption=_("Models as leaderboards report them: mean over epochs, all prompts of the item bank"),
        head=[
            _("Configuration"), _("k"), _("Prompts"), _("theta"), _("SE, analytic"), _("SE by prompt"),
            _("theta_QL"), _("Judge"), _("Source"),
        ],
        rows=rows,
        notes=[_("These are not comparable with people who answered each prompt fewer than k times.")],
    )  # fmt: skip
