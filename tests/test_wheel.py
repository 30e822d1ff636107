"""Tests that the installed package works without the checkout: the data, the command, the app."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import NewSession
from websockets.sync.client import connect

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PACKED = ("pyproject.toml", "README.md", "LICENSE", "app.py")
FOLDERS = ("gplvm_core", "pages", "assets", ".streamlit")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy, because setuptools writes into the folder that it packs."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for name in PACKED:
        (source / name).write_bytes((ROOT / name).read_bytes())
    for name in FOLDERS:
        copytree(ROOT / name, source / name, ignore=ignore_patterns("__pycache__"))
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", built, source, cwd=built)
    return next(built.glob("*.whl"))


@dataclass(frozen=True)
class Installed:
    """A new environment with the wheel, outside the checkout."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def packages(self) -> Path:
        return next(self.folder.glob("[Ll]ib/**/site-packages"))

    def python(self, code: str) -> str:
        return run(self.programs / "python", "-c", code, cwd=self.folder)


@pytest.fixture(scope="module")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return an environment with only the wheel, without NumPy."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder, with_pip=False)
    there = Installed(folder)
    options = ("--quiet", "--no-deps", "--no-index", "--no-compile")
    run(sys.executable, "-m", "pip", "--python", there.programs / "python", "install",
        *options, wheel, cwd=folder)  # fmt: skip
    return there


@pytest.fixture
def complete(alone: Installed) -> Iterator[Installed]:
    """Add the dependencies of the wheel from the environment of the tests."""
    here = Path(pytest.__file__).parents[1]
    # A .pth file adds the folder to the path, but not the editable installations in the folder.
    link = alone.packages / "lent.pth"
    link.write_text(f"{here}\n")
    yield alone
    link.unlink()


def outside() -> dict[str, str]:
    """Return the environment variables except those that point to the checkout or limit threads."""
    told = ("PYTHONPATH", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    return {name: value for name, value in os.environ.items() if name not in told}


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=outside() | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_and_every_model_of_the_checkout_is_in_the_wheel(wheel):
    packed = set(zipfile.ZipFile(wheel).namelist())
    core = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("gplvm_core/**/*.py")}
    scripts = {
        f"gplvm_core/offline/{path.relative_to(ROOT / 'assets').as_posix()}"
        for path in ROOT.glob("assets/canvas/**/*.*")
    }
    app = [*ROOT.glob("pages/**/*.py"), ROOT / "app.py"]
    models = ROOT.glob("assets/models/*/*.*")
    app += [*ROOT.glob("assets/depth/*.bin"), ROOT / "assets/style.css"]
    app += [path for path in models if path.suffix != ".pyc"]  # training writes bytecode
    moved = {f"manifolio/{path.relative_to(ROOT).as_posix()}" for path in app}
    assert core | scripts | moved <= packed
    assert {name.split("/")[0].split("-")[0] for name in packed} == {"gplvm_core", "manifolio"}
    left_out = {"tests", "benchmarks"}
    assert not [name for name in packed if left_out & set(name.split("/")[:-1])]


def test_the_command_names_missing_packages(alone):
    done = subprocess.run(
        [alone.programs / "manifolio"], cwd=alone.folder, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert all(name in done.stderr for name in ("needs streamlit", "plotly", "pillow"))
    assert "pip install 'manifolio[app]'" in done.stderr


def test_every_data_set_that_is_listed_loads_without_the_checkout(complete):
    told = complete.python(
        "import gplvm_core as g\n"
        "for name in g.list_datasets(): print(name, g.load_dataset(name).targets.shape)\n"
        "print(g.__file__)"
    ).splitlines()
    assert {"people", "heads", "poses", "talking_head", "lit_pairs", "silhouettes"} <= {
        line.split()[0] for line in told
    }
    assert Path(told[-1]).is_relative_to(complete.folder)


def test_the_offline_file_finds_its_scripts_without_the_checkout(complete):
    told = complete.python(
        "import numpy as np, gplvm_core as g\n"
        "Y = np.sin(np.outer(np.arange(20.0), [0.1, 0.2, 0.3]))\n"
        "data = g.Dataset('waves', 'Waves', Y, g.Drawing('curve', (3,)))\n"
        "page = g.explorer(g.ProbabilisticPCA(n_components=2).fit(Y), data)\n"
        "page.save('map.html')\n"
        "print(open('map.html', encoding='utf-8').read() == page.html)"
    )
    assert told.split() == ["True"]


def test_the_command_takes_a_file_and_leaves_blas_one_thread(complete, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    told = complete.python(
        "import os, sys, contextlib\n"
        "from manifolio.pages.ui.command import main\n"
        f"sys.argv = ['manifolio', {str(tmp_path / 'rows.csv')!r}, '--help']\n"
        "with contextlib.suppress(SystemExit): main()\n"
        "import numpy, threadpoolctl\n"
        "assert os.environ['MANIFOLIO_OPEN'].endswith('rows.csv')\n"
        "print({pool['num_threads'] for pool in threadpoolctl.threadpool_info()})"
    )
    assert told.splitlines()[-1] == "{1}"


def test_the_command_opens_the_app(complete, tmp_path):
    """The first page runs completely from another folder, with the app's settings."""
    port = free_port()
    # This folder has the pages of another program, which the command must not open.
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "__init__.py").write_text("raise ImportError('the wrong pages')")
    process = subprocess.Popen(
        [complete.programs / "manifolio", f"--server.port={port}", "--server.headless=true"],
        cwd=tmp_path,
        env=outside() | {"MANIFOLIO_HOME": str(tmp_path / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        await_health(process, port)
        began, shown = first_run(port)
    finally:
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=60)
    assert began.config.gather_usage_stats is False
    assert began.custom_theme.chart_categorical_colors[0] == "#0072B2"
    assert f"http://127.0.0.1:{port}" in said
    assert all(word in shown for word in ("Gallery", "Handwritten digits", "Your own data")), shown


def test_the_container_has_the_wheels_files_and_answers_its_health_check(complete, tmp_path):
    """Run the last lines of the Dockerfile as its user would, but without the container."""
    left_in = {line[1:].split("/")[0] for line in lines_of(".dockerignore") if line[0] == "!"}
    assert left_in == {*PACKED, *FOLDERS, "requirements.lock"}
    port = str(free_port())
    orders = dict(line.split(" ", 1) for line in lines_of("Dockerfile"))
    (home, moved, _), start = orders["ENV"].split(), json.loads(orders["CMD"].replace("8501", port))
    assert (home, moved) == ("HOME=/data", "MANIFOLIO_HOME=/data") and orders["VOLUME"] == "/data"
    check = json.loads(orders["HEALTHCHECK"].partition("CMD ")[2].replace("8501", port))
    healthy = [complete.programs / check[0], *check[1:]]
    assert subprocess.run(healthy, stderr=subprocess.DEVNULL).returncode == 1  # it does not run yet
    data = tmp_path / "data"
    process = subprocess.Popen(
        [complete.programs / start[0], *start[1:]],
        cwd=tmp_path,
        env=outside() | {"HOME": str(data), "MANIFOLIO_HOME": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        told = next(line for line in process.stdout if "token=" in line).strip()
        end = time.monotonic() + 60
        while subprocess.run(healthy, stderr=subprocess.DEVNULL).returncode:
            assert time.monotonic() < end
        assert urllib.request.urlopen(told, timeout=60).status == 200
        with pytest.raises(urllib.error.HTTPError, match="403"):  # without the token
            urllib.request.urlopen(told.partition("?")[0], timeout=60)
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def lines_of(name: str) -> list[str]:
    """Return the lines of a file of the checkout that are orders."""
    lines = (ROOT / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_health(process: subprocess.Popen[str], port: int) -> None:
    end = time.monotonic() + 180
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/_stcore/health", timeout=5
            ) as answer:
                assert answer.read() == b"ok"
                return
        except OSError:
            time.sleep(0.1)
    process.kill()
    pytest.fail(f"The app did not start:\n{process.communicate()[0]}")


def first_run(port: int) -> tuple[NewSession, str]:
    """Return two parts of the messages to a browser: the start of the session, and the first page's
    texts.
    """
    began, shown = NewSession(), []
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    own = f"http://127.0.0.1:{port}"
    with connect(address, origin=own, subprotocols=["streamlit"], max_size=None) as browser:
        message = BackMsg()
        message.rerun_script.query_string = ""
        browser.send(message.SerializeToString())
        while True:
            told = ForwardMsg.FromString(browser.recv(timeout=180))
            kind = told.WhichOneof("type")
            if kind == "new_session":
                began = told.new_session
            elif kind == "delta":
                shown.append(str(told.delta.new_element))
            elif kind == "script_finished":
                assert told.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY, shown
                return began, "\n".join(shown)
