"""Tests of unexpected errors: a plain sentence on the page, and its number in a log."""

import logging
import re

import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core.sandbox import places_of
from pages.ui.shared import trouble

SECRET = "patient 4711"


def failing() -> Exception:
    try:
        raise KeyError(SECRET)
    except KeyError as error:
        return error


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path))
    trouble.start_log()
    yield tmp_path / trouble.LOG_FILE
    for name in ("manifolio", "gplvm_core"):
        logger = logging.getLogger(name)
        for handler in [h for h in logger.handlers if isinstance(h, trouble.PrivateLog)]:
            handler.close()
            logger.removeHandler(handler)


def page() -> None:
    from pages.ui.shared import trouble
    from tests.app.test_trouble import failing

    trouble.tell(failing())


def test_the_page_shows_a_number_that_the_log_has_and_neither_shows_data(log):
    said = AppTest.from_function(page).run().error[0].value
    number = re.search(r"\*\*(\w{6})\*\*", said)
    assert number is not None
    noted = log.read_text()
    assert number[1] in noted and "KeyError at app/test_trouble.py:" in noted
    assert SECRET not in noted and SECRET not in said
    assert log.stat().st_mode & 0o077 == 0 and log.parent.stat().st_mode & 0o077 == 0


def test_the_log_stays_small_and_private(log):
    for handler in logging.getLogger("manifolio").handlers:
        if isinstance(handler, trouble.PrivateLog):
            handler.maxBytes = 2000
    for _ in range(200):
        logging.getLogger("manifolio").error(places_of(failing()))
    files = list(log.parent.iterdir())
    assert 2 <= len(files) <= 1 + trouble.KEPT
    assert all(file.stat().st_size <= 2000 and file.stat().st_mode & 0o077 == 0 for file in files)


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    trouble.start_log()
