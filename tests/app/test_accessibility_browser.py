"""What axe, a checker of accessibility, finds on the pages: nothing serious, in light and dark.

And what the pages fetch and complain of on the way: nothing.
"""

import pytest

from tests.app.conftest import ROOT, Server, Visit
from tests.app.watch import settled

pytestmark = pytest.mark.browser
AXE = ROOT / "tests/canvas/node_modules/axe-core/axe.min.js"
PAGES = (
    "gallery",
    "explore?model={0}",
    "dynamics?model=gallery:moves",
    "views?model=gallery:pairs",
    "depth",
    "depth?model=gallery:deep-flow",
    "complete?model={0}",
    "train",
    "library",
)
SERIOUS = """async (rules) => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"], ...rules });
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
        .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}"""
# The schemes differ in their colours alone, so one visit serves both.
SCHEMES = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (make check brings it)")
@pytest.mark.parametrize("page", PAGES, ids=[page.partition("=")[0] for page in PAGES])
def test_nothing_serious_stands_in_the_way(server: Server, browser_page: Visit, page: str) -> None:
    visit = browser_page.page
    visit.goto(f"{server.url}/{page.format(server.model_key).removeprefix('gallery')}")
    visit.wait_for_selector("h1")
    settled(visit)
    visit.evaluate(AXE.read_text(encoding="utf-8"))
    found = {}
    for scheme, rules in SCHEMES.items():
        visit.emulate_media(color_scheme=scheme)
        settled(visit)
        found[scheme] = visit.evaluate(SERIOUS, rules)
    assert found == {"light": [], "dark": []}
    assert browser_page.traffic.outside() == []
    assert browser_page.traffic.errors == []
