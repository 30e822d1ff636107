"""Compute parts of a sum on the workers of a Dask cluster.

Tasks have no side effects: if a worker dies, another worker repeats its tasks, and no result is
lost. Dask sends functions and items as pickles. Anyone who controls the cluster can therefore run
code in this program, so a visitor of the app must never choose the address.
"""

import functools
import hashlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gplvm_core.readers import DataError
from gplvm_core.statistics.reduce import Executor, Item, Outcome

# Seconds to wait for the scheduler, or for a first worker.
PATIENCE = 15.0
# Additional seconds for a client to start and to close.
GRACE = 15.0


class ClusterError(RuntimeError):
    """A cluster cannot be reached or used; the message names the cause and a remedy."""


@contextmanager
def cluster(address: str, *, patience: float = PATIENCE) -> Iterator[Executor]:
    """Yield an executor on the workers of the Dask cluster at an address ("tcp://host:8786").

    Pass the executor to `fit(RowFiles.of(…), executor=…)`. All workers need the same version of
    gplvm_core, and the files under the same paths. Results equal the results of one process.
    patience: seconds to wait for the scheduler, and for a first worker if there is none. Raises
    ClusterError if the cluster cannot be reached, its workers cannot be used, or it shuts down.
    Needs "manifolio[cluster]".

    Examples
    --------
    >>> from gplvm_core import BayesianGPLVM, RowFiles, cluster
    >>> with cluster("tcp://10.0.0.1:8786") as executor:  # doctest: +SKIP
    ...     model = BayesianGPLVM(n_components=8).fit(RowFiles.of("/data/rows"), executor=executor)

    At an address without a cluster:

    >>> with cluster("tcp://127.0.0.1:9", patience=0.1):  # doctest: +IGNORE_EXCEPTION_DETAIL
    ...     pass
    Traceback (most recent call last):
        ...
    ClusterError: no cluster answers at tcp://127.0.0.1:9
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(
            "a cluster needs the package distributed: pip install 'manifolio[cluster]'"
        ) from error
    _find(address, patience)
    limit = patience + GRACE

    def connect() -> Any:
        return Client(address, timeout=patience, set_as_default=False)

    try:
        client = within(limit, connect, f"the cluster at {address} accepts no client")
    except OSError as error:
        raise ClusterError(
            f"the server at {address} is no scheduler of this version of Dask: {error}"
        ) from error
    with client:
        silent = f"the cluster at {address}, or one of its workers, does not answer"
        within(limit, lambda: _check_workers(client, address, patience), silent)
        yield functools.partial(_spread, client, patience)


def within(seconds: float, act: Callable[[], Outcome], what: str) -> Outcome:
    """Return the result of `act`, or raise ClusterError after this many seconds.

    Dask's time limits are incomplete: its client waits forever if a server accepts the connection
    but does not answer. `act` runs in a separate thread; after a timeout, this thread is abandoned.
    """
    answer = Future[Outcome]()

    def run() -> None:
        try:
            answer.set_result(act())
        except BaseException as error:  # raised again by answer.result
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        if answer.done():
            raise  # a TimeoutError that `act` raised
        raise ClusterError(f"{what}: no answer within {seconds:g} s. Try again") from None


def _find(address: str, patience: float) -> None:
    """Wait until a server answers. A Dask client that finds no server never ends its threads."""
    try:
        found = urlsplit(address)
        scheme, host, port = found.scheme, found.hostname, found.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in ("tcp", "tls") or not host or not port:
        raise ClusterError(
            f"{address!r} is no address of a cluster; give one like “tcp://10.0.0.1:8786”"
        )
    until = time.monotonic() + patience
    while True:
        try:
            socket.create_connection((host, port), patience).close()
            return
        except OSError as error:
            if time.monotonic() > until:
                raise ClusterError(
                    f"no cluster answers at {address} ({error.strerror or error}): start one with "
                    "“dask scheduler” and “dask worker ADDRESS”, or check the address"
                ) from error
        time.sleep(0.1)


def _check_workers(client: Any, address: str, patience: float) -> None:
    """Raise ClusterError unless there are workers, and they run the same code as this process."""
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError as error:
        raise ClusterError(
            f"the cluster at {address} has no workers: start some with “dask worker {address}”"
        ) from error
    here = code()
    everywhere: dict[str, Any] = client.run(code, on_error="return")
    try:
        everywhere["scheduler"] = client.run_on_scheduler(code)
    except Exception as error:  # the error is reported below
        everywhere["scheduler"] = error
    for name, there in everywhere.items():
        who = "the scheduler" if name == "scheduler" else f"the worker {name}"
        if isinstance(there, Exception):
            raise ClusterError(
                f"{who} cannot load gplvm_core ({there}): install the same version of manifolio "
                "there"
            ) from there
        if there != here:
            raise ClusterError(
                f"{who} has another version of gplvm_core than this program, so results could "
                "differ: install the same version"
            )


@functools.cache
def code() -> str:
    """Return a digest of all source files of the package in this process."""
    home, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _spread(
    client: Any, patience: float, function: Callable[[Item], Outcome], items: Iterable[Item]
) -> Iterator[Outcome]:
    """Yield the outcomes in the order of the items, as they arrive."""
    # The function is sent once, as the outcome of a task. If the worker dies, Dask repeats the
    # task; scattered data would be lost.
    shared = client.submit(_same, function, pure=False)
    tasks = client.map(_work, list(items), function=shared, pure=False)
    try:
        for task in tasks:
            yield _outcome(client, patience, task)
            task.release()
    finally:
        client.cancel([shared, *tasks])


def _same(function: Item) -> Item:
    return function


def _work(item: Item, function: Callable[[Item], Outcome]) -> Outcome:
    from distributed import get_worker

    try:
        return function(item)
    except DataError as error:
        raise DataError(
            f"the worker {get_worker().address}, which needs the same files under the same "
            f"paths, reports: {error}"
        ) from error


def _outcome(client: Any, patience: float, task: Any) -> Any:
    from distributed import KilledWorker

    while True:
        try:
            return task.result(timeout=patience)
        except TimeoutError:
            if task.done():
                raise  # a TimeoutError that the function raised
            # A task has no time limit as long as there are workers.
            if not client.scheduler_info()["workers"]:
                raise ClusterError(
                    f"the cluster has had no workers for {patience:g} s: start some, and try again"
                ) from None
        except KilledWorker as error:
            raise ClusterError(
                "the same part of the rows stopped several workers: check their memory and their "
                "logs"
            ) from error
        except CancelledError as error:
            raise ClusterError("the cluster's scheduler stopped during the computation") from error
