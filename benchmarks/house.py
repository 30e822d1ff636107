"""The weight of the code: lines of code by room, and the classes of the estimators.

`python -m benchmarks.house` prints the table; `--check` compares it with `[tool.house]` in
pyproject.toml, which has the most lines that a room may have. Docstrings, comments and blank lines
do not count.
"""

import inspect
import re
import sys
import tokenize
import tomllib
from collections import Counter
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
FOLDERS = ("gplvm_core", "pages", "assets", "tests", "benchmarks")
SLACK = 0.02  # a limit that is higher than this above its room has to be lowered


def weights() -> tuple[Counter[str], dict[Path, int]]:
    """Return the lines of code of each room, and of each module of the core."""
    rooms: Counter[str] = Counter()
    modules = {}
    for path in (each for folder in FOLDERS for each in (ROOT / folder).rglob("*.*")):
        if path.suffix not in (".py", ".pyi", ".js") or "node_modules" in path.parts:
            continue
        at = path.relative_to(ROOT).parts
        count = _script(path) if path.suffix == ".js" else _python(path)
        inside = at[0] in ("gplvm_core", "assets") and len(at) > 2
        rooms["/".join(at[: 2 if inside else 1])] += count
        if at[0] == "gplvm_core" and path.stem != "__init__":
            modules[path] = count
    return rooms, modules


def faults(rooms: Counter[str], limits: dict[str, int]) -> list[str]:
    """Return a sentence for every room that differs from its limit."""
    found = [f"{room} has no limit in [tool.house]." for room in sorted(rooms.keys() - limits)]
    for room, most in limits.items():
        lines = rooms[room]
        if lines > most:
            found.append(
                f"{room} has {lines:,} lines of code; [tool.house] allows {most:,}. Remove "
                "code, or raise the limit and explain it in the commit's message."
            )
        elif lines < most * (1.0 - SLACK):
            found.append(f"{room} has only {lines:,} lines of code: lower its {most:,}.")
    return found


def check() -> int:
    """Print the faults; returns their number."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = faults(weights()[0], settings["tool"]["house"])
    print("\n".join(found) or "Every room is within its limit.")
    return len(found)


def main() -> None:
    """Print the table."""
    import gplvm_core
    from gplvm_core.models import estimators

    rooms, modules = weights()
    for room, lines in sorted(rooms.items()):
        print(f"{room}: {lines:,}")
    core = sum(lines for room, lines in rooms.items() if room.startswith("gplvm_core"))
    print(f"core: {core:,} lines of code in {len(modules)} modules")
    print(f"module: median {median(modules.values()):.0f}, largest {max(modules.values())}")
    depths = {
        name: _depth(kind)
        for name in gplvm_core.__all__
        if inspect.isclass(kind := getattr(gplvm_core, name))
        and kind.__module__.startswith(estimators.__name__)
    }
    deepest = max(depths, key=depths.__getitem__)
    print(f"estimators: {len(depths)}, at most {depths[deepest]} classes deep ({deepest})")


def _python(path: Path) -> int:
    """Return the number of lines with code."""
    with path.open("rb") as file:
        tokens = list(tokenize.tokenize(file.readline))
    quiet = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    quiet |= {tokenize.ENCODING, tokenize.ENDMARKER}
    found: set[int] = set()
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        alone = token.type == tokenize.STRING and before.type in quiet and after.type in quiet
        if token.type not in quiet and not alone:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found)


def _script(path: Path) -> int:
    """Return the number of lines of a script that are neither empty nor only a comment."""
    text = re.sub(r"^\s*/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith("//"))


def _depth(kind: type) -> int:
    """Return the depth of inheritance of a class, counting only the project's classes."""
    own = [_depth(base) for base in kind.__bases__ if base.__module__.startswith("gplvm_core")]
    return 1 + max(own, default=0)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(check())
    main()
