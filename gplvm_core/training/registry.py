"""The queue of this process for its workspace.

`_QUEUES` holds one queue per workspace folder. The variable is global, so that jobs survive when
pages are refreshed or closed.
"""

import os
import threading
from pathlib import Path

from gplvm_core.store import workspace
from gplvm_core.training.limits import Limits
from gplvm_core.training.queue import Queue

_QUEUES: dict[Path, Queue] = {}
_LOCK = threading.Lock()


def here() -> Queue:
    """Return the queue of the workspace; its first use finds interrupted jobs."""
    home = workspace()
    with _LOCK:
        if home not in _QUEUES:
            _QUEUES[home] = Queue(home, limits=Limits.from_environment(os.environ))
        return _QUEUES[home]
