"""The folder of a user's models and jobs."""

import os
from pathlib import Path


def workspace() -> Path:
    """Return the user's folder: MANIFOLIO_HOME, or .manifolio in the home folder.

    The folder may not exist yet. No other function reads the variable. The models are in its folder
    "library", the checkpoints of jobs in "jobs".
    """
    return Path(os.environ.get("MANIFOLIO_HOME") or Path.home() / ".manifolio").expanduser()


def workspace_problem() -> str | None:
    """Return the reason why the user's folder cannot be written to, with a remedy; None if it can.

    If the folder does not exist yet, its nearest existing parent is checked.
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
                f"Manifolio cannot write to its folder {folder}. You can look at models, but not "
                "train, save or add any. Give yourself the right to write there, or set "
                "MANIFOLIO_HOME to another folder and start again."
            )
    return None
