"""Dask as an engine: a scheduler that is there, or a cluster of this machine's own."""

import asyncio
import logging
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metamorph.errors import UserError
from metamorph.runs.processes import WorkerDiedError, WorkersLostError, uninterrupted

if TYPE_CHECKING:
    from distributed import Client

_WAIT = 60.0
"""Seconds to wait for a scheduler, and for its first worker."""

_FRESH = 5.0
"""Seconds for which the number of workers is believed."""

_PRIVATE = "127.0.0.1:0"
"""Any free port, for this machine alone."""

_AGAIN = 1.0
"""Seconds between two words to the workers that the run is halted."""

_OWN = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
}
"""A cluster of our own: one dead worker of a task is an accident; nobody looks at figures.

Nor does memory go back to the system between files: to take it again, page by page, costs a sixth
of a worker's time. Fifty ticks a second cost each worker, and the parent for each, a hundredth.
"""


@dataclass(slots=True)
class _Cluster:
    client: "Client"
    executor: Executor
    deaths: tuple[type[BaseException], ...]
    stop: Callable[[], None]
    over: threading.Event = field(default_factory=threading.Event)
    count: int = 0
    counted: float = field(default=float("-inf"))

    def workers(self) -> int:
        """The threads of all workers: each does one task at a time. They may come and go."""
        if time.monotonic() - self.counted > _FRESH:
            self.count = max(1, sum(self.client.nthreads().values()))
            self.counted = time.monotonic()
        return self.count

    def halt(self, futures: "list[Future[Any]]") -> None:
        """Each worker is told: only there is it known which tasks have begun.

        By a thread, as a worker may be long in answering.
        """
        threading.Thread(target=self._halt, args=(futures,), daemon=True).start()

    def _halt(self, futures: "list[Future[Any]]") -> None:
        """Tell them again and again, as they come and go; with none left, nothing will begin."""
        while not self.over.is_set():
            with suppress(Exception, asyncio.CancelledError):
                self.client.run(self.stop, on_error="ignore")
                if not self.client.nthreads():
                    for future in futures:
                        future.cancel()
            self.over.wait(_AGAIN)


@contextmanager
def joined(workers: int, scheduler: str, stop: Callable[[], None]) -> Iterator[_Cluster]:
    """Dask's workers at that scheduler, or so many of a cluster that ends with the run.

    stop: what a worker does to begin no more tasks. Raises UserError where there is none, and
    WorkersLostError where the scheduler is found gone meanwhile.
    """
    try:
        import distributed
        from distributed.comm.core import CommClosedError
    except ImportError as error:
        raise UserError(
            "--engine dask: not installed; pip install 'metamorph-java[cluster]'"
        ) from error
    _hush()
    warnings.filterwarnings("ignore", message="Sending large graph")
    with _client(workers, scheduler) as client:
        try:
            client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError as error:
            raise UserError(f"--scheduler {scheduler}: has no workers; start some") from error
        executor = client.get_executor(pure=False)
        deaths = (distributed.scheduler.KilledWorker, WorkerDiedError)
        cluster = _Cluster(client, executor, deaths, stop)
        try:
            yield cluster
        except Exception as error:
            if client.status == "running" and not isinstance(error, CommClosedError):
                raise
            raise WorkersLostError("the scheduler is gone") from error
        finally:
            cluster.over.set()


def _hush() -> None:
    """What Dask tells of workers that come and go is told by the run where it matters."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def _client(workers: int, scheduler: str) -> Iterator["Client"]:
    import dask
    from distributed import Client, LocalCluster

    if scheduler:
        is_file = scheduler.endswith(".json")
        if is_file and not os.path.exists(scheduler):
            raise UserError(
                f"--scheduler {scheduler}: no such file; start a scheduler that writes it"
            )
        at = {"scheduler_file" if is_file else "address": scheduler}
        try:
            client = Client(**at, timeout=_WAIT, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise UserError(f"--scheduler {scheduler}: no answer from there ({error})") from error
        with closed(client):
            yield client
        return
    with dask.config.set(_OWN), uninterrupted():
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=_PRIVATE,
            worker_dashboard_address=_PRIVATE,
            silence_logs=logging.CRITICAL,
        )
    with cluster, closed(Client(cluster, set_as_default=False)) as client:
        yield client


@contextmanager
def closed(client: "Client") -> Iterator["Client"]:
    """The client, closed without waiting for a scheduler that is gone."""
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=2)
