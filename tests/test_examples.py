"""The examples of the documentation run as they stand, and find what their data were made of."""

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"


def run(name: str) -> dict[str, Any]:
    """The names that an example leaves behind."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_every_example_is_tested_and_shown() -> None:
    here = {
        *("table_with_gaps", "mixed_units", "any_kind", "two_views", "deep_step"),
        *("own_graph", "own_kernel"),
    }
    assert {path.stem for path in EXAMPLES.glob("*.py")} == here
    page = (EXAMPLES.parent / "examples.md").read_text(encoding="utf-8")
    assert [name for name in here if f"examples/{name}.py" not in page] == []


def test_a_table_with_gaps(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("table_with_gaps")
    # The noise that was added is 0.1, and a circle needs two dimensions at least.
    assert found["model"].noise_std_[0] == pytest.approx(0.1, abs=0.03)
    assert found["model"].n_effective_ >= 2
    assert found["error"] < 0.2 < found["by_means"]
    assert found["within"] > 0.9
    assert "Error in the gaps" in capsys.readouterr().out


def test_a_table_of_mixed_units(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("mixed_units")
    assert found["gain"] > 5.0
    # Magnesium is known for telling the grapes apart least.
    assert np.argmax(found["share"]) == found["wine"].column_names.index("magnesium")
    assert "nats a wine ahead" in capsys.readouterr().out


def test_a_table_with_words(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("any_kind")
    assert found["right"] > 0.6
    assert found["within"] > 0.8
    assert found["chances"].shape == (120, 3)
    assert "of the kinds are right" in capsys.readouterr().out


def test_two_views(capsys: pytest.CaptureFixture[str]) -> None:
    parts = run("two_views")["model"].segmentation()
    assert len(parts[frozenset({"shape", "voice"})]) == 1
    assert len(parts[frozenset({"shape"})]) == 1
    assert frozenset({"voice"}) not in parts
    told = re.findall(r"(\w+ from \w+): (\d+)%", capsys.readouterr().out)
    left = {which: int(share) for which, share in told}
    assert left["voice from shape"] < 10 < 30 < left["shape from voice"]


def test_a_step_through_two_layers(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("deep_step")
    assert found["deep"].bound_ > found["shallow"].bound_ + 10.0
    # Beside the jump one Gaussian process rings, and two layers do not.
    assert found["ringing"]["two layers"] < 0.5 * found["ringing"]["one layer"]
    assert "layer 1 of 2 is on" in capsys.readouterr().out


def test_a_model_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("own_graph")
    assert found["order"] > 0.9 and found["left"] < 0.3
    said = capsys.readouterr().out
    assert "edge 'age → shape' is on\n" in said
    # The rhythm was made by a linear map.
    assert "edge 'shape + age → rhythm' is on, and all but linear" in said


def test_a_kernel_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("own_kernel")
    told = capsys.readouterr().out
    assert "the period is 2.0" in told or "the period is 1.9" in told
    # Its gradients, against central differences.
    kernel, times = found["Cosine"](1.3, 0.7), np.array([[0.0], [0.2], [0.5], [0.9]])
    gram = np.arange(16.0).reshape(4, 4)
    gram = gram + gram.T
    d_points, d_kernel = kernel.K_pullback(times, gram)

    def total(times: np.ndarray, variance: float, period: float) -> float:
        return float(np.sum(gram * found["Cosine"](variance, period).K(times)))

    step = 1e-6
    for n in range(4):
        shift = step * np.eye(4)[n][:, None]
        slope = (total(times + shift, 1.3, 0.7) - total(times - shift, 1.3, 0.7)) / (2 * step)
        assert d_points[n, 0] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    slope = (total(times, 1.3, 0.7 + step) - total(times, 1.3, 0.7 - step)) / (2 * step)
    assert d_kernel.period == pytest.approx(slope, rel=1e-5)
    slope = (total(times, 1.3 + step, 0.7) - total(times, 1.3 - step, 0.7)) / (2 * step)
    assert d_kernel.variance == pytest.approx(slope, rel=1e-5)
