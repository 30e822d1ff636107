"""Try the core and a page of the app with other Pythons, and with other versions of packages.

Makes an environment in build/versions for each Python from 3.11 on that is on the PATH or in pyenv,
and for each with the newest and with the lowest versions that requirements.txt allows; runs
`python -m tests.every` in each, two at a time; and prints what was tried as a Markdown table.

--others: only Pythons other than this one, only the newest versions, and environments that were
made for the same requirements.txt are used again (part of `make test`).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / "build" / "versions"
REQUIREMENTS = ROOT / "requirements.txt"
SHOWN = ("numpy", "scipy", "scikit-learn", "jaxtyping", "pandas", "streamlit", "plotly")
RESOLUTIONS = {"newest": "highest", "lowest": "lowest-direct"}
# A Python that cannot make environments, or a command without a Python behind it, is skipped.
ASK = "import sys, venv, ensurepip; print(*sys.version_info[:3], sep='.')"


@dataclass(frozen=True)
class Trial:
    python: str  # the full version, such as 3.13.0
    executable: Path
    versions: str  # a key of RESOLUTIONS

    @property
    def folder(self) -> Path:
        return ENVIRONMENTS / f"{self.python}-{self.versions}"


def pythons() -> dict[str, Path]:
    """Return the first working Python of every minor version from 3.11 on, by its full version."""
    folders = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each]
    root = os.environ.get("PYENV_ROOT")
    folders += (Path(root) if root else Path.home() / ".pyenv").glob("versions/*/bin")
    found: dict[int, tuple[str, Path]] = {}
    for executable in (file for folder in folders for file in sorted(folder.glob("python3.*"))):
        minor = re.fullmatch(r"python3\.(\d+)", executable.name)
        if minor and int(minor[1]) >= 11 and int(minor[1]) not in found:
            answer = _run([executable, "-c", ASK], check=False)
            if answer.returncode == 0:
                found[int(minor[1])] = (answer.stdout.strip(), executable)
    return dict(found[minor] for minor in sorted(found))


def attempt(trial: Trial, *, keep: bool) -> tuple[Trial, str, str]:
    """Make the environment, and run the trial: its versions, and the error ("" for success)."""
    stamp = trial.folder / "requirements.txt"
    python = trial.folder / "bin" / "python"
    try:
        if not (keep and stamp.exists() and stamp.read_text() == REQUIREMENTS.read_text()):
            _uv("venv", "--clear", "--python", trial.executable, trial.folder)
            resolution = f"--resolution={RESOLUTIONS[trial.versions]}"
            # Building a package takes minutes and compilers, so only wheels are tried.
            options = ["--python", python, resolution, "--only-binary=:all:"]
            _uv("pip", "install", *options, "-r", REQUIREMENTS)
            stamp.write_text(REQUIREMENTS.read_text())
        listed = _uv("pip", "list", "--python", python, "--format=json")
        versions = {each["name"]: each["version"] for each in json.loads(listed)}
        began = time.monotonic()
        _run([python, "-m", "tests.every"])
    except subprocess.CalledProcessError as error:
        return trial, "", f"{error.stdout}\n{error.stderr}".strip()
    shown = " | ".join(versions[name] for name in SHOWN)
    return trial, f"{shown} | {time.monotonic() - began:.0f} s", ""


def _uv(*arguments: str | Path) -> str:
    return _run([sys.executable, "-m", "uv", *arguments]).stdout


def _run(command: list[str | Path], *, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, check=check, capture_output=True, text=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--others", action="store_true")
    others = parser.parse_args().others
    own = ".".join(map(str, sys.version_info[:2]))
    trials = [
        Trial(version, executable, versions)
        for version, executable in pythons().items()
        for versions in RESOLUTIONS
        if not others or (versions == "newest" and not version.startswith(f"{own}."))
    ]
    print("| Python | versions |", " | ".join(SHOWN), "| wall time |")
    print("|---" * (len(SHOWN) + 3) + "|", flush=True)
    failed = False
    with ThreadPoolExecutor(2) as pool:
        for trial, result, error in pool.map(lambda each: attempt(each, keep=others), trials):
            failed |= bool(error)
            shown = result or " | ".join(["failed"] * (len(SHOWN) + 1))
            print(f"| {trial.python} | {trial.versions} | {shown} |", flush=True)
            print(error, file=sys.stderr, end="\n" if error else "", flush=True)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
