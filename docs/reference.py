"""Write the reference pages from the source: one per public name, and one per package.

Annotations are read from the source text. At run time, a shape such as Float[Array, "N Q"] is an
array of any shape, and `ArrayLike` is a union that fills a screen.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import gplvm_core

# The groups of the public names, by the package that defines them. Errors are one group.
GROUPS = {
    "models": "Models",
    "comparison": "Comparison",
    "new_rows": "New rows",
    "kernels": "Kernels",
    "readers": "Data",
    "datasets": "Data sets by name",
    "bounds": "The bound",
    "store": "Models on disk",
    "offline": "In a notebook or a file",
    "statistics": "On a cluster",
    "errors": "Errors",
}
# Sections whose entries are a name, perhaps a type, and indented text.
LISTED = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
SECTION = re.compile(r"^([A-Z]\w+(?: [A-Z]\w+)?)\n-{3,}\n", re.MULTILINE)
WIDTH = 88
# Every page repeats the navigation. With one entry per name, the navigation would fill most of a
# page.
ORPHAN = "---\norphan: true\n---"


def write_pages(docs: Path) -> None:
    """Write docs/api (a page per public name) and docs/rooms (a page per package), in Markdown."""
    public = {name: _page(name) for name in gplvm_core.__all__}
    _write(docs / "api", {**public, "index": _list_of_names()})
    rooms = {name: _room(name) for name in _rooms()}
    listed = "# Packages, for contributors\n\n"
    listed += "\n".join(f"- [{name}]({name}.md)" for name in sorted(rooms)) + "\n"
    _write(docs / "rooms", {**rooms, "index": listed})


def _write(folder: Path, pages: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for stale in {path.stem for path in folder.glob("*.md")} - set(pages):
        (folder / f"{stale}.md").unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        # Sphinx reads a page again only if the modification time of its file has changed.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# --- The public names ---------------------------------------------------------------------------


def _list_of_names() -> str:
    groups: dict[str, list[str]] = {room: [] for room in GROUPS}
    for name in sorted(gplvm_core.__all__, key=str.lower):
        thing = getattr(gplvm_core, name)
        group = "errors" if _is_error(thing) else thing.__module__.split(".")[1]
        groups[group].append(f"* - [{name}]({name}.md)\n  - {_markdown(_summary(thing))}")
    parts = ["# Reference", "Import every name from `gplvm_core`."]
    for room, title in GROUPS.items():
        rows = "\n".join(groups[room])
        parts += [f"## {title}", f"```{{list-table}}\n:widths: 30 70\n\n{rows}\n```"]
    return "\n\n".join(parts) + "\n"


def _summary(thing: Any) -> str:
    """Return the first sentence of a docstring."""
    first = " ".join(inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z])", first)[0]


def _page(name: str) -> str:
    thing = getattr(gplvm_core, name)
    parts = [ORPHAN, "[Reference](index.md)", f"# {name}"]
    if not inspect.isclass(thing):
        parts += [_code(_signature(name, _node(thing))), _docstring(inspect.getdoc(thing))]
    else:
        parts += _class_page(name, thing)
    chapters = [
        f"[{title}](../gallery/{path.parent.name}/{path.stem}.rst)"
        for path, title, text in _scripts()
        if re.search(rf"\b{name}\b", text)
    ]
    if chapters:
        parts += ["## In the guide", ", ".join(chapters)]
    return "\n\n".join(part for part in parts if part) + "\n"


@cache
def _scripts() -> tuple[tuple[Path, str, str], ...]:
    """Return path, title and text of every script of the guide and the recipes."""
    docs = Path(__file__).parent
    found = []
    for path in sorted((*docs.glob("guide/*.py"), *docs.glob("examples/*.py")), reverse=True):
        text = path.read_text(encoding="utf-8")
        found.append((path, text.splitlines()[1], text))
    return tuple(sorted(found, key=lambda each: (each[0].parent.name != "guide", each[0].name)))


@dataclass(frozen=True)
class _Member:
    """A method or an attribute of a class.

    node: the method, or the attribute's annotation. words: its docstring, or the docstring of the
    method that it overrides.
    """

    node: Any
    words: str


def _class_page(name: str, thing: Any) -> Iterator[str]:
    bases = [base for base in thing.__bases__ if base is not object]
    sections = _sections(inspect.cleandoc(thing.__doc__ or ""))
    if not _is_error(thing):
        yield _code(_constructor(name, thing, typed="Parameters" not in sections))
    else:
        yield f"Base class: `{bases[0].__name__}`"
    yield _docstring(thing.__doc__, without="Attributes")
    methods, attributes = _members(thing)
    documented = dict.fromkeys(each for each, _, _ in _entries(sections.get("Attributes", "")))
    arguments = {each.rstrip("_") for each in _arguments(thing)} | set(_arguments(thing))
    further = [
        (each, _text(member.node), member.words)
        for each, member in attributes.items()
        if each not in {*documented, *arguments, *getattr(thing, "_without", ())}
    ]
    if documented or further:
        yield "## Attributes"
        described = [each for each in further if each[2]]
        yield _definitions_of([*_entries(sections.get("Attributes", "")), *described])
        yield "\n".join(f"- `{each}` – `{kind}`" for each, kind, words in further if not words)
    elsewhere: dict[str, list[str]] = {}
    full: list[str] = []
    for each, member in methods.items():
        if owner := _public_owner(thing, each):
            elsewhere.setdefault(owner, []).append(f"[{each}]({owner}.md#{each.lower()})")
        else:
            full += [f"### {each}", _code(_signature(each, member.node)), _docstring(member.words)]
    if full or elsewhere:
        yield "## Methods"
    yield from full
    for owner, links in elsewhere.items():
        yield f"From [{owner}]({owner}.md): {', '.join(links)}"
    others = sorted(
        each
        for each in dir(thing)
        if not each.startswith("_")
        and inspect.isfunction(inspect.getattr_static(thing, each))
        and inspect.getattr_static(thing, each).__module__.startswith("sklearn")
    )
    if others:
        yield f"From scikit-learn: {', '.join(f'`{each}`' for each in others)}"


def _public_owner(thing: Any, method: str) -> str | None:
    """Return the most general public base class that has the same method."""
    own = inspect.getattr_static(thing, method)
    for base in reversed(thing.__mro__[1:]):
        public = base.__name__ in gplvm_core.__all__
        if public and inspect.getattr_static(base, method, None) is own:
            return base.__name__
    return None


def _members(thing: Any) -> tuple[dict[str, _Member], dict[str, _Member]]:
    """Return the public methods with docstrings and the attributes of a class and its base classes.

    Base classes of other projects are ignored.
    """
    methods: dict[str, _Member] = {}
    attributes: dict[str, _Member] = {}
    ours = [each for each in thing.__mro__ if each.__module__.startswith("gplvm_core")]
    for owner in reversed(ours):
        node = _node(owner)
        for each in _public(node, ast.AnnAssign):
            name = ast.unparse(each.target)
            if not _text(each.annotation).startswith("ClassVar"):
                attributes[name] = _Member(each.annotation, "")
        written = {each.name: each for each in _public(node, ast.FunctionDef)}
        for name, each in (written | _shared(owner, written)).items():
            # The docstrings are read at run time, because estimators complete the docstrings of
            # their methods.
            value = vars(owner)[name]
            kept = attributes if isinstance(value, property | cached_property) else methods
            before = kept.get(name)
            own = inspect.cleandoc(value.__doc__ or "")
            words = own or (before.words if before else "")
            shown = (each.returns or ast.Constant(...)) if kept is attributes else each
            kept[name] = _Member(shown, words)
    worded = {name: each for name, each in methods.items() if each.words and name != "__init__"}
    return worded, attributes


def _shared(owner: type, written: Mapping[str, ast.FunctionDef]) -> dict[str, ast.FunctionDef]:
    """Return the functions of other modules that a class names as its methods or properties."""
    found = {}
    for name, value in vars(owner).items():
        function = inspect.unwrap(getattr(value, "fget", None) or value)
        ours = inspect.isfunction(function) and function.__module__.startswith("gplvm_core")
        if ours and not name.startswith("_") and name not in written:
            node = _definitions(function.__module__).get(function.__name__)
            found |= {} if node is None else {name: node}  # None: a lambda
    return found


def _is_property(node: ast.FunctionDef) -> bool:
    return any("property" in ast.unparse(mark) for mark in node.decorator_list)


def _is_error(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def _arguments(thing: Any) -> list[str]:
    try:
        return list(inspect.signature(thing).parameters)
    except ValueError:
        return []


def _constructor(name: str, thing: Any, *, typed: bool) -> str:
    """Return the call that creates an object; it has no types if the docstring lists them."""
    _, attributes = _members(thing)
    types = {each: _text(member.node) for each, member in attributes.items()}
    made = next((_init(each) for each in thing.__mro__ if "__init__" in vars(each)), {})
    arguments, bare = [], False
    parameters = list(inspect.signature(thing).parameters.values())
    described = _sections(inspect.cleandoc(thing.__doc__ or "")).get("Parameters", "")
    order = [each for each, _, _ in _entries(described)]
    if all(each.name in order for each in parameters):
        # At run time, options inherited from base classes come first.
        parameters.sort(key=lambda each: order.index(each.name))
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not bare:
            arguments.append("*")
            bare = True
        type_of = made.get(each.name) or types.get(each.name)
        text = f"{each.name}: {type_of}" if typed and type_of else each.name
        if each.default is not each.empty:
            value = repr(each.default)
            value = "..." if value.startswith("<") else value.replace("'", '"')
            text += f" = {value}" if ": " in text else f"={value}"
        arguments.append(text)
    return _wrapped(name, arguments, "")


def _init(thing: Any) -> dict[str, str]:
    """Return the annotations of an explicit __init__; none if a dataclass generated it."""
    if not thing.__module__.startswith("gplvm_core"):
        return {}
    for each in _public(_node(thing), ast.FunctionDef):
        if each.name == "__init__":
            every = (*each.args.args, *each.args.kwonlyargs)
            return {arg.arg: _text(arg.annotation) for arg in every if arg.annotation}
    return {}


# --- The packages -------------------------------------------------------------------------------


def _rooms() -> list[str]:
    """Return the packages below gplvm_core, such as "kernels" or "models.problems"."""
    found = pkgutil.walk_packages(gplvm_core.__path__, "gplvm_core.")
    return [each.name.removeprefix("gplvm_core.") for each in found if each.ispkg]


def _room(name: str) -> str:
    package = importlib.import_module(f"gplvm_core.{name}")
    parts = [ORPHAN, "[Packages](index.md)", f"# {name}", _docstring(package.__doc__)]
    for each in pkgutil.iter_modules(package.__path__):
        if not each.ispkg:
            module = importlib.import_module(f"{package.__name__}.{each.name}")
            parts += [f"## {name}.{each.name}", _docstring(module.__doc__), *_of_module(module)]
    return "\n\n".join(parts) + "\n"


def _of_module(module: ModuleType) -> Iterator[str]:
    """List the public classes and functions that a module defines; public names are links."""
    for name, node in _definitions(module.__name__).items():
        if name.startswith("_"):
            continue
        yield f"### {name}"
        if name in gplvm_core.__all__:
            yield f"See [{name}](../api/{name}.md)."
            continue
        if isinstance(node, ast.FunctionDef):
            yield _code(_signature(name, node))
            yield _docstring(ast.get_docstring(node))
            continue
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        fields = [_text(each) for each in _public(node, ast.AnnAssign)]
        head = f"class {name}({bases}):" if bases else f"class {name}:"
        yield _code("\n    ".join([head, *fields]))
        yield _docstring(ast.get_docstring(node))
        for each in _public(node, ast.FunctionDef):
            words = ast.get_docstring(each)
            if words and each.name != "__init__":
                mark = "@property\n" if _is_property(each) else ""
                yield _code(mark + _signature(each.name, each))
                yield _docstring(words)


# --- The source ---------------------------------------------------------------------------------


@cache
def _definitions(module: str) -> dict[str, Any]:
    """Return the classes and functions of a module in the order of the source."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    return {
        node.name: node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }


def _node(thing: Any) -> Any:
    return _definitions(thing.__module__)[thing.__name__]


def _public(node: ast.ClassDef, kind: type) -> list[Any]:
    """Return the public fields (ast.AnnAssign) or methods (ast.FunctionDef) of a class."""
    own = [each for each in node.body if isinstance(each, kind)]
    names = [each.name if kind is ast.FunctionDef else ast.unparse(each.target) for each in own]
    return [
        each
        for each, name in zip(own, names, strict=True)
        if name == "__init__" or not name.startswith("_")
    ]


def _text(node: ast.AST) -> str:
    return ast.unparse(node).replace("'", '"')


def _signature(name: str, node: ast.FunctionDef) -> str:
    """Return a call with types: on one line if it fits, otherwise with one parameter per line."""
    args = node.args
    first = args.args[1:] if args.args and args.args[0].arg in ("self", "cls") else args.args
    last = args.args[len(args.args) - len(args.defaults) :]
    defaults = dict(zip([each.arg for each in last], args.defaults, strict=True))
    named = zip([each.arg for each in args.kwonlyargs], args.kw_defaults, strict=True)
    defaults.update({each: value for each, value in named if value is not None})
    listed = [_argument(each, defaults) for each in (*args.posonlyargs, *first)]
    if args.vararg:
        listed.append("*" + _argument(args.vararg, {}))
    elif args.kwonlyargs:
        listed.append("*")
    listed += [_argument(each, defaults) for each in args.kwonlyargs]
    if args.kwarg:
        listed.append("**" + _argument(args.kwarg, {}))
    return _wrapped(name, listed, f" -> {_text(node.returns)}" if node.returns else "")


def _argument(argument: ast.arg, defaults: dict[str, Any]) -> str:
    typed = f"{argument.arg}: {_text(argument.annotation)}" if argument.annotation else argument.arg
    if argument.arg not in defaults:
        return typed
    value = _text(defaults[argument.arg])
    return f"{typed} = {value}" if argument.annotation else f"{typed}={value}"


def _wrapped(name: str, arguments: list[str], returns: str) -> str:
    line = f"{name}({', '.join(arguments)}){returns}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {each}," for each in arguments), f"){returns}"])


# --- Docstrings ---------------------------------------------------------------------------------


def _docstring(text: str | None, without: str | None = None) -> str:
    """Convert a docstring to Markdown: prose, numpydoc's sections as definition lists, examples as
    code.
    """
    parts = []
    for heading, words in _sections(inspect.cleandoc(text or "")).items():
        if heading == without:
            continue
        if heading:
            parts.append(f"**{heading}**")
        listed = heading in LISTED
        parts.append(_definitions_of(_entries(words)) if listed else _markdown(words))
    return "\n\n".join(part for part in parts if part)


def _sections(text: str) -> dict[str, str]:
    """Split a docstring into its sections; the text before the first heading has the key ""."""
    pieces = SECTION.split(text)
    return {"": pieces[0].rstrip(), **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def _entries(text: str) -> list[tuple[str, str, str]]:
    """Split a section into names, types and descriptions; descriptions are indented below their
    names.
    """
    found = re.findall(r"^(\S.*)\n?((?:(?:[ \t]+.*)?\n|[ \t]+.+$)*)", text, re.MULTILINE)
    heads = (head.partition(" : ") for head, _ in found)
    return [
        (name, kind, inspect.cleandoc(f"\n{words}").strip())
        for (name, _, kind), (_, words) in zip(heads, found, strict=True)
    ]


def _definitions_of(entries: list[tuple[str, str, str]]) -> str:
    """Format entries as a definition list of MyST."""
    parts = []
    for name, kind, words in entries:
        lines = (_markdown(words) or "\\–").splitlines()
        body = "\n".join([lines[0], *(f"    {line}" if line else "" for line in lines[1:])])
        parts.append(f"`{name}`{f' – `{kind}`' if kind and kind != '...' else ''}\n:   {body}")
    return "\n\n".join(parts)


def _markdown(text: str) -> str:
    """Convert sentences with `code` in backticks, and examples after >>>, to Markdown."""
    blocks = re.split(r"\n\n+", text)
    return "\n\n".join(_block(each) for each in blocks)


def _block(text: str) -> str:
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{inspect.cleandoc(text)}\n```"
    if not re.search(r"^(?: |- |\d+\. )", text, re.MULTILINE):
        # All sentences are on one line, so that a formula's sign at the start of a line does not
        # begin a list.
        text = " ".join(text.split("\n"))
    parts = re.split(r"(`[^`\n]*`)", text)
    parts[::2] = [re.sub(r"[*_$<\[\\|]", r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def _code(text: str) -> str:
    return f"```python\n{text}\n```"
