"""Decode text: UTF-8 and UTF-16, other code pages, and letters that were encoded twice."""

import re
from contextlib import suppress

from gplvm_core.readers.errors import DataError

TWICE = "utf-8 twice"
ENCODINGS: dict[str, str] = {
    "cp1252": "Western European (Windows-1252)",
    "iso8859-15": "Western European (Latin-9)",
    "cp1250": "Central European (Windows-1250)",
    "iso8859-2": "Central European (Latin-2)",
    "cp1251": "Cyrillic (Windows-1251)",
    "koi8-r": "Cyrillic (KOI8-R)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "cp850": "Western European (DOS 850)",
    "mac-roman": "Western European (old Macintosh)",
    "shift-jis": "Japanese (Shift JIS)",
    "gb18030": "Chinese (GB 18030)",
    "big5": "Chinese (Big5)",
    "euc-kr": "Korean (EUC-KR)",
    "utf-16": "UTF-16",
    TWICE: "UTF-8, encoded twice (Ã¤ for ä)",
}
"""Encodings that the app offers, in words."""
# A replaced letter, or UTF-8 that was read as Windows-1252 and written again.
WRONG = re.compile(r"\ufffd|[ÂÃ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€")
OTHER = re.compile(r"[^\x00-\x7f]")
SEPARATORS = re.compile(r'[\s,;|"]')
HEAD, MOSTLY_ASCII = 2000, 0.7  # bytes that are looked at, and the fraction of plain letters
MOST_EXAMPLES = 3
LONGEST = 20  # characters on each side of a letter in an example


def decoded(data: bytes, name: str, encoding: str | None = None) -> tuple[str, list[str], str]:
    """Return a text, notes, and examples of words whose letters look wrong ("" if none does).

    encoding: a name that Python knows, or "utf-8 twice"; None: UTF-8 or UTF-16 by its first bytes,
    else Windows-1252. Raises DataError for files that are not text or have another encoding.
    """
    if encoding is not None:
        return _as_given(data, name, encoding), [], ""
    utf_16 = _utf_16(data)
    if utf_16:
        try:
            return data.decode(utf_16), ["The text is not UTF-8 but UTF-16."], ""
        except UnicodeDecodeError as error:
            raise DataError(f"{name} is damaged UTF-16 text: {error}. Save it as UTF-8.") from error
    if b"\0" in data:
        raise DataError(
            f"{name} is not a text file. Save a table as CSV, Excel, Parquet, Arrow, NPZ or NPY, "
            "and a motion as BVH."
        )
    with suppress(UnicodeDecodeError):
        text = data.decode("utf-8-sig")
        found = _examples(WRONG, text)
        note = f"Some letters look wrong ({found}): the text may have been converted wrongly."
        return text, [note] if found else [], found
    words, text = "Latin-1", data.decode("latin-1")  # which has all bytes
    with suppress(UnicodeDecodeError):
        words, text = "Windows-1252", data.decode("cp1252")
    found = _examples(OTHER, text)
    return text, [f"The text is not UTF-8 and was read as {words} ({found})."], found


def _utf_16(data: bytes) -> str:
    """Return the form of UTF-16, by its mark of byte order or by its zeros; "" for other bytes."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    first, second = (data[begin:HEAD:2].count(0) for begin in (0, 1))
    half = len(data[:HEAD]) / 2
    if half > 4 and min(first, second) == 0 and max(first, second) > MOSTLY_ASCII * half:
        return "utf-16-le" if second else "utf-16-be"
    return ""


def _as_given(data: bytes, name: str, encoding: str) -> str:
    try:
        if encoding == TWICE:
            # Five bytes have no letter in Windows-1252, and programs keep them as they are.
            once = data.decode("utf-8-sig")
            own = b"".join(
                letter.encode("latin-1" if "\x80" <= letter <= "\x9f" else "cp1252")
                for letter in once
            )
            return own.decode("utf-8-sig")
        return data.decode(encoding).removeprefix("\ufeff")
    except LookupError as error:
        raise DataError(
            f"{encoding!r} is no encoding. Examples are {', '.join(map(repr, ENCODINGS))}."
        ) from error
    except UnicodeError as error:
        words = ENCODINGS.get(encoding, encoding)
        raise DataError(f"{name} is not {words}: {error}. Choose another encoding.") from error


def _examples(wrong: re.Pattern[str], text: str) -> str:
    """Return the first words with a match."""
    if text.isascii():
        return ""  # at once, for large files
    found: dict[str, None] = {}
    for match in wrong.finditer(text):
        before = SEPARATORS.split(text[max(match.start() - LONGEST, 0) : match.start()])[-1]
        after = SEPARATORS.split(text[match.end() : match.end() + LONGEST])[0]
        found[f"{before}{match[0]}{after}"] = None
        if len(found) == MOST_EXAMPLES:
            break
    return ", ".join(found)
