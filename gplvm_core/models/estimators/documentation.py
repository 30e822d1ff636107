"""The documentation of the estimators: sections in numpydoc's form, and short signatures."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from numpy.typing import ArrayLike

Class = TypeVar("Class", bound=type)

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+(?:, \w+)*)( : .+)?\n((?:    .*\n?|\n)*)", re.MULTILINE)


def sections_of(text: str | None) -> dict[str, str]:
    """The sections of a docstring by heading; the summary's is the empty string."""
    first, *rest = _HEADING.split(inspect.cleandoc(text or ""))
    named = dict(zip(rest[::2], rest[1::2], strict=True))
    return {name: body.strip("\n") for name, body in {"": first, **named}.items()}


def entries_of(section: str) -> dict[str, str]:
    """The entries of a section of parameters or attributes, by name and with types."""
    found = {}
    for names, kind, body in _ENTRY.findall(section):
        for name in names.split(", "):
            found[name] = f"{name}{kind}\n{body.rstrip()}"
    return found


def documented(cls: Class, parameters: Sequence[str] = ()) -> Class:
    """Complete the documentation of an estimator, and shorten the signatures of its methods.

    The section "Attributes" joins the sections of the class and its bases; an entry of the class
    replaces that of a base. parameters: the entries of "Parameters" (default: as the class has
    them).
    """
    sections = sections_of(cls.__doc__)
    attributes: dict[str, str] = {}
    for each in cls.__mro__:
        if each.__module__.startswith(__name__.partition(".")[0]):
            for name, entry in entries_of(sections_of(each.__doc__).get("Attributes", "")).items():
                attributes.setdefault(name, entry)
    for name in getattr(cls, "_absent", ()):
        attributes.pop(name, None)
    parts = {
        "": sections.pop(""),
        "Parameters": "\n".join(parameters) or sections.get("Parameters", ""),
        "Attributes": "\n".join(attributes.values()),
    }
    cls.__doc__ = _joined({**parts, **{k: v for k, v in sections.items() if k not in parts}})
    _shorten_signatures(cls)
    return cls


def _joined(sections: Mapping[str, str]) -> str:
    return "\n\n".join(
        f"{name}\n{'-' * len(name)}\n{body}" if name else body
        for name, body in sections.items()
        if body
    )


def _shorten_signatures(cls: type) -> None:
    """Have `help` print types by short names, such as ArrayLike and Kernel."""
    for each in cls.__mro__:
        for name, method in vars(each).items():
            own = inspect.isfunction(method) and method.__module__ == each.__module__
            public = name == "__init__" or not name.startswith("_")
            if own and public and each.__module__.startswith(__name__.partition(".")[0]):
                method.__signature__ = _short_signature(method)


def _short_signature(method: Callable[..., Any]) -> inspect.Signature:
    whole = inspect.signature(method)
    given = [
        each.replace(annotation=_short(each.annotation, each.default))
        for each in whole.parameters.values()
    ]
    return whole.replace(parameters=given, return_annotation=_short(whole.return_annotation))


class _Text(str):
    """An annotation that a signature prints without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _short(annotation: Any, default: Any = None) -> Any:
    if annotation is inspect.Signature.empty or isinstance(annotation, _Text):
        return annotation
    return _Text(_name(annotation, default))


def _name(annotation: Any, default: Any = None) -> str:
    """The name of a type without its modules, and with ArrayLike as one name."""
    origin, kinds = get_origin(annotation), get_args(annotation)
    if annotation is None or annotation is type(None):
        return "None"
    if isinstance(annotation, list):
        return "[" + ", ".join(map(_name, annotation)) + "]"
    if origin in (Union, UnionType):
        arrays, names = set(get_args(ArrayLike)), []
        if arrays <= set(kinds):
            names = ["str", "ArrayLike"] if isinstance(default, str) else ["ArrayLike"]
            kinds = tuple(kind for kind in kinds if kind not in arrays)
        return " | ".join((*names, *map(_name, kinds)))
    if origin is Literal:
        return "Literal[" + ", ".join(map(repr, kinds)) + "]"
    if origin is not None and kinds:
        return f"{origin.__name__}[" + ", ".join(map(_name, kinds)) + "]"
    if annotation is Ellipsis:
        return "..."
    if isinstance(annotation, str):
        return annotation
    shown = inspect.formatannotation(annotation)
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", shown)
