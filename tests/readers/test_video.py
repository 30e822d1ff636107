"""Tests that an animated GIF becomes rows with times; too large or damaged files are refused."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gplvm_core.readers import DataError, read_video
from gplvm_core.readers.pictures import video


def frames(count: int = 5, size: tuple[int, int] = (8, 6)) -> list[Image.Image]:
    """Return grey frames, each with different random shades."""
    rng = np.random.default_rng(0)
    return [
        Image.fromarray(rng.integers(0, 256, (size[1], size[0]), dtype=np.uint8))
        for _ in range(count)
    ]


def gif(pictures: list[Image.Image], duration: int | list[int] = 40, **options: object) -> bytes:
    file = io.BytesIO()
    options |= {"save_all": True, "append_images": pictures[1:], "duration": duration}
    pictures[0].save(file, "GIF", **options)
    return file.getvalue()


def test_every_pixel_and_every_duration_is_kept():
    pictures = frames()
    data = read_video(gif(pictures, [40, 100, 250, 10, 70]))
    assert data.targets.dtype == np.uint8 and data.drawing.shape == (6, 8)
    for row, picture in zip(data.targets, pictures, strict=True):
        np.testing.assert_array_equal(row.reshape(6, 8), np.asarray(picture))
    np.testing.assert_allclose(data.times, [0, 0.04, 0.14, 0.39, 0.40])
    np.testing.assert_array_equal(data.sequences, np.zeros(5))
    assert data.notes == ()


def test_frames_that_only_store_what_changed_are_put_together():
    still = np.zeros((10, 10), dtype=np.uint8)
    pictures = []
    for x in range(4):
        moved = still.copy()
        moved[4:6, 2 * x : 2 * x + 2] = 255
        pictures.append(Image.fromarray(moved))
    data = read_video(gif(pictures, optimize=True))
    np.testing.assert_array_equal(data.targets.reshape(4, 10, 10), np.stack(pictures))


def test_colour_is_kept_or_turned_to_grey_and_large_frames_are_shrunk():
    pictures = [Image.new("RGB", (60, 30), colour) for colour in ("red", "lime", "blue")]
    data = read_video(gif(pictures), max_side=20)
    assert data.drawing.shape == (10, 20, 3)
    np.testing.assert_array_equal(data.targets[1].reshape(-1, 3), [[0, 255, 0]] * 200)
    assert data.notes == ("Shrunk from 60 × 30 to 20 × 10 pixels.",)
    grey = read_video(gif(pictures), colour=False)
    np.testing.assert_array_equal(grey.targets[:, 0], [76, 150, 29])
    assert any("converted to grey" in note for note in grey.notes)


def test_frames_without_a_duration_last_as_long_as_browsers_show_them():
    data = read_video(gif(frames(3), 0))
    np.testing.assert_allclose(data.times, [0, 0.1, 0.2])
    assert "3 of 3 frames have no duration: 0.1 s each" in data.notes[0]


def test_a_video_by_path_gives_the_name(tmp_path: Path):
    path = tmp_path / "running_dog.gif"
    path.write_bytes(gif(frames()))
    data = read_video(path)
    assert data.title == "running dog" and "5 frames" in data.source


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"GIF89a", "damaged|not a GIF"),
        (b"no picture at all", "not a GIF"),
        (gif(frames(1)), "a single picture"),
        (gif(frames(5, (40, 40)))[:-900], "Frame 5 of upload is damaged or cut off"),
    ],
)
def test_files_without_a_video_are_refused_in_words(data, words):
    with pytest.raises(DataError, match=words):
        read_video(data)


def test_a_file_that_ends_between_frames_is_reported():
    whole = gif(frames())
    assert whole.endswith(b";")
    assert any("no end mark" in note for note in read_video(whole[:-1]).notes)


def test_a_picture_of_another_kind_is_refused():
    file = io.BytesIO()
    frames(1)[0].save(file, "PNG")
    with pytest.raises(DataError, match="not a GIF"):
        read_video(file.getvalue())


def test_a_canvas_too_large_is_refused_by_its_header():
    bomb = bytearray(gif(frames(2)))
    bomb[6:10] = b"\xff\xff\xff\xff"  # the file now declares 65535 × 65535 pixels
    with pytest.raises(DataError, match="refused"):
        read_video(bytes(bomb))


def test_many_frames_of_few_bytes_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(video, "MOST_PIXELS_TOGETHER", 4 * 48)
    with pytest.raises(DataError, match="5 frames of 8 × 6 pixels; up to 4 of"):
        read_video(gif(frames(5)))
    assert read_video(gif(frames(4))).n_points == 4
    monkeypatch.setattr(video, "MOST_MEMBERS", 3)
    with pytest.raises(DataError, match="4 frames of 8 × 6 pixels; up to 3 of"):
        read_video(gif(frames(4)))


def test_sides_below_a_pixel_are_refused():
    with pytest.raises(DataError, match="max_side"):
        read_video(gif(frames()), max_side=0)


def test_without_pillow_the_package_is_named(monkeypatch):
    data = gif(frames())
    monkeypatch.setattr("gplvm_core.readers.packages.not_installed", tuple)
    with pytest.raises(DataError, match="pip install pillow"):
        read_video(data)
