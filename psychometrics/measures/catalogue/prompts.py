"""What theta owes to the judge and to single prompts, and theta of parts."""

from functools import partial

from formats.wording import gettext_noop as _
from psychometrics.inference.measure import Block
from psychometrics.measures.catalogue.entry import AVERAGE, GROUPS, Entry, Need, OnLogistic, Unit, thetas

OTHER_SCORES = ("scores:certain", "judge:NAME")
with_judge = partial(Entry, block=Block.JUDGE, groups=GROUPS, needs=(Need.ITEMS,))
single = partial(with_judge, about="person and prompt")
ON_THE_SAME = _("What other scores change ability by, on the same answers of the same people.")
WITHOUT_IT = _("Of the ten answers without which ability changes most.")
OTHERWISE = _("Of the ten answers whose other score changes ability most.")
FLIPPED = _("If 4.5 % of the answers with full credit deserved none; mean over all ways.")
JUDGE = (
    Entry(
        "judge.confidence", _("Mean confidence"), Unit.SHARE,
        _("Mean of the judge's confidences; how often each occurs is in the details."), block=Block.JUDGE,
    ),
    Entry(
        "judge.certain", _("Verdicts with confidence 1"), Unit.SHARE,
        _("Share of the verdicts whose confidence is exactly 1."), block=Block.JUDGE,
    ),
    Entry(
        "judge.unscored", _("Answers without a valid verdict"), Unit.SHARE,
        _("Of the answers that count; they are missing, not zero. Reasons are in the details."),
        block=Block.JUDGE,
    ),
    *thetas(
        "judge.", Block.JUDGE, _("Ability under the scores that the subset names."),
        subsets=("scores:judge", *OTHER_SCORES, *(f"{score}/reselected" for score in OTHER_SCORES)),
    ),
    with_judge(
        "theta.change", _("Change of theta.pool"), Unit.LOGITS, ON_THE_SAME, subsets=OTHER_SCORES,
        on_logistic=OnLogistic.LEFT_OUT, plain_label=_("Change of ability"),
    ),
    with_judge(
        "theta.change.ql", _("Change of theta_QL"), Unit.QL, ON_THE_SAME, subsets=OTHER_SCORES,
        plain_label=_("Change of ability on the QL scale"),
    ),
    single(
        "influence.answer", _("Change of theta.pool without the answer"), Unit.LOGITS, WITHOUT_IT,
        on_logistic=OnLogistic.LEFT_OUT, plain_label=_("Change of ability without the answer"),
    ),
    single(
        "influence.answer.ql", _("Change of theta_QL without the answer"), Unit.QL, WITHOUT_IT,
        plain_label=_("Change of ability on the QL scale without the answer"),
    ),
    single(
        "influence.other", _("Part of the answer in the change of theta.pool"), Unit.LOGITS, OTHERWISE,
        subsets=OTHER_SCORES, on_logistic=OnLogistic.LEFT_OUT,
        plain_label=_("Part of the answer in the change of ability"),
    ),
    single(
        "influence.other.ql", _("Change of theta_QL by the answer's other score"), Unit.QL, OTHERWISE,
        subsets=OTHER_SCORES, plain_label=_("Change of ability on the QL scale by the answer's other score"),
    ),
    with_judge(
        "theta.flips", _("Change of theta.pool by flips"), Unit.LOGITS, FLIPPED,
        on_logistic=OnLogistic.LEFT_OUT, plain_label=_("Change of ability by flips"),
    ),
    with_judge(
        "theta.flips.ql", _("Change of theta_QL by flips"), Unit.QL, FLIPPED,
        plain_label=_("Change of ability on the QL scale by flips"),
    ),
)  # fmt: skip

dif = partial(Entry, block=Block.DIF, needs=(Need.ITEMS,), on_logistic=OnLogistic.LEFT_OUT)
DIF = (
    dif(
        "dif.sd", _("DIF SD over prompts, logits"), Unit.LOGITS,
        _("SD of the true shifts of questions, in logits of single answers, beyond chance."),
        plain_label=_("SD over questions of being harder or easier for people than for models, logits"),
    ),
    dif(
        "dif.slope", _("Slope of people's answers on difficulty"), Unit.COEFFICIENT,
        _("Slope of answers on -ab."),
    ),
    dif(
        "dif.slope.expected", _("The same, as expected without DIF"), Unit.COEFFICIENT,
        _("Of answers simulated as the bank has them."),
        plain_label=_("The same, as expected if none were harder or easier for people than for models"),
    ),
    dif(
        "dif.slope.excess", _("Difference of the two"), Unit.COEFFICIENT,
        _("Below 0 the axis of difficulty is compressed for people."),
    ),
    dif(
        "dif.items_flagged", _("Prompts beyond 5 % by themselves"), Unit.SHARE,
        _("5 % would be if no question were harder or easier for people than for models."),
        plain_label=_("Questions beyond 5 % by themselves"),
    ),
    dif(
        "dif.items_flagged.holm", _("Prompts flagged after Holm's correction"), Unit.SHARE,
        _("Over all questions with an answer, at 5 %."),
        plain_label=_("Questions flagged after Holm's correction"),
    ),
    dif(
        "dif.item", _("Shift, shrunken"), Unit.LOGITS,
        _("Of the ten questions with the largest shifts, for content review."), about="prompt",
    ),
    dif(
        "dif.group", _("Shift"), Unit.LOGITS,
        _("Mean residual; for a profile, how much more it is off on the category than elsewhere."),
        subsets=("category:NAME", "modality:NAME", "profile:NAME/category:NAME"),
    ),
    *thetas(
        "dif.", Block.DIF, _("Ability with and without questions that may be off."),
        subsets=("prompts:all", "prompts:without-FLAG"), by_logits=OnLogistic.LEFT_OUT,
    ),
)  # fmt: skip

KINDS = ("category", "subcategory", "label", "modality", "split", "profile", "arm")
PARTS = (*(f"{kind}:NAME" for kind in KINDS), "cell:CATEGORY/PROFILE")
SLICES = (
    *thetas(
        "slices.", Block.SLICES, _("Ability of a part of the data; by people with ;se.participant after it."),
        subsets=(*PARTS, *(f"{part};se.participant" for part in PARTS)),
    ),
    Entry(
        "labels.left_out", _("Labels left out"), Unit.COUNT, _("Labels with too few questions to be a part."),
        block=Block.SLICES, needs=(Need.ITEMS,),
    ),
    *thetas(
        "arms.", Block.SLICES, _("First less second arm, people of both taken as independent."),
        groups=(AVERAGE,), subsets=("arms:FIRST/SECOND",), needs=(Need.ITEMS, Need.ARMS),
        by_logits=OnLogistic.LEFT_OUT,
    ),
    Entry(
        "contamination.difference", _("Public less private, theta.pool"), Unit.LOGITS,
        _("Above 2 SE some public questions may have been known."), block=Block.SLICES, groups=(AVERAGE,),
        needs=(Need.ITEMS, Need.PRIVATE), on_logistic=OnLogistic.LEFT_OUT,
        plain_label=_("Public less private, ability"),
    ),
)  # fmt: skip
ENTRIES = (*JUDGE, *DIF, *SLICES)
