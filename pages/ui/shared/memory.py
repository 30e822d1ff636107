"""Answers stored across restarts, such as which column of a table was the label."""

import hashlib
import json
from typing import Any

from gplvm_core.store import StoreError, workspace
from gplvm_core.store.atomic import write_atomically
from gplvm_core.store.private import private_folder

MOST_REMEMBERED = 200


def fingerprint(words: tuple[str, ...]) -> str:
    """A hash of a table's columns, under which its answers are stored."""
    return hashlib.sha256("\x1f".join(words).encode()).hexdigest()[:16]


def recall(mark: str) -> dict[str, Any]:
    """The answers stored under a fingerprint; {} without any, or if the file is damaged."""
    answers = everything().get(mark)
    return answers if isinstance(answers, dict) else {}


def remember(mark: str, answers: dict[str, Any]) -> None:
    """Store the answers; if the workspace cannot be written, the app will ask again."""
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


def everything() -> dict[str, Any]:
    try:
        kept = json.loads((workspace() / "answers.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
