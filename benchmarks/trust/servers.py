"""Two web servers on one workspace, and many tabs on a few models: a row of the table of trust.

    python -m benchmarks.trust.servers

Visitors of both servers open pages of models, while another process renames, trains, deletes,
restores and finally removes these models. One of the servers trains.
"""

import random
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlparse

from benchmarks.interaction import app
from benchmarks.trust.row import Row
from benchmarks.trust.tabs import DATA, LONGER, MODEL
from benchmarks.trust.web import markdown_of
from gplvm_core.store import Library, StoreError
from pages.ui.shared.trouble import LOG_FILE

SECONDS, VISITORS = 40.0, 3
NAMES = ("mine", "yours", "theirs")
PAGES = ("explore", "complete", "compare", "depth", "library", "train", "")
UNFORESEEN = ("not foreseen", "Traceback")


def rows() -> list[Row]:
    """Return one row: pages opened in the meantime; unexpected errors and lost models."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        library = Library(home / "library")
        for name in (*NAMES, "kept"):
            library.add(MODEL, DATA, name.title(), id=name)
        found: Counter[str] = Counter()
        with ExitStack() as both:
            servers = [both.enter_context(app(home, load)) for load in ("idle", "busy")]
            until = time.monotonic() + SECONDS
            with ThreadPoolExecutor() as crowd:
                acting = crowd.submit(at_work, library, until, found)
                visits = [
                    crowd.submit(visitor, seed, servers[seed % 2], until, found)
                    for seed in range(2 * VISITORS)
                ]
                for each in (acting, *visits):
                    each.result()
        log = home / LOG_FILE
        lines = log.read_text().splitlines() if log.exists() else []
        for line in lines[:5]:
            print(line)
        found["harm"] += len(lines)
        found["harm"] += library.model("kept").bound_ != MODEL.bound_
        found["harm"] += sum(entry.broken is not None for entry in library.entries())
    report = (
        f"{2 * VISITORS} visitors; {found['acts']} changes, {found['refused']} refused in words"
    )
    return [Row("two servers on one workspace", found["pages"], found["harm"], report)]


def visitor(seed: int, url: str, until: float, found: Counter[str]) -> None:
    """Open pages of models that other processes change."""
    rng, port = random.Random(seed), urlparse(url).port
    assert port is not None
    while time.monotonic() < until:
        page = rng.choice(PAGES)
        query = "" if page in ("library", "train", "") else f"model=library:{rng.choice(NAMES)}"
        texts = markdown_of(port, page, query)
        found["pages"] += 1
        wrong = [text for text in texts if any(words in text for words in UNFORESEEN)]
        found["harm"] += bool(wrong)
        if wrong:
            print(page, query, wrong[0][:300])


def at_work(library: Library, until: float, found: Counter[str]) -> None:
    """Do what other tabs do, as fast as possible."""
    rng = random.Random(9)
    while time.monotonic() < until:
        name = rng.choice(NAMES)
        acts = (
            lambda: library.rename(name, f"Named {rng.random():.3f}"),  # noqa: B023
            lambda: library.update(name, rng.choice((MODEL, LONGER))),  # noqa: B023
            lambda: library.delete(name),  # noqa: B023
            lambda: library.restore(name),  # noqa: B023
            lambda: library.add(MODEL, DATA, name.title(), id=name),  # noqa: B023
            library.empty_trash,
        )
        found["acts"] += 1
        try:
            rng.choice(acts)()
        except StoreError:
            found["refused"] += 1


if __name__ == "__main__":
    for row in rows():
        print(f"{row.kind}: {row.failures} of {row.tries}. {row.remark}")
