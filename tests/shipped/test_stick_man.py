"""The stick man's run, if its file is present; here a small file of the same format."""

from pathlib import Path

import numpy as np
import pytest

from gplvm_core.readers import DataError
from gplvm_core.shipped.stick_man import load_stick_man, stick_man_file


def test_markers_that_are_lost_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = np.random.default_rng(0).normal(size=(5, 3, 3))
    places[2, 1] = np.nan
    path = tmp_path / "stick_man.npz"
    np.savez(path, Y=places.reshape(5, 9), markers=np.array(["LKNE", "RKNE", "C7"]))
    monkeypatch.setenv("MANIFOLIO_DATA", str(tmp_path))
    assert stick_man_file() == path
    values, markers = load_stick_man(path)
    assert markers == ("LKNE", "C7")
    np.testing.assert_allclose(values, 100.0 * places[:, [0, 2]].reshape(5, 6))


def test_without_a_file_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIFOLIO_DATA", str(tmp_path))
    assert stick_man_file() is None


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 cut off"])
def test_another_file_has_a_clear_message(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "stick_man.npz"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not the stick man's run"):
        load_stick_man(path)
