"""Tests that images of 10 to 16 bits, and masks, are visible on one common scale."""

import io

import numpy as np
import pytest
from PIL import Image

from gplvm_core.readers import read_images, read_video
from tests.readers.test_images import encoded, picture, two, zipped


def camera(kind: str, bits: int) -> dict[str, bytes]:
    """Return six images of a camera, ever brighter."""
    top = 2**bits - 50
    images = {}
    for number in range(6):
        pixels = np.linspace(0, top * (number + 1) / 6, 16).astype(np.uint16).reshape(4, 4)
        if kind == "PGM":
            data = f"P5 4 4 {2**bits - 1}\n".encode() + pixels.astype(">u2").tobytes()
        else:
            data = encoded(Image.fromarray(pixels), kind)
        images[f"{number}.{kind.lower()}"] = data
    return images


@pytest.mark.parametrize("kind", ["TIFF", "PNG", "PGM"])
@pytest.mark.parametrize("bits", [10, 12, 16])
def test_images_of_many_bits_share_one_visible_scale(kind, bits):
    data = read_images(zipped(camera(kind, bits)))
    np.testing.assert_allclose(data.values.max(axis=1), [42, 85, 128, 170, 212, 255], atol=1)
    assert sum("All have one scale: 0 is black" in note for note in data.notes) == 1


@pytest.mark.parametrize("top", [1, 3])
def test_masks_and_labels_are_visible(top):
    masks = np.random.default_rng(0).integers(0, top + 1, (3, 4, 6), dtype=np.uint8)
    masks[0] = 0
    data = read_images(
        zipped({f"{i}.png": encoded(Image.fromarray(m)) for i, m in enumerate(masks)})
    )
    np.testing.assert_array_equal(data.values, masks.reshape(3, -1) * (255 // top))
    assert any(f"values up to {top}" in note for note in data.notes)


def test_masks_with_a_palette_and_in_a_video_are_visible():
    masks = [Image.fromarray(m) for m in np.random.default_rng(0).integers(0, 2, (3, 4, 6), "u1")]
    file = io.BytesIO()
    masks[0].save(file, "GIF", save_all=True, append_images=masks[1:], duration=100)
    video = read_video(file.getvalue())
    np.testing.assert_array_equal(np.unique(video.values), [0, 255])
    assert any("values up to 1" in note for note in video.notes)
    for mask in masks:
        mask.putpalette([0, 0, 0, 1, 1, 1])
    data = read_images(zipped({f"{i}.png": encoded(mask) for i, mask in enumerate(masks)}))
    np.testing.assert_array_equal(data.values, video.values)


def test_black_images_and_photographs_keep_their_values():
    black = encoded(Image.new("L", (6, 4), 0))
    assert (read_images(zipped({"1.png": black, "2.png": black})).values == 0).all()
    data = read_images(zipped(two(**{"3.png": encoded(Image.new("L", (6, 4), 1))})))
    np.testing.assert_array_equal(data.values[0], np.asarray(picture(seed=1)).ravel())
    assert (data.values[2] == 1).all() and not data.notes


def test_ten_bits_beside_eight_are_visible():
    ten = encoded(Image.fromarray(np.full((4, 6), 1023, np.uint16)))
    data = read_images(zipped(two(**{"3.png": ten})))
    assert (data.values[2] == 255).all()
