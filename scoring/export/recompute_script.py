"""The script `recompute.py` of an export: the modules of `scoring.export.recomputing` as one file.

Readers get one file that needs numpy alone; here its parts are modules that are typed and read by themselves.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SCRIPT_NAME = "recompute.py"
INDEPENDENT_NAME = "independent.py"
FOLDER = Path(__file__).parent / "recomputing"
PARTS = (
    "reading", "estimators", "tables", "formulas", "draws", "uncertainty", "slices", "people", "top",
    "missing", "bank", "models", "places", "judge", "coefficients", "panels", "exclusions", "process",
    "published", "shifts", "fit", "dif", "tasks", "raters", "task_tables", "audit", "flow", "counted",
    "comparing",
)  # fmt: skip
OURS = "scoring."
HEADER = '''#!/usr/bin/env python3
"""Compute the numbers of an export again, from its own tables, and say of each whether it agrees.

    python recompute.py [FOLDER]        the folder of the export; without it, the one this file lies in

Needs Python 3.11 or later and numpy, and nothing of the software that wrote the export: every formula stands
here again, in one file, so that agreement is evidence. Numbers agree where they differ by no more than 1e-9
(times their size, if that is above 1). What cannot be computed from an export is listed with the reason. Exit
code 1 if a number differs or a file is not the one that the manifest names, else 0.

    theta        sum a (y + a b) / sum a^2,  y = ln(q / (1 - q)),  q = scale p + offset
    theta.prompt the same over the mean scores of prompts;  theta.pool over single answers
    theta.ql     root of sum a (p - 1 / (1 + exp(-a (theta - b)))) = 0
    errors       analytic: sigma_hat / sqrt(sum a^2);  by clusters: CR1 with t of clusters - 1;
                 delete-one jackknife where an estimate is no sum;  two ways: V_1 + V_2 - V_12
    draws        numpy's default_rng([seed, crc32(block)]) with the seed of the manifest, in the same order
"""
'''
FOOTER = """

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@cache
def recompute_script() -> str:
    """The whole file."""
    sources = [(FOLDER / f"{name}.py").read_text(encoding="utf-8") for name in PARTS]
    imports = sorted({line for source in sources for line in imports_of(source)}, key=import_order)
    return "\n".join([HEADER, *imports, *map(body_of, sources), FOOTER]).replace("\n\n\n\n", "\n\n\n")


def independent_script() -> str:
    """The short script beside it, `scoring.export.independent` as it stands."""
    return (Path(__file__).parent / INDEPENDENT_NAME).read_text(encoding="utf-8")


def import_order(line: str) -> tuple[bool, bool, str]:
    return ("numpy" in line, line.startswith("from"), line)


def imports_of(source: str) -> Iterator[str]:
    """One line for each name that comes from elsewhere than from another part."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and not str(node.module).startswith(OURS):
            yield from (f"from {node.module} import {one.name}" for one in node.names)


def body_of(source: str) -> str:
    """The part without its imports, under its docstring as a comment."""
    tree = ast.parse(source)
    first = next(node for node in tree.body[1:] if not isinstance(node, ast.Import | ast.ImportFrom))
    decorators = getattr(first, "decorator_list", [])
    start = min([first.lineno, *(one.lineno for one in decorators)])
    title = f"# --- {ast.get_docstring(tree)}"
    return "\n".join(["", "", title, "", *source.splitlines()[start - 1 :]])
