"""Test whether the tests detect a wrong formula: `make mutants`.

The script changes constants by 3 % and flips signs, one at a time and chosen at random, in a copy
of the project. Then the tests of the room run, without those that `make test` leaves out. If all of
them pass, the mutant survives: either a test is missing, or the line does not matter, and
mutants.toml must explain why. The tests that `make test` leaves out show whether one of them
detects a survivor.

    python tests/mutants.py --count 40 --seed 0
    python tests/mutants.py --only priors/standard.py:67
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ROOT / "gplvm_core"
COPIED = ("gplvm_core", "tests", "assets/canvas", "pyproject.toml")
SECONDS = 900  # if the tests run longer than this, the mutant counts as detected

# For every room or module of a room: its tests, the fastest and most effective first.
TESTS = {
    "kernels": [
        "kernels/test_expectations.py",
        "gradients/test_kernels.py",
        "gradients/test_exact.py",
        "kernels",
    ],
    "statistics": [
        "identities/test_chain.py",
        "identities/test_identities.py",
        "identities/test_missing.py",
        "kernels/test_kept.py",
        "gradients/test_exact.py",
    ],
    "likelihoods/errors.py": ["identities/test_errors.py", "models/test_errors.py"],
    "likelihoods/column_models.py": ["comparison/test_gap_fillers.py", "models/test_kinds.py"],
    "likelihoods": ["likelihoods", "models/test_kinds.py", "models/test_exposures.py"],
    "bounds/mixed.py": ["identities/test_mixed.py", "models/test_kinds.py"],
    "bounds/profiled_known.py": ["identities/test_mixed.py"],
    "prediction/columns.py": [
        "canvas/test_table_numbers.py",
        "models/test_kinds.py",
        "models/test_kinds_of_views.py",
    ],
    "bounds": ["gradients/test_bounds.py", "identities/test_identities.py"],
    "models/families": ["families/test_gradients.py", "families/test_identities.py"],
    "kernels/tilted.py": ["gradients/test_slope.py"],
    "statistics/linear_mean.py": ["gradients/test_slope.py"],
    "prediction/row_bound.py": [
        "gradients/test_slope.py",
        "prediction/test_inference.py",
        "models/test_deep_own_spaces.py",
        "models/test_deep_connections.py",
        "models/test_deep.py",
    ],
    "bounds/profiled.py": ["gradients/test_bounds.py", "identities/test_views.py"],
    "bounds/per_output.py": ["gradients/test_bounds.py", "identities/test_per_output.py"],
    "bounds/profiled_per_output.py": ["gradients/test_bounds.py", "identities/test_per_output.py"],
    "prediction/variances.py": ["identities/test_per_output.py", "prediction"],
    "bounds/linear_gaussian.py": ["models/test_linear.py"],
    "prediction/linear_gaussian.py": ["models/test_linear.py"],
    "priors": ["gradients/test_priors.py", "models/test_semi_described.py"],
    "priors/encoder.py": ["gradients/test_encoder.py"],
    "priors/natural.py": ["identities/test_natural.py", "identities/test_kalman.py"],
    "priors/temporal.py": ["gradients/test_temporal.py", "identities/test_temporal.py"],
    "priors/kalman.py": ["identities/test_kalman.py"],
    "priors/state_space.py": ["identities/test_kalman.py"],
    "prediction": ["prediction", "identities/test_missing.py", "models/test_conventions.py"],
    "prediction/paths.py": ["prediction", "models/test_dynamics.py"],
    "prediction/density.py": ["prediction", "models/test_given_positions.py"],
    "prediction/derivation.py": ["models/test_fit_density.py"],
    "prediction/sharpness.py": ["models/test_kinds.py"],
    "prediction/hidden_values.py": ["models/test_kinds.py"],
    "prediction/chained.py": ["comparison/test_gap_fillers.py", "models/test_kinds.py"],
    "prediction/states.py": ["models/test_state_space.py"],
    "prediction/forecast.py": ["models/test_autoregressive.py"],
    "prediction/sequence.py": ["models/test_dynamics.py", "models/test_deep_structures.py"],
    "prediction/transfer.py": ["models/test_views.py", "models/test_kinds_of_views.py"],
    "prediction/generate.py": ["models/test_views.py"],
    "prediction/impute.py": ["prediction/test_inference.py", "models/test_semi_described.py"],
    "prediction/project.py": ["prediction/test_inference.py", "prediction", "models/test_views.py"],
}
ROOMS = sorted({name for name in TESTS if "/" not in name} | {"models/families"})

# Numbers in calls of these functions are positions, sizes and settings, not parts of a formula.
PLACES = {"range", "reshape", "zeros", "ones", "empty", "full", "eye", "arange", "swapaxes"}
SETTINGS = {"axis", "axes", "keepdims", "optimize", "start", "size"}
# Smaller and larger numbers are tolerances or guards.
SMALLEST, LARGEST = 1e-3, 1e3


@dataclass(frozen=True)
class Mutant:
    """A range of a file and its replacement (columns count bytes, as in ast)."""

    file: Path
    row: int  # counted from 0
    begin: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.name}:{self.row + 1}: {self.old} → {self.new} in `{self.line}`"

    @property
    def name(self) -> str:
        return self.file.relative_to(CORE).as_posix()

    @property
    def line(self) -> str:
        return self.file.read_text(encoding="utf-8").splitlines()[self.row].strip()

    @property
    def text(self) -> bytes:
        lines = self.file.read_bytes().splitlines(keepends=True)
        line = lines[self.row]
        lines[self.row] = line[: self.begin] + self.new.encode() + line[self.end :]
        return b"".join(lines)

    @property
    def tests(self) -> list[str]:
        path = Path(self.name)
        chosen = next(TESTS[p.as_posix()] for p in (path, *path.parents) if p.as_posix() in TESTS)
        return [f"tests/{test}" for test in chosen]


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Return every mutant of a file."""
    lines = file.read_bytes().splitlines()

    def between(left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[Mutant]:
        for row in range(left.end_lineno - 1, right.lineno):
            begin = left.end_col_offset if row == left.end_lineno - 1 else 0
            end = right.col_offset if row == right.lineno - 1 else len(lines[row])
            at = lines[row].find(old.encode(), begin, end)
            if at >= 0:
                yield Mutant(file, row, at, at + 1, old, new)
                return

    def walk(node: ast.AST, operand: bool) -> Iterator[Mutant]:
        match node:
            case ast.Constant(value=value) if type(value) is float or (
                operand and type(value) is int
            ):
                if SMALLEST <= abs(value) <= LARGEST:
                    begin, end = node.col_offset, node.end_col_offset
                    old = lines[node.lineno - 1][begin:end].decode()
                    yield Mutant(file, node.lineno - 1, begin, end, old, f"{value * 1.03:.6g}")
            case (
                ast.BinOp(left=left, right=right, op=ast.Add() | ast.Sub() as op)
                | ast.AugAssign(target=left, value=right, op=ast.Add() | ast.Sub() as op)
            ) if not isinstance(left, ast.List | ast.Tuple | ast.JoinedStr):
                yield from between(left, right, *("+-" if isinstance(op, ast.Add) else "-+"))
            case ast.UnaryOp(op=ast.USub(), operand=inner) if not isinstance(inner, ast.Constant):
                yield Mutant(file, node.lineno - 1, node.col_offset, node.col_offset + 1, "-", "+")
        for child in _formulas_in(node):
            yield from walk(child, isinstance(node, ast.BinOp))

    yield from walk(ast.parse(file.read_bytes()), operand=False)


def _formulas_in(node: ast.AST) -> Iterator[ast.AST]:
    """Return the parts of a node that can contain formulas: no indices, sizes, annotations or
    messages.
    """
    match node:
        case ast.Subscript(value=value):
            yield value
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in PLACES:
            yield node.func
        case ast.keyword(arg=name) if name in SETTINGS:
            return
        case ast.Raise() | ast.JoinedStr() | ast.arguments() | ast.AnnAssign(value=None):
            return
        case ast.AnnAssign(value=value):
            yield value
        case ast.FunctionDef(body=body):
            yield from body
        case _:
            yield from ast.iter_child_nodes(node)


def notice(folder: Path, tests: list[str], which: str = "not slow") -> bool:
    """Return whether a test fails in the folder's copy of the project."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += ["-m", which, *tests]
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    try:
        run = subprocess.run(
            command, cwd=folder, env=os.environ | threads, capture_output=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return True
    # exit codes: all tests passed, some failed, the core could not be imported, or no test is slow
    if run.returncode not in (0, 1, 2, 5):
        raise SystemExit(run.stdout.decode() + run.stderr.decode())
    return run.returncode in (1, 2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40, help="how many changes to try")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--only", default="", help="only these: room, room/file.py[:line]")
    arguments = parser.parse_args()
    if hasattr(os, "nice"):
        os.nice(10)
    name, _, row = arguments.only.partition(":")
    files = [file for room in ROOMS for file in sorted((CORE / room).rglob("*.py"))]
    every = [mutant for file in files for mutant in mutants_of(file)]
    every = [m for m in every if m.name.startswith(name) and row in ("", str(m.row + 1))]
    chosen = random.Random(arguments.seed).sample(every, min(arguments.count, len(every)))
    notes = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8"))
    explained = {(note["file"], note["line"]) for note in notes["indifferent"]}
    print(f"{len(chosen)} of {len(every)} changes", flush=True)
    survivors = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for part in COPIED:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        if notice(folder, sorted({test for mutant in chosen for test in mutant.tests})):
            raise SystemExit("The tests fail without any change: fix them first.")
        for mutant in chosen:
            place = folder / mutant.file.relative_to(ROOT)
            place.write_bytes(mutant.text)
            if notice(folder, mutant.tests):
                verdict = "caught  "
            elif (mutant.name, mutant.line) in explained:
                verdict = "harmless"
            else:
                survivors += 1
                long = notice(folder, mutant.tests, "slow")
                verdict = "TEST-ALL" if long else "SURVIVED"
            print(f"{verdict} {mutant}", flush=True)
            shutil.copy(mutant.file, place)
    print(f"{survivors} survived the tests of make test without an explanation")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
