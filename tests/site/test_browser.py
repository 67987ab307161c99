"""The pages in Chromium, opened from their files: quiet, accessible, readable on a telephone, searchable."""

import pytest

from tests.browser.lab import poll
from tests.site.pages import NARROW, THEME, WIDE, look

# Lines of code that are shown and run out of their box.
CUT = "all => all.filter(code => code.innerText && code.scrollWidth > code.clientWidth).map(code => code.innerText)"


def test_a_page_is_quiet_accessible_and_narrow(browser, site, name):
    """No request but for its own files, no complaint, axe's rules in both themes, no tiny type.

    No sideways scroll at 360 px.
    """
    page = browser.new_page(viewport=WIDE)
    try:
        assert not look(page, site / name)
    finally:
        page.close()


@pytest.fixture
def page(browser, site):
    page = browser.new_page(color_scheme="dark", viewport=NARROW)
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()


def test_search_finds_softmax(page):
    page.get_by_role("searchbox", name="Search the course").fill("softmax")
    page.get_by_role("button", name="Search", exact=True).click()
    found = page.locator("#search-results li a")
    poll(lambda: found.count() > 5, 20, "no results")
    assert any("lessons/01_" in link for link in found.evaluate_all("links => links.map(link => link.href)"))


def test_the_theme_follows_the_system(page):
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, background.strip("rgb()").split(", "))) < 60


def test_what_the_keyboard_reaches_on_a_narrow_page_is_seen(page, site):
    """The lists of pages and of headings lie beside a narrow page, and come in with the focus."""
    page.goto((site / "lessons" / "02_masks.html").as_uri())
    page.emulate_media(reduced_motion="reduce")
    for place, link in ((".sidebar-drawer", "02 Masks"), (".toc-drawer", "Recall")):
        page.locator(place).get_by_role("link", name=link).press("Shift")
        poll(lambda place=place: _inside(page.locator(place).bounding_box()), 5, f"{place} stays outside")


def _inside(box):
    return box["x"] >= 0 and box["x"] + box["width"] <= NARROW["width"]


def test_an_answer_unfolds_by_the_keyboard(page, site):
    page.goto((site / "lessons" / "01_scaled_dot_product_attention.html").as_uri())
    answer = page.locator("details.al-answers").first
    verdict = answer.locator(".al-q-right").first
    assert not verdict.is_visible()
    answer.locator("summary").first.press("Enter")
    assert verdict.is_visible()


def test_a_picture_scrolls_in_its_own_box(page, site):
    page.goto((site / "lessons" / "01_scaled_dot_product_attention.html").as_uri())
    box = page.locator(".al-picture").first
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    box.press("ArrowRight")
    poll(lambda: box.evaluate("box => box.scrollLeft > 0"), 5, "the arrow key does not move it")


def test_formulas_follow_the_theme(page, site):
    page.goto((site / "lessons" / "01_scaled_dot_product_attention.html").as_uri())
    ink, formula = (
        page.locator(place).first.evaluate(f"e => getComputedStyle(e).{what}")
        for place, what in (("article p", "color"), (".al-formula path", "fill"))
    )
    assert ink == formula
    key = page.locator('.al-formula [fill="#B84F00"]').first
    assert key.evaluate("e => getComputedStyle(e).fill") == "rgb(240, 149, 74)"


def test_on_paper_all_is_there_and_nothing_lies_above_it(page, site):
    """The page has a dark theme; paper is white, does not scroll, and has no link that appears on Tab."""
    page.goto((site / "lessons" / "01_scaled_dot_product_attention.html").as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator(".skip-to-content").is_visible()
    assert page.locator("pre").evaluate_all(CUT) == []
    key = page.locator('.al-formula [fill="#B84F00"]').first
    for theme in ("auto", "dark"):
        page.evaluate(THEME, theme)
        assert key.evaluate("e => getComputedStyle(e).fill") == "rgb(184, 79, 0)"
