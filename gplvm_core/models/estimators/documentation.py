"""The documentation of the estimators: sections in numpydoc's form, and short signatures."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from numpy.typing import ArrayLike

from gplvm_core.models.estimators import descriptions

Class = TypeVar("Class", bound=type)

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+(?:, \w+)*)( : .+)?\n((?:    .*\n?|\n)*)", re.MULTILINE)


def sections_of(text: str | None) -> dict[str, str]:
    """The sections of a docstring by heading; the heading of the summary is the empty string."""
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


def shared_entries(section: str) -> dict[str, str]:
    """The entries of a section of `descriptions`."""
    return entries_of(sections_of(descriptions.__doc__).get(section, ""))


def documented(cls: Class, parameters: Sequence[str] = ()) -> Class:
    """Complete the documentation of an estimator, and shorten the signatures of its methods.

    The section "Attributes" joins the sections of the class and its bases; an entry of the class
    replaces the entry of a base. Shared attributes are described if the class has a property or a
    default of this name, or if its `fit` sets the attribute (`_attributes`, the names in one text).
    parameters: the entries of "Parameters"; by default, those in the docstring of the class.
    """
    sections = sections_of(cls.__doc__)
    attributes: dict[str, str] = {}
    there = set(dir(cls))
    for each in _ours(cls):
        attributes = entries_of(sections_of(each.__doc__).get("Attributes", "")) | attributes
        there.update(vars(each).get("_attributes", "").split())
    shared = shared_entries("Attributes")
    attributes = {name: shared[name] for name in shared if name in there} | attributes
    for name in getattr(cls, "_absent", ()):
        attributes.pop(name, None)
    parts = {
        "": sections.pop(""),
        "Parameters": "\n".join(parameters) or sections.get("Parameters", ""),
        "Attributes": "\n".join(attributes.values()),
    }
    cls.__doc__ = _joined({**parts, **{k: v for k, v in sections.items() if k not in parts}})
    for each in reversed(_ours(cls)):
        for name, method in _public_methods(each):
            _complete_arguments(each, name, method)
            method.__signature__ = _short_signature(method)  # `help` prints ArrayLike, Kernel
    return cls


def _ours(cls: type) -> list[type]:
    """The class and its base classes in this package."""
    package = __name__.partition(".")[0]
    return [each for each in cls.__mro__ if each.__module__.startswith(package)]


def _public_methods(cls: type) -> list[tuple[str, Any]]:
    """The constructor and the public methods that a class defines."""
    return [
        (name, method)
        for name, method in vars(cls).items()
        if inspect.isfunction(method)
        and method.__module__.startswith(__name__.partition(".")[0])
        and (name == "__init__" or not name.startswith("_"))
    ]


def _complete_arguments(cls: type, name: str, method: Any) -> None:
    """Complete the arguments that a docstring leaves out."""
    sections = sections_of(method.__doc__)
    described = entries_of(sections.get("Parameters", ""))
    given = [each for each in inspect.signature(method).parameters if each != "self"]
    if not method.__doc__ or all(each in described for each in given):
        return
    overridden = next((vars(each)[name] for each in _ours(cls)[1:] if name in vars(each)), None)
    inherited = entries_of(sections_of(getattr(overridden, "__doc__", "")).get("Parameters", ""))
    shared = shared_entries("Arguments") | shared_entries(f"Arguments of {name}")
    known = {**shared, **inherited, **described}
    entries = "\n".join(known[each] for each in given if each in known)
    method.__doc__ = _joined({"": sections.pop(""), **sections, "Parameters": entries})


def _joined(sections: Mapping[str, str]) -> str:
    return "\n\n".join(
        f"{name}\n{'-' * len(name)}\n{body}" if name else body
        for name, body in sections.items()
        if body
    )


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
    """The name of a type without its modules; "ArrayLike" stands for the whole union."""
    origin, kinds = get_origin(annotation), get_args(annotation)
    if annotation is None or annotation is type(None):
        return "None"
    if isinstance(annotation, list):
        return "[" + ", ".join(map(_name, annotation)) + "]"
    if origin in (Union, UnionType):
        # In some versions of NumPy, ArrayLike is a union that contains str, in others an alias.
        arrays, names = set(get_args(ArrayLike)) or {ArrayLike}, []
        if arrays <= set(kinds):
            names = ["str", "ArrayLike"] if isinstance(default, str) else ["ArrayLike"]
            kinds = tuple(kind for kind in kinds if kind not in arrays)
        return " | ".join(dict.fromkeys((*names, *map(_name, kinds))))
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
