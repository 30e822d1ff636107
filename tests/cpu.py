"""A plugin that reports the CPU seconds of the dearest tests, and by folder: `pytest -p tests.cpu`.

It counts the process of the tests and the processes that have ended, such as those that read files.
"""

import os
from collections import Counter

import pytest

_start = 0.0
_seconds: Counter[str] = Counter()
_tests: Counter[str] = Counter()
_dearest: Counter[str] = Counter()


def used() -> float:
    """Return the CPU seconds of this process and of its ended children."""
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    global _start
    _start = used()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> None:
    if call.when == "teardown":
        item.user_properties.append(("cpu", used() - _start))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        folder = report.nodeid.split("::")[0].rpartition("/")[0]
        seconds = dict(report.user_properties)["cpu"]
        _dearest[report.nodeid] = seconds
        _seconds[folder] += seconds
        _tests[folder] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("CPU seconds of the dearest tests")
    for name, seconds in _dearest.most_common(60):
        terminalreporter.line(f"{seconds:8.1f}  {name}")
    terminalreporter.section("CPU seconds by folder")
    for folder, seconds in _seconds.most_common():
        terminalreporter.line(f"{seconds:8.1f} {_tests[folder]:6} tests  {folder}")
    terminalreporter.line(f"{_seconds.total():8.1f} {_tests.total():6} tests")
