"""Security headers of every response: they forbid content from other servers, and frames."""

import base64
import hashlib
import re
from pathlib import Path

import streamlit

# The script sets Streamlit's address; otherwise Streamlit would first search below the path of a
# deep link. It also adds the model that this browser opened last to links that name no model
# (pages/ui/shared/last.py).
BACKEND = r"""
window.__streamlit = {
  BACKEND_BASE_URL:
    location.origin + location.pathname.replace(/\/(explore|compare|train|learn)\/?$/, "/"),
};
try {
  const last = localStorage.getItem("last model");
  const link = new URLSearchParams(location.search);
  if (last && !link.has("model") && /\/(explore\/?)?$/.test(location.pathname)) {
    link.set("last", last);
    history.replaceState(history.state, "", `${location.pathname}?${link}${location.hash}`);
  }
} catch {}
"""
# The script removes the first screen when the page has drawn its content or has none, or when the
# visitor clicks or types. Once the page's layout is known, only the images of the first screen
# remain.
FIRST_SCREEN = r"""
const first = document.getElementById("mf-first");
const most = performance.now() + 30000;
const look = () => {
  const rooms = [...document.querySelectorAll("[class*=st-key-room_]")];
  const hosts = rooms.flatMap((room) => [
    ...room.querySelectorAll("[data-testid=stBidiComponentIsolated]"),
  ]);
  const inside = (part) => hosts.map((host) => host.shadowRoot?.querySelector(part));
  const ended = document.querySelector(
    "[data-test-script-state=notRunning] [data-testid=stMain] .stElementContainer",
  );
  if (inside("[data-ready]").some(Boolean) || (ended && !rooms.length) || performance.now() > most)
    leave();
  else if (inside("canvas").some((canvas) => canvas?.clientHeight))
    first.classList.add("mf-first-over");
};
const timer = setInterval(look, 50);
const leave = () => {
  clearInterval(timer);
  first.remove();
};
for (const deed of ["wheel", "touchstart", "pointerdown", "keydown"])
  addEventListener(deed, leave, { once: true, capture: true, passive: true });
"""
INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def inline_scripts() -> list[str]:
    """Return the digests of the scripts in the app's page, in the policy's syntax."""
    page = Path(streamlit.__file__).parent / "static" / "index.html"
    scripts = [*INLINE_SCRIPT.findall(page.read_bytes()), BACKEND.encode(), FIRST_SCREEN.encode()]
    digests = [hashlib.sha256(script).digest() for script in scripts]
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


POLICY = {
    "default-src": "'none'",
    # Streamlit loads a component's script as a blob of the page. One of its libraries compiles some
    # WebAssembly; without permission, Firefox reports an error at each visit.
    "script-src": " ".join(["'self'", "blob:", "'wasm-unsafe-eval'", *inline_scripts()]),
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "media-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
# Browser features that the app never uses.
FEATURES = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = tuple(
    (name.encode(), value.encode())
    for name, value in {
        "content-security-policy": "; ".join(f"{what} {where}" for what, where in POLICY.items()),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "permissions-policy": ", ".join(f"{feature}=()" for feature in FEATURES),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }.items()
)
