"""Random changes to valid files: bytes, words or members."""

import io
import re
import zipfile

from hypothesis import strategies as st

from tests.fuzz.samples import zipped

NUMBERS = st.sampled_from(
    ["0", "-1", "1e308", "-1e300", "nan", "inf", "9" * 60, "9" * 5000, "4294967295", "1e-320", ""]
)
WORDS = st.sampled_from(
    ["", ",", ",,,", "\0", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "__", '"',
     "\n", "\r\n\r\n", "\ufeff", "=cmd()", "nan", "é", "x" * 3000, "{", "]", "None", "True"]
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    """Return the file with one to four changes."""
    for _ in range(draw(st.integers(1, 4))):
        data = draw(changed(data))
    return data


def changed(data: bytes) -> st.SearchStrategy[bytes]:
    """Make one change: to some bytes, a number, a word, the length, or the content of a member."""
    ways = [flipped(data), cut(data), put_in(data), number_changed(data)]
    if data.startswith(b"PK"):
        ways += [member_changed(data)] * 4
    return st.one_of(ways)


@st.composite
def flipped(draw: st.DrawFn, data: bytes) -> bytes:
    copy = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        if copy:
            copy[draw(st.integers(0, len(copy) - 1))] = draw(st.integers(0, 255))
    return bytes(copy)


@st.composite
def cut(draw: st.DrawFn, data: bytes) -> bytes:
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
    return draw(st.sampled_from([data[:end], data[start:], data[:start] + data[end:]]))


@st.composite
def put_in(draw: st.DrawFn, data: bytes) -> bytes:
    at = draw(st.integers(0, len(data)))
    what = draw(st.one_of(WORDS.map(str.encode), NUMBERS.map(str.encode), st.binary(max_size=8)))
    return data[:at] + what * draw(st.sampled_from([1, 1, 1, 200])) + data[at:]


@st.composite
def number_changed(draw: st.DrawFn, data: bytes) -> bytes:
    places = [found.span() for found in re.finditer(rb"-?\d+(\.\d+)?", data)][:500]
    if not places:
        return data
    start, end = draw(st.sampled_from(places))
    return data[:start] + draw(NUMBERS).encode() + data[end:]


@st.composite
def member_changed(draw: st.DrawFn, data: bytes) -> bytes:
    """Change a member's content and pack it again with a correct checksum, or change its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return data
    if not members:
        return data
    name = draw(st.sampled_from(sorted(members)))
    inside = draw(st.one_of(flipped(members[name]), cut(members[name]),
                            put_in(members[name]), number_changed(members[name])))  # fmt: skip
    renamed = draw(st.sampled_from([name, name, name, "x" * 300, "/x", "a__b", "9" * 5000, " "]))
    del members[name]
    return zipped({**members, renamed: inside})
