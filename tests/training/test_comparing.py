"""Tests of background work for pages: few runs at a time, and old results are dropped."""

import threading

import pytest

from gplvm_core.training import begin_comparison, comparing, comparison_of


def test_a_run_waits_for_its_turn_and_can_be_ended_before_it() -> None:
    go_on, begun = threading.Event(), threading.Barrier(comparing.AT_ONCE + 1)

    def work(callback) -> str:
        begun.wait(10)
        go_on.wait(10)
        return "done"

    runs = [begin_comparison(f"turn {number}", work) for number in range(comparing.AT_ONCE)]
    begun.wait(10)
    late = begin_comparison("turn late", work)
    assert late.waiting and not any(run.waiting for run in runs)
    late.end()
    late.wait(10)
    assert late.problem == "Ended before it started." and not any(run.done for run in runs)
    go_on.set()
    for run in runs:
        run.wait(10)
    assert [run.result for run in runs] == ["done"] * comparing.AT_ONCE


def test_only_the_newest_that_are_done_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "_RUNS", {})
    monkeypatch.setattr(comparing, "MOST_KEPT", 2)
    for number in range(4):
        begin_comparison(f"kept {number}", lambda callback: "done").wait(10)
    begin_comparison("kept last", lambda callback: "done").wait(10)
    assert comparison_of("kept 1") is None
    assert comparison_of("kept 3") is not None and comparison_of("kept last") is not None
