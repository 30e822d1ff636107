"""Where a user's models and jobs live."""

import os
from pathlib import Path


def workspace() -> Path:
    """The user's folder: MANIFOLIO_HOME, or .manifolio in the home folder. It need not exist yet.

    The only place that reads the variable; the models lie in its folder "library", the jobs'
    checkpoints in "jobs".
    """
    return Path(os.environ.get("MANIFOLIO_HOME") or Path.home() / ".manifolio").expanduser()


def workspace_problem() -> str | None:
    """Why nothing can be kept in the user's folder, and what to do; None if all is well.

    A folder that does not exist yet is judged by the one that it would be made in.
    """
    home = workspace()
    for folder in (home, home / "library", home / "jobs"):
        try:
            place = next(path for path in (folder, *folder.parents) if path.exists())
            usable = place.is_dir() and os.access(place, os.R_OK | os.W_OK | os.X_OK)
        except OSError:
            usable = False
        if not usable:
            return (
                f"Manifolio cannot write to its folder {folder}. Models can be looked at, but "
                "nothing can be trained, kept or added. Give yourself the right to write there, or "
                "set MANIFOLIO_HOME to a folder of yours and start again."
            )
    return None
