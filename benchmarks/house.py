"""The size of the code: lines by package, modules, and the classes of the estimators.

`python -m benchmarks.house` prints the table of the section "house" in benchmarks/README.md.
"""

import ast
import inspect
import tokenize
from collections import Counter
from pathlib import Path
from statistics import median

import gplvm_core
from gplvm_core.models import estimators

ROOT = Path(__file__).parents[1]


def lines(folder: str, ending: str = "py") -> dict[Path, int]:
    """Return the number of lines of each file below a folder."""
    files = (ROOT / folder).rglob(f"*.{ending}")
    return {
        path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines())
        for path in files
        if "node_modules" not in path.parts
    }


def main() -> None:
    core = lines("gplvm_core")
    packages: Counter[str] = Counter()
    for path, count in core.items():
        packages[path.parts[1] if len(path.parts) > 2 else "gplvm_core"] += count
    modules = [count for path, count in core.items() if path.name != "__init__.py"]
    print(f"core: {sum(core.values()):,} lines, {len(modules)} modules")
    code = sum(_code(ROOT / path) for path in core)
    print(f"core without docstrings, comments and blank lines: {code:,} lines")
    print(f"module: median {median(modules):.0f} lines, largest {max(modules)}")
    for folder, ending in (("pages", "py"), ("assets/canvas", "js"), ("tests", "py")):
        print(f"{folder}: {sum(lines(folder, ending).values()):,} lines")
    kinds = [
        kind
        for name in gplvm_core.__all__
        if inspect.isclass(kind := getattr(gplvm_core, name))
        and kind.__module__.startswith(estimators.__name__)
    ]
    depths = {kind.__name__: _depth(kind) for kind in kinds}
    deepest = max(depths, key=depths.__getitem__)
    print(f"estimators: {len(kinds)}, at most {depths[deepest]} classes deep ({deepest})")
    written = [
        node.end_lineno - node.lineno + 1
        for path in (ROOT / "gplvm_core/models/estimators").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name == "__init__" and node.end_lineno
    ]
    print(f"constructors written by hand: {len(written)}, {sum(written)} lines")
    for name, count in packages.most_common():
        print(f"  {name}: {count:,}")


def _code(path: Path) -> int:
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


def _depth(kind: type) -> int:
    """Return the depth of inheritance of a class, counting only the project's classes."""
    own = [_depth(base) for base in kind.__bases__ if base.__module__.startswith("gplvm_core")]
    return 1 + max(own, default=0)


if __name__ == "__main__":
    main()
