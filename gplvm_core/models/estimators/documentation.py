"""The documentation of the estimators: sections in numpydoc's form, and short signatures."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from numpy.typing import ArrayLike

Class = TypeVar("Class", bound=type)

# Descriptions that several methods share, by argument, or by method and argument. A docstring
# may leave these arguments out.
_SHARED = """
column : str or int
    The name or the number of the column.
inputs : dict of str to array_like of shape (n, Q), optional
    The points of the nodes with `KnownInputs`.
most : int
    The largest count.
noise : bool, default False
    Whether standard deviations include the observation noise.
random_state : int or None, default None
    The seed of the draws.
return_std : bool, default False
    Whether to return standard deviations, too.
sequence : label, optional
    The label of the trained sequence to which the rows belong; None for a new sequence.
view : str
    The name of the view with the column.
"""
_OF_METHODS = {
    "complete": """
method : {"map", "density"}, optional
    How gaps are filled: "map" uses latent points that explain the row, "density" the density that
    the second stage of `fit` derived. Default: the method that filled gaps of the same kind better
    in held-out rows (`completion_methods`); standard deviations are calibrated on these rows.
    Without a density, the default is "map", and standard deviations are not calibrated.
""",
    "fit": """
y : ignored
    Not used; scikit-learn expects this argument.
times : array_like of shape (N,) or (N, P), optional
    Times of the rows, or other observed inputs, for a model with a time_kernel. Default:
    0, 1, 2, … within each sequence.
sequences : array_like of shape (N,), optional
    The label of each row's sequence. Rows with the same label share a path; different paths are
    independent.
callback : callable, optional
    Called as callback(progress) after each accepted iteration, and after each step of the second
    stage. If it raises StopIteration, training ends with the best state so far.
resume : Run, optional
    A `progress.run` to continue, with the same data and settings; max_iter may be larger.
""",
}

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


def documented(cls: Class, parameters: Sequence[str] = ()) -> Class:
    """Complete the documentation of an estimator, and shorten the signatures of its methods.

    The section "Attributes" joins the sections of the class and its bases; an entry of the class
    replaces the entry of a base. parameters: the entries of "Parameters"; by default, the entries
    in the docstring of the class.
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
        and method.__module__ == cls.__module__
        and (name == "__init__" or not name.startswith("_"))
    ]


def _complete_arguments(cls: type, name: str, method: Any) -> None:
    """Take the arguments that a docstring leaves out from the overridden method or `_SHARED`."""
    sections = sections_of(method.__doc__)
    described = entries_of(sections.get("Parameters", ""))
    given = [each for each in inspect.signature(method).parameters if each != "self"]
    if not method.__doc__ or all(each in described for each in given):
        return
    overridden = next((vars(each)[name] for each in _ours(cls)[1:] if name in vars(each)), None)
    inherited = entries_of(sections_of(getattr(overridden, "__doc__", "")).get("Parameters", ""))
    shared = entries_of(_SHARED) | entries_of(_OF_METHODS.get(name, ""))
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
