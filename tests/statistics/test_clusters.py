"""Tests that rows streamed on two processes give the same numbers, even if a worker dies."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

from gplvm_core import BayesianGPLVM, ClusterError, RowFiles, cluster
from gplvm_core.datasets import DataError
from gplvm_core.models.problems import many_rows
from gplvm_core.prediction.added import streamed_sums
from gplvm_core.statistics import clusters
from gplvm_core.statistics.clusters import within

SETTINGS = {"n_components": 2, "n_inducing": 6, "max_iter": 6, "random_state": 0}
ROOM = "gplvm_core.statistics.clusters"


@pytest.fixture(scope="module")
def local() -> Iterator[tuple[str, Client]]:
    """Return the address of a cluster, and a client of it.

    Its workers are forked from one process that has loaded the package; this saves several seconds
    per worker.
    """
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(["distributed", "gplvm_core"])
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as found,
            Client(found.scheduler_address, set_as_default=False) as client,
        ):
            yield found.scheduler_address, client


def use(address: str, patience: float = 15.0) -> None:
    with cluster(address, patience=patience):
        pass


def rows() -> np.ndarray:
    generator = np.random.default_rng(1)
    latent = generator.normal(size=(3000, 1))
    waves = np.hstack([latent, np.sin(2.0 * latent), np.cos(latent), latent**2])
    values = waves + 0.05 * generator.normal(size=waves.shape)
    values[generator.uniform(size=3000) < 0.01, 2] = np.nan
    return values


# This test must be the first: later tests load the package in the workers.
def test_workers_without_the_package_or_with_another_are_refused(local: tuple[str, Client]) -> None:
    address, client = local
    client.run(exec, f"import sys; sys.modules['{ROOM}'] = None")
    with pytest.raises(ClusterError, match=r"worker tcp://.* cannot load gplvm_core .*: install"):
        use(address)
    client.run(exec, f"import sys; del sys.modules['{ROOM}']")
    client.run(exec, f"import {ROOM} as room; room.code = lambda: 'other'")
    with pytest.raises(ClusterError, match=r"worker tcp://.* has another version of gplvm_core"):
        use(address)
    client.run(exec, f"import {ROOM} as room, importlib; importlib.reload(room)")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_cluster_gives_the_same_numbers_though_a_worker_is_killed(
    local: tuple[str, Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gplvm_core.models.problems.many_rows.MANY", 250)
    monkeypatch.setattr("gplvm_core.readers.rows.files.ROWS_AT_ONCE", 150)
    monkeypatch.setattr("gplvm_core.prediction.added.AT_ONCE", 150)
    monkeypatch.setattr(many_rows, "SAMPLES", (30, 30, 60, 120))
    monkeypatch.setattr(many_rows, "FEW_INDUCING", 5)
    address, client = local
    np.save(tmp_path / "rows.npy", rows().astype(np.float32))
    files = RowFiles.of(tmp_path / "rows.npy")
    alone = BayesianGPLVM(**SETTINGS).fit(files)
    workers = client.run(os.getpid)
    arrived: list[str] = []
    killed = next(iter(workers.values()))

    def kill(progress: Any) -> None:
        if "streamed" in progress.message and not arrived:
            arrived.append(progress.message)
            os.kill(killed, signal.SIGKILL)

    with cluster(address) as executor:
        model = BayesianGPLVM(**SETTINGS).fit(files, callback=kill, executor=executor)
    assert arrived
    with pytest.raises(ProcessLookupError):
        os.kill(killed, 0)
    assert model.rows_.count == 3000
    for name in ("bound_", "information_"):
        np.testing.assert_allclose(getattr(model, name), getattr(alone, name), rtol=1e-12)
    for name in ("psi0", "psi1_targets", "psi2", "yy", "n_points"):
        expected = getattr(alone.statistics_, name)
        np.testing.assert_allclose(getattr(model.statistics_, name), expected, rtol=1e-12)
    # The test deletes the file after the fit, so the workers no longer find it.
    (tmp_path / "rows.npy").unlink()
    known = (model.posterior_, model._belief, model.rows_.kept)
    with (
        cluster(address) as executor,
        pytest.raises(
            DataError, match=r"worker tcp://.* same paths, reports: .*rows.npy can no longer"
        ),
    ):
        list(streamed_sums(files, *known, executor, elsewhere=True))
    with pytest.raises(ValueError, match="an executor works only on rows of files"):
        model.fit(rows(), executor=executor)


def test_a_server_that_does_not_answer_ends_in_a_timeout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clusters, "GRACE", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(
            ClusterError, match=r"is no scheduler of this version|accepts no client"
        ):
            use(address, 0.2)
    # An action that reaches its timeout is ended; otherwise its result or its error reaches the
    # caller.
    forever = threading.Event()
    with pytest.raises(ClusterError, match=r"it sleeps: no answer within 0\.05 s"):
        within(0.05, forever.wait, "it sleeps")
    forever.set()
    assert within(5.0, lambda: 3, "") == 3
    with pytest.raises(TimeoutError, match="own"):
        within(5.0, _late, "")


def _late() -> None:
    raise TimeoutError("its own")


def test_an_unreachable_or_empty_cluster_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ClusterError, match=r"no cluster answers at tcp://127.0.0.1:1 \(Connection"):
        use("tcp://127.0.0.1:1", 0.2)
    for address in (
        "nowhere",
        "http://127.0.0.1:1",
        "tcp://127.0.0.1",
        "tcp://[:1",
        "tcp://h:99999",
    ):
        with pytest.raises(ClusterError, match="no address of a cluster"):
            use(address)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(ClusterError, match=r"has no workers: start some with “dask worker"),
    ):
        use(empty.scheduler_address, 0.2)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'manifolio\[cluster\]'"):
        use("tcp://127.0.0.1:1")
