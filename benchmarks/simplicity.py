"""How simple the house is to read: functions used once, small files, lines of imports, words, comments.

The Python of the repository is read without tests, migrations and benchmarks; nothing is imported or run.
benchmarks/README.md says what counts as used once.
"""

import argparse
import ast
import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {"tests", "migrations", "benchmarks"}
VAGUE_WORDS = ("one", "found", "shown", "asked", "told", "said")
SMALL_FILE = 40
# Decorators that change how a function is called but register it nowhere.
PROPERTIES = {"property", "cached_property"}
PLAIN_DECORATORS = PROPERTIES | {"staticmethod", "classmethod", "contextmanager", "cache", "lru_cache"}

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    """A function as it stands in a file."""

    name: str
    path: Path
    line: int
    body_lines: int
    is_method: bool
    decorators: frozenset[str]


@dataclass
class SourceFile:
    """What one file defines and mentions."""

    path: Path
    lines: int
    comment_lines: int = 0
    import_lines: int = 0
    functions: list[Definition] = field(default_factory=list)
    # How often each name is mentioned outside the body of the function of that name.
    names: Counter[str] = field(default_factory=Counter)
    attributes: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    imported: set[str] = field(default_factory=set)
    words: Counter[str] = field(default_factory=Counter)
    word_places: list[tuple[int, str]] = field(default_factory=list)

    @property
    def room(self) -> str:
        parts = self.path.relative_to(ROOT).parts
        return parts[0] if len(parts) > 1 else "(root)"


class Reader(ast.NodeVisitor):
    """Walks through a file with the functions it is inside of in mind."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.around: list[ast.AST] = []

    def mention(self, counter: Counter[str], name: str) -> None:
        # A recursive call, or super().save() in an override, is no second use.
        if not any(isinstance(node, FunctionNode) and node.name == name for node in self.around):
            counter[name] += 1

    def word(self, name: str, line: int) -> None:
        if name in VAGUE_WORDS:
            self.source.words[name] += 1
            self.source.word_places.append((line, name))

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        # Decorators and defaults are evaluated outside the function.
        for outside in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(outside)
        first = node.body[1:2] or node.body if ast.get_docstring(node) is not None else node.body
        self.source.functions.append(
            Definition(
                name=node.name,
                path=self.source.path,
                line=node.lineno,
                body_lines=(node.end_lineno or node.lineno) - first[0].lineno + 1,
                is_method=bool(self.around) and isinstance(self.around[-1], ast.ClassDef),
                decorators=frozenset(map(decorator_name, node.decorator_list)),
            )
        )
        self.word(node.name, node.lineno)
        self.around.append(node)
        for inside in (*all_arguments(node.args), *filter(None, [node.returns]), *node.body):
            self.visit(inside)
        self.around.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.around.append(node)
        self.generic_visit(node)
        self.around.pop()

    def visit_Name(self, node: ast.Name) -> None:
        self.word(node.id, node.lineno)
        if isinstance(node.ctx, ast.Load):
            self.mention(self.source.names, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.word(node.attr, node.lineno)
        self.mention(self.source.attributes, node.attr)
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if name := last_word(node.func):
            self.mention(self.source.calls, name)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self.word(node.arg, node.lineno)
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        self.word(node.arg or "", node.value.lineno)
        self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        # "module.name" and "name" in a registry, in getattr or in __all__ are uses from elsewhere.
        if isinstance(node.value, str) and re.fullmatch(r"[\w.:]+", node.value):
            self.source.imported.add(re.split(r"[.:]", node.value)[-1])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.source.imported.update(alias.name for alias in node.names)
        self.visit_Import(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.source.import_lines += (node.end_lineno or node.lineno) - node.lineno + 1


def decorator_name(node: ast.expr) -> str:
    return last_word(node.func if isinstance(node, ast.Call) else node)


def last_word(node: ast.expr) -> str:
    """`name` of `name` and of `module.name`."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def all_arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def read_file(path: Path) -> SourceFile:
    text = path.read_text()
    source = SourceFile(path, lines=len(text.splitlines()))
    Reader(source).visit(ast.parse(text))
    source.comment_lines = sum(
        token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
    )
    return source


def read_repository() -> list[SourceFile]:
    rooms = (folder for folder in ROOT.iterdir() if folder.is_dir() and not folder.name.startswith("."))
    paths = [*ROOT.glob("*.py")]
    for room in rooms:
        if room.name not in LEFT_OUT | {"var", "node_modules"}:
            paths += room.rglob("*.py")
    return [read_file(path) for path in sorted(paths) if not LEFT_OUT & set(path.relative_to(ROOT).parts)]


def template_names() -> set[str]:
    """Names that a template asks an object for."""
    pages = [*ROOT.glob("templates/**/*.*"), *ROOT.glob("*/templates/**/*.*")]
    return {name for page in pages for name in re.findall(r"\.(\w+)", page.read_text())}


def used_once(sources: Iterable[SourceFile]) -> list[Definition]:
    """Functions whose only use stands in their own file."""
    sources = list(sources)
    in_templates = template_names()
    attributes: Counter[str] = Counter()
    importers: defaultdict[str, set[Path]] = defaultdict(set)
    definitions: Counter[str] = Counter()
    for source in sources:
        attributes.update(source.attributes)
        definitions.update(function.name for function in source.functions if function.is_method)
        for name in source.imported:
            importers[name].add(source.path)

    def is_used_once(source: SourceFile, function: Definition) -> bool:
        name = function.name
        if function.decorators - PLAIN_DECORATORS or name.startswith("__") or importers[name]:
            return False
        # Handed over as a value, not called: an entry of a registry, a key to sort by, a closure.
        if not function.decorators & PROPERTIES and not source.calls[name]:
            return False
        if function.is_method:
            # The same method in two classes is an override, a Protocol's or a hook.
            is_shared = definitions[name] > 1 or name in in_templates
            return not is_shared and attributes[name] == source.attributes[name] == 1
        elsewhere = attributes[name] - source.attributes[name]
        return source.names[name] == 1 and not elsewhere

    return [function for source in sources for function in source.functions if is_used_once(source, function)]


@dataclass(frozen=True)
class Figures:
    """The line of a room."""

    functions: int
    once: int
    median_body: float
    p95_body: int
    files: int
    small: int
    small_with_empty: int
    lines: int
    import_lines: int
    comment_share: float
    words: Counter[str]


def figures_of(sources: list[SourceFile], once: list[Definition]) -> Figures:
    bodies = sorted(function.body_lines for source in sources for function in source.functions)
    small = [source for source in sources if source.lines < SMALL_FILE]
    lines = sum(source.lines for source in sources)
    paths = {source.path for source in sources}
    return Figures(
        functions=len(bodies),
        once=sum(function.path in paths for function in once),
        median_body=median(bodies or [0]),
        p95_body=bodies[int(0.95 * len(bodies))] if bodies else 0,
        files=len(sources),
        small=sum(source.lines > 0 or source.path.name != "__init__.py" for source in small),
        small_with_empty=len(small),
        lines=lines,
        import_lines=sum(source.import_lines for source in sources),
        comment_share=sum(source.comment_lines for source in sources) / max(lines, 1),
        words=sum((source.words for source in sources), Counter()),
    )


def print_table(sources: list[SourceFile], once: list[Definition]) -> None:
    by_room: defaultdict[str, list[SourceFile]] = defaultdict(list)
    for source in sources:
        by_room[source.room].append(source)
    heading = "functions once      %  median p95  files <40 (+empty)  lines imports comments "
    print(" " * 15 + heading, *VAGUE_WORDS)
    for room, members in [*sorted(by_room.items()), ("total", sources)]:
        line = figures_of(members, once)
        print(
            f"{room:15}{line.functions:9}{line.once:5}{line.once / max(line.functions, 1):7.1%}"
            f"{line.median_body:8.0f}{line.p95_body:4}{line.files:7}{line.small:4}{line.small_with_empty:9}"
            f"{line.lines:7}{line.import_lines:8}{line.comment_share:9.1%}  "
            + " ".join(f"{line.words[word]:{len(word)}}" for word in VAGUE_WORDS)
        )


def print_places(sources: list[SourceFile], once: list[Definition], room: str) -> None:
    members = [source for source in sources if source.room == room]
    paths = {source.path for source in members}
    for function in once:
        if function.path in paths:
            place = function.path.relative_to(ROOT)
            print(f"{place}:{function.line}: {function.name} is used once ({function.body_lines} lines)")
    for source in members:
        place = source.path.relative_to(ROOT)
        if 0 < source.lines < SMALL_FILE:
            print(f"{place}:1: {source.lines} lines")
        for line, word in source.word_places:
            print(f"{place}:{line}: {word}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", metavar="ROOM", help="the places of a room in the table's stead")
    room = parser.parse_args().list
    sources = read_repository()
    once = used_once(sources)
    if room:
        print_places(sources, once, room)
    else:
        print_table(sources, once)


if __name__ == "__main__":
    main()
