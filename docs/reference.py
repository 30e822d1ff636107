"""Pages of the public names, written from the source: signatures as they stand there, docstrings.

Annotations are taken from the text, since at run time a shape such as Float[Array, "N Q"] has
become an array of any shape.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import gplvm_core
from gplvm_core.models.estimators.documentation import sections_of

# What the names of the public interface are, by the room where they are at home.
INTERFACE = {
    "models": "Models",
    "comparison": "Comparison",
    "kernels": "Kernels",
    "readers": "Data",
    "datasets": "Data sets by name",
    "bounds": "The bound",
    "store": "Models on disk",
    "offline": "In a browser",
    "statistics": "On other machines",
    "arrays": "Arrays of other libraries",
    "numerics": "Numbers",
}


def write_pages(folder: Path) -> None:
    """One page of the public interface, one for every room and a list of those, in Markdown."""
    folder.mkdir(exist_ok=True)
    pages = {"interface": _interface(), **{name: _room(name) for name in _rooms()}}
    names = "\n".join(sorted(set(pages) - {"interface"}))
    pages["index"] = f"# The rooms, name by name\n\n```{{toctree}}\n:titlesonly:\n\n{names}\n```\n"
    for stale in {path.stem for path in folder.glob("*.md")} - set(pages):
        (folder / f"{stale}.md").unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        # A page that did not change keeps its time, and Sphinx does not read it again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _interface() -> str:
    groups: dict[str, list[str]] = {room: [] for room in INTERFACE}
    for name in gplvm_core.__all__:
        thing = getattr(gplvm_core, name)
        groups[thing.__module__.split(".")[1]].append(_entry(name, thing, inherited=True))
    parts = ["# The public interface", "Everything here is imported from `gplvm_core`."]
    for room, title in INTERFACE.items():
        parts += [f"## {title}", *groups[room]]
    return "\n\n".join(parts) + "\n"


def _rooms() -> list[str]:
    """The packages below gplvm_core, "kernels" or "models.problems"."""
    found = pkgutil.walk_packages(gplvm_core.__path__, "gplvm_core.")
    return [each.name.removeprefix("gplvm_core.") for each in found if each.ispkg]


def _room(name: str) -> str:
    package = importlib.import_module(f"gplvm_core.{name}")
    parts = [f"# {name}", _prose(package)]
    for each in pkgutil.iter_modules(package.__path__):
        if not each.ispkg:
            module = importlib.import_module(f"{package.__name__}.{each.name}")
            parts += [f"## {name}.{each.name}", _prose(module), *_entries(module)]
    return "\n\n".join(parts) + "\n"


def _entries(module: ModuleType) -> Iterator[str]:
    """The public classes and functions that a module defines, in its order."""
    for name in _definitions(module.__name__):
        if not name.startswith("_"):
            yield _entry(name, getattr(module, name), inherited=False)


def _entry(name: str, thing: Any, *, inherited: bool) -> str:
    """inherited: a class with the fields and methods of the project's classes above it, too."""
    if not inspect.isclass(thing):
        return f"### {name}\n\n{_code(_head(_node(thing)))}\n\n{_prose(thing)}"
    above = [each for each in thing.__mro__ if each.__module__.startswith("gplvm_core")]
    classes = [_node(each) for each in reversed(above if inherited else [thing])]
    bases = ", ".join(ast.unparse(base) for base in _node(thing).bases)
    head = f"class {name}({bases}):" if bases else f"class {name}:"
    methods: dict[str, tuple[str, str]] = {}
    for node in (node for each in classes for node in _public(each, ast.FunctionDef)):
        # One without words of its own has those of the class above.
        _, words = methods.get(node.name, ("", ""))
        methods[node.name] = _head(node), ast.get_docstring(node) or words
    made = [methods["__init__"][0]] if "__init__" in methods else []
    nodes = (node for each in classes for node in _public(each, ast.AnnAssign))
    fields = {ast.unparse(node.target): _text(node) for node in nodes}
    # Arguments of the constructor appear once.
    settings = _settings(thing)
    shown = [
        text
        for field, text in fields.items()
        if f"{field}:" not in str(made) and field not in settings
    ]
    parts = [f"### {name}", _code("\n    ".join([head, *made, *shown]))]
    if settings:
        parts.append(_code(_call(name, thing)))
    parts.append(_prose(thing))
    for called, (line, words) in methods.items():
        if words and called != "__init__":
            parts += [_code(line), _markdown(words)]
    return "\n\n".join(parts)


def _settings(thing: Any) -> list[str]:
    """The names of a class' settings, in the order of its constructor."""
    return list(inspect.signature(thing).parameters) if hasattr(thing, "_sentences") else []


def _call(name: str, thing: Any) -> str:
    """The constructor of an estimator with its defaults; what they mean follows in words."""
    arguments = []
    for each in inspect.signature(thing).parameters.values():
        if each.kind is each.KEYWORD_ONLY and "*" not in arguments:
            arguments.append("*")
        needed = each.default is each.empty
        arguments.append(each.name if needed else f"{each.name}={each.default!r}")
    return textwrap.fill(f"{name}({', '.join(arguments)})", 92, subsequent_indent="    ")


@cache
def _definitions(module: str) -> dict[str, Any]:
    """The classes and functions of a module as they are written."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    return {
        node.name: node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }


def _node(thing: Any) -> Any:
    return _definitions(thing.__module__)[thing.__name__]


def _public(node: ast.ClassDef, kind: type) -> list[Any]:
    """Fields (ast.AnnAssign) or methods (ast.FunctionDef) of a class."""
    own = [each for each in node.body if isinstance(each, kind)]
    names = [each.name if kind is ast.FunctionDef else ast.unparse(each.target) for each in own]
    return [
        each
        for each, name in zip(own, names, strict=True)
        if name == "__init__" or not name.startswith("_")
    ]


def _text(node: ast.AST) -> str:
    return ast.unparse(node).replace("'", '"')


def _head(node: ast.FunctionDef) -> str:
    marks = "".join(f"@{_text(mark)}\n" for mark in node.decorator_list)
    returns = f" -> {_text(node.returns)}" if node.returns else ""
    return f"{marks}def {node.name}({_text(node.args)}){returns}"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _prose(thing: Any) -> str:
    return _markdown(inspect.cleandoc(thing.__doc__ or ""))


def _markdown(text: str) -> str:
    """A docstring's plain sentences with `code` in backticks, and its sections as lists."""
    sections = sections_of(text)
    parts = [_escaped(sections.pop(""))]
    for heading, body in sections.items():
        parts.append(f"**{heading}**")
        if heading == "Examples":
            parts += [
                _code(block) if block.startswith(">>>") else _escaped(block)
                for block in re.split(r"\n\n", body)
            ]
            continue
        entries = re.findall(r"^(\S.*)\n((?:    .*\n?)+)", body, re.MULTILINE)
        parts.append("\n".join(_listed(*entry) for entry in entries))
    return "\n\n".join(parts)


def _listed(head: str, words: str) -> str:
    """An entry of a section: a name with or without its type, and its description."""
    name, _, kind = head.partition(" : ")
    typed = f" ({_escaped(kind)})" if kind else ""
    return f"- `{name}`{typed}: {_escaped(' '.join(words.split()))}"


def _escaped(text: str) -> str:
    parts = re.split(r"(`[^`\n]*`)", text)
    parts[::2] = [re.sub(r"[*_$<\[\\]", r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)
