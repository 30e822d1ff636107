"""Check the array shapes in the core's annotations while tests run.

In each test, the first calls of every function are checked if their shapes are new to this process,
and then some later calls: training calls the same functions thousands of times with the same
shapes.

jaxtyping's own import hook wraps all functions, also those without shapes and those that are
created inside others at every call. With jaxtyping's hook, the bound of a small problem takes seven
times as long. The hook of this module wraps only functions with shapes, once, after their module
is imported.

mypy checks all other types. This module does not check them: it does not understand `Self`, and
tests that pass a wrong type on purpose must get the core's own error message.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from inspect import isclass, isfunction
from types import ModuleType
from typing import Any, get_args, get_origin

from beartype import beartype
from jaxtyping import AbstractArray, jaxtyped

# Per test, the FIRST calls of a function are checked if their shapes are new, and after them one in
# ONE_IN calls.
FIRST, ONE_IN = 10, 50

_calls: Counter[Callable[..., Any]] = Counter()
_seen: set[Any] = set()


def count_anew() -> None:
    """Reset the counts for a new test."""
    _calls.clear()


def enforce_shapes(package: str) -> None:
    """Check the modules of a package that are imported from now on in this process."""
    if package in sys.modules:
        raise RuntimeError(f"{package} is imported already: its shapes cannot be checked")
    sys.meta_path.insert(0, _Finder(package))


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a check of its arguments' and results' shapes."""
    hints = {name: _shapes_in(hint) for name, hint in function.__annotations__.items()}
    if all(hint is Any for hint in hints.values()):
        return function
    function.__annotations__ = hints
    checking: Callable[..., Any] | None = None  # made when it is first called

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        nonlocal checking
        _calls[function] = count = _calls[function] + 1
        form = None
        if count > FIRST:
            if count % ONE_IN:
                return function(*arguments, **named)
        else:
            form = function, _form(arguments), *named, _form(tuple(named.values()))
            if form in _seen:
                return function(*arguments, **named)
        checking = checking or beartype(function)
        # The length of an axis such as N must be the same only within one call.
        with jaxtyped("context"):
            found = checking(*arguments, **named)
        _seen.add(form)
        return found

    return call


def _form(value: Any) -> Any:
    """Return what annotations can say of a value: shape and dtype, or those of a tuple's parts."""
    if isinstance(value, tuple):
        return tuple(map(_form, value))
    if isinstance(shape := getattr(value, "shape", None), tuple):
        return shape, getattr(value, "dtype", None)
    return type(value)


def _shapes_in(hint: Any) -> Any:
    """Return the annotation if it has a shape, otherwise Any."""
    if not _says_a_shape(hint):
        return Any
    if get_origin(hint) is tuple:
        return tuple[tuple(part if part is ... else _shapes_in(part) for part in get_args(hint))]
    return hint


def _says_a_shape(hint: Any) -> bool:
    if isclass(hint) and issubclass(hint, AbstractArray):
        return True
    return any(_says_a_shape(part) for part in get_args(hint))


def _check_class(made: type) -> None:
    for name, member in list(vars(made).items()):
        match member:
            case classmethod() | staticmethod():
                setattr(made, name, type(member)(checked(member.__func__)))
            case property(fget=getter):
                setattr(made, name, property(checked(getter)))
            case _ if isfunction(member):
                setattr(made, name, checked(member))


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        for name, member in list(vars(module).items()):
            if getattr(member, "__module__", None) != module.__name__:
                continue
            if isclass(member):
                _check_class(member)
            elif isfunction(member):
                setattr(module, name, checked(member))


class _Finder(MetaPathFinder):
    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.package and not name.startswith(f"{self.package}."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec
