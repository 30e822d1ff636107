"""What axe, a checker of accessibility, finds on the pages: nothing serious, in light and dark,
on a desktop and on a telephone.

And what the pages fetch and complain of on the way: nothing.
"""

from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.app.conftest import ROOT, Server, Visit
from tests.app.watch import settled

pytestmark = pytest.mark.browser
AXE = ROOT / "tests/canvas/node_modules/axe-core/axe.min.js"
PAGES = (
    "gallery",
    "explore?model={0}&rows=_w",
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


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (make check brings it)")
@pytest.mark.parametrize("page", PAGES, ids=PAGES)
def test_nothing_serious_stands_in_the_way(server: Server, browser_page: Visit, page: str) -> None:
    visit = browser_page.page
    visit.goto(f"{server.url}/{page.format(server.model_key).removeprefix('gallery')}")
    visit.wait_for_selector("h1")
    settled(visit)
    visit.evaluate(AXE.read_text(encoding="utf-8"))
    assert found_on(visit, VISITS) == []


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed (make check brings it)")
def test_nothing_serious_stands_in_the_way_of_any_question_about_time(
    server: Server, browser_page: Visit
) -> None:
    visit = browser_page.page
    visit.goto(f"{server.url}/explore?tab=time&model=gallery:moves")
    visit.wait_for_selector(".player[data-reel]")
    visit.evaluate(AXE.read_text(encoding="utf-8"))
    everything = [(scheme, width, {}) for scheme in ("light", "dark") for width in (1280, 380)]
    for task in ("Play and forecast", "A new sequence", "Fill a gap"):
        visit.get_by_role("radio", name=task).click()
        settled(visit)
        visit.mouse.move(2, 2)  # a slider under the pointer shows its ends, fading in
        # In the midst of a forecast there is more to see than at the beginning.
        visit.locator("canvas[data-part=timeline]").press("End")
        assert (task, found_on(visit, everything)) == (task, [])


def found_on(visit: Page, visits: Iterable[tuple[str, int, dict[str, Any]]]) -> list[Any]:
    """What is found in each scheme at each width, where anything is."""
    found = []
    for scheme, width, rules in visits:
        visit.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        visit.set_viewport_size({"width": width, "height": 900})
        settled(visit)
        found.append((scheme, width, visit.evaluate(SERIOUS, rules)))
    return [each for each in found if each[2]]
