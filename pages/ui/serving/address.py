"""Addresses as browsers say them: scheme, name and port of a Host or an Origin."""

import re
from typing import NamedTuple, Self

DEFAULT_PORTS = {"http": 80, "https": 443}
AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::([0-9]{1,5}))?", re.IGNORECASE)


class Address(NamedTuple):
    """Where a page comes from (an "origin"): two pages of one address trust each other."""

    scheme: str
    name: str
    port: int

    @classmethod
    def of(cls, scheme: str, authority: str) -> Self | None:
        """From a name with or without a port; None where it is neither."""
        told = AUTHORITY.fullmatch(authority)
        if told is None or scheme not in DEFAULT_PORTS:
            return None
        port = int(told[2]) if told[2] else DEFAULT_PORTS[scheme]
        return cls(scheme, told[1].lower(), port) if 0 < port < 65536 else None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """From `https://maps.example.org`; None where it is anything else, `null` included."""
        scheme, between, authority = text.partition("://")
        return cls.of(scheme.lower(), authority) if between else None

    def __str__(self) -> str:
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.name}{port}"
