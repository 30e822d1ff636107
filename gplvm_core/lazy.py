"""Names and rooms of a package that are imported when they are first used."""

import importlib
import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import lazy_loader

# One thread at a time: some packages import themselves in a circle, and another thread would meet
# them half imported.
_LOCK = threading.RLock()


def attached(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return __getattr__, __dir__ and __all__ of a package; the stub beside its file has the names.

    Modules and packages inside it are attributes, too. Raises AttributeError for other names.
    """
    known, listed, names = lazy_loader.attach_stub(package, file)

    def find(name: str) -> Any:
        inside = f"{package}.{name}"
        with _LOCK:
            if name in names:
                return known(name)
            if not name.startswith("_") and find_spec(inside) is not None:
                return importlib.import_module(inside)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, listed, names
