"""README.md of an export: what was studied, how, what came out, how to compute it again, what it lacks."""

import re
from collections.abc import Iterator, Sequence

from psychometrics.exclusions.flow import EXCLUDED, LEAVING_NAMES, flow_steps
from psychometrics.measures.catalogue import CATALOGUE
from scoring.export.dictionary import DICTIONARY_NAME, READER_NAME
from scoring.export.manifest import Manifest, RunEntry
from scoring.export.publication import CITATION_NAME, LICENCE_NAME, LICENCES, Publication
from scoring.export.rows import ROW_TYPES
from scoring.export.rows.base import Row
from scoring.export.rows.results import EstimateRow, MeasurementRow

README_NAME = "README.md"
TOP_MEASURES = {
    "top.crossfit5": "ability of Top, free of the choice (top.crossfit5)",
    "top.paper": "ability of Top, picked by these same scores (top.paper)",
}
NO_ABILITY = "the study has no item bank, so there is no ability"
# What there is to tell without an item bank.
NO_ABILITY_MEASURES = {
    "benchmark.macro": "right answers of Average in percent, mean over tasks (benchmark.macro)",
    "raw_mean": "mean score of Average over all answers, from 0 to 1 (raw_mean)",
}
SCOPES = {"all": "all questions", "public": "public questions alone"}
HOLDS = {row.table: " ".join((row.__doc__ or "").split(". ")[0].split()).rstrip(".") for row in ROW_TYPES}
QUOTED_ROWS = (EstimateRow, MeasurementRow)
AGAIN = f"""## Compute it again

In this folder, with Python 3.11 or later:

```sh
python -m pip install numpy scipy
python recompute.py      # every number, by the formulas of the program (psychometrics.zip)
python independent.py .  # what a paper quotes, by one short script written from the papers
```

Each says of every number whether it agrees. R reads the tables without a package:

```r
source("{READER_NAME}")
estimates <- read_table("estimates")  # numbers, TRUE and FALSE, times; what is absent is NA
```"""


def is_quoted(row: Row) -> bool:
    """Whether the README may have a line for this row."""
    if isinstance(row, EstimateRow):
        return row.group == "average" and not row.category
    if not isinstance(row, MeasurementRow) or row.subset:
        return False
    return (row.name in NO_ABILITY_MEASURES and row.group == "average") or (
        row.name in TOP_MEASURES and row.group == "top"
    )


def readme(manifest: Manifest, publication: Publication, quoted: Sequence[Row]) -> str:
    """The whole file, in Markdown. `quoted` are the rows of the export that it may quote."""
    parts = (
        _study(manifest, publication),
        _people(manifest),
        _numbers(manifest, quoted),
        (AGAIN,),
        _scope(manifest),
        _files(manifest),
        _rights(publication),
    )
    return "\n".join(line for part in parts for line in (*part, ""))


def _study(manifest: Manifest, publication: Publication) -> Iterator[str]:
    study, run = manifest.study, _run(manifest)
    yield f"# {_line(publication.title or study.name)}"
    yield ""
    if study.simulated:
        yield "**The people in this study are SIMULATED. The numbers say nothing about anybody.**"
        yield ""
    authors = "; ".join(map(str, publication.authors)) or "whoever is named where you got these files"
    yield (
        f'Data of the study "{_line(study.name)}" (`{study.slug}`): people answered questions of the '
        f"benchmark `{study.bank}`, version {study.bank_version}, and were placed beside models. By "
        f"{_line(authors)}. Exported on {manifest.exported_at:%Y-%m-%d} by {manifest.software}, for a"
        f"{'n internal' if manifest.audience == 'internal' else ' public'} audience."
    )
    yield ""
    yield "## How"
    yield ""
    frozen = f"{study.frozen_at:%Y-%m-%d}" if study.frozen_at else "not yet"
    yield (
        f"* Protocol locked: {frozen}; hash `{study.protocol_hash or 'none'}`. Every setting: "
        "`study.protocol` of `manifest.json`."
    )
    if study.amendments:
        late = sum(bool(one.after_results) for one in study.amendments)
        yield f"* Recorded amendments: {len(study.amendments)}, of these after results were computed: {late}."
    if run:
        judge = run.judge_name or run.judge_kind
        yield f"* Answers scored by: {_line(judge)}, `judge_sha256` {run.judge_sha256}."
        if run.inputs_sha256:
            yield (
                f"* Data under the results: `inputs_sha256` {run.inputs_sha256}; a report of them has its "
                "first characters at the foot of every page."
            )
        if table := run.published_table:
            yield f"* Best published models of the tasks: of the table `{table.bank}`, digest {table.digest}."
        yield from (f"* {_line(note)}" for note in run.notes)


def _run(manifest: Manifest) -> RunEntry | None:
    """The newest that has results."""
    return next((run for run in reversed(manifest.runs) if run.results_computed_at), None)


def _people(manifest: Manifest) -> Iterator[str]:
    """The steps of a report's flow, each with who leaves there, so that every number leads to the next."""
    yield "## People"
    yield ""
    run = _run(manifest)
    flow = {name: number for name, number in ((run and run.flow) or {}).items() if isinstance(number, int)}
    if not flow:
        yield "They are counted once results have been computed."
        return
    yield (
        "As they were when the results below were computed. People who were invited and never came are not "
        "among them, nor are test participants of the team. Whoever withdrew before the start is counted as "
        "not started or not decided about."
    )
    yield ""
    yield "| step | people | of these did not go on |"
    yield "| --- | --- | --- |"
    counts = {**flow, "ended": flow["submitted"] + flow["expired"], "top": 0}
    ended = f" ({flow['submitted']} handed in, {flow['expired']} ran out of time)"
    names = {**LEAVING_NAMES, f"{EXCLUDED}:": "excluded as off-task"}
    for step in flow_steps(counts, {"": flow["excluded"]}):
        if step.key != "top":  # it is picked among people with a score: nobody leaves
            people = f"{step.people}{ended if step.key == 'ended' else ''}"
            leaving = "; ".join(f"{number} {names[why]}" for why, number in step.leaving.items())
            yield f"| {CATALOGUE[f'flow.{step.key}'].label} | {people} | {leaving or '–'} |"


def _numbers(manifest: Manifest, quoted: Sequence[Row]) -> Iterator[str]:
    yield "## Numbers"
    yield ""
    run = _run(manifest)
    if run is None:
        yield "No results have been computed yet."
        return
    yield (
        f"Of scoring run {run.number}, computed on {run.results_computed_at:%Y-%m-%d}, with 95 % intervals; "
        f"{'abilities in logits on the scale of the item bank' if manifest.item_bank else NO_ABILITY}. A "
        "number that could tell of one or two people or questions is withheld, and the table says why."
    )
    yield ""
    yield "| number | over | value | 95 % interval | people |"
    yield "| --- | --- | --- | --- | --- |"
    for row in quoted:
        if isinstance(row, EstimateRow | MeasurementRow) and row.run == run.number:
            yield from _lines_of(row, of_ability=manifest.item_bank is not None)


def _lines_of(row: EstimateRow | MeasurementRow, *, of_ability: bool) -> Iterator[str]:
    """As the page of results tells it: what was picked by the scores that it is measured with has no
    interval.
    """
    over = SCOPES.get(row.scope, row.scope)
    if isinstance(row, EstimateRow):
        if of_ability:
            yield _number(
                "ability of Average (theta_pool)", over, row.theta_pool, row.ci_low_pool, row.ci_high_pool,
                row.reason_pool, row.participants,
            )  # fmt: skip
            yield _number(
                "ability of Average (theta_ql)", over, row.theta_ql, row.ci_low_ql, row.ci_high_ql,
                row.reason_ql, row.participants,
            )  # fmt: skip
    elif row.name in NO_ABILITY_MEASURES:
        if not of_ability:
            name = NO_ABILITY_MEASURES[row.name]
            yield _number(name, over, row.value, row.low, row.high, row.reason, row.people)
    elif of_ability:
        low, high = (None, None) if row.name == "top.paper" else (row.low, row.high)
        yield _number(TOP_MEASURES[row.name], over, row.value, low, high, row.reason, row.people)


def _number(
    name: str,
    over: str,
    value: float | None,
    low: float | None,
    high: float | None,
    reason: str | None,
    people: int | None,
) -> str:
    ends = f"{low:.2f} to {high:.2f}" if low is not None and high is not None else "–"
    shown = f"{value:.2f}" if value is not None else f"none: {reason or 'not measured'}"
    return f"| {name} | {over} | {shown} | {ends} | {'–' if people is None else people} |"


def _scope(manifest: Manifest) -> Iterator[str]:
    left = manifest.omitted
    yield "## What is not here, and why"
    yield ""
    yield "* Names, addresses, answers to profile forms and documents: people appear under a code."
    yield "* Texts of the questions: they are the benchmark's."
    if left.private_prompts:
        yield (
            f"* Private questions: {left.private_prompts}, and the {left.answers_to_private_prompts} "
            "answers to them, so that they stay unseen. They are in numbers of scope `all` only; scope "
            "`public` can be computed again."
        )
    else:
        yield "* Private questions: there are none; every number can be computed again."
    if left.texts:
        yield "* Everything that people wrote: it could tell who they are."
    yield (
        "* Texts and scores of sessions that were withdrawn, voided by the study team or still running. "
        "Their status is in `sessions` and when it changed in `events`, also after the data of whoever "
        "withdrew were deleted on the site."
    )
    if left.test_participants:
        yield f"* Test participants of the team: {left.test_participants}."
    for canary in manifest.canaries:
        # Letter by letter, so that a search finds it: in a fence longer than any of its own.
        text = " ".join(canary.split())
        fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
        code = f"{fence}{text}{fence}" if len(fence) == 1 else f"{fence} {text} {fence}"
        yield f"* These files must not enter training corpora: {code}."


def _files(manifest: Manifest) -> Iterator[str]:
    yield "## Files"
    yield ""
    yield (
        f"Every table is a CSV and, with the same rows, a JSONL file. Columns, types and what may be absent: "
        f"`{DICTIONARY_NAME}`, for programs `datapackage.json`. Absent is empty (`null`), never zero; true "
        "and false are `true` and `false`; times are UTC in ISO 8601. `manifest.json` has the sha256 of all."
    )
    yield ""
    yield "| table | rows | columns | what a row is |"
    yield "| --- | --- | --- | --- |"
    for file in manifest.files:
        if file.columns and file.name.endswith(".csv"):
            table = file.name.removesuffix(".csv")
            yield f"| `{table}` | {file.rows} | {len(file.columns)} | {HOLDS[table]} |"


def _rights(publication: Publication) -> Iterator[str]:
    yield "## Licence and citation"
    yield ""
    if publication.licence:
        yield f"{LICENCES[publication.licence][0]} (`{publication.licence}`), see `{LICENCE_NAME}`."
    else:
        yield f"**No licence was chosen: all rights reserved.** See `{LICENCE_NAME}`."
    yield ""
    named = f"Cite as `{CITATION_NAME}` says."
    yield named if publication.authors else "No authors were named, so there is no citation."
    if publication.doi:
        yield f"DOI: {_line(publication.doi)}"


def _line(text: str) -> str:
    """A text of somebody else as one line without markup."""
    kept = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in kept)
