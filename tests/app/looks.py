"""Check the look of a page in a browser.

The checks find text that is cut, controls that look different, and keyboard focus that is
invisible. They also report the findings of axe, an accessibility checker.
"""

from typing import Any

from playwright.sync_api import Page

from tests.app.conftest import ROOT, TELEPHONE
from tests.app.watch import settled

AXE = ROOT / "tests/canvas/node_modules/axe-core/axe.min.js"
VIOLATIONS = """async (rules) => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"], ...rules });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html.slice(0, 160)]));
}"""
# JavaScript that lists visible elements, including those in the canvas's shadow trees.
SEEN = """
    const seen = [];
    const walk = (root) => {
        for (const node of root.querySelectorAll("*")) {
            if (node.shadowRoot) walk(node.shadowRoot);
            const box = node.getBoundingClientRect();
            if (box.width > 1.5 && box.height > 1.5 && node.checkVisibility({
                contentVisibilityAuto: true, visibilityProperty: true })) seen.push([node, box]);
        }
    };
    walk(document);
    const up = (node) => node.parentElement ?? node.getRootNode().host;
    const above = (node, holds) => {
        for (let at = node; at; at = up(at)) if (holds(at, getComputedStyle(at))) return true;
        return false;
    };
    const words = (node) => (node.textContent || node.value || "").trim().slice(0, 40);
"""
# Text may be cut with "…" if a title has the whole text. Scrollable text does not count as cut.
CUT = (
    "() => {"
    + SEEN
    + """
    const found = [];
    const main = document.querySelector("[data-testid=stMain]");
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page is too wide");
    const free = (node) => {
        for (let at = up(node); at && at !== main; at = up(at))
            if (getComputedStyle(at).overflowX !== "visible") return false;
        return true;
    };
    if (main.scrollWidth > main.clientWidth) {
        const wide = seen.filter(([node, { right }]) => right > innerWidth);
        const names = wide.filter(([node]) => free(node)).map(([node]) => node.outerHTML);
        found.push(`too wide: ${names.map((name) => name.slice(0, 90))}`);
    }
    for (const [node] of seen) {
        // Choices side by side do not scroll, except the tabs.
        const choices = node.matches("[data-testid=stButtonGroup] > div")
            && !node.closest(".st-key-tabs");
        if (choices && node.scrollWidth > node.clientWidth + 1) found.push(`cut: ${words(node)}`);
        const style = getComputedStyle(node);
        const own = [...node.childNodes].some((part) => part.nodeType === 3 && part.data.trim());
        if (!own && !node.matches("[role=combobox]")) continue;
        if (above(node, (at, { clipPath }) => clipPath.startsWith("inset(50%"))) continue;
        const titled = above(node, (at) => at.title);
        const hides = /hidden|clip/;
        if (node.matches("[role=combobox]") || (hides.test(style.overflowX) && !titled)) {
            if (node.scrollWidth > node.clientWidth + 1) found.push(`cut: ${words(node)}`);
        }
        if (hides.test(style.overflowY) && node.scrollHeight > node.clientHeight + 2)
            found.push(`cut below: ${words(node)}`);
        const range = document.createRange();
        range.selectNodeContents(node);
        const { left, right } = range.getBoundingClientRect();
        if (left < -1 || right > innerWidth + 1) {
            const reached = above(node, (at, { overflowX }) =>
                /auto|scroll/.test(overflowX) ? at.scrollWidth > at.clientWidth
                    : hides.test(overflowX) && (titled || at.tagName === "svg"));
            if (!reached) found.push(`outside: ${words(node)}`);
        }
    }
    return [...new Set(found)];
}"""
)
CONTROLS = (
    "() => {"
    + SEEN
    + """
    const found = seen.filter(([node]) => node.matches("button, select, summary"))
        .map(([node]) => [node, getComputedStyle(node)])
        .filter(([, style]) => style.borderTopWidth === "1px" && style.borderLeftWidth === "1px")
        .flatMap(([node, style]) => [
            ...[style.borderTopLeftRadius, style.borderBottomRightRadius].filter((radius) =>
                !["0px", "8px"].includes(radius)),
            ...[style.fontSize].filter((size) =>
                !["12px", "13px", "14px", "16px", "19.2px"].includes(size)),
        ].map((odd) => `${words(node)}: ${odd}`));
    return [...new Set(found)];
}"""
)
# The focused element, or an element around it, must be outlined.
FOCUSED = """() => {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    if (!node || node === document.body) return null;
    let outlined = false;
    const up = (at) => at.parentElement ?? at.getRootNode().host;
    for (let at = node, step = 0; at && step < 5; at = up(at), step++) {
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        outlined ||= outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    }
    return [outlined, node.ariaLabel ?? node.textContent.slice(0, 40)];
}"""


# The words of the first view, without those of controls and pictures.
WORDS = """() => {
    const quiet = "button, select, summary, label, input, table, .legend, .on-map, style, header, "
        + ".values ul, .dimension, [role=radiogroup], [data-testid=stHeader], .aside, .skip";
    const found = [];
    const walk = (root) => {
        const { SHOW_ELEMENT, SHOW_TEXT } = NodeFilter;
        const texts = document.createTreeWalker(root, SHOW_ELEMENT | SHOW_TEXT);
        for (let at = texts.nextNode(); at; at = texts.nextNode()) {
            if (at.shadowRoot) walk(at.shadowRoot);
            const parent = at.parentElement;
            if (at.nodeType !== 3 || !at.data.trim() || !parent?.checkVisibility()) continue;
            if (parent.closest(quiet)) continue;
            const range = document.createRange();
            range.selectNodeContents(at);
            const { top, width } = range.getBoundingClientRect();
            if (width <= 1 || top >= innerHeight) continue;
            found.push(...at.data.match(/[\\p{L}]{2,}/gu) ?? []);
        }
    };
    walk(document.body);
    return found;
}"""
# JavaScript that counts the running animations.
MOVING = """() => {
    const hosts = [...document.querySelectorAll("*")].filter((node) => node.shadowRoot);
    return [document, ...hosts.map((host) => host.shadowRoot)]
        .flatMap((root) => root.getAnimations())
        .filter((one) => one.playState === "running")
        .filter((one) => one.effect.getComputedTiming().duration > 1).length;
}"""


def check_looks(page: Page) -> None:
    """Check a settled page in light colours at its size, and in dark colours on a telephone.

    No text may be cut off, axe must find nothing, controls must look alike, and nothing may move by
    itself, because the visitors of the browser tests prefer reduced motion.
    """
    size = page.viewport_size
    assert size is not None
    found = page.evaluate(CUT) + page.evaluate(CONTROLS) + violations(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(TELEPHONE)
    settled(page)
    found += page.evaluate(CUT) + violations(page)
    assert found == [], found
    assert page.evaluate(MOVING) == 0
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(size)
    settled(page)


def violations(page: Page, rules: dict[str, Any] | None = None) -> list[list[str]]:
    """Return axe's findings of any severity on the page: the rule and the element's HTML."""
    if not AXE.exists():  # `make check` installs axe
        return []
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[list[str]] = page.evaluate(VIOLATIONS, rules or {})
    return found


def focus_stops(page: Page, most: int) -> list[tuple[bool, str]]:
    """Press Tab from the page's start; return whether each element is visible, and its name."""
    stops = []
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if stop is None:
            break
        stops.append(tuple(stop))
    return stops
