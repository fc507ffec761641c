"""What an export says about itself."""

from datetime import datetime
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

MANIFEST_NAME = "manifest.json"


class Entry(BaseModel):
    """Base of the parts of a manifest."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(Entry):
    """One file of the export; a file that is no table has neither rows nor columns."""

    name: str
    sha256: str
    rows: int | None
    columns: tuple[str, ...] | None


class MeasurementEntry(Entry):
    """How the newest results of a run were measured; `blocks` says of each block whether it was computed.

    `public_blocks` says it of the scope `public`, which there is where private prompts were asked. `methods`
    names the version of the formulas, `names` are those of all measures there were; earlier exports have
    neither.
    """

    seed: int
    resamples: int
    blocks: dict[str, JsonValue]
    public_blocks: dict[str, JsonValue] = {}
    methods: str = ""
    names: tuple[str, ...] = ()
    computed_at: datetime


class TableEntry(Entry):
    """A table of models by tasks: the short name and digest of the item bank that it came as."""

    bank: str
    digest: str


class RunEntry(Entry):
    """Who judged, from which protocol on. `flow` and `inputs_sha256` are of the run's newest results.

    Where private prompts were asked, `inputs_sha256` is of what the scope `public` rests on.

    `judge_name` and `base_url` are those of a language model today: it may have moved since. Earlier exports
    have none of them. `headline_scope` is the scope whose rows stand first, `headline_reason` why that
    one, or why none; earlier exports have neither. `published_table` has the best published models of the
    tasks of a study without an item bank, as it was when the results were computed. `notes` are sentences
    that belong to every number that rests on these scores.
    """

    number: int
    judge_name: str | None = None
    replicate: int = 1
    base_url: str | None = None
    judge_kind: str
    judge: dict[str, JsonValue]
    judge_sha256: str
    protocol_hash: str
    design_hash: str | None = None
    started_at: datetime
    finished_at: datetime | None
    results_computed_at: datetime | None
    inputs_sha256: str | None
    flow: dict[str, JsonValue] | None
    headline_scope: str | None = None
    headline_reason: str | None = None
    published_table: TableEntry | None = None
    measurement: MeasurementEntry | None = None
    notes: tuple[str, ...] = ()


class PlannedJudge(Entry):
    """One judge of a judging run, for the how-manieth time it was asked, and how many criteria a call."""

    judge: str
    replicate: int
    criteria_per_call: int = 1


class JudgingRunEntry(Entry):
    """What was planned and asked when somebody started a judging run; answers of everybody are counted.

    `cost` sums the calls whose cost is known, `calls_of_unknown_cost` counts the others.
    """

    number: int
    purpose: str
    state: str
    pause_reason: str | None
    judges: tuple[PlannedJudge, ...]
    planned_rows: int
    calls: int
    calls_of_unknown_cost: int
    cost: Decimal
    budget: Decimal | None
    plan_sha256: str
    started_at: datetime
    resumed_at: datetime
    ended_at: datetime | None


class StratumEntry(Entry):
    """How many verdicts a stratum of an audit had when the sample was drawn, and how many were drawn.

    Where private prompts were asked, of both only those on public prompts.
    """

    name: str
    verdicts: int
    drawn: int


class AuditEntry(Entry):
    """An audit sample. `seed` and `resamples` are also those of its intervals."""

    number: int
    judging_run: int
    seed: int
    resamples: int
    strata: tuple[StratumEntry, ...]
    drawn_at: datetime


class AmendmentEntry(Entry):
    """One recorded change of the frozen protocol, with the hashes until then and since.

    `after_results`: it was made when results had been computed, so that they may have been seen; earlier
    exports do not say.
    """

    number: int
    changes: dict[str, JsonValue]
    reason: str
    protocol_hash_before: str | None = None
    protocol_hash: str
    made_at: datetime
    after_results: bool | None = None


class Omitted(Entry):
    """What the files do not hold, on purpose. `texts`: nothing that people wrote, as in a public export."""

    test_participants: int
    private_prompts: int
    answers_to_private_prompts: int
    private_items: int = 0
    texts: bool = False


class ItemBankEntry(Entry):
    """The constants of the item bank, and how many items it has, in all and in each reported category.

    `response_model` says which ability is on its scale: theta_QL on "2PL_logistic".
    """

    squeeze_scale: float
    squeeze_offset: float
    sigma_hat: float
    response_model: str = "2PL_logit_normal"
    items: int
    items_by_category: dict[str, int]


class StudyEntry(Entry):
    """The study and everything its protocol hash stands for.

    `design_hash` is of all of that but the opening times and `headline_scope`; earlier exports have none.
    """

    slug: str
    name: str
    status: str
    simulated: bool
    opens_at: datetime | None
    closes_at: datetime | None
    frozen_at: datetime | None
    protocol_hash: str
    design_hash: str | None = None
    protocol: dict[str, JsonValue]
    bank: str
    bank_version: int
    bank_digest: str
    item_bank_digest: str | None
    judge_protocol_sha256: str | None
    amendments: tuple[AmendmentEntry, ...]


class Manifest(Entry):
    """The whole of `manifest.json`. `canaries` ask that what the files hold never enters training corpora."""

    format: Literal["chiron-export"] = "chiron-export"
    format_version: Literal[1] = 1
    software: str
    exported_at: datetime
    audience: Literal["internal", "public"] = "internal"
    study: StudyEntry
    item_bank: ItemBankEntry | None = None
    runs: tuple[RunEntry, ...]
    judging_runs: tuple[JudgingRunEntry, ...] = ()
    audits: tuple[AuditEntry, ...] = ()
    omitted: Omitted
    canaries: tuple[str, ...]
    files: tuple[FileEntry, ...]

    def as_json(self) -> str:
        return self.model_dump_json(indent=2) + "\n"
