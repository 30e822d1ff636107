"""The visitor's answers to questions about a table, stored across restarts."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Self

import streamlit as st

from gplvm_core.store import StoreError, workspace
from gplvm_core.store.atomic import private_folder, write_atomically

MOST_REMEMBERED = 200


def fingerprint(words: tuple[str, ...]) -> str:
    """Return a hash of texts."""
    return hashlib.sha256("\x1f".join(words).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Memory:
    """The stored answers about one file for one task: those that differ from the proposals.

    mark: of the file's content, the task and the names of the columns; kept: the answers so far, by
    question; changed: the answers of this run.
    """

    mark: str
    kept: dict[str, Any]
    changed: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, *about: str) -> Self:
        """Return the memory of a file and task, which the words identify."""
        mark = fingerprint(about)
        return cls(mark, recall(mark))

    @property
    def key(self) -> str:
        """Part of the keys of the questions' widgets; new after `forget`."""
        return f"{self.mark}_{st.session_state.get(f'forgotten_{self.mark}', 0)}"

    def keep(self, question: str, answer: Any, proposed: Any) -> None:
        """Note an answer unless it is the proposed one."""
        if answer != proposed:
            self.changed[question] = answer

    def store(self, mark: str = "") -> None:
        """Store the noted answers; if there are any, say so, and offer to forget them.

        mark: distinguishes a file that was uploaded twice.
        """
        remember(self.mark, self.changed)
        if self.changed:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(
                    "Your choices for this file and this task are remembered.", width="content"
                )
                st.button(
                    "Use the proposals",
                    type="tertiary",
                    icon=":material/undo:",
                    key=f"forget_{self.mark}{mark}",
                    help="Forgets your choices for this file and this task.",
                    on_click=self.forget,
                )

    def forget(self) -> None:
        """Remove the answers, and ask all questions anew."""
        remember(self.mark, {})
        turn = f"forgotten_{self.mark}"
        st.session_state[turn] = st.session_state.get(turn, 0) + 1


def recall(mark: str) -> dict[str, Any]:
    """Return the answers under a fingerprint; {} if there are none or the file is damaged."""
    answers = everything().get(mark)
    return answers if isinstance(answers, dict) else {}


def remember(mark: str, answers: dict[str, Any]) -> None:
    """Store the answers under a fingerprint; {} removes them.

    If the workspace cannot be written, the app asks again the next time.
    """
    kept = everything()
    if kept.pop(mark, {}) == answers:
        return
    if answers:
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
