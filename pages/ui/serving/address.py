"""Addresses in requests: the scheme, name and port of a Host or an Origin header."""

import re
from typing import NamedTuple, Self

DEFAULT_PORTS = {"http": 80, "https": 443}
AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)


class Address(NamedTuple):
    """The origin of a page; two pages with the same origin trust each other."""

    scheme: str
    name: str
    port: int

    @classmethod
    def of(cls, scheme: str, authority: str) -> Self | None:
        """Parse a name with or without a port; return None if it is malformed."""
        parts = AUTHORITY.fullmatch(authority)
        if parts is None or scheme not in DEFAULT_PORTS:
            return None
        port = int(parts[2]) if parts[2] else DEFAULT_PORTS[scheme]
        return cls(scheme, parts[1].lower(), port) if 0 < port < 65536 else None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse an origin such as `https://maps.example.org`; None if it is malformed or `null`."""
        scheme, between, authority = text.partition("://")
        return cls.of(scheme.lower(), authority) if between else None

    def __str__(self) -> str:
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.name}{port}"
