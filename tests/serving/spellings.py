"""Spellings of one path as request targets: those of attacks, and those of ordinary browsers."""

import itertools

METRICS = "/_stcore/metrics"
NUMBERS = b"# EOF"  # every response with metrics ends with these bytes
CONTROL = (*(f"%{code:02x}" for code in (*range(32), 127)), "%c2%80", "%c2%85", "%c2%9f")
BROKEN_UTF8 = ("%ff", "%c0%af", "%e2%82", "%ed%a0%80")
# Each pair replaces a part of the path by another spelling, or adds something that a router may
# drop.
EXCHANGED = (
    ("/_stcore", "//_stcore"), ("/_stcore", "///_stcore"), ("/_stcore/", "/_stcore//"),
    ("/_stcore", "/./_stcore"), ("/_stcore", "/%2e/_stcore"), ("/_stcore", "/x/../_stcore"),
    ("/_stcore", "/x/%2e%2e/_stcore"), ("/_stcore", "/x/%2E./_stcore"),
    ("/metrics", "/./metrics"), ("/metrics", "/x/../metrics"), ("/metrics", "/../_stcore/metrics"),
    ("/_stcore", "/%2f_stcore"), ("/_stcore/", "/_stcore%2f"), ("/_stcore/", "/_stcore%2F"),
    ("/_stcore/", "/_stcore%5c"), ("/_stcore/", "/_stcore\\"), ("/_stcore", "/%5c_stcore"),
    ("/_stcore/", "/_stcore%252f"), ("/_", "/%5f"), ("/_", "/%5F"), ("/_", "/%255f"),
    ("metrics", "%6detrics"), ("metrics", "m%65trics"), ("metrics", "metric%73"),
    ("metrics", "%256detrics"), ("metrics", "METRICS"), ("metrics", "Metrics"),
    ("_stcore", "_STCORE"), ("metrics", "metri%C5%BFcs"), ("metrics", "metric%C5%BF"),
    ("metrics", "%EF%BC%ADetrics"), ("_", "%EF%BC%BF"), ("_stcore", "_stcore;x"),
)  # fmt: skip
ADDED = (
    "/", "//", "/.", "/..", "/x/..", "/%2e", "/./", "%2f", "%2F", "%5c", "\\", ";", ";a=b", "%3b",
    "%3f", "%23", "?", "?x", "?families=cache_memory_bytes", ".", "%20", "+", "%250a", "%2500",
    "%25", "%", "%0", "%u000a", "%e2%80%a8", "%c2%a0", "%ef%bb%bf", "%0a%0a", "%0d%0a", "/%0a",
    "%0a/", "%0a/..", "~", "*", ":", "@", "&",
)  # fmt: skip


def spelled(path: str = METRICS) -> list[str]:
    """Return request targets that may be read as the metrics path; the path itself is the first."""
    found = [path, *(path + end for end in (*CONTROL, *BROKEN_UTF8, *ADDED))]
    found += [path.replace(old, new, 1) for old, new in EXCHANGED]
    # These targets have a control character at any other position, or two changes at once.
    found += [path.replace("metrics", f"met{code}rics") for code in CONTROL]
    found += [f"/{code}{path}" for code in (*CONTROL, *BROKEN_UTF8, "x", "x%2f")]
    found += [
        path.replace(old, new, 1) + end
        for (old, new), end in itertools.product(EXCHANGED, ("%0a", "/", "%2f"))
    ]
    return list(dict.fromkeys(found))


HONEST = (
    "/", "/?model=gallery:people", "/explore", "/explore/", "/explore?model=library:a%2fb&at=1,2",
    "/no_such_page", "/Karte%20der%20Z%C3%BCge", "/a%20b", "/%E5%9B%B3", "/a+b", "/a%25b", "/a;b",
    "/.well-known/x", "/a..b", "/...", "/_stcore/health", "/explore/_stcore/health",
    "/_stcore/host-config", "/explore/_stcore/host-config", "/media/none.png", "/media/a%20b.csv",
    "/static/none.js", "/manifest.json", "/parcels/none", "/component/none/index.html",
    "/_stcore/bidi-components/none/x.js", "/index.html", "/favicon.png",
)  # fmt: skip
