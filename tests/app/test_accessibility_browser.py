"""What axe, a checker of accessibility, finds on the pages: nothing serious, in light and dark,
on a desktop and on a telephone, which they fit.

And what the pages fetch and complain of on the way: nothing.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.app.conftest import ROOT, Server, Visit
from tests.app.watch import settled

pytestmark = pytest.mark.browser
AXE = ROOT / "tests/canvas/node_modules/axe-core/axe.min.js"
PAGES = (
    "gallery",
    "explore?model={0}",
    "explore?tab=time&model=gallery:moves",
    "explore?tab=views&model=gallery:pairs",
    "learn?stop=why",
    "explore?tab=layers&model=gallery:deep-flow",
    "explore?tab=fill&model={0}",
    "compare?model={0}",
    "train",
    "?shelf=mine",
)
SERIOUS = """async (rules) => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"], ...rules });
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
        .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}"""
# The schemes differ in their colours alone and the sizes in everything else, so one visit serves
# all: rules that cannot find anything new are left out.
VISITS = (
    ("light", 1280, {}),
    ("dark", 1280, {"runOnly": ["color-contrast"]}),
    ("dark", 380, {"rules": {"color-contrast": {"enabled": False}}}),
)


def fits_a_telephone(page: Page) -> None:
    """Nothing is wider, and all five rooms are there, with words, in a bar at the lower edge."""
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    bar = page.locator(".st-key-rooms")
    for name in ("Gallery", "Explore", "Compare", "Train", "Learn"):
        expect(bar.get_by_role("link", name=name, exact=True)).to_be_in_viewport(ratio=1)
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_hidden()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (make check brings it)")
@pytest.mark.parametrize("page", PAGES, ids=PAGES)
def test_nothing_serious_stands_in_the_way(server: Server, browser_page: Visit, page: str) -> None:
    visit = browser_page.page
    visit.goto(f"{server.url}/{page.format(server.model_key).removeprefix('gallery')}")
    visit.wait_for_selector("h1")
    settled(visit)
    visit.evaluate(AXE.read_text(encoding="utf-8"))
    found = []
    for scheme, width, rules in VISITS:
        visit.emulate_media(color_scheme=scheme)
        visit.set_viewport_size({"width": width, "height": 900})
        settled(visit)
        found.append((scheme, width, visit.evaluate(SERIOUS, rules)))
    fits_a_telephone(visit)
    assert [each for each in found if each[2]] == []
