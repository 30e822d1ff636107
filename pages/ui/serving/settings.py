"""A server's settings; docs/shared_server.md documents them."""

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from pages.ui.serving.address import Address

SHORTEST_TOKEN = 16  # in characters; generated tokens are longer
YES = ("1", "yes", "true")
NO = ("", "0", "no", "false")


@dataclass(frozen=True)
class Serving:
    """A server's settings: further addresses, the token, whether metrics are open, and whether it
    serves only the person at this machine.
    """

    addresses: tuple[Address, ...] = ()
    token: str = ""  # no token is required
    metrics: bool = False
    own: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], bound: str | None) -> Self:
        """Read the settings of a server that listens at the address `bound`, or everywhere if None.

        Raises ValueError for an invalid setting.
        """
        said = environment.get("MANIFOLIO_HOSTS", "").replace(",", " ").split()
        addresses = tuple(_address(text) for text in said)
        shared = bool(addresses) or not is_loopback(bound)
        way = environment.get("MANIFOLIO_SIGN_IN", "") or ("token" if shared else "none")
        if way not in ("token", "oidc", "none"):
            raise ValueError(f"MANIFOLIO_SIGN_IN is “{way}”; set it to token, oidc or none.")
        token = environment.get("MANIFOLIO_TOKEN", "")
        if token and len(token) < SHORTEST_TOKEN:
            raise ValueError(
                f"MANIFOLIO_TOKEN is too short; use {SHORTEST_TOKEN} characters or more."
            )
        if way == "token":
            token = token or secrets.token_urlsafe(32)
        elif token:
            raise ValueError(
                f"MANIFOLIO_TOKEN is set, but MANIFOLIO_SIGN_IN is “{way}”; use only one of them."
            )
        # Another way to sign in, or none in front of a proxy, is for other people.
        own = not shared and environment.get("MANIFOLIO_SIGN_IN", "") in ("", "token")
        return cls(addresses, token, switched_on(environment, "MANIFOLIO_METRICS"), own)

    def greeting(self, own: Address) -> str:
        """Return the text that a starting server prints: its address with its token, if any."""
        query = f"/?token={self.token}" if self.token else ""
        lines = [f"{address}{query}" for address in self.addresses or (own,)]
        words = "Open Manifolio with its token at" if self.token else "Manifolio is at"
        return f"\n  {words}\n" + "".join(f"  {line}\n" for line in lines)


def switched_on(environment: Mapping[str, str], name: str) -> bool:
    """Parse a switch. Raises ValueError if the switch's value means neither yes nor no."""
    said = environment.get(name, "").lower()
    if said not in YES + NO:
        raise ValueError(f"{name} is “{said}”; set it to 1 or 0.")
    return said in YES


def is_loopback(bound: str | None) -> bool:
    """Return whether only this machine can reach a server that listens at this address."""
    if bound is None:
        return False
    try:
        return ipaddress.ip_address(bound.strip("[]")).is_loopback
    except ValueError:
        return bound.lower() == "localhost"


def _address(text: str) -> Address:
    address = Address.parse(text.rstrip("/"))
    if address is None:
        raise ValueError(
            f"MANIFOLIO_HOSTS contains “{text}”, which is not an address such as "
            "https://maps.example.org or http://192.168.1.20:8501."
        )
    return address
