"""Parts of a sum worked on by other machines: the workers of a Dask cluster.

Tasks are pure and few: what a worker that dies was working on is done again by another, and nothing
lives only there. Dask sends functions and items as pickles, so a cluster is trusted as this program
is, and its address is never a visitor's to choose.
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
from gplvm_core.statistics.executors import Executor, Item, Outcome

# Seconds without a scheduler, or without any worker.
PATIENCE = 15.0


# And those that a client may take beyond these, to start and to be closed.
GRACE = 15.0


class ClusterError(RuntimeError):
    """A cluster that cannot be reached or used: says which part of it, and what to do."""


@contextmanager
def cluster(address: str, *, patience: float = PATIENCE) -> Iterator[Executor]:
    """An executor on the workers of the Dask cluster at an address ("tcp://host:8786").

    For `fit(RowFiles.of(…), executor=…)`: all workers must see the files under the same paths, and
    have the same gplvm_core. The numbers are those of one process. patience: seconds to wait for
    the scheduler, and for a first worker when there is none. Raises ClusterError for a cluster that
    is not there, whose workers cannot be used, or that goes away. Needs "manifolio[cluster]".
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
        client = within(limit, connect, f"the cluster at {address} lets nobody in")
    except OSError as error:
        raise ClusterError(
            f"what answers at {address} is no scheduler of this version of Dask: {error}"
        ) from error
    with client:
        silent = f"the cluster at {address}, or one of its workers, does not answer"
        within(limit, lambda: _check_workers(client, address, patience), silent)
        yield functools.partial(_spread, client, patience)


def within(seconds: float, act: Callable[[], Outcome], what: str) -> Outcome:
    """What an act gives, or ClusterError after so many seconds, whatever it waits for.

    Dask's own limits are on parts of what it does: its client waits for ever for who takes a call
    and says nothing. It is left behind in a thread of its own.
    """
    answer = Future[Outcome]()

    def run() -> None:
        try:
            answer.set_result(act())
        except BaseException as error:  # it is raised again where it is waited for
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        if answer.done():
            raise  # the act's own
        raise ClusterError(f"{what}: nothing came within {seconds:g} s. Try again") from None


def _find(address: str, patience: float) -> None:
    """Wait until somebody answers: a client of Dask that finds nobody leaves threads behind."""
    try:
        found = urlsplit(address)
        scheme, host, port = found.scheme, found.hostname, found.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in ("tcp", "tls") or not host or not port:
        raise ClusterError(f"{address!r} is no address of a cluster, as “tcp://10.0.0.1:8786” is")
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
    """There are some, and they run the code that runs here."""
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
    except Exception as error:  # whatever it stumbled over
        everywhere["scheduler"] = error
    for name, there in everywhere.items():
        who = "the scheduler" if name == "scheduler" else f"the worker {name}"
        if isinstance(there, Exception):
            raise ClusterError(
                f"{who} cannot load gplvm_core as it is here ({there}): install manifolio there, "
                "in the same version"
            ) from there
        if there != here:
            raise ClusterError(
                f"{who} has another version of gplvm_core than this program: install the same one, "
                "or the numbers could differ"
            )


@functools.cache
def code() -> str:
    """A digest of all source files of the package, as this process has them."""
    home, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _spread(
    client: Any, patience: float, function: Callable[[Item], Outcome], items: Iterable[Item]
) -> Iterator[Outcome]:
    """The executor: outcomes in items' order, as they arrive."""
    # The function travels once. As a task's outcome, not as scattered data: those die with the
    # worker that has them, a task is done again.
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
            f"the worker {get_worker().address}, which must see the same files under the same "
            f"paths, says: {error}"
        ) from error


def _outcome(client: Any, patience: float, task: Any) -> Any:
    from distributed import KilledWorker

    while True:
        try:
            return task.result(timeout=patience)
        except TimeoutError:
            if task.done():
                raise  # the function's own
            # A part may take its time, as long as somebody works.
            if not client.scheduler_info()["workers"]:
                raise ClusterError(
                    f"the cluster has had no workers for {patience:g} s: start some, and try again"
                ) from None
        except KilledWorker as error:
            raise ClusterError(
                "the same part of the rows ended one worker after the other: do they have enough "
                "memory? Their logs say more"
            ) from error
        except CancelledError as error:
            raise ClusterError("the cluster's scheduler went away while it was used") from error
