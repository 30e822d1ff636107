"""Tests that a server that requires an account draws nothing before the visitor signs in."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.serving.sign_in import is_invited

APP = Path(__file__).parents[2] / "app.py"


def test_without_an_account_there_is_only_the_way_to_sign_in(monkeypatch):
    monkeypatch.setenv("MANIFOLIO_SIGN_IN", "oidc")
    at = AppTest.from_file(str(APP), default_timeout=60).run()
    assert [button.label for button in at.button] == ["Sign in"]
    assert not at.subheader and not at.exception


@pytest.mark.parametrize(
    ("user", "let_in"),
    [
        ({"email": "Ada@maps.example", "email_verified": True}, True),
        ({"email": "ada@maps.example", "email_verified": False}, False),
        ({"email": "ada@maps.example"}, False),
        ({"email": "eve@maps.example", "email_verified": True}, False),
        ({"email_verified": True}, False),
    ],
)
def test_only_verified_addresses_that_are_named_are_let_in(user, let_in):
    assert is_invited(user, "ada@maps.example, bob@maps.example") == let_in
    assert is_invited(user, "")
