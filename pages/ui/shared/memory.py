"""The visitor's answers to questions about a table, stored across restarts."""

import hashlib
import json
import re
from typing import Any

from gplvm_core.store import StoreError, workspace
from gplvm_core.store.atomic import private_folder, write_atomically

MOST_REMEMBERED = 200
NUMBERED = re.compile(r"column \d+( \(\d+\))?")


def fingerprint(words: tuple[str, ...]) -> str:
    """Return a hash of a table's columns; its answers are stored under this hash."""
    return hashlib.sha256("\x1f".join(words).encode()).hexdigest()[:16]


def is_real_name(name: str) -> bool:
    """Return whether a column has a name of its own, and not only its number in the file."""
    return NUMBERED.fullmatch(name) is None


def recall(mark: str) -> dict[str, Any]:
    """Return the answers under a fingerprint; {} if there are none or the file is damaged."""
    answers = everything().get(mark)
    return answers if isinstance(answers, dict) else {}


def remember(mark: str, answers: dict[str, Any]) -> None:
    """Store the answers that are about columns with real names.

    If the workspace cannot be written, the app asks again the next time.
    """
    answers = {key: each for key, each in answers.items() if _is_real(key) and _is_real(each)}
    kept = everything()
    if kept.get(mark) == answers:
        return
    kept.pop(mark, None)
    kept[mark] = answers
    newest = dict(list(kept.items())[-MOST_REMEMBERED:])
    path = workspace() / "answers.json"
    try:
        private_folder(path.parent)
        write_atomically(path, lambda file: file.write(json.dumps(newest).encode()))
    except (OSError, StoreError):
        return


def _is_real(answer: Any) -> bool:
    parts = answer if isinstance(answer, list) else [answer]
    return all(is_real_name(each) for each in parts if isinstance(each, str))


def everything() -> dict[str, Any]:
    try:
        kept = json.loads((workspace() / "answers.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
