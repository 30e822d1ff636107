"""Where a user's models and jobs live."""

import os
from pathlib import Path


def workspace() -> Path:
    """The user's folder: MANIFOLIO_HOME, or .manifolio in the home folder. It need not exist yet.

    The only place that reads the variable; the models lie in its folder "library", the jobs'
    checkpoints in "jobs".
    """
    return Path(os.environ.get("MANIFOLIO_HOME") or Path.home() / ".manifolio").expanduser()
