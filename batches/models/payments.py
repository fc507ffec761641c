"""What a study pays its people, and what the payer says became of it."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from batches.rules.payments import PaymentTerms
from studies.models import Participant, Study


class PaymentRule(models.Model):
    """The terms by which people of a study are paid. Append-only, the newest counts.

    Amounts are in `currency`, by its three letters.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="payment_rules")
    currency = models.CharField(max_length=3)
    flat = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    hourly = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    hours_cap = models.DecimalField(max_digits=6, decimal_places=2, null=True)
    bonus = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    bonus_answers = models.PositiveIntegerField(default=1)
    pays_withdrawn = models.BooleanField(default=True)
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    set_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(flat__gte=0, hourly__gte=0, bonus__gte=0), name="nobody_owes_the_study"
            )
        ]

    def __str__(self) -> str:
        return f"payment rule of {self.study} in {self.currency}"

    @property
    def terms(self) -> PaymentTerms:
        """The rule, for the arithmetic."""
        return PaymentTerms(
            flat=self.flat,
            hourly=self.hourly,
            hours_cap=self.hours_cap,
            bonus=self.bonus,
            bonus_answers=self.bonus_answers,
            pays_withdrawn=self.pays_withdrawn,
        )


class PaidState(models.TextChoices):
    """What the payer says of a payment. Without any word of theirs nothing is known."""

    ORDERED = "ordered", _("ordered")
    PAID = "paid", _("paid")
    FAILED = "failed", _("failed")


class PaymentReport(models.Model):
    """What the payer reported about one person. Append-only, the newest counts.

    `amount` is what they say was paid, None where they name none.
    """

    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="payment_reports")
    state = models.CharField(max_length=10, choices=PaidState)
    amount = models.DecimalField(max_digits=10, decimal_places=2, null=True)
    currency = models.CharField(max_length=3, blank=True)
    note = models.CharField(max_length=200, blank=True)
    reported_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reported_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["participant", "id"], name="newest_reports")]

    def __str__(self) -> str:
        return f"{self.state}: {self.participant}"
