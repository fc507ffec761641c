"""What theta owes to the judge and to single prompts, and theta of parts."""

from functools import partial

from formats.wording import gettext_noop
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, Entry, Need, OnLogistic, Unit, thetas

OTHER_SCORES = ("scores:certain", "judge:NAME")
with_judge = partial(Entry, block=Block.JUDGE, groups=GROUPS, needs=(Need.ITEMS,))
single = partial(with_judge, about="person and prompt")
JUDGE = (
    Entry(
        "judge.confidence", Block.JUDGE, gettext_noop("Mean confidence"), Unit.SHARE,
        gettext_noop("Mean of the judge's confidences; how often each occurs is in the details."),
    ),
    Entry(
        "judge.certain", Block.JUDGE, gettext_noop("Verdicts with confidence 1"), Unit.SHARE,
        gettext_noop("Share of the verdicts whose confidence is exactly 1."),
    ),
    Entry(
        "judge.unscored", Block.JUDGE, gettext_noop("Answers without a valid verdict"), Unit.SHARE,
        gettext_noop("Of the answers that count; they are missing, not zero. Reasons are in the details."),
    ),
    *thetas(
        "judge.", Block.JUDGE, gettext_noop("Ability under the scores that the subset names."),
        subsets=(
            "scores:judge", *OTHER_SCORES, *(f"{one}/reselected" for one in OTHER_SCORES),
        ),
    ),
    with_judge(
        "theta.change", label=gettext_noop("Change of theta.pool"), unit=Unit.LOGITS, subsets=OTHER_SCORES,
        meaning=gettext_noop("What other scores change theta by, on the same answers of the same people."),
        on_logistic=OnLogistic.LEFT_OUT,
    ),
    with_judge(
        "theta.change.ql", label=gettext_noop("Change of theta_QL"), unit=Unit.QL, subsets=OTHER_SCORES,
        meaning=gettext_noop("What other scores change theta by, on the same answers of the same people."),
    ),
    single(
        "influence.answer", label=gettext_noop("Change of theta.pool without the answer"), unit=Unit.LOGITS,
        meaning=gettext_noop("Of the ten answers without which theta changes most."),
        on_logistic=OnLogistic.LEFT_OUT,
    ),
    single(
        "influence.answer.ql", label=gettext_noop("Change of theta_QL without the answer"), unit=Unit.QL,
        meaning=gettext_noop("Of the ten answers without which theta changes most."),
    ),
    single(
        "influence.other", label=gettext_noop("Part of the answer in the change of theta.pool"),
        unit=Unit.LOGITS, subsets=OTHER_SCORES, on_logistic=OnLogistic.LEFT_OUT,
        meaning=gettext_noop("Of the ten answers whose other score changes theta most."),
    ),
    single(
        "influence.other.ql", label=gettext_noop("Change of theta_QL by the answer's other score"),
        unit=Unit.QL, subsets=OTHER_SCORES,
        meaning=gettext_noop("Of the ten answers whose other score changes theta most."),
    ),
    with_judge(
        "theta.flips", label=gettext_noop("Change of theta.pool by flips"), unit=Unit.LOGITS,
        meaning=gettext_noop("If 4.5 % of the answers with full credit deserved none; mean over all ways."),
        on_logistic=OnLogistic.LEFT_OUT,
    ),
    with_judge(
        "theta.flips.ql", label=gettext_noop("Change of theta_QL by flips"), unit=Unit.QL,
        meaning=gettext_noop("If 4.5 % of the answers with full credit deserved none; mean over all ways."),
    ),
)  # fmt: skip

dif = partial(Entry, block=Block.DIF, unit=Unit.LOGITS, needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
DIF = (
    dif(
        "dif.sd", label=gettext_noop("DIF SD over prompts, logits"),
        meaning=gettext_noop("SD of the true shifts of prompts, in logits of single answers, beyond chance."),
    ),
    dif(
        "dif.slope", label=gettext_noop("Slope of people's answers on difficulty"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop("Slope of answers on -ab."),
    ),
    dif(
        "dif.slope.expected", label=gettext_noop("The same, as expected without DIF"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop("Of answers simulated as the bank has them."),
    ),
    dif(
        "dif.slope.excess", label=gettext_noop("Difference of the two"), unit=Unit.COEFFICIENT,
        meaning=gettext_noop("Below 0 the axis of difficulty is compressed for people."),
    ),
    dif(
        "dif.items_flagged", label=gettext_noop("Prompts beyond 5 % by themselves"), unit=Unit.SHARE,
        meaning=gettext_noop("5 % would be without DIF."),
    ),
    dif(
        "dif.items_flagged.holm", label=gettext_noop("Prompts flagged after Holm's correction"),
        unit=Unit.SHARE, meaning=gettext_noop("Over all prompts with an answer, at 5 %."),
    ),
    dif(
        "dif.item", label=gettext_noop("Shift, shrunken"), about="prompt",
        meaning=gettext_noop("Of the ten prompts with the largest shifts, for content review."),
    ),
    dif(
        "dif.group", label=gettext_noop("Shift"),
        subsets=("category:NAME", "modality:NAME", "profile:NAME/category:NAME"),
        meaning=gettext_noop(
            "Mean residual; for a profile, how much more it is off on the category than elsewhere."
        ),
    ),
    *thetas(
        "dif.", Block.DIF, gettext_noop("Ability with and without prompts that may be off."),
        subsets=("prompts:all", "prompts:without-FLAG"), by_logits=OnLogistic.LEFT_OUT,
    ),
)  # fmt: skip

KINDS = ("category", "subcategory", "label", "modality", "split", "profile", "arm")
PARTS = (*(f"{kind}:NAME" for kind in KINDS), "cell:CATEGORY/PROFILE")
SLICES = (
    *thetas(
        "slices.", Block.SLICES, gettext_noop(
            "Ability of a part of the data; by batch with ;se.batch after it."
        ),
        subsets=(*PARTS, *(f"{part};se.batch" for part in PARTS)),
    ),
    Entry(
        "labels.left_out", Block.SLICES, gettext_noop("Labels left out"), Unit.COUNT,
        gettext_noop("Labels with too few prompts to be a part."), needs=(Need.ITEMS,),
    ),
    *thetas(
        "arms.", Block.SLICES, gettext_noop("First less second arm, people of both taken as independent."),
        groups=(AVERAGE,), subsets=("arms:FIRST/SECOND",), needs=(Need.ITEMS, Need.ARMS),
        by_logits=OnLogistic.LEFT_OUT,
    ),
    Entry(
        "contamination.difference", Block.SLICES, gettext_noop("Public less private, theta.pool"),
        Unit.LOGITS, gettext_noop("Above 2 SE some public prompts may have been known."), (AVERAGE,),
        needs=(Need.ITEMS, Need.PRIVATE), on_logistic=OnLogistic.LEFT_OUT,
    ),
)  # fmt: skip
ENTRIES = (*JUDGE, *DIF, *SLICES)
