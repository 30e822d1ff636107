"""The settings of the estimators: descriptions, types, and checks of the values.

An estimator declares its settings as the fields of a class, with types and defaults. The
constructor, the checks before training and the section "Parameters" of the documentation are made
from these fields. Only the first two settings are positional.
"""

import textwrap
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import (
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import How
from gplvm_core.models.estimators.documentation import (
    documented,
    entries_of,
    sections_of,
    shared_entries,
)

Scale = How
Seed = int | np.random.Generator | np.random.RandomState | None
Class = TypeVar("Class", bound=type)

# The description of each setting; an estimator can replace it in its own docstring.
SENTENCES = {
    name: " ".join(entry.split()[1:]) for name, entry in shared_entries("Settings").items()
}


class _NoSetting:
    """Stands for an inherited setting that an estimator does not have."""

    def __get__(self, model: Any, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__} has no such setting")


@dataclass_transform(eq_default=False)
def preset(cls: Class) -> Class:
    """Make an estimator from a class whose fields are its settings.

    The section "Parameters" of the documentation is completed from `descriptions`. The class can
    replace a description by an entry in its docstring. `_without` names inherited settings that
    the class does not have.
    """
    for name in vars(cls).get("_without", ()):
        cls.__annotations__[name] = ClassVar[Any]
        setattr(cls, name, _NoSetting())
    result: Any = dataclass(eq=False, repr=False)(cls)
    own = entries_of(sections_of(cls.__doc__).get("Parameters", ""))
    result._sentences = {
        **getattr(cls, "_sentences", SENTENCES),
        **{name: " ".join(entry.split()[1:]) for name, entry in own.items()},
    }
    hints = get_type_hints(result)
    entries = [_entry(each, hints[each.name], result._sentences) for each in _in_order(result)]
    return cast(Class, documented(result, entries))


def check_settings(model: Any) -> None:
    """Raise ValueError, with the allowed values, for settings that are out of range."""
    hints = get_type_hints(type(model))
    for each in fields(model):
        _check(each.name, getattr(model, each.name), hints[each.name])


# Settings that must be whole numbers of at least 1.
_COUNTS = {"n_components", "n_inducing", "max_iter", "n_restarts", "window"}


def _check(name: str, value: Any, hint: Any) -> None:
    kinds = _kinds(hint)
    if value is None and type(None) in kinds:
        return
    if name in _COUNTS and not (isinstance(value, str) and value in _choices(hint)):
        layered = any(get_origin(kind) is tuple for kind in kinds)
        each = value if layered and isinstance(value, tuple) else (value,)
        if not (each and all(_whole(one) for one in each)):
            more = ", or a tuple of such numbers, one for each layer" if layered else ""
            words = "".join(f' or "{choice}"' for choice in _choices(hint))
            raise ValueError(
                f"{name} must be a whole number of at least 1{more}{words}; got {value!r}"
            )
        return
    if hint is bool and not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False; got {value!r}")
    if name == "n_jobs" and not (_number(value) and value != 0):
        raise ValueError(f"{name} must be None or a whole number other than 0; got {value!r}")
    generators = np.random.Generator | np.random.RandomState
    if name == "random_state" and not (
        (_number(value) and value >= 0) or isinstance(value, generators)
    ):
        raise ValueError(
            f"{name} must be None or a whole number of at least 0, or a numpy.random.Generator or "
            f"RandomState; got {value!r}"
        )
    if name == "jitter" and not (_real(value) and 0.0 < value < 1.0):
        raise ValueError(
            f"jitter must lie between 0 and 1, relative to the diagonal of K; got {value!r}"
        )
    choices = _choices(hint)
    if choices and not (isinstance(value, str) and value in choices):
        none = "None or " if type(None) in kinds else ""
        raise ValueError(f"{name} must be {none}one of {', '.join(choices)}; got {value!r}")
    if name in ("kernel", "time_kernel"):
        parts = value.values() if isinstance(value, Mapping) else (value,)
        for part in _flat(parts):
            if not isinstance(part, str | Kernel):
                raise ValueError(
                    f"{name} must be the name of a kernel or a kernel object, such as RBF(); got "
                    f"{part!r}"
                )


def _flat(parts: Any) -> Any:
    """Flatten the kernels in tuples and dicts."""
    for part in parts:
        if isinstance(part, tuple):
            yield from _flat(part)
        elif isinstance(part, Mapping):
            yield from _flat(part.values())
        else:
            yield part


def _number(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return _number(value) and bool(value >= 1)


def _real(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating)


def _kinds(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _in_order(cls: Any) -> "list[Field[Any]]":
    """Sort the settings: first positional, then the estimator's own, then inherited settings."""
    own = [name for each in cls.__mro__ for name in vars(each).get("__annotations__", {})]
    return sorted(fields(cls), key=lambda each: (each.kw_only, own.index(each.name)))


def _entry(setting: "Field[Any]", hint: Any, described: Mapping[str, str]) -> str:
    """One entry of a numpydoc section."""
    sentence, default = described[setting.name], setting.default
    shown = f'"{default}"' if isinstance(default, str) else repr(default)
    kind = _shown(hint) + ("" if default is MISSING else f", default {shown}")
    lines = textwrap.wrap(sentence, 88, break_long_words=False, break_on_hyphens=False)
    return "\n    ".join((f"{setting.name} : {kind}", *lines))


def _shown(hint: Any) -> str:
    """A type as numpydoc writes it: {"shared", "per_output"}, int or None."""
    if hint == str | ArrayLike:
        return "str or array_like"
    choices = _choices(hint)
    others = [kind for kind in _kinds(hint) if get_origin(kind) is not Literal]
    shown = ["{" + ", ".join(f'"{choice}"' for choice in choices) + "}"] if choices else []
    for kind in others:
        if get_origin(kind) is tuple:
            shown.append(f"tuple of {_shown(get_args(kind)[0])}")
        elif get_origin(kind) is not None:
            shown.append("dict" if issubclass(get_origin(kind), Mapping) else "list")
        else:
            shown.append("None" if kind is type(None) else str(getattr(kind, "__name__", kind)))
    return " or ".join(shown)


def _choices(hint: Any) -> list[str]:
    """The allowed words of a setting; empty if it is not restricted to words."""
    kinds = (kind for kind in _kinds(hint) if get_origin(kind) is Literal)
    return [choice for kind in kinds for choice in get_args(kind)]
