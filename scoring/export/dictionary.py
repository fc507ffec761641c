"""The data dictionary: one description per column, made from the row types."""

import json
import sys
import types
from datetime import datetime
from typing import Any, Union, get_args, get_origin

from psychometrics.measures.catalogue import CATALOGUE
from psychometrics.measures.catalogue.reference import meaning_text
from scoring.export.rows import ROW_TYPES

DICTIONARY_NAME = "data_dictionary.md"
INTRODUCTION = """# Data dictionary

What `manage.py export_study` writes. Every table is there twice with the same rows: as CSV and as JSONL (one
JSON object per line). `manifest.json` names every file with its sha256, rows and columns, and describes the
study, its protocol and its judges. `python recompute.py` computes the numbers again from the tables, by
the formulas in `psychometrics.zip`, and says of each whether it agrees. `python independent.py` does so for
what a paper quotes (thetas, Top, accuracies, scores, flow), in one short file that was written from the
papers and documents. `README.md` says what was studied, what came out and what is not here, `LICENSE` under
what the files may be used, `CITATION.cff`, where authors are named, how they are cited. `datapackage.json`
has the type of every column for programs, `tables.R` for R.

* People appear under a code. Names, e-mail addresses and vetting reasons are not exported.
* Absent values are empty in CSV and `null` in JSONL. Absent is never zero.
* Times are UTC, in ISO 8601.
* CSV: a text that a spreadsheet program could take for a formula, or that starts with `'`, has one `'` put in
  front. Taking off one leading `'` gives the exact text. JSONL holds texts as they are. Lists and objects are
  JSON.
* A row of CSV is one record, whatever its texts hold: commas, quotation marks (doubled), line feeds and
  carriage returns stand in quoted cells. Files are UTF-8 without a byte order mark, rows end with a line
  feed.
* A column of JSONL has one type in every row. Objects (`details`), whose facts differ from row to row, are
  JSON text there, as in CSV; `json.loads` reads them.
* Prompts of a private split: their ids and texts, answers to them, scores, criteria, flags and requests to
  judges are left out, and the manifest counts the prompts and answers. Results on them leave only as part of
  the aggregates of scope `all`, and not where these would tell of one or two of them.
* A public export (`audience` in the manifest, `export_study --audience public`) has the same tables without
  anything that people wrote: answers, notes, explanations, what a rule saw, reviewers' reasons. The addresses
  of judges are left out of its manifest. What is counted from the words of answers (the block `exclusions` of
  `measures`) is not computed again from it.
* Texts, scores, flags, verdicts and requests to judges of a withdrawn or void session are left out; that it
  existed, and when, is not. The manifest's counts and costs of judging runs are of all requests.

## Reading the files

Each of these reads all records of a table, and every text as it is: none such as `NA`, `007` or `1e5` becomes
something else. `CSV` and `JSONL` are the paths of its two files. Of JSONL, pyarrow and duckdb make times of a
column whose texts are all times.

```python
import csv, json, sys

csv.field_size_limit(sys.maxsize)  # a text may be longer than the library's bound
with open(CSV, encoding="utf-8-sig", newline="") as file:
    rows = list(csv.DictReader(file))
with open(JSONL, encoding="utf-8", newline="\\n") as file:
    objects = [json.loads(line) for line in file]
```

```python
import pandas

rows = pandas.read_csv(CSV, dtype=str, keep_default_na=False)
objects = pandas.read_json(JSONL, lines=True, dtype=False, convert_dates=False)
```

```python
import polars

rows = polars.read_csv(CSV, infer_schema=False)
objects = polars.read_ndjson(JSONL, infer_schema_length=None)
```

```python
import pyarrow, pyarrow.csv, pyarrow.json

with open(CSV, encoding="utf-8-sig") as file:
    names = file.readline().strip().split(",")
rows = pyarrow.csv.read_csv(
    CSV,
    read_options=pyarrow.csv.ReadOptions(block_size=2**28),  # a block holds the longest record
    parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
    convert_options=pyarrow.csv.ConvertOptions(column_types={name: pyarrow.string() for name in names}),
)
objects = pyarrow.json.read_json(JSONL, read_options=pyarrow.json.ReadOptions(block_size=2**28))
```

```python
import duckdb

rows = duckdb.read_csv(
    CSV, header=True, all_varchar=True, sep=",", quotechar='"', escapechar='"', max_line_size=2**28
)
objects = duckdb.read_json(JSONL, format="newline_delimited", sample_size=-1, maximum_object_size=2**28)
```

```r
source("tables.R")  # beside the tables; every column has its type
estimates <- read_table("estimates")
rows <- read.csv(CSV, colClasses = "character", na.strings = character(), check.names = FALSE,
                 encoding = "UTF-8")  # turns carriage returns into line feeds; JSONL keeps them
objects <- jsonlite::stream_in(file(JSONL, encoding = "UTF-8"))
```

"""
TYPE_NAMES = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true or false",
    datetime: "time",
    list: "list",
    dict: "object, as JSON text",
}


def data_dictionary() -> str:
    """The dictionary as Markdown: one table per kind of row, then what every name of a measure and every
    statistic of judges stands for.
    """
    lines = [INTRODUCTION]
    for row_type in ROW_TYPES:
        lines += [f"## {row_type.table}\n", " ".join((row_type.__doc__ or "").split()) + "\n"]
        lines += ["| column | type | may be absent | meaning |", "| --- | --- | --- | --- |"]
        for name, field in row_type.model_fields.items():
            kind, optional = _python_type(field.annotation)
            absent = "yes" if optional else "no"
            lines.append(f"| `{name}` | {TYPE_NAMES[kind]} | {absent} | {field.description} |")
        lines.append("")
    lines += [
        "## Names of measures\n",
        "The column `name` of `measures`. Statistics of `agreement` and `audit_results` stand here with "
        "`agreement.` and `audit.` before their names.\n",
        "| name | block | unit | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for measure in CATALOGUE.values():
        lines.append(f"| `{measure.name}` | {measure.block} | {measure.unit} | {meaning_text(measure)} |")
    return "\n".join([*lines, ""])


def _python_type(annotation: Any) -> tuple[Any, bool]:
    """The type of a column's values, and whether they may be absent."""
    parts = get_args(annotation) if get_origin(annotation) in {Union, types.UnionType} else (annotation,)
    kinds = [part for part in parts if part is not type(None)]
    return plain(kinds[0]), len(kinds) < len(parts)


def plain(annotation: Any) -> Any:
    """`str` of `str`, `float` of `FiniteFloat`, `list` of `list[str]`."""
    origin = get_origin(annotation)
    if origin in {list, dict}:
        return origin
    return annotation if origin is None else plain(get_args(annotation)[0])


PACKAGE_NAME = "datapackage.json"
PACKAGE_TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime: "datetime",
    list: "array",
    dict: "object",
}


def data_package(name: str, title: str, licence: str) -> str:
    """The CSV files as a tabular data package (Frictionless Table Schema), from which programs read types."""
    resources = []
    for row_type in ROW_TYPES:
        fields = []
        for column, field in row_type.model_fields.items():
            kind, optional = _python_type(field.annotation)
            facts = {"name": column, "type": PACKAGE_TYPES[kind], "description": field.description}
            # An empty text is an empty cell, as what is absent: texts are never required.
            required = {} if optional or kind is str else {"constraints": {"required": True}}
            fields.append(facts | required)
        resources.append(
            {
                "name": row_type.table,
                "path": f"{row_type.table}.csv",
                "profile": "tabular-data-resource",
                "encoding": "utf-8",
                "schema": {"missingValues": [""], "fields": fields},
            }
        )
    package = {"profile": "tabular-data-package", "name": name, "title": title}
    licences = {"licenses": [{"name": licence}]} if licence else {}
    return json.dumps(package | licences | {"resources": resources}, ensure_ascii=False, indent=1) + "\n"


READER_NAME = "tables.R"
READER = """# Reads the tables of this export into R, each column with its type. Needs no package.
#
#     source("tables.R")                     # in the folder of the export
#     estimates <- read_table("estimates")
#
# Absent is NA. Times are POSIXct in UTC. Texts are as they were written, but for carriage returns, which are
# line feeds here; columns of type array and object are JSON text.

columns <- list(
%(columns)s
)

read_table <- function(name, folder = ".") {
  types <- columns[[name]]
  if (is.null(types)) stop("The export has no table ", name, "; it has ", toString(names(columns)), ".")
  table <- read.csv(file.path(folder, paste0(name, ".csv")), colClasses = "character", na.strings = "",
                    check.names = FALSE, encoding = "UTF-8")
  for (column in names(types)) table[[column]] <- typed(table[[column]], types[[column]])
  table
}

typed <- function(cells, type) {
  switch(type,
    integer = , number = as.numeric(cells),
    boolean = cells == "true",
    datetime = as.POSIXct(cells, format = "%%Y-%%m-%%dT%%H:%%M:%%OSZ", tz = "UTC"),
    sub("^'", "", cells))  # the mark that keeps spreadsheet programs from taking a text for a formula
}
"""


def table_reader() -> str:
    """The tables and the types of their columns as a script for R."""
    tables = []
    for row_type in ROW_TYPES:
        kinds = {name: _python_type(field.annotation)[0] for name, field in row_type.model_fields.items()}
        columns = ",\n".join(f'    {name} = "{PACKAGE_TYPES[kind]}"' for name, kind in kinds.items())
        tables.append(f"  {row_type.table} = c(\n{columns})")
    return READER % {"columns": ",\n".join(tables)}


if __name__ == "__main__":
    sys.stdout.write(data_dictionary())
