"""Sign-in with an external account (OpenID Connect), if the server's settings require one."""

import os
from collections.abc import Mapping

import streamlit as st


def ask_to_sign_in() -> None:
    """Stop the page for a visitor who has not signed in, or whom MANIFOLIO_USERS does not list.

    Streamlit provides the sign-in, and .streamlit/secrets.toml configures it.
    """
    if os.environ.get("MANIFOLIO_SIGN_IN") != "oidc":
        return
    if not getattr(st.user, "is_logged_in", False):
        st.title("Manifolio", anchor=False)
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        st.stop()
    if not is_invited(st.user.to_dict(), os.environ.get("MANIFOLIO_USERS", "")):
        st.error("This account may not use this server. Ask the person who runs the server.")
        st.button("Sign out", icon=":material/logout:", on_click=st.logout)
        st.stop()


def is_invited(user: Mapping[str, object], invited: str) -> bool:
    """Return whether `invited` lists the account's verified address; an empty list admits all.

    user: the claims of the account; invited: addresses, separated by spaces or commas.
    """
    named = invited.replace(",", " ").lower().split()
    if not named:
        return True
    known = user.get("email_verified") in (True, "true")
    return known and str(user.get("email", "")).lower() in named
