"""Tests that a zip of images becomes rows, and that messages name unsafe or foreign members."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gplvm_core.readers import DataError, read_images, sources
from gplvm_core.readers.pictures import images


def picture(size: tuple[int, int] = (6, 4), seed: int = 0, colour: bool = False) -> Image.Image:
    shape = (size[1], size[0], 3) if colour else (size[1], size[0])
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8))


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def two(**changes: bytes) -> dict[str, bytes]:
    return {"1.png": encoded(picture(seed=1)), "2.png": encoded(picture(seed=2)), **changes}


def test_grey_images_keep_every_pixel():
    data = read_images(zipped(two()))
    assert data.targets.dtype == np.uint8 and data.drawing.shape == (4, 6)
    assert data.drawing.value_range == (0.0, 255.0) and data.notes == ()
    np.testing.assert_array_equal(data.targets[1].reshape(4, 6), np.asarray(picture(seed=2)))


def test_colour_is_kept_when_any_image_has_some_or_turned_to_grey():
    members = two(**{"3.png": encoded(picture(seed=3, colour=True))})
    data = read_images(zipped(members))
    assert data.drawing.shape == (4, 6, 3)
    np.testing.assert_array_equal(
        data.targets[2].reshape(4, 6, 3), np.asarray(picture(seed=3, colour=True))
    )
    grey = read_images(zipped(members), colour=False)
    assert grey.drawing.shape == (4, 6) and any("converted to grey" in note for note in grey.notes)
    np.testing.assert_array_equal(grey.targets[0].reshape(4, 6), np.asarray(picture(seed=1)))
    assert read_images(zipped(two()), colour=True).drawing.shape == (4, 6, 3)


def test_names_are_in_natural_order_and_folders_are_labels():
    shades = {"cat/f10.png": 10, "cat/f9.png": 9, "ant/f1.png": 200}
    data = read_images(
        zipped({name: encoded(Image.new("L", (2, 2), shade)) for name, shade in shades.items()})
    )
    np.testing.assert_array_equal(data.targets[:, 0], [200, 9, 10])
    assert data.label_names == ("ant", "cat")
    np.testing.assert_array_equal(data.labels, [0, 1, 1])
    assert read_images(zipped(two())).labels is None


def test_other_sizes_are_stretched_and_large_ones_shrunk_with_notes():
    members = {f"{i}.png": encoded(picture((200, 100), seed=i)) for i in range(3)}
    members["odd.png"] = encoded(Image.new("L", (50, 50), 77))
    data = read_images(zipped(members), max_side=50)
    assert data.drawing.shape == (25, 50)
    np.testing.assert_array_equal(data.targets[3], 77)
    assert "1 of 4 images had another size" in data.notes[0] and "200 × 100" in data.notes[0]
    assert data.notes[1] == "Shrunk from 200 × 100 to 50 × 25 pixels."


def test_files_added_by_cameras_scanners_and_systems_are_reported():
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = Image.new("L", (4, 6))
    # the left half is white; in the upright image, this is the upper half
    turned.paste(255, (0, 0, 2, 6))
    members = two(
        **{
            "3.jpg": encoded(turned, "JPEG", exif=exif, quality=95),
            "4.png": encoded(Image.new("RGBA", (6, 4), (0, 0, 0, 0))),
            "5.png": encoded(Image.fromarray(np.full((4, 6), 0x8040, np.uint16))),
            "6.gif": encoded(
                picture(seed=4), "GIF", save_all=True, append_images=[picture(seed=5)]
            ),
            "__MACOSX/._1.png": b"x",
            "Thumbs.db": b"x",
        }
    )
    data = read_images(zipped(members))
    frames = data.targets.reshape(6, 4, 6)
    assert frames[2, 0].min() > 200 and frames[2, -1].max() < 50
    assert (frames[3] == 255).all() and (frames[4] == 0x80).all()
    said = " ".join(data.notes)
    for words in ("turned upright", "placed on white", "16 bits", "first picture", "Thumbs.db"):
        assert words in said


@pytest.mark.parametrize("path", ["/etc/1.png", "../1.png", "a/../../1.png", "C:/1.png"])
def test_paths_that_lead_outside_are_refused(path):
    with pytest.raises(DataError, match=r"refused.*outside its folder"):
        read_images(zipped(two(**{path: encoded(picture())})))


def test_links_are_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("link.png")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(DataError, match=r"refused.*link"):
        read_images(file.getvalue())


def test_a_bomb_is_refused_by_the_size_it_declares():
    bomb = zipped({"1.png": bytes(10_000_000)})
    assert len(bomb) < 20_000
    with pytest.raises(DataError, match=r"refused: its 0\.0 MB unpack to 10 MB"):
        sources.open_archive(bomb, "bomb.zip", most_unpacked=1_000_000)


def test_a_bomb_with_a_wrong_size_is_cut_at_that_size():
    bomb = bytearray(zipped({"1.png": bytes(10_000_000)}))
    # both headers of the zip: the local one and the central one
    for place in (22, bomb.index(b"PK\x01\x02") + 24):
        bomb[place : place + 4] = (100).to_bytes(4, "little")
    archive = sources.open_archive(bytes(bomb), "bomb.zip", most_unpacked=1_000_000)
    with pytest.raises(DataError, match=r"1\.png in the zip is damaged"):
        archive.read("1.png")


def test_too_many_files_and_too_many_pixels(monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(DataError, match="2 files; up to 1 "):
        patch.setattr(sources, "MOST_MEMBERS", 1)
        sources.open_archive(zipped(two()), "many.zip")
    wide = encoded(Image.new("1", (9_000, 9_000)))
    with pytest.raises(DataError, match=r"wide\.png was refused: it has 9,000 × 9,000"):
        read_images(zipped(two(**{"wide.png": wide})))
    monkeypatch.setattr(images, "MOST_PIXELS_TOGETHER", 30)
    with pytest.raises(DataError, match=r"refused at 2\.png"):
        read_images(zipped(two()))


def encrypted() -> bytes:
    data = bytearray(zipped(two()))
    for place in (6, data.index(b"PK\x01\x02") + 8):
        data[place] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"no zip at all", "not a zip file"),
        (zipped(two())[:-30], "not a zip file, or it is cut off"),
        (zipped({}), "holds no files"),
        (zipped({"__MACOSX/1.png": b"x"}), "holds no files"),
        (
            zipped(two(**{"notes.txt": b"hello", "inner.zip": zipped({})})),
            r"2 of 4 .*notes\.txt",
        ),
        (zipped(two(**{"3.png": encoded(picture((60, 60)))[:900]})), r"3\.png is damaged"),
        (zipped(two(**{"3.tif": encoded(Image.new("F", (6, 4)), "TIFF")})), "32 bits per pixel"),
        (zipped({"1.png": encoded(picture())}), "one image"),
        (encrypted(), "encrypted"),
    ],
)
def test_bad_zips_are_refused(data, words):
    with pytest.raises(DataError, match=words):
        read_images(data)


def test_frames_of_a_video_follow_each_other_within_their_folder():
    names = ("run/2.png", "run/10.png", "walk/1.png", "run/1.png", "walk/2.png")
    members = {name: encoded(picture(seed=i)) for i, name in enumerate(names)}
    data = read_images(zipped(members), frame_rate=4)
    assert data.label_names == ("run", "walk")
    np.testing.assert_array_equal(data.sequences, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(data.times, [0, 0.25, 0.5, 0, 0.25])
    np.testing.assert_array_equal(data.targets[2].reshape(4, 6), np.asarray(picture(seed=1)))
    one = read_images(zipped(two()), frame_rate=30.0)
    np.testing.assert_array_equal(one.sequences, [0, 0])
    np.testing.assert_allclose(one.times, [0, 1 / 30])
    assert "30 per second" in one.notes[0]
    assert read_images(zipped(two())).times is None


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_impossible_frame_rates_are_refused(rate):
    with pytest.raises(DataError, match="frame_rate must be above 0"):
        read_images(zipped(two()), frame_rate=rate)


def test_sides_below_a_pixel_are_refused():
    with pytest.raises(DataError, match="max_side"):
        read_images(zipped(two()), max_side=0)


def test_a_damaged_member_is_named():
    data = bytearray(zipped(two(), zipfile.ZIP_STORED))
    data[data.index(b"IDAT") + 6] ^= 0xFF
    with pytest.raises(DataError, match=r"1\.png in the zip is damaged"):
        read_images(bytes(data))


def test_without_pillow_the_package_is_named(monkeypatch):
    data = zipped(two())
    monkeypatch.setattr("gplvm_core.readers.packages.not_installed", tuple)
    with pytest.raises(DataError, match="pip install pillow"):
        read_images(data)


def test_a_zip_by_path_gives_the_name(tmp_path: Path):
    path = tmp_path / "my_cats.zip"
    path.write_bytes(zipped(two()))
    assert read_images(path).title == "my cats"
