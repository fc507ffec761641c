"""What judges are asked and what they said. An answer without a score has a reason, and is never zero."""

from decimal import Decimal
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from batches.models import Answer
from judging.models.judges import JudgeConfig
from studies.models import Criterion, Study


class RunState(models.TextChoices):
    """Whether a judging run goes on."""

    RUNNING = "running", _("Running: what is left is being asked")
    PAUSED = "paused", _("Paused: nothing is asked until somebody resumes it")
    FINISHED = "finished", _("Finished: every planned row is decided")
    CANCELLED = "cancelled", _("Cancelled: what was left will not be asked")


class PauseReason(models.TextChoices):
    """Why a run pauses."""

    BY_HAND = "by_hand", _("Somebody of the study team paused it")
    BUDGET = "budget", _("The next call could pass the budget")
    JUDGE_FAILING = "judge_failing", _("The judge fails for everyone")
    UNUSABLE = "unusable", _("The judge cannot be asked the way it is set up")
    ERROR = "error", _("An error of the program ended the judging")


class RunPurpose(models.TextChoices):
    """What a run is for."""

    SCORES = "scores", _("Scores for results")
    COMPARISON = "comparison", _("Compares several criteria a call with one, on a sample")


OPEN_RUN_STATES = (RunState.RUNNING, RunState.PAUSED)


class Planned(models.Manager["JudgingRun"]):
    """Only runs whose plan is stored whole."""

    def get_queryset(self) -> models.QuerySet["JudgingRun"]:
        return super().get_queryset().exclude(plan_sha256="")


class JudgingRun(models.Model):
    """One or several judges asked about a study, by a plan that is frozen when the run starts.

    `planned` counts the rows of the plan; `estimate` is what was expected of it for each judge. `budget` is
    the most that may be spent, in the currency of the judges' prices, and `committed` what is: the costs of
    all requests on record, those under way at their worst. `resumed_at` is when it last began to ask.

    `counts` are the numbers of rows and calls once it has been over for a while
    (`services.running.counting`), None before.

    The rows are stored in slices and the plan's hash last: nobody sees a run without one. It is being
    started, each slice moving `resumed_at`, or its start was ended. It takes the place of the study's open
    run as long as it is `RUNNING`.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="judging_runs")
    purpose = models.CharField(max_length=12, choices=RunPurpose, default=RunPurpose.SCORES)
    state = models.CharField(max_length=10, choices=RunState, default=RunState.RUNNING)
    pause_reason = models.CharField(max_length=15, choices=PauseReason, blank=True)
    pause_detail = models.TextField(blank=True)
    budget = models.DecimalField(max_digits=12, decimal_places=4, null=True)
    committed = models.DecimalField(max_digits=20, decimal_places=8, default=Decimal(0), editable=False)
    planned = models.PositiveIntegerField()
    estimate = models.JSONField()
    plan_sha256 = models.CharField(max_length=64)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    started_at = models.DateTimeField()
    resumed_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    counts = models.JSONField(null=True, editable=False)

    objects = Planned()
    everything = models.Manager()

    class Meta:
        db_table = "scoring_judgingrun"
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(state__in=["running", "paused"]),
                name="a_study_has_one_open_judging_run",
            ),
            models.CheckConstraint(
                condition=Q(state="paused") & ~Q(pause_reason="") | ~Q(state="paused") & Q(pause_reason=""),
                name="a_run_says_why_exactly_when_it_pauses",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["running", "paused"], ended_at=None)
                | Q(state__in=["finished", "cancelled"], ended_at__isnull=False),
                name="a_judging_run_has_an_end_exactly_when_it_is_over",
            ),
        ]

    def __str__(self) -> str:
        return f"judging run {self.pk} of {self.study}"

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_RUN_STATES


class ScoringRun(models.Model):
    """All scores of one study by one judge under one design; continued until nothing is left to judge.

    `protocol_hash` is of the protocol it was begun under: amended opening times leave the design as it is.
    `config` is the judge's row where it is a language model. A replicate above 1 asks the same judge again,
    to see how far it agrees with itself.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="scoring_runs")
    config = models.ForeignKey(JudgeConfig, on_delete=models.PROTECT, null=True, related_name="scoring_runs")
    judge_kind = models.CharField(max_length=10)
    judge = models.JSONField()
    judge_sha256 = models.CharField(max_length=64)
    replicate = models.PositiveSmallIntegerField(default=1)
    protocol_hash = models.CharField(max_length=64)
    design_hash = models.CharField(max_length=64)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "scoring_scoringrun"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "design_hash", "judge_sha256", "replicate"],
                name="a_judge_has_one_run_per_design_and_replicate",
            )
        ]

    def __str__(self) -> str:
        return f"{self.study} by {self.config or self.judge_kind}"


class AnswerScore(models.Model):
    """The sample score of one answer, or why there is none yet. It follows from the criteria's scores."""

    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="scores")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="scores")
    revision = models.PositiveIntegerField()
    score = models.FloatField(null=True)
    unscored_reason = models.CharField(max_length=40, blank=True)
    judged_at = models.DateTimeField()

    class Meta:
        db_table = "scoring_answerscore"
        constraints = [
            models.UniqueConstraint(fields=["run", "answer"], name="a_run_scores_an_answer_once"),
            models.CheckConstraint(
                condition=Q(score__gte=0, score__lte=1, unscored_reason="")
                | Q(score__isnull=True) & ~Q(unscored_reason=""),
                name="an_answer_has_a_score_or_a_reason",
            ),
        ]
        indexes = [
            # How many a run has, and how many since its results were computed: no row is read for it.
            models.Index(fields=["run", "judged_at", "score"], name="scores_of_a_run"),
        ]

    def __str__(self) -> str:
        return f"{self.answer}: {self.score if self.score is not None else self.unscored_reason}"


class RowState(models.TextChoices):
    """What became of one row of a plan."""

    OPEN = "open", _("Open: still to be asked, or being asked")
    SCORED = "scored", _("Scored")
    UNSCORED = "unscored", _("Unscored, with a reason")


class RowOrigin(models.TextChoices):
    """Where a decided row's verdict comes from."""

    ASKED = "asked", _("Asked in this row's own call")
    SHARED = "shared", _("Asked in the call of another row with the same request")
    CACHED = "cached", _("Taken from an earlier run: the same judge, the same request")


class CriterionScore(models.Model):
    """One row of a judging run's plan, and the verdict once there is one.

    One criterion (null for an exact-answer prompt) of one answer's revision, for one judge and replicate.
    Rows with `asked_with` are never claimed: the call of that other row decides them, too; `place` tells the
    verdicts of one call apart. An open row may be claimed once `available_at` has come. A claim moves it to
    the moment by which the call must have come to an end, so that the rows of a worker that died come back by
    themselves, and draws the row's `lease`: what comes of a call counts while the row carries the lease that
    it was claimed by. `starts` counts claims; `unscored_reason` of an open row says why the last request
    brought no verdict.
    """

    judging_run = models.ForeignKey(JudgingRun, on_delete=models.CASCADE, related_name="rows")
    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="criteria")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="criterion_scores")
    revision = models.PositiveIntegerField()
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, null=True, related_name="scores")
    request_sha256 = models.CharField(max_length=64, blank=True)
    place = models.PositiveSmallIntegerField(default=0)
    asked_with = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="followers")
    has_followers = models.BooleanField(default=False)
    available_at = models.DateTimeField()
    lease = models.UUIDField(null=True)
    starts = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=RowState, default=RowState.OPEN)
    origin = models.CharField(max_length=10, choices=RowOrigin, blank=True)
    score = models.FloatField(null=True)
    confidence = models.FloatField(null=True)
    explanation = models.TextField(blank=True)
    unscored_reason = models.CharField(max_length=40, blank=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "scoring_criterionscore"
        constraints = [
            models.UniqueConstraint(
                fields=["judging_run", "run", "answer", "criterion"], name="a_plan_holds_a_criterion_once"
            ),
            models.UniqueConstraint(
                fields=["judging_run", "run", "answer"],
                condition=Q(criterion=None),
                name="a_plan_holds_an_exact_answer_once",
            ),
            models.UniqueConstraint(
                fields=["run", "answer", "revision", "criterion"],
                condition=Q(state="scored"),
                name="a_criterion_is_scored_once",
            ),
            models.UniqueConstraint(
                fields=["run", "answer", "revision"],
                condition=Q(state="scored", criterion=None),
                name="an_exact_answer_is_scored_once",
            ),
            models.CheckConstraint(
                condition=Q(state="open", score=None, confidence=None, decided_at=None, origin="")
                | Q(
                    state="scored",
                    score__isnull=False,
                    confidence__isnull=False,
                    unscored_reason="",
                    decided_at__isnull=False,
                )
                | Q(state="unscored", score=None, confidence=None, decided_at__isnull=False)
                & ~Q(unscored_reason=""),
                name="a_criterion_has_a_score_or_a_reason_once_decided",
            ),
        ]
        indexes = [
            models.Index(
                fields=["judging_run", "run", "available_at", "id"],
                condition=Q(state="open", asked_with=None),
                name="rows_to_claim",
            ),
            models.Index(
                fields=["request_sha256"],
                condition=Q(state="scored") & ~Q(request_sha256=""),
                name="verdicts_by_request",
            ),
        ]

    def __str__(self) -> str:
        return f"criterion {self.criterion_id} of {self.answer_id}"


class OverCalls(models.Manager["JudgeCall"]):
    """Only requests that are not under way."""

    def get_queryset(self) -> models.QuerySet["JudgeCall"]:
        return super().get_queryset().filter(due_at=None)


class JudgeCall(models.Model):
    """One request to a judge model, on record before it is sent.

    While it is under way it has no `outcome`, its tokens and `cost` are the most that they can be, and
    `due_at` is the moment from which it counts as lost: whoever sent it was gone before its reply. A reply
    that comes later settles it all the same.

    `criterion` is the first one asked about. `request_sha256` names the request with zeros for its mark; with
    `mark`, which was drawn for this call, it says what was sent. `cost` is by the prices of that moment, null
    where they are not known; without the tokens it is the most that the call may have cost. `called_at` is
    when it was sent, and before its reply is stored when it was claimed.
    """

    uid = models.UUIDField(unique=True, default=uuid4, editable=False)
    judging_run = models.ForeignKey(JudgingRun, on_delete=models.CASCADE, related_name="calls")
    # The index of its own begins with it.
    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="calls", db_index=False)
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="judge_calls")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, null=True, related_name="judge_calls")
    request_sha256 = models.CharField(max_length=64)
    mark = models.CharField(max_length=16, blank=True, default="")
    judge_protocol_sha256 = models.CharField(max_length=64)
    model = models.CharField(max_length=200)
    raw_reply = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    latency_ms = models.FloatField()
    outcome = models.CharField(max_length=40)
    called_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, editable=False)

    objects = OverCalls()
    everything = models.Manager()

    class Meta:
        db_table = "scoring_judgecall"
        indexes = [
            models.Index(fields=["judging_run", "cost"], name="costs_of_a_judging_run"),
            models.Index(fields=["run", "id"], name="calls_in_their_order"),
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="calls_under_way"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(due_at=None) & ~Q(outcome="") | Q(due_at__isnull=False, outcome=""),
                name="a_call_has_an_outcome_unless_it_is_under_way",
            )
        ]

    def __str__(self) -> str:
        return f"{self.outcome} call for {self.answer_id}"
